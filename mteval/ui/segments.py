"""The segment page: choices above, then the segments, the buckets and the words as three views of the same pair."""

from pathlib import Path

import numpy as np
import streamlit as st

from mteval.analysis.segment_filters import matching
from mteval.metrics.base import IntArray
from mteval.model import TestSet
from mteval.ui import messages
from mteval.ui.evaluating import Current
from mteval.ui.segment_data import SegmentData, scored_on, segment_data
from mteval.ui.segment_evidence import SEGMENTS_VIEW, VIEW, buckets, words
from mteval.ui.segment_export import downloads
from mteval.ui.segment_filter_form import clear_filters, filter_form, of_ngram
from mteval.ui.segment_pair import choose_metric, choose_pair
from mteval.ui.segment_ranking import choose_order, in_order, open_one, ranked_table, step_buttons
from mteval.ui.segment_view import opened_segment

STYLE = Path(__file__).with_name("segments.css")


@st.fragment
def segments(current: Current, test_set: TestSet) -> None:
    """Everything below the choice of the test set; a fragment, so that a click redraws nothing else."""
    st.html(STYLE)
    scored = scored_on(current, test_set)
    choices = st.container(horizontal=True, vertical_alignment="bottom")
    with choices:
        metric = choose_metric(current)
        order = choose_order()
        pair = choose_pair(current, test_set, scored, metric)
    data = segment_data(current, test_set, scored, pair)
    views = st.tabs([SEGMENTS_VIEW, "Kinds of segments", "Words"], key=VIEW, on_change="rerun", bind="query-params")
    with views[0]:  # drawn even where hidden, so that filters and selection stay in the address
        _browse(data, metric, in_order(data.table[_filtered(data, metric)], metric, order))
    if views[1].open:
        with views[1]:
            buckets(data, metric)
    if views[2].open:
        with views[2]:
            words(data)


def _filtered(data: SegmentData, metric: str) -> "np.typing.NDArray[np.bool_]":
    """Which segments meet all conditions."""
    wanted = filter_form(data, metric)
    shown = matching(data.table, data.consistency(metric), data.texts, wanted)
    with_ngram = of_ngram(data)
    if with_ngram is not None:
        shown &= np.isin(data.table["segment"].to_numpy(), with_ngram)
    return shown


def _browse(data: SegmentData, metric: str, segments: IntArray) -> None:
    n_segments = data.test_set.n_segments
    if len(segments) < n_segments:
        told, clear = st.columns([5, 1], vertical_alignment="center")
        with told:
            messages.say("note", f"{len(segments):,} of {n_segments:,} segments meet the conditions.")
        clear.button("Clear filters", on_click=clear_filters, icon=":material/filter_list_off:", key="clear-filters")
    opened = open_one(data, segments)
    ranked_table(data, metric, segments)
    step_buttons(data, segments)
    opened_segment(data, opened, metric)
    downloads(data, metric, segments)
