"""Run scores: a strip plot with both standard deviations, and overlaid histograms (Clark et al. 2011, Figure 1)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from mteval.base.words import counted
from mteval.figures.style import legend, name_rows, new_figure, padded_range, plain, short, told
from mteval.values.notation import Notation, as_typed, rounded_up
from mteval.values.run_words import RUN, RunWord

COLUMNS_A_ROW = 60  # dots closer than a sixtieth of the range are stacked, not drawn over one another
DOTS_AT = 0.16  # dots are below the bars of their row, in units of rows; the y axis points down
BARS_AT = -0.16


def run_strip(
    scores: pd.DataFrame,
    summary: pd.DataFrame,
    colors: Mapping[str, str],
    metric_name: str,
    notation: Notation,
    word: RunWord = RUN,
) -> go.Figure:
    """Draw runs as dots, their mean as a diamond, s_run as a thick bar and s_sel as a thin bar around it.

    Parameters
    ----------
    scores
        Columns ``system, run, score``, for one metric on one test set; NaN scores are skipped.
    summary
        Columns ``system, mean, s_sel, s_run, median_run``, one row per system, from top to bottom. NaN
        spreads draw no bar.
    colors
        Maps a system to its colour.
    metric_name, notation
        Axis title and number format.
    word
        Word for a run.
    """
    figure = new_figure(height=76 + 64 * len(summary))
    reach = summary[["s_sel", "s_run"]].max(axis=1).fillna(0.0)
    drawn = pd.concat([scores["score"], summary["mean"] - reach, summary["mean"] + reach]).dropna()
    low, high = (float(drawn.min()), float(drawn.max())) if len(drawn) else (0.0, 1.0)
    traces: list[dict[str, Any]] = []
    rows: Iterable[Any] = summary.itertuples()  # a row of a frame has no static types
    for row, system in enumerate(rows):
        color = colors[system.system]
        runs = scores[(scores["system"] == system.system) & scores["score"].notna()]
        of_runs, of_test_set = word.filled("±1 SD ({kind})"), "±1 SD (test set)"
        for spread, width, what in ((system.s_run, 8, of_runs), (system.s_sel, 2, of_test_set)):
            if np.isfinite(spread):
                text = f"{plain(system.system)}, {what}: {notation.number(spread)}"
                traces.append(_bar(row, system.mean, spread, width, color, text))
        traces.append(_dots(row, runs, system.median_run, color, (high - low) / COLUMNS_A_ROW, notation, word))
        traces.append(_average(row, system.system, system.mean, color, notation))
    figure.add_traces(traces)
    figure.update_xaxes(title_text=plain(notation.axis(metric_name)), range=padded_range(low, high))
    name_rows(figure, [short(str(name)) for name in summary["system"]], 0.45)
    return figure


def _bar(row: int, mean: float, spread: float, width: int, color: str, text: str) -> dict[str, Any]:
    return {
        "type": "scatter", "x": [mean - spread, mean + spread], "y": [row + BARS_AT] * 2, "mode": "lines",
        "line": {"color": color, "width": width}, "opacity": 0.35 if width > 2 else 1,
        "hovertemplate": f"{text}<extra></extra>",
    }  # fmt: skip


def _dots(
    row: int, runs: pd.DataFrame, median_run: str, color: str, width: float, notation: Notation, word: RunWord
) -> dict[str, Any]:
    is_median = (runs["run"].astype(str) == median_run).to_numpy()
    look = {"symbol": np.where(is_median, "circle-open", "circle"), "line": {"width": np.where(is_median, 2.5, 0)}}
    words = (
        f"{plain(str(system))}, {word.noun} {plain(str(run))}{f', median {word.noun}' if median else ''}:"
        f" {notation.number(score)}"
        for system, run, score, median in zip(runs["system"], runs["run"], runs["score"], is_median, strict=True)
    )
    return {
        "type": "scatter", "x": runs["score"], "mode": "markers",
        "y": row + DOTS_AT + stacked(runs["score"].to_numpy(dtype=float), width) * 0.11,
        "marker": {"color": color, "size": 9, "opacity": 0.8, **look}, **told(words),
    }  # fmt: skip


def _average(row: int, system: str, mean: float, color: str, notation: Notation) -> dict[str, Any]:
    return {
        "type": "scatter", "x": [mean], "y": [row + BARS_AT], "mode": "markers+text", "textposition": "top center",
        "marker": {"color": color, "size": 13, "symbol": "diamond"}, "text": [notation.number(mean)],
        "hovertemplate": f"{plain(system)}, mean: {notation.number(mean)}<extra></extra>",
    }  # fmt: skip


def stacked(values: npt.NDArray[np.float64], width: float) -> npt.NDArray[np.float64]:
    """Return a level (0 to 3) per dot, so that dots of one level are at least ``width`` apart if they fit."""
    heights = np.zeros(len(values))
    last = [-np.inf] * 4
    for index in np.argsort(values, kind="stable"):
        level = next((level for level, right in enumerate(last) if values[index] - right >= width), len(last) - 1)
        heights[index], last[level] = level, values[index]
    return heights


LABEL_HEIGHT = 22
FEWEST_BINS, MOST_BINS = 10, 40


def run_histogram(
    scores: pd.DataFrame,
    systems: Sequence[str],
    colors: Mapping[str, str],
    metric_name: str,
    notation: Notation,
    word: RunWord = RUN,
) -> go.Figure:
    """Draw histograms of run scores on shared bins, with a dashed line and a label at each mean.

    Parameters
    ----------
    scores
        Columns ``system, run, score``, for one metric on one test set; NaN scores are skipped.
    systems
        Systems to draw, in this order.
    colors
        Maps a system to its colour.
    metric_name, notation
        Axis title and number format.
    word
        Word for a run.
    """
    by_system = {key: scores.loc[scores["system"] == key, "score"].dropna().to_numpy(dtype=float) for key in systems}
    drawn = {key: values for key, values in by_system.items() if len(values)}
    edges = shared_bins(np.concatenate(list(drawn.values())) if drawn else np.zeros(0))
    labels = LABEL_HEIGHT * len(drawn)
    figure = new_figure(
        300 + labels, barmode="overlay", bargap=0.0, margin={"t": 8 + labels, "r": 96}, showlegend=True,
        legend=legend(-0.3),
    )  # fmt: skip
    bars = [_bars(key, values, edges, colors[key], word) for key, values in drawn.items()]
    tallest = max([1, *(int(one.y.max()) for one in bars)])
    figure.add_traces(bars)
    # Labels are right of their lines, the leftmost highest, so that no line crosses another label.
    means = {key: float(values.mean()) for key, values in drawn.items()}
    for level, key in enumerate(sorted(means, key=means.__getitem__, reverse=True)):
        _mark_average(figure, means[key], level, colors[key], notation)
    axis = padded_range(float(edges[0]), float(edges[-1]), 0.02)
    figure.update_xaxes(title_text=plain(notation.axis(metric_name)), range=axis, showgrid=False)
    whole_step = -(-tallest // 6)  # half runs do not exist
    figure.update_yaxes(title_text=word.filled("{Runs}"), rangemode="tozero", dtick=whole_step)
    return figure


def shared_bins(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return edges of equal bins: about three times the square root of the number of values, at most forty.

    Bin widths are 1, 2 or 5 times a power of ten, so that the axis has round numbers.
    """
    if not len(values):
        return np.array([0.0, 1.0])
    low, high = float(values.min()), float(values.max())
    if high - low < 1e-9:
        return np.array([low - 0.05, high + 0.05])
    n_bins = min(MOST_BINS, max(FEWEST_BINS, 3 * np.sqrt(len(values))))
    step = rounded_up((high - low) / n_bins)
    return np.arange(np.floor(low / step), np.floor(high / step) + 2) * step


