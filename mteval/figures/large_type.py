"""Figures for a screen that many look at."""

from typing import Any

import numpy as np
import plotly.graph_objects as go


def enlarged(figure: go.Figure, width: int, height: int, size: int = 22) -> go.Figure:
    """A copy for a screen that many look at, of that width, height and size of type in pixels."""
    large = go.Figure(figure)
    font, title = {"size": size}, {"font": {"size": size}}
    large.update_layout(width=width, height=height, font=font, legend={"font": font})
    large.update_annotations(font=font)
    large.update_traces(marker={"size": 15}, selector={"mode": "markers"})
    large.update_traces(textfont=font, selector={"type": "bar"})
    for axes in (large.update_xaxes, large.update_yaxes):
        axes(tickfont=font, title=title)
    large.update_xaxes(ticklabelstandoff=round(0.7 * size))  # clear of the lowest number of the other axis
    return large


def magnified(figure: go.Figure, factor: float) -> go.Figure:
    """A copy of one that is ``enlarged`` as a larger screen needs it: everything in it by that factor."""
    layout = figure.layout
    large = enlarged(figure, *(round(part * factor) for part in (layout.width, layout.height, layout.font.size)))
    margin = layout.margin.to_plotly_json()
    large.update_layout(margin={side: factor * room for side, room in margin.items()})
    large.for_each_annotation(
        lambda one: one.update(xshift=_times(one.xshift, factor), yshift=_times(one.yshift, factor))
    )
    large.for_each_shape(lambda one: _magnify_shape(one, factor))
    large.for_each_trace(lambda one: _magnify_marks(one, factor))
    return large


def _times(value: Any, factor: float) -> Any:
    """A length, or one for each mark; None stays what it is."""
    return None if value is None else factor * np.asarray(value) if np.ndim(value) else factor * value


def _magnify_shape(shape: Any, factor: float) -> None:
    shape.line.width = _times(shape.line.width, factor)
    if shape.ysizemode == "pixel":
        shape.update(y0=_times(shape.y0, factor), y1=_times(shape.y1, factor))


def _magnify_marks(trace: Any, factor: float) -> None:
    """Lines and dots of a trace; bars are as wide as their axis makes them."""
    if trace.type == "scatter":
        trace.line.width = _times(trace.line.width, factor)
        trace.marker.size = _times(trace.marker.size, factor)
