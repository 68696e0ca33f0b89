"""What chance would have brought (Graham et al. 2014, Figures 5 and 6): each procedure's distribution on one axis.

How often procedures find a difference where there is none: small multiples over runs and settings.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mteval.base.arrays import FloatArray
from mteval.figures.style import PALETTE, new_figure, padded_range, plain
from mteval.values.notation import Notation

ROW_HEIGHT = 74
TALLEST = 0.72  # of a row
N_BINS = 90
REACH = 4.2  # standard errors of a drawn t distribution
NULL_COLOR, DRAWS_COLOR, OBSERVED_COLOR = PALETTE[0], PALETTE[2], PALETTE[1]


def null_distributions(tests: pd.DataFrame, metric_name: str, notation: Notation) -> go.Figure:
    """One row a procedure: the distribution it judges by, the observed difference and zero.

    A null distribution stands around zero and the observed difference is marked; where a procedure makes none, its
    replicates stand around the observed difference and zero is what to look for.

    Parameters
    ----------
    tests
        Columns ``name, statistic, null, draws, standard_error, df, is_absolute``, one row a procedure, drawn from top;
        ``null`` and ``draws`` are arrays or None. Every row needs one of them, or a standard error. ``is_absolute``
        says that the null distribution is one of absolute differences.
    metric_name, notation
        What the differences are in, and how they are written.
    """
    figure = new_figure(height=70 + ROW_HEIGHT * len(tests))
    rows = tests.to_dict("records")
    shapes = [_shape(row) for row in rows]
    low, high = _extent(rows, shapes)
    for row_number, (row, (x, height, is_null)) in enumerate(zip(rows, shapes, strict=True)):
        figure.add_trace(_area(row_number, row["name"], x, height, is_null))
        mark = float(row["statistic"]) if is_null else 0.0
        figure.add_trace(_mark(row_number, mark, is_null, notation))
    figure.add_vline(x=0, line={"width": 1, "dash": "dot", "color": "rgba(128,128,128,0.7)"}, layer="below")
    for trace in _legend():
        figure.add_trace(trace)
    figure.update_layout(
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom", "font": {"size": 13}},
        margin={"t": 40},
    )
    figure.update_xaxes(
        title_text=plain(notation.axis(f"Difference in {metric_name}")), range=padded_range(low, high, 0.04)
    )
    figure.update_yaxes(
        tickvals=[len(rows) - 1 - row_number + TALLEST / 3 for row_number in range(len(rows))],
        ticktext=[plain(row["name"]) for row in rows],
        range=[-0.12, len(rows) - 0.08],
        showgrid=False,
    )
    _lay(figure, len(rows))
    return figure


def _lay(figure: go.Figure, n_rows: int) -> None:
    """The first procedure on top: rows count from the top, the axis from the bottom."""
    for trace in figure.data:
        if trace.meta is not None:
            trace.y = np.asarray(trace.y) + (n_rows - 1 - int(trace.meta))


def _shape(row: Mapping[Any, Any]) -> tuple[FloatArray, FloatArray, bool]:
    """Points of the outline, heights up to 1, and whether it is a null distribution."""
    if row["null"] is not None:
        # absolute differences are drawn on the side of the observed one, so that all rows share an axis
        is_mirrored = row["is_absolute"] and row["statistic"] < 0
        return (*_histogram(-row["null"] if is_mirrored else row["null"]), True)
    if row["draws"] is not None:
        return (*_histogram(row["draws"]), False)
    x = np.linspace(-REACH, REACH, 161)
    density = (1 + x**2 / row["df"]) ** (-(row["df"] + 1) / 2)  # Student's t up to a factor
    return x * row["standard_error"], density, True


def _histogram(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Outline of a histogram, as steps."""
    low, high = float(np.min(values)), float(np.max(values))
    if high - low < 1e-9:
        low, high = low - 0.01, high + 0.01
    counts, edges = np.histogram(values, bins=N_BINS, range=(low, high))
    x = np.repeat(edges, 2)[1:-1]
    return x, np.repeat(counts / counts.max(), 2)


def _extent(
    rows: Sequence[Mapping[Any, Any]], shapes: Sequence[tuple[FloatArray, FloatArray, bool]]
) -> tuple[float, float]:
    values = [0.0, *(row["statistic"] for row in rows), *(edge for x, _, _ in shapes for edge in (x.min(), x.max()))]
    return float(min(values)), float(max(values))