def _bars(
    key: str, values: npt.NDArray[np.float64], edges: npt.NDArray[np.float64], color: str, word: RunWord
) -> go.Bar:
    counts, ends = np.histogram(values, edges)[0], map(as_typed, edges.round(9))
    bins = zip(itertools.pairwise(ends), counts.tolist(), strict=True)
    bars = [f"{low} to {high}: {counted(count, word.noun)}" for (low, high), count in bins]
    return go.Bar(
        x=(edges[:-1] + edges[1:]) / 2, y=counts, width=np.diff(edges), name=short(key), customdata=bars,
        marker={"color": color, "opacity": 0.5, "line": {"color": color, "width": 1}},
        hovertemplate=f"{plain(key)}<br>%{{customdata}}<extra></extra>",
    )  # fmt: skip


def _mark_average(figure: go.Figure, mean: float, level: int, color: str, notation: Notation) -> None:
    """Draw a line at the mean up to its label, which has its own row above the plot."""
    height = level * LABEL_HEIGHT
    at = {"x0": mean, "x1": mean, "y0": 0, "yref": "paper", "line": {"color": color, "width": 2, "dash": "dash"}}
    figure.add_shape(type="line", y1=1, **at)
    figure.add_shape(type="line", ysizemode="pixel", yanchor=1, y1=height + 18, **at)
    figure.add_annotation(
        x=mean, y=1, yref="paper", yanchor="bottom", yshift=height, xanchor="left", xshift=4, showarrow=False,
        text=f"mean {notation.number(mean)}",
    )  # fmt: skip
