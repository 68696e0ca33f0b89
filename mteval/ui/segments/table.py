"""The ranked table and ways through it: order, clicks, buttons, keys, a number.

A request carries the state of all widgets, which may predate the last step. The open segment is therefore kept apart
from the widgets, and steps count from it. Keys are counted in the browser, so that none is lost while the page is
drawn.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import streamlit as st
from msgspec import Struct
from streamlit.delta_generator import DeltaGenerator

from mteval.analysis.segments.table import column, yardstick
from mteval.answers.segments import SegmentData, part_columns, ranked
from mteval.base.arrays import IntArray
from mteval.base.bounded_input import Name, Whole
from mteval.render.html import tag
from mteval.ui.elements import IN_ADDRESS, choose, column_config, component, grid_frame, show
from mteval.ui.session.memory import made_once
from mteval.ui.session.visitor import sent_by

NUMBER = re.compile("[0-9]{1,9}")
Order = Literal["largest", "smallest"]
IMPROVEMENT = "improvement"  # sorts by the change in the ranking metric
WEIGHTED = "weighted"  # by that change times the number of words: few words change by much
READ_UPWARDS = ("segment", "document", "reference", "baseline_output", "system_output", "item")  # by default
WIDTHS = {"segment": 72, "document": 140, "reference": 208, "baseline_output": 208, "system_output": 208, "item": 320}
ROWS_SENT = 20  # at a time, since the table travels to the browser with every click; about eight are visible
SCRIPT = Path(__file__).with_name("segment_keys.js")

# Keys of the session's state: widgets
SORT = "seg-sort"
ORDER = "seg-order"
OPEN = "seg-open"  # counts from 1, stands in the address
TABLE = "segments-table"  # followed by a hash of what the table shows
KEYS = "segments-keys"

# Keys of the session's state: the open segment and where to go from it
OPENED = "segments-at"  # counts from 0
STEPS = "segments-steps"  # steps since the last run, in the table and in the corpus
ASKED = "segments-asked"  # a segment to open
IS_SOUGHT = "segments-sought"  # whether a filter has changed
COUNTED = "segments-keys-counted"  # by page view: how many keys of each kind are already counted
SENT = "segments-sent"  # the order of the table, its open segment, and the first row that the browser has


def choose_order(data: SegmentData, metric: str) -> tuple[str, Order]:
    """Choose the column and direction to sort by."""
    column_names = {column.key: column.name for column in made_once(ranked, data, metric).columns}
    names: dict[str, str] = {}
    usual_order: Order = "largest"
    if data.is_alone:  # the worst first
        first = "mean_score" if "mean_score" in column_names else column(metric, "system")
        names[first] = column_names[first]
        if data.scored_by(metric).metric.higher_is_better:
            usual_order = "smallest"
    else:
        # The name of the first is the same for any metric: the browser keeps the label of when it was chosen.
        names[IMPROVEMENT] = "improvement"
        if data.test_set.has_texts and yardstick(data.test_set):
            names[WEIGHTED] = "improvement × words"
    names.update(column_names)
    sort_help = "Or click the head of a column; click again to reverse the order."
    sort_by = choose("Sort by", names, SORT, help=sort_help)
    orders: dict[Order, str] = {"largest": "largest first", "smallest": "smallest first"}
    order = choose("Order", orders, ORDER, default=usual_order)
    return sort_by, order


def in_order(data: SegmentData, metric: str, is_shown: npt.NDArray[np.bool_], sort_by: str, order: Order) -> IntArray:
    """Return the shown segments in order; ties keep corpus order, undefined values come last.

    Parameters
    ----------
    is_shown
        Shape ``(segments,)``.
    """
    if sort_by == IMPROVEMENT:
        values = data.table[column(metric, IMPROVEMENT)]
    elif sort_by == WEIGHTED:
        n_words = data.table[f"{yardstick(data.test_set)}_words"]
        values = data.table[column(metric, IMPROVEMENT)] * n_words
    else:
        values = made_once(ranked, data, metric).frame[sort_by]
    values = values[is_shown]
    if not pd.api.types.is_numeric_dtype(values):
        values = values.str.casefold()
    segments: IntArray = values.sort_values(ascending=order == "smallest", kind="stable").index.to_numpy()
    return segments


def is_upwards(data: SegmentData, metric: str) -> tuple[str, bool]:
    """Return the column that shows the order, and whether its values rise."""
    sort_by = st.session_state[SORT]
    is_smallest_first = st.session_state[ORDER] == "smallest"
    if sort_by not in (IMPROVEMENT, WEIGHTED):
        return sort_by, is_smallest_first
    # Improvements have no column of their own. The difference rises with them, or falls if lower scores are better.
    return column(metric, "difference"), is_smallest_first == data.scored_by(metric).metric.higher_is_better


def parts_switch(data: SegmentData) -> bool:
    """Show the switch for the columns of score components, if there are any; return whether it is on."""
    if not part_columns(data):
        return False
    parts_help = "N-gram precisions, edit counts and the like as columns."
    return st.toggle("Show score components", key="seg-parts", help=parts_help, **IN_ADDRESS)


def ranked_table(data: SegmentData, metric: str, segments: IntArray) -> None:
    """Show the segments with all numbers, and score components if wanted or sorted by.

    A click on a row opens the segment, a click on the head of a column sorts by it. The browser gets the rows around
    the open segment; buttons show those before and after.
    """
    table = made_once(ranked, data, metric)
    sorted_by, upwards = is_upwards(data, metric)
    place = st.container(key="segment-rows")
    has_parts = parts_switch(data)
    parts = {part.key for part in part_columns(data)}
    config = {}
    for shown_column in table.columns:
        key = shown_column.key
        if has_parts or key == sorted_by or key not in parts:
            config[key] = column_config(shown_column, WIDTHS.get(key, 90))
    config["segment"]["pinned"] = True
    config[sorted_by]["label"] += " ▲" if upwards else " ▼"

    first_row = _first_row_sent(segments)
    sent = segments[first_row : first_row + ROWS_SENT]
    # Other rows or columns make another table, without a selection.
    table_key = f"{TABLE}-{hash((data, metric, sorted_by, upwards, has_parts, sent.tobytes()))}"
    rows = np.flatnonzero(sent == opened_segment_number()).tolist()
    if rows != _selected(table_key)["rows"]:  # opened without a click: send the table again
        st.session_state[table_key] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    place.dataframe(
        _without_metadata(made_once(_rounded, data, metric)[list(config)].iloc[sent]),
        key=table_key,
        height=318,
        hide_index=True,
        column_config=config,
        on_select=lambda: _take_click(table_key, data, metric, sent),
        selection_mode=("single-row", "single-column"),
        placeholder="",
    )
    if len(segments) > ROWS_SENT:
        with place:
            _choose_rows(first_row, len(segments))


def _first_row_sent(segments: IntArray) -> int:
    """Return the first row that the browser gets: with the open segment, until a button asks for others."""
    opened = opened_segment_number()
    order = hash(segments.tobytes())
    of_order, of_segment, first_row = st.session_state.get(SENT, (None, None, 0))
    if (of_order, of_segment) != (order, opened):
        rows = np.flatnonzero(segments == opened)
        row = int(rows[0]) if len(rows) else 0
        first_row = row // ROWS_SENT * ROWS_SENT
        st.session_state[SENT] = (order, opened, first_row)
    return int(first_row)


def _choose_rows(first_row: int, n_rows: int) -> None:
    """Show which rows of the table the browser has, with buttons for those before and after."""
    last_row = min(first_row + ROWS_SENT, n_rows)
    with st.container(horizontal=True, vertical_alignment="center"):
        show(tag("p", f"Rows {first_row + 1:,} to {last_row:,} of {n_rows:,}", class_="mt-quiet mt-rows"))
        st.button(
            "Rows before",
            key="rows-before",
            icon=":material/keyboard_arrow_up:",
            disabled=first_row == 0,
            on_click=_send_rows_from,
            args=(first_row - ROWS_SENT,),
        )
        st.button(
            "Rows after",
            key="rows-after",
            icon=":material/keyboard_arrow_down:",
            disabled=last_row == n_rows,
            on_click=_send_rows_from,
            args=(last_row,),
        )


def _send_rows_from(first_row: int) -> None:
    """In a callback: show other rows of the same table."""
    order, opened, _ = st.session_state[SENT]
    st.session_state[SENT] = (order, opened, first_row)


def _rounded(data: SegmentData, metric: str) -> pd.DataFrame:
    """Return the table as it is shown, with rounded numbers."""
    return grid_frame(made_once(ranked, data, metric))


def _without_metadata(frame: pd.DataFrame) -> pa.Table:
    """Return the columns of a frame without its index and what pandas notes about types, a tenth of what is sent."""
    return pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)


def _selected(key: str) -> dict[str, Any]:
    """Return the selection in a table; empty before it is drawn."""
    state = st.session_state.get(key)
    if state is None:
        return {"rows": [], "columns": []}
    return dict(state["selection"])


def _take_click(key: str, data: SegmentData, metric: str, segments: IntArray) -> None:
    """In a callback: sort by the clicked column, reverse its order, or open the segment of the clicked row."""
    selected = _selected(key)
    if selected["columns"]:
        clicked = selected["columns"][0]
        sorted_by, upwards = is_upwards(data, metric)
        wants_upwards = clicked in READ_UPWARDS
        if clicked == sorted_by:
            wants_upwards = not upwards
        st.session_state[SORT] = clicked
        st.session_state[ORDER] = "smallest" if wants_upwards else "largest"
        return
    rows = [row for row in selected["rows"] if row < len(segments)]
    if rows:
        ask_for(int(segments[rows[0]]))


def open_one(data: SegmentData, segments: IntArray) -> int:
    """Return the open segment (zero-based), by default the first of the table.

    After a search it is the first too, unless the open one is among those found.
    """
    n_segments = data.test_set.n_segments
    steps = st.session_state.pop(STEPS, None)
    asked = st.session_state.pop(ASKED, None)
    is_sought = st.session_state.pop(IS_SOUGHT, False)
    opened = st.session_state.get(OPENED)
    if steps is not None and opened is not None:  # other values in the request are older than the last step
        opened = moved(segments, opened, steps, data.test_set.documents or n_segments * ("",))
    elif asked is not None:
        opened = asked
    else:
        opened = (st.session_state.get(OPEN) or _number_in_address()) - 1
    is_found = not is_sought or len(segments) == 0 or opened in segments
    if not 0 <= opened < n_segments or not is_found:
        opened = int(segments[0]) if len(segments) else 0
    st.session_state[OPENED] = opened
    if st.session_state.get(OPEN) != opened + 1:
        st.session_state[OPEN] = opened + 1
    return opened


def _number_in_address() -> int:
    """Return the segment that the address names, before the field has read it; 0 without one."""
    text = st.query_params.get(OPEN, "")
    if OPEN in st.session_state or not NUMBER.fullmatch(text):
        return 0
    return int(text)


def moved(segments: IntArray, at: int, steps: tuple[int, int], documents: Sequence[str]) -> int:
    """Return the segment after some steps in the table, then in its document; steps stop at the ends.

    From a segment that is not in the table, the first step ahead leads to the table's first.

    Parameters
    ----------
    segments
        The segments in the table's order.
    at
        The segment before the steps.
    steps
        In the table and in the document, forwards less backwards.
    documents
        The document of each segment of the test set.
    """
    in_table, in_document = steps
    if in_table and len(segments):
        rows = np.flatnonzero(segments == at)
        is_in_table = len(rows) > 0
        row = int(rows[0]) if is_in_table else -1
        row += in_table
        if is_in_table or row >= 0:
            row = min(max(row, 0), len(segments) - 1)
            at = int(segments[row])
    first, last = _document_around(documents, at)
    return min(max(at + in_document, first), last)


def _document_around(documents: Sequence[str], at: int) -> tuple[int, int]:
    """Return the first and last segment of the document around a segment."""
    first = at
    while first > 0 and documents[first - 1] == documents[at]:
        first -= 1
    last = at
    while last + 1 < len(documents) and documents[last + 1] == documents[at]:
        last += 1
    return first, last


def opened_segment_number() -> int:
    """Return the open segment, zero-based, once ``open_one`` was called."""
    return int(st.session_state[OPENED])


def open_what_is_found() -> None:
    """In a callback of a filter: open the first match unless the open segment matches."""
    st.session_state[IS_SOUGHT] = True


def ask_for(segment: int) -> None:
    """In a callback: open a segment."""
    st.session_state[ASKED] = segment


def step_buttons(data: SegmentData, segments: IntArray) -> None:
    """Show buttons for the next and previous segment, in the table and in the document."""
    n_segments = data.test_set.n_segments
    opened = opened_segment_number()
    documents = data.test_set.documents
    if documents is None:
        unit = "test set"
        first = 0
        last = n_segments - 1
    else:
        unit = "document"
        first, last = _document_around(documents, opened)
    row = -1
    if opened in segments:
        row = int(np.flatnonzero(segments == opened)[0])

    before, after, number, up, down = st.columns([1.5, 1.4, 1.2, 2.6, 2.4], vertical_alignment="bottom")
    _step_button(before, "Previous", "P", "back", (-1, 0), is_possible=row > 0)
    _step_button(after, "Next", "N", "forward", (1, 0), is_possible=row < len(segments) - 1)
    _step_button(up, f"Previous in {unit}", "U", "upward", (0, -1), is_possible=opened > first)
    _step_button(down, f"Next in {unit}", "D", "downward", (0, 1), is_possible=opened < last)
    # No default, so that the first segment is in the address, too.
    shown = number.number_input("Segment", 1, n_segments, value=None, step=1, key=OPEN, **IN_ADDRESS)
    if shown is not None and shown != opened + 1:  # a step back in the browser: the field follows the address
        ask_for(int(shown) - 1)
        st.rerun()

    position = "not in the table"
    if row >= 0:
        position = f"{row + 1:,} of {len(segments):,} in the table"
    if documents is not None:
        position += f" · {documents[opened]}"
    show(tag("p", position, class_="mt-quiet mt-where"))


def _step_button(
    place: DeltaGenerator, label: str, key: str, arrow: str, steps: tuple[int, int], is_possible: bool
) -> None:
    """Show a button that goes steps in the table and in the corpus, as a key of the keyboard does."""
    order = "in the table's order" if steps[0] else "in the files' order"
    place.button(
        f"{label} :gray[{key}]",
        key=f"step-{key}",
        icon=f":material/arrow_{arrow}:",
        help=f"Key {key}: {order}",
        disabled=not is_possible,
        on_click=_add_steps,
        args=steps,
        width="stretch",
    )


def listen_for_keys() -> None:
    """Make the keys on the buttons work; drawn last, as it takes an empty line."""
    component(SCRIPT)(key=KEYS, default={"moved": None}, on_moved_change=_take_keys, height=1)


def _add_steps(in_table: int, in_corpus: int) -> None:
    """In a callback: remember steps for the next run."""
    known_in_table, known_in_corpus = st.session_state.get(STEPS) or (0, 0)
    st.session_state[STEPS] = (known_in_table + in_table, known_in_corpus + in_corpus)


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
    known_in_table, known_in_corpus = st.session_state.get(COUNTED, {}).get(moved.id, (0, 0))
    st.session_state[COUNTED] = {moved.id: (moved.table, moved.corpus)}
    _add_steps(moved.table - known_in_table, moved.corpus - known_in_corpus)
