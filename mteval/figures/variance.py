"""Where the variance of scores and differences comes from, as stacked bars."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from mteval.figures.style import PALETTE, SHARES, new_figure, plain
from mteval.notation import Notation, percent

ROW_HEIGHT = 58
SMALLEST_LABELLED = 0.07  # a narrower part has no room for its label
COLORS = (PALETTE[0], PALETTE[5], PALETTE[3])


def variance_bars(variance: pd.DataFrame, metric_name: str, notation: Notation) -> go.Figure:
    """One bar a score or difference, its parts in shares, its standard deviation at the end.

    Parameters
    ----------
    variance
        Columns ``what, source, variance, share``, in the order drawn from top; the sources of each in the same order.
    metric_name, notation
        What the standard deviations are in, and how they are written.
    """
    labels = list(variance["what"].unique())
    figure = new_figure(height=110 + ROW_HEIGHT * len(labels))
    for color, (source, parts) in zip(COLORS, variance.groupby("source", sort=False), strict=True):
        figure.add_trace(_parts(str(source), parts, color))
    for row, label in enumerate(labels):
        deviation = float(variance.loc[variance["what"] == label, "variance"].sum()) ** 0.5
        figure.add_annotation(
            x=1, xref="x", xanchor="left", xshift=8, y=row, showarrow=False,
            text=f"s = {notation.number(deviation)} {plain(metric_name)}",
        )  # fmt: skip
    figure.update_layout(
        barmode="stack", bargap=0.35, showlegend=True, margin={"r": 130}, uniformtext={"minsize": 10, "mode": "hide"},
        legend={
            "orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "traceorder": "normal", "font": {"size": 14}
        },
    )  # fmt: skip
    figure.update_xaxes(title_text="share of the variance", tickformat=SHARES, range=[0, 1])
    names = [plain(label) if len(label) < 40 else _in_two(label) for label in labels]
    figure.update_yaxes(tickvals=list(range(len(labels))), ticktext=names, autorange="reversed", showgrid=False)
    return figure


def _parts(source: str, parts: pd.DataFrame, color: str) -> go.Bar:
    shares = parts["share"].to_numpy(dtype=float)
    return go.Bar(
        x=shares,
        y=list(range(len(shares))),
        orientation="h",
        name=source,
        marker={"color": color},
        text=[percent(share, 0) if share >= SMALLEST_LABELLED else "" for share in shares],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        textfont={"color": "#111111", "size": 14},
        customdata=[plain(percent(share)) for share in shares],
        hovertemplate=f"{source}: %{{customdata}}<extra></extra>",
    )


def _in_two(label: str) -> str:
    """A long label on two lines, broken between words near its middle."""
    words = label.split(" ")
    breaks = range(1, len(words))
    best = min(breaks, key=lambda i: abs(len(" ".join(words[:i])) - len(label) / 2), default=0)
    return plain(" ".join(words[:best])) + "<br>" + plain(" ".join(words[best:]))
