"""Estimates with their intervals, a row a name, several series in a row side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import plotly.graph_objects as go

from mteval.figures.style import PALETTE, new_figure, padded_range, plain, short

ROW_HEIGHT, SERIES_HEIGHT = 12, 16
SPREAD = 0.7  # of a row that its series take


@dataclass(frozen=True)
class Estimate:
    """One value with its interval, NaN without; ``said`` is shown where it is pointed at."""

    name: str
    series: str
    value: float
    low: float
    high: float
    said: str


def estimates(points: Sequence[Estimate], axis: str) -> go.Figure:
    """A dot with a line for each, names from top to bottom and series in the order in which they come first.

    Parameters
    ----------
    axis
        Title of the axis.
    """
    names = list(dict.fromkeys(point.name for point in points))
    series = list(dict.fromkeys(point.series for point in points))
    figure = new_figure(height=110 + len(names) * (ROW_HEIGHT + SERIES_HEIGHT * len(series)))
    for place, one in enumerate(series):
        shift = SPREAD * ((place + 0.5) / len(series) - 0.5)
        figure.add_trace(_dots([point for point in points if point.series == one], names, shift, place))
    ends = [end for point in points for end in (point.value, point.low, point.high) if not isnan(end)]
    if ends:
        figure.update_xaxes(range=padded_range(min(ends), max(ends)))
    figure.update_xaxes(title_text=plain(axis), nticks=6)
    figure.update_yaxes(
        tickvals=list(range(len(names))),
        ticktext=[short(name) for name in names],
        range=[len(names) - 0.4, -0.6],
        showgrid=False,
    )
    figure.update_layout(
        showlegend=len(series) > 1,
        legend={"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "font": {"size": 13}},
        margin={"t": 38 if len(series) > 1 else 16},
    )
    return figure


def _dots(points: Sequence[Estimate], names: Sequence[str], shift: float, place: int) -> go.Scatter:
    color = PALETTE[place % len(PALETTE)]
    return go.Scatter(
        x=[point.value for point in points],
        y=[names.index(point.name) + shift for point in points],
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [0 if isnan(point.high) else point.high - point.value for point in points],
            "arrayminus": [0 if isnan(point.low) else point.value - point.low for point in points],
            "color": color,
            "thickness": 2,
            "width": 0,
        },
        mode="markers",
        marker={"color": color, "size": 9},
        name=short(points[0].series),
        customdata=[plain(point.said) for point in points],
        hovertemplate="%{customdata}<extra></extra>",
    )
