"""What people said beside what metrics say: errors by kind, and differences segment by segment."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from mteval.figures.pairs import pair_matrix
from mteval.figures.style import new_figure, plain, short
from mteval.figures.variance import variance_bars
from mteval.notation import Notation, fixed, p_value

# From light to dark in both themes, as the marks in the text.
SEVERITY_COLORS = {"neutral": "#7a8a96", "minor": "#d9a400", "major": "#d55e00", "critical": "#c2185b"}
ROW_HEIGHT = 30


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
    figure = new_figure(height=120 + ROW_HEIGHT * len(labels))
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
