"""Clark et al.'s Figure 1: the histograms of the systems' run scores over one another, their averages marked."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from mteval.counts import counted
from mteval.figures.style import new_figure, padded_range, plain, short
from mteval.notation import Notation, as_typed

PLOT_HEIGHT = 300
LABEL_HEIGHT = 22
FEWEST_BINS, MOST_BINS = 10, 40


def run_histogram(
    scores: pd.DataFrame, systems: Sequence[str], colors: Mapping[str, str], metric_name: str, notation: Notation
) -> go.Figure:
    """Histograms of the systems' run scores on shared bins, a dashed line and a label at each average.

    Parameters
    ----------
    scores
        Columns ``system, run, score``, for one metric on one test set; NaN scores are left out.
    systems
        Whose runs are drawn, in this order.
    colors
        From system to colour.
    metric_name, notation
        What the scores are by, and how they are written.
    """
    by_system = {key: scores.loc[scores["system"] == key, "score"].dropna().to_numpy(dtype=float) for key in systems}
    drawn = {key: values for key, values in by_system.items() if len(values)}
    edges = shared_bins(np.concatenate(list(drawn.values())) if drawn else np.zeros(0))
    figure = new_figure(height=PLOT_HEIGHT + LABEL_HEIGHT * len(drawn))
    for key, values in drawn.items():
        figure.add_trace(_bars(key, values, edges, colors[key]))
    # Every label stands right of its line, the leftmost highest: so no line runs through another's label.
    falling = sorted(drawn, key=lambda key: float(drawn[key].mean()), reverse=True)
    for level, key in enumerate(falling):
        _mark_average(figure, float(drawn[key].mean()), level, colors[key], notation)
    figure.update_layout(
        barmode="overlay",
        bargap=0.0,
        margin={"t": 8 + LABEL_HEIGHT * len(drawn), "r": 96},
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": -0.3, "yanchor": "top", "font": {"size": 13}},
    )
    axis = padded_range(float(edges[0]), float(edges[-1]), 0.02)
    figure.update_xaxes(title_text=plain(notation.axis(metric_name)), range=axis, showgrid=False)
    figure.update_yaxes(title_text="runs", rangemode="tozero", dtick=_whole_step(drawn, edges))
    return figure


def shared_bins(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Edges of equal bins over all values: about three times the root of their number, at most forty.

    The edges are multiples of a width of 1, 2 or 5 times a power of ten, so that the axis reads well.
    """
    if not len(values):
        return np.array([0.0, 1.0])
    low, high = float(values.min()), float(values.max())
    if high - low < 1e-9:
        return np.array([low - 0.05, high + 0.05])
    n_bins = min(MOST_BINS, max(FEWEST_BINS, 3 * np.sqrt(len(values))))
    step = _round_up((high - low) / n_bins)
    return np.arange(np.floor(low / step), np.floor(high / step) + 2) * step


def _round_up(width: float) -> float:
    """The next of 1, 2, 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(width))
    return float(next(factor * power for factor in (1, 2, 5, 10) if factor * power >= width * (1 - 1e-9)))


def _bars(key: str, values: npt.NDArray[np.float64], edges: npt.NDArray[np.float64], color: str) -> go.Bar:
    counts, _ = np.histogram(values, edges)
    ends = itertools.pairwise(edges.round(9))
    bars = [
        f"{as_typed(low)} to {as_typed(high)}: {counted(count, 'run')}"
        for (low, high), count in zip(ends, counts.tolist(), strict=True)
    ]
    return go.Bar(
        x=(edges[:-1] + edges[1:]) / 2,
        y=counts,
        width=np.diff(edges),
        marker={"color": color, "opacity": 0.5, "line": {"color": color, "width": 1}},
        customdata=bars,
        hovertemplate=f"{plain(key)}<br>%{{customdata}}<extra></extra>",
        name=short(key),
    )


def _mark_average(figure: go.Figure, mean: float, level: int, color: str, notation: Notation) -> None:
    """A line at the average up to its label, which stands on a row of its own above the plot."""
    line = {"color": color, "width": 2, "dash": "dash"}
    height = level * LABEL_HEIGHT
    figure.add_shape(type="line", yref="paper", x0=mean, x1=mean, y0=0, y1=1, line=line)
    figure.add_shape(
        type="line", yref="paper", ysizemode="pixel", yanchor=1, x0=mean, x1=mean, y0=0, y1=height + 18, line=line
    )
    figure.add_annotation(
        x=mean,
        y=1,
        yref="paper",
        yanchor="bottom",
        yshift=height,
        xanchor="left",
        xshift=4,
        text=f"average {notation.number(mean)}",
        showarrow=False,
    )


def _whole_step(drawn: Mapping[str, npt.NDArray[np.float64]], edges: npt.NDArray[np.float64]) -> int:
    """Distance of the ticks, a whole number: half runs do not exist."""
    tallest = max((int(np.histogram(values, edges)[0].max()) for values in drawn.values()), default=1)
    return max(1, int(np.ceil(tallest / 6)))
