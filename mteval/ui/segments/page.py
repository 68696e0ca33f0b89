"""The segment page: choices above, then the segments, the buckets and the words as three views of the same pair."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st

from mteval.analysis.results import Results
from mteval.analysis.segments.filters import matching
from mteval.counts import agreeing, counted_part
from mteval.metrics.base import IntArray
from mteval.model import TestSet
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose_tab
from mteval.ui.segments.bookmarks import bookmark_button
from mteval.ui.segments.compared_runs import SegmentData, segment_data
from mteval.ui.segments.evidence import KINDS_VIEW, SEGMENTS_VIEW, VIEW, WORDS_VIEW, buckets, words
from mteval.ui.segments.export import downloads
from mteval.ui.segments.filter_form import beyond_the_form, clear_filters, clicked_in_words, filter_form
from mteval.ui.segments.kinds import ways
from mteval.ui.segments.marked_errors import VIEW as ERRORS_VIEW
from mteval.ui.segments.marked_errors import marked_errors, marking
from mteval.ui.segments.opened_segment import opened_segment
from mteval.ui.segments.order import choose_order, in_order
from mteval.ui.segments.pair import choose_metric, choose_pair
from mteval.ui.segments.ranked_table import ranked_table
from mteval.ui.segments.steps import listen_for_keys, open_one, step_buttons
from mteval.ui.session.statistics import scored_on
from mteval.ui.setup.bookmarks import bookmarked

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
