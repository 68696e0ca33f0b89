"""Human judgements and metrics: estimates with intervals, differences per segment."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import pandas as pd
import plotly.graph_objects as go

from mteval.figures.colors import PALETTE
from mteval.figures.style import legend, name_rows, new_figure, padded_range, plain, short, told
from mteval.values.notation import Notation

ROW_HEIGHT, SERIES_HEIGHT = 12, 16


@dataclass(frozen=True)
class Estimate:
    """One value with its interval (NaN if none); ``said`` is its hover text."""

    name: str
    series: str
    value: float
    low: float
    high: float
    said: str


def estimates(points: Sequence[Estimate], axis: str) -> go.Figure:
    """Draw a dot and an interval per estimate: one row per name, series side by side.

    Parameters
    ----------
    axis
        Axis title.
    """
    names = list(dict.fromkeys(point.name for point in points))
    series = list(dict.fromkeys(point.series for point in points))
    are_several, height = len(series) > 1, 110 + len(names) * (ROW_HEIGHT + SERIES_HEIGHT * len(series))
    figure = new_figure(height, showlegend=are_several, legend=legend(1), margin={"t": 38 if are_several else 16})
    for place, one in enumerate(series):
        shift = 0.7 * ((place + 0.5) / len(series) - 0.5)  # of a row that its series take
        figure.add_trace(_dots([point for point in points if point.series == one], names, shift, place))
    if ends := [end for point in points for end in (point.value, point.low, point.high) if not isnan(end)]:
        figure.update_xaxes(range=padded_range(min(ends), max(ends)))
    figure.update_xaxes(title_text=plain(axis), nticks=6)
    name_rows(figure, [short(name) for name in names])
    return figure


def _dots(points: Sequence[Estimate], names: Sequence[str], shift: float, place: int) -> go.Scatter:
    color = PALETTE[place % len(PALETTE)]
    reach = {
        "array": [0 if isnan(point.high) else point.high - point.value for point in points],
        "arrayminus": [0 if isnan(point.low) else point.value - point.low for point in points],
    }
    return go.Scatter(
        x=[point.value for point in points], y=[names.index(point.name) + shift for point in points], mode="markers",
        error_x={"type": "data", "symmetric": False, "color": color, "thickness": 2, "width": 0, **reach},
        marker={"color": color, "size": 9}, name=short(points[0].series), **told(plain(point.said) for point in points),
    )  # fmt: skip


def difference_scatter(
    pairs: pd.DataFrame, human: str, metric: str, color: str, notations: tuple[Notation, Notation]
) -> go.Figure:
    """Draw one dot per segment: human difference against metric difference.

    Parameters
    ----------
    pairs
        Columns ``segment`` (zero-based), ``human``, ``improvement``; rows with NaN are skipped.
    human, metric
        Titles of the axes.
    notations
        Number formats of human and metric differences.
    """
    shown = pairs.dropna()
    figure = new_figure(height=380)
    words = (
        f"segment {segment + 1}: {notations[1].difference(improvement)}, {notations[0].difference(said)}"
        for segment, improvement, said in zip(shown["segment"], shown["improvement"], shown["human"], strict=True)
    )
    look = {"color": color, "size": 8, "opacity": 0.65}
    figure.add_scatter(x=shown["improvement"], y=shown["human"], mode="markers", marker=look, **told(words))
    figure.update_xaxes(title_text=plain(metric), zeroline=True)
    figure.update_yaxes(title_text=plain(human), zeroline=True)
    return figure
