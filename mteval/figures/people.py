"""Human judgements and metrics: estimates with intervals, differences per segment."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import pandas as pd
import plotly.graph_objects as go

from mteval.figures.colors import SERIES
from mteval.figures.style import legend, name_rows, new_figure, padded_range, plain, short, told
from mteval.values.notation import Notation

# In pixels: a row has its own height and that of each series in it
ROW_HEIGHT = 12
SERIES_HEIGHT = 16
HEIGHT_OF_AXIS = 110


@dataclass(frozen=True)
class Estimate:
    """One value with its interval, whose ends are NaN if there is none."""

    name: str
    series: str
    value: float
    low: float
    high: float
    hover_text: str


def estimates(points: Sequence[Estimate], axis: str) -> go.Figure:
    """Draw a dot and an interval per estimate: one row per name, series side by side.

    Parameters
    ----------
    axis
        Axis title.
    """
    names = list(dict.fromkeys(point.name for point in points))
    series = list(dict.fromkeys(point.series for point in points))
    has_several_series = len(series) > 1
    height = HEIGHT_OF_AXIS + len(names) * (ROW_HEIGHT + SERIES_HEIGHT * len(series))
    top = 16
    if has_several_series:
        top = 38  # room for the legend
    figure = new_figure(height, showlegend=has_several_series, legend=legend(1), margin={"t": top})
    for index, name in enumerate(series):
        shift = 0.7 * ((index + 0.5) / len(series) - 0.5)  # the series of a name take 0.7 of its row
        of_series = [point for point in points if point.series == name]
        figure.add_trace(_dots(of_series, names, shift, SERIES[index % len(SERIES)]))
    values = []
    for point in points:
        values += [point.value, point.low, point.high]
    known = [value for value in values if not isnan(value)]
    if known:
        figure.update_xaxes(range=padded_range(min(known), max(known)))
    figure.update_xaxes(title_text=plain(axis), nticks=6)
    name_rows(figure, [short(name) for name in names])
    return figure


def _dots(points: Sequence[Estimate], names: Sequence[str], shift: float, color: str) -> go.Scatter:
    """Return the trace of one series; ``shift`` is its place in each row."""
    # Lengths of the two halves of each interval; 0 draws nothing
    above = []
    below = []
    for point in points:
        length_above: float = 0
        if not isnan(point.high):
            length_above = point.high - point.value
        length_below: float = 0
        if not isnan(point.low):
            length_below = point.value - point.low
        above.append(length_above)
        below.append(length_below)
    return go.Scatter(
        x=[point.value for point in points],
        y=[names.index(point.name) + shift for point in points],
        mode="markers",
        error_x={
            "type": "data",
            "symmetric": False,
            "color": color,
            "thickness": 2,
            "width": 0,
            "array": above,
            "arrayminus": below,
        },
        marker={"color": color, "size": 9},
        name=short(points[0].series),
        **told(plain(point.hover_text) for point in points),
    )


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
    human_notation, metric_notation = notations
    words = []
    for segment, by_metric, by_people in zip(shown["segment"], shown["improvement"], shown["human"], strict=True):
        differences = f"{metric_notation.difference(by_metric)}, {human_notation.difference(by_people)}"
        words.append(f"segment {segment + 1}: {differences}")
    marker = {"color": color, "size": 8, "opacity": 0.65}
    figure.add_scatter(x=shown["improvement"], y=shown["human"], mode="markers", marker=marker, **told(words))
    figure.update_xaxes(title_text=plain(metric), zeroline=True)
    figure.update_yaxes(title_text=plain(human), zeroline=True)
    return figure
