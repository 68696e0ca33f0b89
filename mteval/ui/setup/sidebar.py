"""The sidebar that all pages share: what is loaded, the button that starts the work, and the settings."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mteval.counts import counted
from mteval.errors import MtevalError
from mteval.metrics import METRICS, lacking, resolve
from mteval.metrics.base import Metric
from mteval.model import Experiment
from mteval.settings import Settings
from mteval.ui.parts import messages
from mteval.ui.parts.markup import Markup, show, tag
from mteval.ui.session import evaluation
from mteval.ui.setup.settings_form import settings_form, write_address_again
from mteval.ui.setup.workspace import loaded_experiment

TARGET = "go-to"  # key of the page that a button asked for


def sidebar(is_loading: bool) -> None:
    """Draw it, and let the evaluation follow the settings. Work that starts from the load page leads to the scores."""
    write_address_again()
    with st.sidebar:
        action = st.container()
        settings = _settings(action)
        st.session_state["settings"] = settings
        experiment = loaded_experiment()
        with action:
            for problem in METRICS.problems:
                messages.say("warning", problem)
            if experiment is None:
                show(tag("p", "Nothing loaded yet.", class_="mt-quiet"))
            else:
                _experiment(experiment, settings, request_scores if is_loading else evaluation.request)


def settings_of_session() -> Settings | None:
    """What the sidebar says; None where its values cannot go together."""
    settings: Settings | None = st.session_state.get("settings")
    return settings


def _settings(above: DeltaGenerator) -> Settings | None:
    """The settings, or None and a message above them where a metric cannot be had as they want it."""
    try:
        experiment = loaded_experiment()
        settings = settings_form(experiment)
        metrics = resolve(settings, () if experiment is None else experiment.given)
    except MtevalError as error:
        with above:
            messages.say("error", str(error))
        return None
    return settings if experiment is None else _possible(settings, metrics, experiment)


def _possible(settings: Settings, metrics: Sequence[Metric], experiment: Experiment) -> Settings | None:
    """The settings without metrics that the files lack something for, which is said; None if it is the primary one."""
    missing = {metric.key: lacking(metric, experiment) for metric in metrics}
    for key, what in missing.items():
        if what:
            messages.say("error" if key == settings.primary_metric else "warning", what)
    if missing[settings.primary_metric]:
        return None
    return replace(settings, metrics=tuple(key for key in settings.metrics if not missing[key]))


def request_scores() -> None:
    """In a button's callback: start the work and show the scores page.

    The page changes in the run that follows. A button that is drawn after work has begun may be another by then.
    """
    evaluation.request()
    st.session_state[TARGET] = "pages/scores.py"


def _experiment(experiment: Experiment, settings: Settings | None, on_click: Callable[[], None]) -> None:
    show(summary_line(experiment))
    if settings is None:
        return
    evaluation.refresh(experiment, settings)
    if evaluation.is_working():
        evaluation.progress()
    else:
        start_button(experiment, settings, "start", on_click=on_click)
        notice = evaluation.notice()
        if notice is not None:
            messages.say(*notice)


def start_button(
    experiment: Experiment,
    settings: Settings,
    key: str,
    width: Literal["stretch", "content"] = "stretch",
    on_click: Callable[[], None] = evaluation.request,
) -> None:
    """The button that starts the work; it rests where there is nothing to do."""
    results = evaluation.current(experiment, settings)
    is_fresh = results is not None and not evaluation.is_outdated(results, settings)
    st.button(
        "Up to date" if is_fresh else "Score and compare",
        type="secondary" if is_fresh else "primary",
        icon=":material/check:" if is_fresh else ":material/play_arrow:",
        disabled=is_fresh,
        on_click=on_click,
        key=key,
        width=width,
    )


def summary_line(experiment: Experiment) -> Markup:
    """``3 systems · 9 runs · 2,489 segments``, for the sidebar."""
    n_systems = len(experiment.systems)
    n_runs = sum(len(system.runs) for system in experiment.systems)
    *others, last = (test_set.n_segments for test_set in experiment.test_sets)
    segments = " + ".join((*(f"{number:,}" for number in others), counted(last, "segment")))
    parts = (counted(n_systems, "system"), counted(n_runs, "run"), segments)
    return tag("p", " · ".join(parts), class_="mt-quiet")
