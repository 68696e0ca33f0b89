"""Which two runs are compared, and by which metric segments are ranked.

The segment page: choices above, then the segments, the buckets and the words as three views of the same pair.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st

from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored
from mteval.analysis.segments.filters import matching
from mteval.analysis.segments.runs import RunPair, median_pair
from mteval.base.arrays import IntArray
from mteval.base.words import agreeing, counted_part
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose, choose_tab
from mteval.ui.segments.columns import choose_order, in_order, ranked_table
from mteval.ui.segments.compared_runs import SegmentData, segment_data
from mteval.ui.segments.evidence import KINDS_VIEW, SEGMENTS_VIEW, VIEW, WORDS_VIEW, buckets, words
from mteval.ui.segments.filter_form import (
    beyond_the_form,
    bookmark_button,
    clear_filters,
    clicked_in_words,
    filter_form,
    ways,
)
from mteval.ui.segments.marked_errors import VIEW as ERRORS_VIEW
from mteval.ui.segments.marked_errors import downloads, marked_errors, marking
from mteval.ui.segments.opened_segment import opened_segment
from mteval.ui.segments.steps import listen_for_keys, open_one, step_buttons
from mteval.ui.session.memory import by_metric, scored_on
from mteval.ui.setup.address import bookmarked
from mteval.values.model import Run, TestSet
from mteval.values.run_words import RunWord

MEDIAN, CHOSEN = "median", "chosen"


def choose_metric(results: Results) -> str:
    """The metric that segments are ranked by."""
    names = {key: spec.notation.heading(spec.name) for key, spec in results.evaluation.metrics.items()}
    return choose(
        "Rank by",
        list(names),
        "seg-by",
        format_func=names.__getitem__,
        help="Segments are ordered by what changed in this metric; the arrow points to better scores.",
    )


def choose_pair(results: Results, scored: tuple[Scored, ...], metric: str) -> RunPair:
    """The runs that are compared: the median runs by the metric, or any two; with one system the page ends."""
    here, test_set, runs = by_metric(scored, metric), results.test_set, results.run_word
    systems = list(here.statistics)
    if len(systems) < 2:
        what = "output" if len(test_set.systems) < 2 else f"{here.metric.name} scores"
        messages.say("note", f"{test_set.name} has {what} of one system only; load those of a second one.")
        st.stop()
    sets = [other for other in results.experiment.test_sets if set(systems) <= {s.key for s in other.systems}]
    which = _choose_way([other.name for other in sets if other.name != test_set.name], runs)
    usual = _usual(systems, results.experiment.baseline)
    if which == CHOSEN:
        return _choose_runs(here.test_set, *usual, runs)
    pair = _choose_systems(systems, *usual)
    if which == MEDIAN:
        return median_pair(here, *pair)
    other = results.experiment.test_set(which.removeprefix(f"{MEDIAN} on "))
    elsewhere = by_metric(scored_on(results.on(other)), metric)
    if set(pair) <= set(elsewhere.statistics):
        found = median_pair(elsewhere, *pair)
        if found.is_on(here.test_set):
            return found
        told = f"Those runs have no {here.metric.name} scores here; the median runs here are shown."
        messages.say("note", runs.said(told, here.metric.name))
    return median_pair(here, *pair)


def _usual(systems: Sequence[str], baseline: str) -> tuple[str, str]:
    """The systems that are compared unless others are chosen: the baseline, where it has scores, and the next one."""
    left = baseline if baseline in systems else systems[0]
    return left, next(key for key in systems if key != left)


def _choose_systems(systems: Sequence[str], left: str, right: str) -> tuple[str, str]:
    """Any two systems, where there are more than two."""
    if len(systems) == 2:
        return left, right
    left = choose("Compare with", systems, "seg-against", default=left)
    others = [key for key in systems if key != left]
    return left, choose("System", others, "seg-system", default=right if right != left else None)


def _choose_way(others: list[str], runs: RunWord) -> str:
    ways = [MEDIAN, *(f"{MEDIAN} on {name}" for name in others), CHOSEN]
    names = {MEDIAN: runs.said("Median runs here"), CHOSEN: runs.said("Any two runs")}
    return choose(
        runs.said("Runs"),
        ways,
        "seg-runs",
        format_func=lambda way: names.get(way, way.replace(MEDIAN, runs.said("Median runs"), 1)),
        help=runs.said(
            "The median run of a system is the one whose score is in the middle. To choose it on one test set and read"
            " it on another keeps the choice free of what is read."
        ),
    )


def _choose_runs(test_set: TestSet, baseline: str, system: str, runs: RunWord) -> RunPair:
    found = {f"{run.system} · {run.key}": run for run in test_set.runs}
    names = list(found)
    left = choose("Compare with", names, "seg-left", default=_first(found, baseline))
    right = choose(runs.said("Run"), names, "seg-right", default=_first(found, system))
    return RunPair(found[left].system, found[left].key, found[right].system, found[right].key)


def _first(runs: dict[str, Run], system: str) -> str:
    return next(name for name, run in runs.items() if run.system == system)


STYLE = Path(__file__).with_name("page.css")


Annotate = Callable[[TestSet, tuple[str, str], int, Sequence[int]], None]


@st.fragment
def segments(results: Results, annotate: Annotate) -> None:
    """Everything below the choice of the test set; a fragment, so that a click redraws nothing else.

    ``annotate`` draws the ways to people's words about a segment, from its test set, the systems that are compared, the
    segment and those that are bookmarked.
    """
    st.html(STYLE)
    scored = scored_on(results)
    choices = st.container(horizontal=True, vertical_alignment="bottom")
    with choices:
        metric = choose_metric(results)
        pair = choose_pair(results, scored, metric)
        data = segment_data(results, scored, pair)
        by, order = choose_order(data, metric)
    further: dict[str, Callable[[], None]] = {}
    if ways(data):
        further[KINDS_VIEW] = partial(buckets, data, metric)
    if data.compares_words:
        further[WORDS_VIEW] = partial(words, data)
    if marking(data):
        further[ERRORS_VIEW] = partial(marked_errors, data)
    views = choose_tab([SEGMENTS_VIEW, *further], VIEW)
    with views[0]:  # drawn even where hidden, so that filters and selection stay in the address
        _browse(data, metric, in_order(data, metric, _filtered(data, metric), by, order), annotate)
    for view, draw in zip(views[1:], further.values(), strict=True):
        if view.open:
            with view:
                draw()


def _filtered(data: SegmentData, metric: str) -> "np.typing.NDArray[np.bool_]":
    """Which segments meet all conditions."""
    wanted = filter_form(data, metric)
    return matching(data.table, data.consistency(metric), data.texts, wanted) & beyond_the_form(data)


def _browse(data: SegmentData, metric: str, segments: IntArray, annotate: Annotate) -> None:
    n_segments = data.test_set.n_segments
    if len(segments) < n_segments:
        told, clear = st.columns([5, 1], vertical_alignment="center")
        with told:
            clicked = clicked_in_words(data)
            which = f", among them {clicked}" if clicked else ""
            verb = agreeing(len(segments), "meets", "meet")
            messages.say("note", f"{counted_part(len(segments), n_segments, 'segment')} {verb} the conditions{which}.")
        clear.button("Clear filters", on_click=clear_filters, icon=":material/filter_list_off:", key="clear-filters")
    opened = open_one(data, segments)
    ranked_table(data, metric, segments)
    step_buttons(data, segments)
    with st.container(horizontal=True):
        bookmark_button(data, opened)
        if data.test_set.has_texts:
            systems = data.baseline.system, data.system.system
            annotate(data.test_set, systems, opened, bookmarked(data.test_set))
    opened_segment(data, opened, metric)
    downloads(data, metric, segments)
    listen_for_keys()
