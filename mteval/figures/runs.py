"""Run scores: a strip plot with both standard deviations, and overlaid histograms (Clark et al. 2011, Figure 1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from mteval.base.words import counted
from mteval.figures.style import legend, name_rows, new_figure, padded_range, plain, short, told
from mteval.values.notation import Notation, as_typed, rounded_up
from mteval.values.run_words import RUN, RunWord

DOTS_PER_RANGE = 60  # dots closer than a sixtieth of the range are stacked, not drawn over one another

# Places within a row, in units of rows; the y axis points down. Dots are below the bars.
DOTS_AT = 0.16
BARS_AT = -0.16
LEVEL_STEP = 0.11  # between stacked dots
N_LEVELS = 4  # of stacked dots

ROW_HEIGHT = 64  # pixels
HEIGHT_OF_AXIS = 76

# Of the histogram
LABEL_HEIGHT = 22
LINE_BESIDE_LABEL = 18  # pixels of the line beside its label
FEWEST_BINS = 10
MOST_BINS = 40


def run_strip(
    scores: pd.DataFrame,
    summary: pd.DataFrame,
    colors: Mapping[str, str],
    metric_name: str,
    notation: Notation,
    word: RunWord = RUN,
) -> go.Figure:
    """Draw runs as dots, their mean as a diamond, s_opt as a thick bar and s_sel as a thin bar around it.

    Parameters
    ----------
    scores
        Columns ``system, run, score``, for one metric on one test set; NaN scores are skipped.
    summary
        Columns ``system, mean, s_sel, s_opt, median_run``, one row per system, from top to bottom. NaN
        spreads draw no bar.
    colors
        Maps a system to its colour.
    metric_name, notation
        Axis title and number format.
    word
        Word for a run.
    """
    figure = new_figure(height=HEIGHT_OF_AXIS + ROW_HEIGHT * len(summary))
    reach = summary[["s_sel", "s_opt"]].max(axis=1).fillna(0.0)
    drawn = pd.concat([scores["score"], summary["mean"] - reach, summary["mean"] + reach]).dropna()
    low = 0.0
    high = 1.0
    if len(drawn):
        low = float(drawn.min())
        high = float(drawn.max())
    dot_width = (high - low) / DOTS_PER_RANGE
    if dot_width == 0:
        dot_width = 1.0  # equal dots are stacked at any width but none
    traces: list[dict[str, Any]] = []
    rows: Iterable[Any] = summary.itertuples()  # a row of a frame has no static types
    for row, summarised in enumerate(rows):
        color = colors[summarised.system]
        name = plain(summarised.system)
        if np.isfinite(summarised.s_opt):
            text = f"{name}, {word.filled('±1 SD ({kind})')}: {notation.number(summarised.s_opt)}"
            traces.append(_bar(row, summarised.mean, summarised.s_opt, 8, color, text))
        if np.isfinite(summarised.s_sel):
            text = f"{name}, ±1 SD (test set): {notation.number(summarised.s_sel)}"
            traces.append(_bar(row, summarised.mean, summarised.s_sel, 2, color, text))
        runs = scores[(scores["system"] == summarised.system) & scores["score"].notna()]
        traces.append(_dots(row, runs, summarised.median_run, color, dot_width, notation, word))
        traces.append(_average(row, summarised.system, summarised.mean, color, notation))
    figure.add_traces(traces)
    figure.update_xaxes(title_text=plain(notation.axis(metric_name)), range=padded_range(low, high))
    name_rows(figure, [short(str(name)) for name in summary["system"]], 0.45)
    return figure


def _bar(row: int, mean: float, spread: float, width: int, color: str, text: str) -> dict[str, Any]:
    """Return a bar of one standard deviation on both sides of the mean; a thick one lets a thin one through."""
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
    row: int, runs: pd.DataFrame, median_run: str, color: str, width: float, notation: Notation, word: RunWord
) -> dict[str, Any]:
    """Return one dot per run, stacked if closer than ``width`` score points; the median run is a ring."""
    is_median = (runs["run"].astype(str) == median_run).to_numpy()
    words = []
    subjects = [(str(system), str(run)) for system, run in zip(runs["system"], runs["run"], strict=True)]
    for system, run, score, is_median_run in zip(
        runs["system"], runs["run"], runs["score"], is_median.tolist(), strict=True
    ):
        name = f"{plain(str(system))}, {word.noun} {plain(str(run))}"
        if is_median_run:
            name += f", median {word.noun}"
        words.append(f"{name}: {notation.number(score)}")
    levels = stacked(runs["score"].to_numpy(dtype=float), is_median, width)
    return {
        "type": "scatter",
        "x": runs["score"],
        "mode": "markers",
        "cliponaxis": False,  # the lowest of stacked dots is whole at the end of the axis, too
        "y": row + DOTS_AT + levels * LEVEL_STEP,
        "marker": {
            "color": color,
            "size": 9,
            "opacity": 0.8,
            "symbol": np.where(is_median, "circle-open", "circle"),
            "line": {"width": np.where(is_median, 2.5, 0)},
        },
        **told(words, subjects),
    }


def _average(row: int, system: str, mean: float, color: str, notation: Notation) -> dict[str, Any]:
    """Return a diamond at the mean, with its number above."""
    return {
        "type": "scatter",
        "x": [mean],
        "y": [row + BARS_AT],
        "mode": "markers+text",
        "textposition": "top center",
        "marker": {"color": color, "size": 13, "symbol": "diamond"},
        "text": [notation.number(mean)],
        "hovertemplate": f"{plain(system)}, mean: {notation.number(mean)}<extra></extra>",
    }


def stacked(values: npt.NDArray[np.float64], is_ring: npt.NDArray[np.bool_], width: float) -> npt.NDArray[np.float64]:
    """Return a level (0 to 3) per dot, so that dots of one level are at least ``width`` apart if they fit.

    Parameters
    ----------
    values, width
        Scores, shape ``(dots,)``, and the width of a dot, both in points.
    is_ring
        Whether a dot is open, shape ``(dots,)``: it is at level 0, and none is drawn over it.
    """
    rings = values[is_ring]
    levels = np.zeros(len(values))
    last_values = np.full(N_LEVELS, -np.inf)  # the rightmost dot of each level so far
    for index in np.argsort(values, kind="stable"):
        if is_ring[index]:
            continue
        room = values[index] - last_values
        if (np.abs(values[index] - rings) < width).any():
            room[0] = -1.0
        is_free = room >= width
        # The first free level; if none is free, the one with most room
        level = int(is_free.argmax() if is_free.any() else room.argmax())
        levels[index] = level
        last_values[level] = values[index]
    return levels


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
    values_of = {}
    for system in systems:
        values = scores.loc[scores["system"] == system, "score"].dropna().to_numpy(dtype=float)
        if len(values):
            values_of[system] = values
    edges = shared_bins(np.concatenate([np.zeros(0), *values_of.values()]))
    height_of_labels = LABEL_HEIGHT * len(values_of)
    figure = new_figure(
        300 + height_of_labels,
        barmode="overlay",
        bargap=0.0,
        margin={"t": 8 + height_of_labels, "r": 96},
        showlegend=True,
        legend=legend(-0.3),
    )
    tallest = 1
    for system, values in values_of.items():
        bars = _bars(system, values, edges, colors[system], word)
        figure.add_trace(bars)
        tallest = max(tallest, int(bars.y.max()))

    # Labels are right of their lines, the leftmost highest, so that no line crosses another label.
    means = {system: float(values.mean()) for system, values in values_of.items()}
    for level, system in enumerate(sorted(means, key=means.__getitem__, reverse=True)):
        _mark_average(figure, means[system], level, colors[system], notation)
    axis = padded_range(float(edges[0]), float(edges[-1]), 0.02)
    figure.update_xaxes(title_text=plain(notation.axis(metric_name)), range=axis, showgrid=False)
    whole_step = ceil(tallest / 6)  # half runs do not exist
    figure.update_yaxes(title_text=word.filled("{Runs}"), rangemode="tozero", dtick=whole_step)
    return figure


def shared_bins(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return edges of equal bins: about three times the square root of the number of values, at most forty.

    Bin widths are 1, 2 or 5 times a power of ten, so that the axis has round numbers.
    """
    if len(values) == 0:
        return np.array([0.0, 1.0])
    low = float(values.min())
    high = float(values.max())
    if high - low < 1e-9:
        return np.array([low - 0.05, high + 0.05])
    n_bins = min(MOST_BINS, max(FEWEST_BINS, 3 * np.sqrt(len(values))))
    step = rounded_up((high - low) / n_bins)
    return np.arange(np.floor(low / step), np.floor(high / step) + 2) * step


