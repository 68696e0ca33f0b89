"""What the metrics measure: for each one what it sees and misses, its range, its direction and its source.

Which metrics are computed: the primary one, further ones beside it, and what is said of those that cannot be had.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mteval.base.errors import MtevalError
from mteval.metrics import METRICS, lacking, resolve
from mteval.metrics.base import MetricSpec, ScoreRange
from mteval.render.html import Markup, join, tag
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose, choose_some
from mteval.ui.parts.tables import show
from mteval.ui.session.visitor import most_metrics, offered
from mteval.ui.setup.workspace import run_word
from mteval.values.model import Experiment
from mteval.values.notation import Direction
from mteval.values.settings import Settings

_DIRECTIONS: Mapping[Direction, str] = {
    "↑": "↑ higher is better",
    "↓": "↓ lower is better",
    "": "neither direction is better",
}


def metric_guide(specs: Iterable[MetricSpec]) -> None:
    """A button that opens the descriptions of all metrics there are."""
    with st.popover("What the metrics measure", icon=":material/menu_book:", width="stretch"):
        show(guide(specs))


def guide(specs: Iterable[MetricSpec]) -> Markup:
    """The descriptions, one below the other."""
    return tag("div", *map(_described, specs), class_="mt-guide")


def in_words(scores: ScoreRange) -> str:
    """The limits of scores, and what was remarked of them."""
    lowest, highest = scores.lowest, scores.highest
    if lowest is not None:
        limits = f"{lowest:g} and above" if highest is None else f"{lowest:g} to {highest:g}"
    else:
        limits = "no known limits" if highest is None else f"{highest:g} and below"
    return f"{limits}; {scores.remark}" if scores.remark else limits


def _described(spec: MetricSpec) -> Markup:
    direction = _DIRECTIONS[spec.notation.direction]
    facts = (("Range", in_words(spec.range)), ("Direction", direction), ("Source", spec.source))
    rows = [tag("div", tag("dt", name), tag("dd", value)) for name, value in facts]
    return join((tag("h4", spec.name, class_="mt-h"), tag("p", spec.summary), tag("dl", *rows)))


PRIMARY, FURTHER, SEEN, LAST_PRIMARY = "primary", "metrics", "given-metrics-seen", "primary-of-the-run-before"
USUAL = "usual-metrics"


def choose_metrics(known: Mapping[str, MetricSpec], usual: tuple[str, ...]) -> tuple[str, ...]:
    """The keys chosen, the primary metric first; ``usual`` are those of somebody who has chosen nothing."""
    known = offered(known)
    _choose_what_came(known, usual)
    names = {key: spec.name for key, spec in known.items()}
    primary = choose(
        "Primary metric",
        list(known),
        PRIMARY,
        default=usual[0],
        format_func=names.__getitem__,
        on_change=_keep_last_primary,
        args=(usual,),
        help=f"The verdict is about this metric; it picks the median {run_word().noun}. Choose it before you see the"
        " numbers.",
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
    """Add scores that came with the files to the further metrics, once; a choice that left with its file is dropped.

    Scores without texts take the place of what nobody chose, and leave it when they go.
    """
    if usual != st.session_state.setdefault(USUAL, usual):
        _take_usual(usual)
    seen: set[str] = st.session_state.setdefault(SEEN, set())
    given = set(known) - set(METRICS)
    chosen = st.session_state.get(FURTHER, list(usual[1:]))
    wanted = [key for key in chosen if key in known]
    wanted += [key for key in known if key in given - seen and key not in (*chosen, st.session_state.get(PRIMARY))]
    if wanted != chosen:
        st.session_state[FURTHER] = wanted
    st.session_state[SEEN] = given


def _take_usual(usual: tuple[str, ...]) -> None:
    """Other metrics are the usual ones now: where the earlier ones are still chosen, nobody has.

    Who has chosen a primary metric alone keeps it.
    """
    before: tuple[str, ...] = st.session_state[USUAL]
    st.session_state[USUAL] = usual
    primary, others = st.session_state.get(PRIMARY, before[0]), tuple(st.session_state.get(FURTHER, before[1:]))
    if (primary, *others) == before:
        st.session_state[PRIMARY], st.session_state[FURTHER] = usual[0], list(usual[1:])
    elif primary not in before and others in (before, before[1:]):
        st.session_state[FURTHER] = [key for key in usual if key != primary]
    else:
        return
    st.session_state[SEEN] = set()


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
