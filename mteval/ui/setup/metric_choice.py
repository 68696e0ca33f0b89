"""Which metrics are computed: the primary one, further ones beside it, and what is said of those that cannot be had."""

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mteval.errors import MtevalError
from mteval.metrics import METRICS, lacking, resolve
from mteval.metrics.base import MetricSpec
from mteval.metrics.length import Length
from mteval.model import Experiment
from mteval.settings import Settings
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose, choose_some
from mteval.ui.session.demo import most_metrics, offered
from mteval.ui.setup.metric_guide import metric_guide

PRIMARY, FURTHER, SEEN, LAST_PRIMARY = "primary", "metrics", "given-metrics-seen", "primary-of-the-run-before"
STAND_IN = "primary-without-references"  # chosen here, not by the user


def choose_metrics(
    known: Mapping[str, MetricSpec], usual: tuple[str, ...], experiment: Experiment | None
) -> tuple[str, ...]:
    """The keys chosen, the primary metric first; ``usual`` are those of somebody who has chosen nothing."""
    known = offered(known)
    _choose_what_came(known, usual)
    if experiment is not None:
        _choose_what_can_be_had(known, usual, experiment)
    names = {key: spec.name for key, spec in known.items()}
    primary = choose(
        "Primary metric",
        list(known),
        PRIMARY,
        default=usual[0],
        format_func=names.__getitem__,
        on_change=_keep_last_primary,
        args=(usual,),
        help="The verdict is about this metric, and it picks the median run. Choose it before you see the numbers.",
    )
    st.session_state[LAST_PRIMARY] = primary
    others = choose_some(
        "Further metrics",
        list(known),
        FURTHER,
        default=usual[1:],
        format_func=names.__getitem__,
        max_selections=most_metrics(),
        help="Shown beside the primary one on every page; what each of them sees and misses stands below.",
    )
    metric_guide(known.values())
    return (primary, *(key for key in others if key != primary))[: most_metrics()]


def _choose_what_came(known: Mapping[str, MetricSpec], usual: tuple[str, ...]) -> None:
    """Add scores that came with the files to the further metrics, once; a choice that left with its file is dropped."""
    seen: set[str] = st.session_state.setdefault(SEEN, set())
    given = set(known) - set(METRICS)
    chosen = st.session_state.get(FURTHER, list(usual[1:]))
    wanted = [key for key in chosen if key in known]
    wanted += [key for key in known if key in given - seen and key not in chosen]
    if wanted != chosen:
        st.session_state[FURTHER] = wanted
    st.session_state[SEEN] = given


def _choose_what_can_be_had(known: Mapping[str, MetricSpec], usual: tuple[str, ...], experiment: Experiment) -> None:
    """Where nothing has references, take a metric that needs none for the primary one; with references go back.

    What the user chooses then is left as it is, with the reason beside it.
    """
    primary, stand_in = st.session_state.get(PRIMARY, usual[0]), st.session_state.get(STAND_IN)
    if any(test_set.has_references for test_set in experiment.test_sets):
        if st.session_state.pop(STAND_IN, None) == primary:
            given = [key for key in known if key not in METRICS]
            st.session_state[PRIMARY], st.session_state[FURTHER] = usual[0], [*usual[1:], *given]
        return
    is_open = stand_in == primary and not known[primary].notation.has_direction
    if not is_open and (stand_in is not None or _can_be_had(primary, experiment)):
        return
    chosen = [primary, *st.session_state.get(FURTHER, list(usual[1:])), Length.key]
    needless = [key for key in dict.fromkeys(chosen) if key in known and _can_be_had(key, experiment)]
    needless.sort(key=lambda key: not known[key].notation.has_direction)
    if needless and needless[0] != primary:
        st.session_state[PRIMARY] = st.session_state[STAND_IN] = needless[0]
        st.session_state[FURTHER] = needless[1:]


def _can_be_had(key: str, experiment: Experiment) -> bool:
    return not _reason(Settings(metrics=(key,)), experiment)


def _keep_last_primary(usual: tuple[str, ...]) -> None:
    """In a callback: the metric that was primary takes the place of the one that is now among the further ones."""
    now, before = st.session_state[PRIMARY], st.session_state.get(LAST_PRIMARY, usual[0])
    others = [key for key in st.session_state.get(FURTHER, list(usual[1:])) if key != before]
    place = others.index(now) if now in others else 0
    st.session_state[FURTHER] = [*others[:place], before, *(key for key in others[place:] if key != now)]


def usable(settings: Settings, experiment: Experiment | None, beside: DeltaGenerator) -> Settings | None:
    """The settings without the metrics that cannot be had, the reasons ``beside``; None without the primary one."""
    reasons = {key: _reason(replace(settings, metrics=(key,)), experiment) for key in settings.metrics}
    with beside:
        for key, reason in reasons.items():
            if reason:
                messages.say("error" if key == settings.primary_metric else "warning", reason)
    if reasons[settings.primary_metric]:
        return None
    return replace(settings, metrics=tuple(key for key in settings.metrics if not reasons[key]))


def _reason(settings: Settings, experiment: Experiment | None) -> str:
    """Why the one metric of the settings cannot be had with these options and files; empty where it can."""
    try:
        (metric,) = resolve(settings, () if experiment is None else experiment.given)
    except MtevalError as error:
        return str(error)
    return "" if experiment is None else lacking(metric, experiment)
