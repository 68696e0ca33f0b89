"""The ranked table, the segment that is open, and the ways from one to the next."""

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
import streamlit as st

from mteval.analysis.segment_table import SIDES, column
from mteval.metrics.base import IntArray
from mteval.ui.markup import show, tag
from mteval.ui.segment_data import SegmentData
from mteval.ui.settings_form import KEPT

Order = Literal["improved", "worsened", "corpus"]
ORDER_NAMES: dict[Order, str] = {
    "improved": "most improved first",
    "worsened": "most worsened first",
    "corpus": "as in the test set",
}
OPEN, TABLE = "seg-open", "segments-table"
HEIGHT = 318
LONGEST_NAME = 18  # of a side in the head of a column
LONGEST_TEXT = 160  # of an output in a row


def choose_order() -> Order:
    """The order of the table."""
    chosen: Order = st.selectbox("Order", get_args(Order), format_func=ORDER_NAMES.__getitem__, key="seg-order", **KEPT)
    return chosen


def in_order(table: pd.DataFrame, metric: str, order: Order) -> IntArray:
    """The segments of a table in an order; ties stay as in the test set, undefined differences come last."""
    if order != "corpus":
        table = table.sort_values(
            column(metric, "improvement"), ascending=order == "worsened", kind="stable", na_position="last"
        )
    segments: IntArray = table["segment"].to_numpy()
    return segments


def ranked_table(data: SegmentData, metric: str, segments: IntArray) -> None:
    """The segments with all numbers; a click on a row opens it."""
    opened = st.session_state.get(OPEN)
    places = np.flatnonzero(segments + 1 == opened).tolist()
    key = f"{TABLE}-{hash((data.key, metric, segments.tobytes()))}"  # other rows: another table, nothing selected
    if places != _selected(key):  # opened by other means than a click; set only then, as the whole table is sent again
        st.session_state[key] = {"selection": {"rows": places, "columns": [], "cells": []}}
    frame, columns = _columns(data, metric, segments)
    st.dataframe(
        frame,
        key=key,
        height=HEIGHT,
        hide_index=True,
        column_config=columns,
        on_select=lambda: _open_selected(key, segments),
        selection_mode="single-row",
        placeholder="",
    )


def _selected(key: str) -> list[int]:
    """The rows selected in a table; none where it was not drawn yet."""
    state = st.session_state.get(key)
    return [] if state is None else list(state["selection"]["rows"])


def _open_selected(key: str, segments: IntArray) -> None:
    rows = _selected(key)
    if rows:
        st.session_state[OPEN] = int(segments[rows[0]]) + 1


def _columns(data: SegmentData, metric: str, segments: IntArray) -> tuple[pd.DataFrame, dict[str, Any]]:
    """What is shown, numbers as numbers so that they sort, and how."""
    table = data.table.iloc[segments]
    found: dict[str, Any] = {"segment": table["segment"] + 1}
    config: dict[str, Any] = {"segment": st.column_config.NumberColumn("Segment", width=80, format="%d", pinned=True)}

    left, right = (_short(one) for one in data.names)

    def add(name: str, label: str, values: Any, digits: int, help_text: str | None = None, width: int = 88) -> None:
        found[name] = values
        config[name] = st.column_config.NumberColumn(label, format=f"%.{digits}f", help=help_text, width=width)

    _add_scores(data, metric, table, add)
    consistency = data.consistency(metric).iloc[segments]
    pairs = int(data.consistency(metric)["pairs"].iloc[0])
    add(
        "better", f"better of {pairs}", consistency["better"], 0, "Run pairs in which the second system is better.", 100
    )
    add("mean", "mean gain", consistency["mean_improvement"], 1, "Mean improvement over all runs, in points.")
    add("run_sd", "± runs", consistency["run_sd"], 1, "Standard deviation of the improvement between two runs.")
    found["output"] = [data.system.hypotheses[segment][:LONGEST_TEXT] for segment in segments]
    config["output"] = st.column_config.TextColumn(f"Output of {right}", width=320)
    for other in data.metrics:
        if other != metric:
            _add_scores(data, other, table, add)
    add("reference_words", "ref. words", table["reference_words"], 0)
    add("baseline_words", f"{left} words", table["baseline_words"], 0)
    add("system_words", f"{right} words", table["system_words"], 0)
    if "document" in table:
        found["document"] = table["document"]
        config["document"] = st.column_config.TextColumn("Document", width=140)
    for one in data.scored:
        for part in one.metric.submetric_names:
            for side, called in zip(SIDES, (left, right), strict=True):
                name = column(one.metric.key, side, part)
                add(name, f"{part} {called}", table[name], 2, f"Part of {one.metric.name}.", 104)
    return pd.DataFrame(found), config


def _add_scores(data: SegmentData, metric: str, table: pd.DataFrame, add: Callable[..., None]) -> None:
    spec = data.current.evaluation.metrics[metric]
    better = {"↑": "Positive is better.", "↓": "Negative is better.", "": "Neither direction is better."}[
        spec.direction
    ]
    name = column(metric, "difference")
    add(name, f"Δ {spec.name}", table[name], 1, f"Second minus first. {better}")
    for side, called in zip(SIDES, data.names, strict=True):
        name = column(metric, side)
        add(name, f"{spec.name} {_short(called)}", table[name], 1, None, 104)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def open_one(data: SegmentData, segments: IntArray) -> int:
    """The segment that is open (zero-based); where none is, the first of the table is opened."""
    if not 1 <= (st.session_state.get(OPEN) or 0) <= data.test_set.n_segments:
        st.session_state[OPEN] = int(segments[0]) + 1 if len(segments) else 1
    return int(st.session_state[OPEN]) - 1


def step_buttons(data: SegmentData, segments: IntArray) -> None:
    """Next and previous, in the table's order and in the test set's."""
    n_segments = data.test_set.n_segments
    opened = int(st.session_state[OPEN]) - 1
    place = int(np.flatnonzero(segments == opened)[0]) if opened in segments else -1
    before, after, number, up, down, text = st.columns([1.5, 1.5, 1.1, 1.5, 1.5, 3], vertical_alignment="bottom")
    last = len(segments) - 1
    previous = int(segments[place - 1]) if place > 0 else None
    following = int(segments[place + 1]) if place < last else None
    _step(before, "Previous", previous, "P", ":material/arrow_back:")
    _step(after, "Next", following, "N", ":material/arrow_forward:")
    number.number_input("Segment", 1, n_segments, step=1, key=OPEN, **KEPT)
    _step(up, "Above", opened - 1 if opened > 0 else None, "U", ":material/arrow_upward:")
    _step(down, "Below", opened + 1 if opened + 1 < n_segments else None, "D", ":material/arrow_downward:")
    with text:
        where = f"{place + 1:,} of {len(segments):,} in the table" if place >= 0 else "not among those in the table"
        document = "" if data.test_set.documents is None else f" · {data.test_set.documents[opened]}"
        show(tag("p", f"{where}{document}", class_="mt-quiet mt-where"))


def _step(place: Any, label: str, target: int | None, shortcut: str, icon: str) -> None:
    place.button(
        label,
        key=f"step-{shortcut}",
        icon=icon,
        shortcut=shortcut,
        disabled=target is None,
        on_click=_open,
        args=(target,),
        width="stretch",
    )


def _open(target: int) -> None:
    st.session_state[OPEN] = target + 1
