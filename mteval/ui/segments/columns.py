"""The columns of the segment table: all numbers of a segment, and what they are called.

The order of the segments: by any column, largest or smallest first; a click on the head of a column asks for it.

The ranked table: a click on a row opens the segment, a click on the head of a column sorts by it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st

from mteval.analysis.segments.table import SIDES, column, part_names, yardstick
from mteval.base.arrays import IntArray
from mteval.ui.parts.choices import IN_ADDRESS, choose
from mteval.ui.segments.compared_runs import SegmentData, part_digits
from mteval.ui.segments.steps import ask_for, opened_segment_number
from mteval.ui.session.memory import remembered
from mteval.values.notation import rounded

LONGEST_NAME = 18  # of a side in the head of a column
LONGEST_TEXT = 160  # of an output in a row
IMPROVEMENT = "improvement"  # sorts by what changed in the metric that segments are ranked by


@dataclass(frozen=True)
class SegmentColumns:
    """What the table shows of all segments.

    Parameters
    ----------
    frame
        One row a segment in corpus order; numbers with all their digits, by which the table is sorted.
    shown
        The same rounded as numbers are everywhere; the grid would round them in another way, and write ``-0.0``.
    config
        How each column is shown.
    titles
        What each column is called where it stands alone, as in a list of columns.
    parts
        The columns of parts of scores, as n-gram precisions, which are many.
    """

    frame: pd.DataFrame
    shown: pd.DataFrame
    config: Mapping[str, Mapping[str, Any]]
    titles: Mapping[str, str]
    parts: tuple[str, ...]


def segment_columns(data: SegmentData, metric: str) -> SegmentColumns:
    """The columns with those of one metric first; made once for a pair of runs."""
    return remembered((data.key, "columns", metric), lambda: _Maker(data, metric).made())


class _Maker:
    """Collects the columns one by one."""

    def __init__(self, data: SegmentData, metric: str) -> None:
        self.data, self.metric = data, metric
        self.short = tuple(map(_short, data.names))
        self.found: dict[str, Any] = {}
        self.shown: dict[str, Any] = {}
        self.config: dict[str, Mapping[str, Any]] = {}
        self.titles: dict[str, str] = {}

    def made(self) -> SegmentColumns:
        """All columns in the order shown."""
        self._text("segment", self.data.table["segment"] + 1, "Segment", 96, pinned=True)
        self.config["segment"] = st.column_config.NumberColumn("Segment", width=96, format="%d", pinned=True)
        self._scores(self.metric)
        self._runs()
        self._outputs()
        for other in self.data.metrics:
            if other != self.metric:
                self._scores(other)
        if self.data.test_set.has_texts:
            self._lengths()
        if "document" in self.data.table:
            self._text("document", self.data.table["document"], "Document", 140)
        n_others = len(self.found)
        self._parts()
        parts = tuple(self.found)[n_others:]
        return SegmentColumns(pd.DataFrame(self.found), pd.DataFrame(self.shown), self.config, self.titles, parts)

    def _number(
        self, name: str, label: str, values: Any, digits: int, title: str, help_text: str = "", width: int = 96
    ) -> None:
        self.found[name], self.shown[name], self.titles[name] = values, rounded(values, digits), title
        self.config[name] = st.column_config.NumberColumn(
            label, format=f"%.{digits}f", help=help_text or None, width=width
        )

    def _text(self, name: str, values: Any, label: str, width: int, pinned: bool = False) -> None:
        self.found[name], self.shown[name], self.titles[name] = values, values, label
        self.config[name] = st.column_config.TextColumn(label, width=width, pinned=pinned)

    def _scores(self, metric: str) -> None:
        spec, table = self.data.results.spec(metric), self.data.table
        notation = spec.notation
        better = {"↑": "Positive is better.", "↓": "Negative is better.", "": "Neither direction is better."}
        name = column(metric, "difference")
        title = f"difference in {spec.name}"
        digits = notation.coarser.decimals
        self._number(
            name, f"Δ {spec.name}", table[name], digits, title, f"Second minus first. {better[notation.direction]}"
        )
        for side, short, called in zip(SIDES, self.short, self.data.names, strict=True):
            name = column(metric, side)
            self._number(name, f"{spec.name} {short}", table[name], digits, f"{spec.name} of {called}", width=112)

    def _runs(self) -> None:
        """How all runs of the two systems compare; of one each the difference says it."""
        frame, spec = self.data.consistency(self.metric), self.data.results.spec(self.metric)
        said = self.data.said
        pairs, digits = int(frame["pairs"].max()), spec.notation.coarser.decimals
        if pairs < 2:
            return
        self._number(
            "better", f"better of {pairs}", frame["better"], 0, said("run pairs that are better"),
            said("Run pairs in which the second system is better."), 112,
        )  # fmt: skip
        self._number(
            "mean", "mean gain", frame["mean_improvement"], digits, said("mean improvement of all runs"),
            said(f"Mean improvement over all runs, in {spec.notation.unit}."), 104,
        )  # fmt: skip
        self._number(
            "run_sd", said("± runs"), frame["run_sd"], digits, said("standard deviation over runs"),
            said("Standard deviation of the improvement between two runs."),
        )  # fmt: skip

    def _outputs(self) -> None:
        """The output of the second run; of scores alone the names of the items, where they have any."""
        test_set = self.data.test_set
        if test_set.has_texts:
            outputs = [text[:LONGEST_TEXT] for text in self.data.system.hypotheses]
            self._text("output", outputs, f"Output of {self.short[1]}", 320)
        elif test_set.source is not None:
            self._text("item", [name[:LONGEST_TEXT] for name in test_set.source], "Item", 320)

    def _lengths(self) -> None:
        table, (left, right), (first, second) = self.data.table, self.short, self.data.names
        measured = yardstick(self.data.test_set)
        if measured:
            name, label = f"{measured}_words", f"{measured[:3]}. words"
            self._number(name, label, table[name], 0, f"words of the {measured}", width=104)
        self._number("baseline_words", f"{left} words", table["baseline_words"], 0, f"words of {first}", width=112)
        self._number("system_words", f"{right} words", table["system_words"], 0, f"words of {second}", width=112)

    def _parts(self) -> None:
        for by in self.data.scored:
            help_text = f"Part of {by.metric.name}."
            for part in part_names(by):
                digits = part_digits(by, part)
                for side, short, called in zip(SIDES, self.short, self.data.names, strict=True):
                    name = column(by.metric.key, side, part)
                    title = f"{by.metric.name}, {part} of {called}"
                    self._number(name, f"{part} {short}", self.data.table[name], digits, title, help_text, 120)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


Order = Literal["largest", "smallest"]
ORDER_NAMES: dict[Order, str] = {"largest": "largest first", "smallest": "smallest first"}
SORT, ORDER = "seg-sort", "seg-order"
READ_UPWARDS = ("segment", "document", "output", "item")  # by these the smallest comes first unless asked otherwise


def choose_order(data: SegmentData, metric: str) -> tuple[str, Order]:
    """The column that the segments are sorted by, and the direction."""
    # of whichever metric they are ranked by: a browser goes on showing the words that were there when it was chosen
    titles = {IMPROVEMENT: "improvement", **segment_columns(data, metric).titles}
    by = choose(
        "Sort by",
        list(titles),
        SORT,
        format_func=lambda name: titles.get(name, name),
        help="A click on the head of a column sorts by it; another click turns the order round. Sorted by the"
        " improvement, the largest is the most improved segment and the smallest the most worsened one.",
    )
    return by, choose("Order", get_args(Order), ORDER, format_func=ORDER_NAMES.__getitem__)


def in_order(data: SegmentData, metric: str, shown: npt.NDArray[np.bool_], by: str, order: Order) -> IntArray:
    """The segments shown, in order; ties stay as in the test set, undefined values come last."""
    values = data.table[column(metric, IMPROVEMENT)] if by == IMPROVEMENT else segment_columns(data, metric).frame[by]
    values = values[shown]
    if not pd.api.types.is_numeric_dtype(values):
        values = values.str.casefold()
    segments: IntArray = values.sort_values(ascending=order == "smallest", kind="stable").index.to_numpy()
    return segments


def is_upwards(data: SegmentData, metric: str) -> tuple[str, bool]:
    """The column whose values show the order, and whether they rise."""
    by, upwards = st.session_state[SORT], st.session_state[ORDER] == "smallest"
    if by != IMPROVEMENT:
        return by, upwards
    return column(metric, "difference"), upwards == data.scored_by(metric).metric.higher_is_better


def sort_by(name: str, data: SegmentData, metric: str) -> None:
    """Sort by a column, or turn the order round where it is sorted by it already. A callback."""
    shown_by, upwards = is_upwards(data, metric)
    wants_up = not upwards if name == shown_by else name in READ_UPWARDS
    st.session_state[SORT], st.session_state[ORDER] = name, "smallest" if wants_up else "largest"


def with_arrow(columns: SegmentColumns, data: SegmentData, metric: str) -> dict[str, Any]:
    """How the columns are shown, with an arrow at the one that they are sorted by."""
    name, upwards = is_upwards(data, metric)
    config = {key: dict(value) for key, value in columns.config.items()}
    config[name]["label"] = f"{config[name]['label']} {'▲' if upwards else '▼'}"
    return config


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
