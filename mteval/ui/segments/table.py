"""The ranked table and ways through it: order, clicks, buttons, keys, a number.

A request carries the state of all widgets, which may predate the last step. The open segment is therefore kept apart
from the widgets, and steps count from it. Keys are counted in the browser, so that none is lost while the page is
drawn.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st
from msgspec import Struct

from mteval.analysis.segments.table import column, yardstick
from mteval.answers.segments import SegmentData, part_columns, ranked
from mteval.base.arrays import IntArray
from mteval.base.bounded_input import Name, Whole
from mteval.render.html import tag
from mteval.ui.elements import IN_ADDRESS, choose, column_config, component, grid_frame, show
from mteval.ui.session.memory import made_once
from mteval.ui.session.visitor import sent_by

Order = Literal["largest", "smallest"]
SORT, ORDER = "seg-sort", "seg-order"
IMPROVEMENT = "improvement"  # sorts by the change in the ranking metric
WEIGHTED = "weighted"  # by that change times the number of words: few words change by much
READ_UPWARDS = ("segment", "document", "reference", "baseline_output", "system_output", "item")  # by default
TABLE = "segments-table"
WIDTHS = {"segment": 72, "document": 140, "reference": 208, "baseline_output": 208, "system_output": 208, "item": 320}


def choose_order(data: SegmentData, metric: str) -> tuple[str, Order]:
    """Choose the column and direction to sort by."""
    # the same for any metric: the browser keeps showing the label from when it was chosen
    columns = {one.key: one.name for one in made_once(ranked, data, metric).columns}
    weighted = {WEIGHTED: "improvement × words"} if data.test_set.has_texts and yardstick(data.test_set) else {}
    titles = {IMPROVEMENT: "improvement", **weighted, **columns}
    by = choose("Sort by", titles, SORT, help="Or click the head of a column; click again to reverse the order.")
    return by, choose("Order", {"largest": "largest first", "smallest": "smallest first"}, ORDER)


def in_order(data: SegmentData, metric: str, shown: npt.NDArray[np.bool_], by: str, order: Order) -> IntArray:
    """Return the shown segments in order; ties keep corpus order, undefined values come last."""
    if by in (IMPROVEMENT, WEIGHTED):
        values = data.table[column(metric, IMPROVEMENT)]
        values = values * data.table[f"{yardstick(data.test_set)}_words"] if by == WEIGHTED else values
    else:
        values = made_once(ranked, data, metric).frame[by]
    values = values[shown]
    if not pd.api.types.is_numeric_dtype(values):
        values = values.str.casefold()
    segments: IntArray = values.sort_values(ascending=order == "smallest", kind="stable").index.to_numpy()
    return segments


def is_upwards(data: SegmentData, metric: str) -> tuple[str, bool]:
    """Return the column that shows the order, and whether its values rise."""
    by, upwards = st.session_state[SORT], st.session_state[ORDER] == "smallest"
    if by not in (IMPROVEMENT, WEIGHTED):
        return by, upwards
    return column(metric, "difference"), upwards == data.scored_by(metric).metric.higher_is_better


def ranked_table(data: SegmentData, metric: str, segments: IntArray) -> None:
    """Show the segments with all numbers, and score components if wanted or sorted by.

    A click on a row opens the segment, a click on the head of a column sorts by it.
    """
    table, (by, upwards), place = made_once(ranked, data, metric), is_upwards(data, metric), st.container()
    parts = {one.key for one in part_columns(data)}
    about = "N-gram precisions, edit counts and the like as columns."
    has_parts = bool(parts) and st.toggle("Show score components", key="seg-parts", help=about, **IN_ADDRESS)
    columns = [one for one in table.columns if has_parts or one.key == by or one.key not in parts]
    config = {one.key: column_config(one, WIDTHS.get(one.key, 90)) for one in columns}
    config["segment"]["pinned"] = True
    config[by]["label"] += " ▲" if upwards else " ▼"
    # other rows or columns make another table, without a selection
    key = f"{TABLE}-{hash((data, metric, by, upwards, has_parts, segments.tobytes()))}"
    places = np.flatnonzero(segments == opened_segment_number()).tolist()
    if places != _selected(key)["rows"]:  # opened without a click: send the table again
        st.session_state[key] = {"selection": {"rows": places, "columns": [], "cells": []}}
    place.dataframe(
        made_once(_rounded, data, metric)[list(config)].iloc[segments], key=key, height=318, hide_index=True,
        column_config=config, on_select=lambda: _take(key, data, metric, segments),
        selection_mode=("single-row", "single-column"), placeholder="",
    )  # fmt: skip


def _rounded(data: SegmentData, metric: str) -> pd.DataFrame:
    return grid_frame(made_once(ranked, data, metric))


def _selected(key: str) -> dict[str, Any]:
    """Return the selection in a table; empty before it is drawn."""
    state = st.session_state.get(key)
    return {"rows": [], "columns": []} if state is None else dict(state["selection"])


def _take(key: str, data: SegmentData, metric: str, segments: IntArray) -> None:
    """In a callback: sort by the clicked column, reverse its order, or open the segment."""
    selected = _selected(key)
    if selected["columns"]:
        name, (by, upwards) = selected["columns"][0], is_upwards(data, metric)
        wants_up = not upwards if name == by else name in READ_UPWARDS
        st.session_state[SORT], st.session_state[ORDER] = name, "smallest" if wants_up else "largest"
        return
    rows = [row for row in selected["rows"] if row < len(segments)]
    if rows:
        ask_for(int(segments[rows[0]]))


OPEN = "seg-open"  # the widget: counts from 1, stands in the address
AT, STEPS, ASKED, SOUGHT = "segments-at", "segments-steps", "segments-asked", "segments-sought"
KEYS, COUNTED = "segments-keys", "segments-keys-counted"
SCRIPT = Path(__file__).with_name("segment_keys.js")


def open_one(data: SegmentData, segments: IntArray) -> int:
    """Return the open segment (zero-based), by default the first of the table.

    So it is after a search, unless the one that is open is among those found.
    """
    steps, asked = st.session_state.pop(STEPS, None), st.session_state.pop(ASKED, None)
    is_sought = st.session_state.pop(SOUGHT, False)
    at = st.session_state.get(AT)
    if steps is not None and at is not None:  # other values in the request are older than the last step
        at = moved(segments, at, steps, data.test_set.documents or data.test_set.n_segments * ("",))
    else:
        at = asked if asked is not None else (st.session_state.get(OPEN) or 0) - 1
    if not 0 <= at < data.test_set.n_segments or (is_sought and len(segments) and at not in segments):
        at = int(segments[0]) if len(segments) else 0
    st.session_state[AT] = at
    if st.session_state.get(OPEN) != at + 1:
        st.session_state[OPEN] = at + 1
    return at


def moved(segments: IntArray, at: int, steps: tuple[int, int], documents: Sequence[str]) -> int:
    """Return the segment after some steps in the table, then in its document; steps stop at the ends.

    From a segment that is not in the table, the first step ahead leads to the table's first.
    """
    in_table, in_corpus = steps
    if in_table and len(segments):
        rows = np.flatnonzero(segments == at)
        row = (int(rows[0]) if len(rows) else -1) + in_table
        if len(rows) or row >= 0:
            at = int(segments[min(max(row, 0), len(segments) - 1)])
    first, last = _document_around(documents, at)
    return min(max(at + in_corpus, first), last)


def _document_around(documents: Sequence[str], at: int) -> tuple[int, int]:
    """Return the first and last segment of the document around a segment."""
    first = last = at
    while first > 0 and documents[first - 1] == documents[at]:
        first -= 1
    while last + 1 < len(documents) and documents[last + 1] == documents[at]:
        last += 1
    return first, last


def opened_segment_number() -> int:
    """Return the open segment, zero-based, once ``open_one`` was called."""
    return int(st.session_state[AT])


def open_what_is_found() -> None:
    """In a callback of a filter: open the first match unless the open segment matches."""
    st.session_state[SOUGHT] = True


def ask_for(segment: int) -> None:
    """In a callback: open a segment."""
    st.session_state[ASKED] = segment


def step_buttons(data: SegmentData, segments: IntArray) -> None:
    """Show buttons for the next and previous segment, in the table and in the document."""
    n_segments, opened = data.test_set.n_segments, opened_segment_number()
    documents = data.test_set.documents
    first, last = (0, n_segments - 1) if documents is None else _document_around(documents, opened)
    whole = "test set" if documents is None else "document"
    row = int(np.flatnonzero(segments == opened)[0]) if opened in segments else -1
    before, after, number, up, down = st.columns([1.5, 1.4, 1.2, 2.6, 2.4], vertical_alignment="bottom")
    for where, label, steps, is_possible, key, icon in (
        (before, "Previous", (-1, 0), row > 0, "P", "back"),
        (after, "Next", (1, 0), row < len(segments) - 1, "N", "forward"),
        (up, f"Previous in {whole}", (0, -1), opened > first, "U", "upward"),
        (down, f"Next in {whole}", (0, 1), opened < last, "D", "downward"),
    ):
        order = "in the table's order" if steps[0] else "in the files' order"
        where.button(
            f"{label} :gray[{key}]", key=f"step-{key}", icon=f":material/arrow_{icon}:", help=f"Key {key}: {order}",
            disabled=not is_possible, on_click=_add, args=steps, width="stretch",
        )  # fmt: skip
    # no default, so that the first segment is in the address, too
    number.number_input("Segment", 1, n_segments, value=None, step=1, key=OPEN, **IN_ADDRESS)
    place = f"{row + 1:,} of {len(segments):,} in the table" if row >= 0 else "not in the table"
    document = "" if documents is None else f" · {documents[opened]}"
    show(tag("p", f"{place}{document}", class_="mt-quiet mt-where"))


def listen_for_keys() -> None:
    """Make the keys on the buttons work; drawn last, as it takes an empty line."""
    component(SCRIPT)(key=KEYS, default={"moved": None}, on_moved_change=_take_keys, height=1)


def _add(in_table: int, in_corpus: int) -> None:
    """In a callback: remember steps for the next run."""
    table, corpus = st.session_state.get(STEPS) or (0, 0)
    st.session_state[STEPS] = (table + in_table, corpus + in_corpus)


class Moved(Struct):
    """Keys pressed in a page view.

    Parameters
    ----------
    id
        Of the page view.
    table, corpus
        Steps in each, forwards less backwards.
    """

    id: Name
    table: Whole
    corpus: Whole


def _take_keys() -> None:
    """Add the keys pressed since the last time; the browser counts from zero for each page view."""
    moved = sent_by(KEYS, "moved", Moved)
    if moved is None:
        return
    known_table, known_corpus = st.session_state.get(COUNTED, {}).get(moved.id, (0, 0))
    st.session_state[COUNTED] = {moved.id: (moved.table, moved.corpus)}
    _add(moved.table - known_table, moved.corpus - known_corpus)
