"""The strip of runs: every run's score, one row a system, with both kinds of spread around the average."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from mteval.figures.style import new_figure, padded_range, plain, short
from mteval.notation import Notation

ROW_HEIGHT = 64
COLUMNS_A_ROW = 60  # dots closer than a sixtieth of the range are stacked, not drawn over one another
STACK_STEP = 0.11
DOTS_AT = 0.16  # the dots stand below the bars of their row, in units of rows; the y axis points down
BARS_AT = -0.16


def run_strip(
    scores: pd.DataFrame, summary: pd.DataFrame, colors: Mapping[str, str], metric_name: str, notation: Notation
) -> go.Figure:
    """Every run as a dot, the average as a diamond, s_run as a thick and s_sel as a thin bar around it.

    Parameters
    ----------
    scores
        Columns ``system, run, score``, for one metric on one test set; NaN scores are left out.
    summary
        Columns ``system, mean, s_sel, s_run, median_run``, one row a system, in the order of the rows drawn from top.
        NaN spreads draw no bar.
    colors
        From system to colour.
    metric_name, notation
        What the scores are by, and how they are written.
    """
    figure = new_figure(height=76 + ROW_HEIGHT * len(summary))
    low, high = _extent(scores, summary)
    traces: list[dict[str, Any]] = []
    rows: Iterable[Any] = summary.itertuples()  # a row of a frame has no static types
    for row, system in enumerate(rows):
        color = colors[system.system]
        runs = scores[(scores["system"] == system.system) & scores["score"].notna()]
        for spread, width, what in (
            (system.s_run, 8, "± s (training), another run"),
            (system.s_sel, 2, "± s (test set), another choice of sentences"),
        ):
            if np.isfinite(spread):
                text = f"{plain(system.system)}, {what}: {notation.number(spread)}"
                traces.append(_bar(row, system.mean, spread, width, color, text))
        traces.append(_dots(row, runs, system.median_run, color, (high - low) / COLUMNS_A_ROW, notation))
        traces.append(_average(row, system.system, system.mean, color, notation))
    figure.add_traces(traces)
    figure.update_xaxes(title_text=plain(notation.axis(metric_name)), range=padded_range(low, high))
    figure.update_yaxes(
        tickvals=list(range(len(summary))),
        ticktext=[short(str(name)) for name in summary["system"]],
        range=[len(summary) - 0.45, -0.55],
        showgrid=False,
    )
    return figure


def _extent(scores: pd.DataFrame, summary: pd.DataFrame) -> tuple[float, float]:
    """The lowest and highest value drawn; 0 to 1 where there is none."""
    reach = summary[["s_sel", "s_run"]].max(axis=1).fillna(0.0)
    values = pd.concat([scores["score"], summary["mean"] - reach, summary["mean"] + reach]).dropna()
    return (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)


def _bar(row: int, mean: float, spread: float, width: int, color: str, text: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": [mean - spread, mean + spread],
        "y": [row + BARS_AT] * 2,
        "mode": "lines",
        "line": {"color": color, "width": width},
        "opacity": 0.35 if width > 2 else 1,
        "hovertemplate": f"{text}<extra></extra>",
    }


def _dots(
    row: int, runs: pd.DataFrame, median_run: str, color: str, width: float, notation: Notation
) -> dict[str, Any]:
    is_median = (runs["run"].astype(str) == median_run).to_numpy()
    return {
        "type": "scatter",
        "x": runs["score"],
        "y": row + DOTS_AT + stacked(runs["score"].to_numpy(dtype=float), width) * STACK_STEP,
        "mode": "markers",
        "marker": {
            "color": color,
            "size": 9,
            "opacity": 0.8,
            "symbol": np.where(is_median, "circle-open", "circle"),
            "line": {"width": np.where(is_median, 2.5, 0)},
        },
        "customdata": [
            f"{plain(str(system))}, run {plain(str(run))}{', median run' if median else ''}: {notation.number(score)}"
            for system, run, score, median in zip(runs["system"], runs["run"], runs["score"], is_median, strict=True)
        ],
        "hovertemplate": "%{customdata}<extra></extra>",
    }


def _average(row: int, system: str, mean: float, color: str, notation: Notation) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": [mean],
        "y": [row + BARS_AT],
        "mode": "markers+text",
        "marker": {"color": color, "size": 13, "symbol": "diamond"},
        "text": [notation.number(mean)],
        "textposition": "top center",
        "hovertemplate": f"{plain(system)}, average: {notation.number(mean)}<extra></extra>",
    }


def stacked(values: npt.NDArray[np.float64], width: float) -> npt.NDArray[np.float64]:
    """Level of each dot, such that dots of one level are at least ``width`` apart.

    The levels are 0 to 3; what fits on none of them shares the top one.
    """
    heights = np.zeros(len(values))
    last = [-np.inf] * 4
    for index in np.argsort(values, kind="stable"):
        level = next((level for level, right in enumerate(last) if values[index] - right >= width), len(last) - 1)
        heights[index], last[level] = level, values[index]
    return heights
