"""The ranked table: a click on a row opens the segment, a click on the head of a column sorts by it."""

from typing import Any

import numpy as np
import streamlit as st

from mteval.metrics.base import IntArray
from mteval.ui.parts.choices import IN_ADDRESS
from mteval.ui.segments.columns import SegmentColumns, segment_columns
from mteval.ui.segments.compared_runs import SegmentData
from mteval.ui.segments.order import is_upwards, sort_by, with_arrow
from mteval.ui.segments.steps import ask_for, opened_segment_number

TABLE = "segments-table"
HEIGHT = 318
PARTS = "seg-parts"
PARTS_HELP = "Precisions of n-grams, counts of edits and the like, as columns that sort; an opened segment has its own."


def ranked_table(data: SegmentData, metric: str, segments: IntArray) -> None:
    """The segments in their order with all numbers; parts of scores where they are asked for, or sorted by."""
    columns = segment_columns(data, metric)
    config = with_arrow(columns, data, metric)
    place = st.container()
    hidden = () if not columns.parts or _wants_parts() else _unsorted_parts(columns, data, metric)
    order = tuple(column["label"] for name, column in config.items() if name not in hidden)
    key = f"{TABLE}-{hash((data.key, metric, order, segments.tobytes()))}"  # other rows: another table, none selected
    places = np.flatnonzero(segments == opened_segment_number()).tolist()
    if places != _selected(key)["rows"]:  # opened by other means than a click: the whole table is sent again
        st.session_state[key] = {"selection": {"rows": places, "columns": [], "cells": []}}
    place.dataframe(
        columns.shown.drop(columns=list(hidden)).iloc[segments],
        key=key,
        height=HEIGHT,
        hide_index=True,
        column_config=config,
        on_select=lambda: _take(key, data, metric, segments),
        selection_mode=("single-row", "single-column"),
        placeholder="",
    )


def _wants_parts() -> bool:
    return st.toggle("Parts of the scores in the table", key=PARTS, help=PARTS_HELP, **IN_ADDRESS)


def _unsorted_parts(columns: SegmentColumns, data: SegmentData, metric: str) -> tuple[str, ...]:
    """All parts but the one that the segments are sorted by."""
    by, _ = is_upwards(data, metric)
    return tuple(part for part in columns.parts if part != by)


def _selected(key: str) -> dict[str, Any]:
    """What is selected in a table; nothing where it was not drawn yet."""
    state = st.session_state.get(key)
    return {"rows": [], "columns": []} if state is None else dict(state["selection"])


def _take(key: str, data: SegmentData, metric: str, segments: IntArray) -> None:
    selected = _selected(key)
    if selected["columns"]:
        sort_by(selected["columns"][0], data, metric)
    elif selected["rows"]:
        ask_for(int(segments[selected["rows"][0]]))