def _bars(
    system: str, values: npt.NDArray[np.float64], edges: npt.NDArray[np.float64], color: str, word: RunWord
) -> go.Bar:
    """Return the histogram of one system."""
    counts = np.histogram(values, edges)[0]
    ends = [as_typed(edge) for edge in edges.round(9)]
    bars = []  # the text of each, and the bounds that a click on it means
    for place, count in enumerate(counts.tolist()):
        text = f"{ends[place]} to {ends[place + 1]}: {counted(count, word.noun)}"
        bars.append([text, system, float(edges[place]), float(edges[place + 1])])
    return go.Bar(
        x=(edges[:-1] + edges[1:]) / 2,
        y=counts,
        width=np.diff(edges),
        name=short(system),
        customdata=bars,
        marker={"color": color, "opacity": 0.5, "line": {"color": color, "width": 1}},
        hovertemplate=f"{plain(system)}<br>%{{customdata[0]}}<extra></extra>",
    )


def _mark_average(figure: go.Figure, mean: float, level: int, color: str, notation: Notation) -> None:
    """Draw a line at the mean up to its label, which has its own row above the plot."""
    height = level * LABEL_HEIGHT  # pixels, as all heights here
    # Two lines: one through the plot, and one of so many pixels above it, beside the label
    line = {"x0": mean, "x1": mean, "y0": 0, "yref": "paper", "line": {"color": color, "width": 2, "dash": "dash"}}
    figure.add_shape(type="line", y1=1, **line)
    figure.add_shape(type="line", ysizemode="pixel", yanchor=1, y1=height + LINE_BESIDE_LABEL, **line)
    figure.add_annotation(
        x=mean,
        y=1,
        yref="paper",
        yanchor="bottom",
        yshift=height,
        xanchor="left",
        xshift=4,
        showarrow=False,
        text=f"mean {notation.number(mean)}",
    )
