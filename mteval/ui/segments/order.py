"""The order of the segments: by any column, largest or smallest first; a click on the head of a column asks for it."""

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st

from mteval.analysis.segments.table import column
from mteval.metrics.base import IntArray
from mteval.ui.parts.choices import choose
from mteval.ui.segments.columns import IMPROVEMENT, SegmentColumns, segment_columns
from mteval.ui.segments.compared_runs import SegmentData

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