def _area(row_number: int, name: str, x: FloatArray, height: FloatArray, is_null: bool) -> go.Scatter:
    color = NULL_COLOR if is_null else DRAWS_COLOR
    closed_x = np.concatenate([x[:1], x, x[-1:]])
    closed_y = np.concatenate([[0.0], TALLEST * height, [0.0]])
    return go.Scatter(
        x=closed_x, y=closed_y, meta=row_number, mode="lines", fill="toself", line={"color": color, "width": 1},
        fillcolor=_pale(color), hoverinfo="skip", name=plain(name), showlegend=False,
    )  # fmt: skip


def _mark(row_number: int, x: float, is_null: bool, notation: Notation) -> go.Scatter:
    """A line across the row with a diamond to point at."""
    text = f"observed difference: {notation.difference(x)}" if is_null else "zero"
    return go.Scatter(
        x=[x, x], y=[0.0, 0.86], meta=row_number, mode="lines+markers",
        line={"color": OBSERVED_COLOR if is_null else DRAWS_COLOR, "width": 2.5, "dash": "solid" if is_null else "dot"},
        marker={"symbol": "diamond", "size": [0, 9]}, hovertemplate=f"{text}<extra></extra>",
        showlegend=False,
    )  # fmt: skip


def _legend() -> Iterator[go.Scatter]:
    for name, color, dash in (
        ("chance alone", NULL_COLOR, None),
        ("observed difference", OBSERVED_COLOR, "solid"),
        ("replicates, with zero marked", DRAWS_COLOR, None),
    ):
        marker = {"color": color, "size": 11, "symbol": "square" if dash is None else "diamond"}
        yield go.Scatter(x=[None], y=[None], mode="markers", marker=marker, name=name, hoverinfo="skip")


def _pale(color: str) -> str:
    red, green, blue = (int(color[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.28)"


SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "cross", "star")
PANEL_HEIGHT = 300


def calibration_figure(
    rates: pd.DataFrame, names: Mapping[str, str], rows: Sequence[str], columns: Sequence[str], level: float
) -> go.Figure:
    """Rejection rates against the ratio of run to segment noise, a panel a row and column, a line a procedure.

    Parameters
    ----------
    rates
        Columns ``procedure, row, column, ratio, rate`` (rate between 0 and 1).
    names
        From procedure to its name, in the order of the legend; others are not drawn.
    rows, columns
        Titles of the panels, values of ``row`` and ``column``.
    level
        The nominal one, drawn as a line.
    """
    figure = make_subplots(
        len(rows), len(columns), shared_xaxes=True, shared_yaxes=True, column_titles=[plain(c) for c in columns],
        row_titles=[plain(row) for row in rows], horizontal_spacing=0.025, vertical_spacing=0.07,
    )  # fmt: skip
    ratios = sorted(rates["ratio"].unique())
    for index, (key, name) in enumerate(names.items()):
        style = {"color": PALETTE[index % len(PALETTE)], "symbol": SYMBOLS[index % len(SYMBOLS)]}
        for row, row_name in enumerate(rows, start=1):
            for column, column_name in enumerate(columns, start=1):
                panel = rates[
                    (rates["procedure"] == key) & (rates["row"] == row_name) & (rates["column"] == column_name)
                ].sort_values("ratio")
                figure.add_trace(_line(panel, ratios, name, style, is_first=row == column == 1), row=row, col=column)
    figure.add_hline(y=100 * level, line={"dash": "dot", "width": 1.5, "color": "rgba(128,128,128,0.9)"})
    figure.update_xaxes(tickvals=list(range(len(ratios))), ticktext=[f"{ratio:g}" for ratio in ratios])
    for column in range(1, len(columns) + 1):
        figure.update_xaxes(title_text="run noise : segment noise", row=len(rows), col=column)
    figure.update_yaxes(range=[0, 100], ticksuffix="%", showgrid=True)
    figure.update_layout(
        height=90 + PANEL_HEIGHT * len(rows), font={"size": 14}, margin={"l": 50, "r": 40, "t": 60, "b": 100},
        legend={"orientation": "h", "x": 0, "y": -0.13, "yanchor": "top"}, template="plotly_white",
    )  # fmt: skip
    return figure


def _line(
    panel: pd.DataFrame, ratios: Sequence[float], name: str, style: Mapping[str, str], *, is_first: bool
) -> go.Scatter:
    """Ratios stand at equal distances: they are settings, not a scale."""
    return go.Scatter(
        x=[ratios.index(ratio) for ratio in panel["ratio"]], y=100 * panel["rate"], mode="lines+markers",
        name=plain(name), legendgroup=name, showlegend=is_first, line={"color": style["color"], "width": 2},
        marker={"symbol": style["symbol"], "size": 9},
    )  # fmt: skip
