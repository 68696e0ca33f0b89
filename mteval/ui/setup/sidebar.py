"""The sidebar that all pages share: what is loaded, the button that starts the work, and the settings."""

from collections.abc import Callable
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mteval.base.errors import MtevalError
from mteval.base.words import counted
from mteval.metrics import METRICS
from mteval.render.html import Markup, tag
from mteval.ui.parts import messages
from mteval.ui.parts.tables import show
from mteval.ui.session import evaluation
from mteval.ui.setup.address import settings_that_stay
from mteval.ui.setup.entry import keep_loaded
from mteval.ui.setup.entry_panel import share
from mteval.ui.setup.settings_form import settings_form, write_address_again
from mteval.ui.setup.words import run_word
from mteval.ui.setup.workspace import loaded_experiment
from mteval.values.model import Experiment
from mteval.values.settings import Settings

TARGET = "go-to"  # key of the page that a button asked for


def sidebar(is_loading: bool) -> None:
    """Draw it, let the evaluation follow the settings, and keep what has changed.

    Work that starts from the load page leads to the scores.
    """
    write_address_again()
    with st.sidebar:
        action = st.container()
        with settings_that_stay():
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
            keep_loaded(settings)
            share()


def settings_of_session() -> Settings | None:
    """What the sidebar says; None where its values cannot go together."""
    settings: Settings | None = st.session_state.get("settings")
    return settings


def _settings(above: DeltaGenerator) -> Settings | None:
    """The settings; None where they cannot be used, and a message above them where that is not about a metric."""
    try:
        return settings_form(loaded_experiment())
    except MtevalError as error:
        with above:
            messages.say("error", str(error))
        return None


def request_scores() -> None:
    """In a button's callback: start the work and show the scores page.

    The page changes in the run that follows. A button that is drawn after work has begun may be another by then.
    """
    evaluation.request()
    st.session_state[TARGET] = "pages/scores.py"


def _experiment(experiment: Experiment, settings: Settings | None, on_click: Callable[[], None]) -> None:
    show(summary_line(experiment))
    if settings is not None:
        evaluation.refresh(experiment, settings)
    if evaluation.is_working():
        evaluation.progress()
        return
    if not is_first(experiment, settings):
        start_button(experiment, settings, on_click=on_click)
    notice = evaluation.notice()
    if notice is not None:
        messages.say(*notice)


def is_first(experiment: Experiment, settings: Settings | None) -> bool:
    """Whether there are no numbers yet, nor on their way: the button is on the page then, and later in the sidebar."""
    return evaluation.current(experiment, settings) is None and not evaluation.is_working()


def start_button(
    experiment: Experiment,
    settings: Settings | None,
    width: Literal["stretch", "content"] = "stretch",
    on_click: Callable[[], None] = evaluation.request,
) -> None:
    """The button that starts the work; it rests where there is nothing to do, or the settings do not allow it."""
    results = evaluation.current(experiment, settings)
    is_fresh = (
        results is not None and settings is not None and not evaluation.is_outdated(results, experiment, settings)
    )
    st.button(
        "Up to date" if is_fresh else "Score and compare",
        type="secondary" if is_fresh else "primary",
        icon=":material/check:" if is_fresh else ":material/play_arrow:",
        disabled=is_fresh or settings is None,
        help=None if settings is not None else "Not with the metric and the options in the sidebar; it says why.",
        on_click=on_click,
        key="start",
        width=width,
    )


def summary_line(experiment: Experiment) -> Markup:
    """``3 systems · 9 runs · 2,489 segments``, for the sidebar."""
    n_systems = len(experiment.systems)
    n_runs = sum(len(system.runs) for system in experiment.systems)
    *others, last = (test_set.n_segments for test_set in experiment.test_sets)
    segments = " + ".join((*(f"{number:,}" for number in others), counted(last, "segment")))
    parts = (counted(n_systems, "system"), counted(n_runs, run_word().noun), segments)
    return tag("p", " · ".join(parts), class_="mt-quiet")
