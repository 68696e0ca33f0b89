"""Estimates with their intervals, a row a name, several series in a row side by side.

What people said beside what metrics say: errors by kind, and differences segment by segment.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from mteval.figures.pairs import pair_matrix
from mteval.figures.planning import variance_bars
from mteval.figures.style import PALETTE, new_figure, padded_range, plain, short
from mteval.values.notation import Notation, fixed, p_value

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


# From light to dark in both themes, as the marks in the text.
SEVERITY_COLORS = {"neutral": "#7a8a96", "minor": "#d9a400", "major": "#d55e00", "critical": "#c2185b"}
HUMAN_ROW_HEIGHT = 30


def error_bars(errors: pd.DataFrame, per: Mapping[str, int]) -> go.Figure:
    """Errors by category, a bar a system, its severities stacked.

    Parameters
    ----------
    errors
        Columns ``system, category, severity``, one row an error.
    per
        For each system how often an annotator read one of its outputs; bars are errors in 100 readings.
    """
    counts = errors.groupby(["category", "system", "severity"], sort=False).size()
    order = errors["category"].value_counts().index[::-1]
    labels = [(category, system) for category in order for system in reversed(list(per))]
    figure = new_figure(height=120 + HUMAN_ROW_HEIGHT * len(labels))
    for severity, color in SEVERITY_COLORS.items():
        values = [
            100 * counts.get((category, system, severity), 0) / max(per[system], 1) for category, system in labels
        ]
        if any(values):
            figure.add_trace(
                go.Bar(
                    x=values,
                    y=[[short(category) for category, _ in labels], [short(system) for _, system in labels]],
                    orientation="h",
                    name=severity,
                    marker={"color": color},
                    customdata=[fixed(value, 1) for value in values],
                    hovertemplate=f"{severity}: %{{customdata}} in 100 readings<extra></extra>",
                )
            )
    figure.update_layout(
        barmode="stack",
        showlegend=True,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "traceorder": "normal"},
    )
    figure.update_xaxes(title_text="Errors in 100 readings", rangemode="tozero")
    return figure


def gold_matrix(cells: pd.DataFrame, systems: Sequence[str]) -> go.Figure:
    """Which systems people tell apart (Graham et al. 2014, Figure 7): is the row better than the column?

    Parameters
    ----------
    cells
        One row an ordered pair, with ``better, worse, scale, p_value, difference``; p-values are not adjusted.
    systems
        From best to worst.
    """
    pairs = cells.assign(improvement=cells["difference"], p_adjusted=cells["p_value"], note="")
    return pair_matrix(pairs, systems, Notation("↑"), lambda row: f"p {p_value(row['p_value'], 4)} by {row['scale']}")


def rater_bars(variance: pd.DataFrame, scale: str) -> go.Figure:
    """Where the variance of differences between systems comes from, where raters count as luck.

    Parameters
    ----------
    variance
        Columns ``what, source, variance, share``, three sources of each difference.
    scale
        What was judged.
    """
    return variance_bars(variance, scale, Notation("↑"))


def difference_scatter(
    pairs: pd.DataFrame, human: str, metric: str, color: str, notations: tuple[Notation, Notation]
) -> go.Figure:
    """One dot a segment: how much better people found the second output, and how much better the metric.

    Parameters
    ----------
    pairs
        Columns ``segment`` (zero-based), ``human``, ``improvement``; rows with NaN are left out.
    human, metric
        Titles of the axes.
    notations
        How what people said and how the metric's differences are written.
    """
    shown = pairs.dropna()
    figure = new_figure(height=380)
    figure.add_trace(
        go.Scatter(
            x=shown["improvement"],
            y=shown["human"],
            mode="markers",
            marker={"color": color, "size": 8, "opacity": 0.65},
            customdata=[
                f"segment {row.segment + 1}: {notations[1].difference(row.improvement)},"
                f" {notations[0].difference(row.human)}"
                for row in _rows(shown)
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )
    figure.update_xaxes(title_text=plain(metric), zeroline=True)
    figure.update_yaxes(title_text=plain(human), zeroline=True)
    return figure


def _rows(frame: pd.DataFrame) -> Iterator[Any]:
    """Rows of a frame, which have no static types."""
    yield from frame.itertuples()
