"""Differences with intervals, one row a bucket of segments."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from mteval.counts import counted
from mteval.figures.style import PALETTE, new_figure, plain, short
from mteval.notation import Notation

ROW_HEIGHT = 30
BETTER, WORSE, OPEN = PALETTE[2], PALETTE[1], "#8a939b"


def bucket_intervals(frame: pd.DataFrame, metric_name: str, notation: Notation) -> go.Figure:
    """The difference in each bucket as a dot on its interval; coloured where the interval leaves zero out.

    Parameters
    ----------
    frame
        Columns ``bucket, segments, difference, improvement, low, high``, in the order drawn from top; NaN bounds draw
        no interval, a NaN difference no dot.
    metric_name, notation
        What the differences are in, and how they are written.
    """
    figure = new_figure(height=80 + ROW_HEIGHT * len(frame))
    for row, bucket in enumerate(frame.to_dict("records")):
        figure.add_trace(_interval(row, bucket, notation))
    figure.add_vline(x=0, line={"width": 1, "color": OPEN, "dash": "dot"})
    figure.update_xaxes(title_text=plain(notation.axis(f"Difference in {metric_name}")))
    names = [f"{short(str(name))}  ({count:,})" for name, count in zip(frame["bucket"], frame["segments"], strict=True)]
    figure.update_yaxes(
        tickvals=list(range(len(frame))), ticktext=names, range=[len(frame) - 0.4, -0.6], showgrid=False
    )
    return figure


def _interval(row: int, bucket: Mapping[Any, Any], notation: Notation) -> go.Scatter:
    low, middle, high = (float(bucket[name]) for name in ("low", "difference", "high"))
    color = OPEN
    if low > 0 or high < 0:
        color = BETTER if float(bucket["improvement"]) > 0 else WORSE
    numbers = f"{notation.difference(middle)} [{notation.interval(low, high)}]"
    text = f"{plain(str(bucket['bucket']))}<br>{numbers}<br>{counted(bucket['segments'], 'segment')}"
    return go.Scatter(
        x=[low, middle, high],
        y=[row, row, row],
        mode="lines+markers",
        line={"color": color, "width": 3},
        marker={"color": color, "size": [0, 11, 0]},
        hovertemplate=f"{text}<extra></extra>",
        customdata=[str(bucket["bucket"])] * 3,  # what a click on it means
    )
