"""The user's word for a run in a figure that says run."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import plotly.graph_objects as go

from mteval.run_words import RUN, Wording

_OF_TRACES = ("name", "text", "hovertext", "hovertemplate", "customdata")


def in_words(figure: go.Figure, said: Wording) -> go.Figure:
    """The same figure with its titles, labels, legend and what is shown where it is pointed at in the user's word."""
    if said.runs == RUN:
        return figure
    drawn = go.Figure(figure)
    for part, keys in _parts(drawn):
        for key in keys:
            if key in part and part[key] is not None:
                part[key] = _worded(part[key], said)
    return drawn


def _parts(figure: go.Figure) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """What holds words, with the names of what they stand in; the name of a frame is a key and none of them."""
    layouts = [figure.layout, *(frame.layout for frame in figure.frames)]
    for trace in (*figure.data, *(trace for frame in figure.frames for trace in frame.data)):
        yield trace, _OF_TRACES
    for layout in layouts:
        yield from ((note, ("text",)) for note in layout.annotations or ())
    for axis in (*figure.select_xaxes(), *figure.select_yaxes()):
        yield axis.title, ("text",)
        yield axis, ("ticktext",)
    for slider in figure.layout.sliders:
        yield slider.currentvalue, ("prefix", "suffix")
        yield from ((step, ("label",)) for step in slider.steps)


def _worded(value: Any, said: Wording) -> Any:
    """A text, or texts of points or ticks; numbers stay."""
    if isinstance(value, str):
        return said(value)
    if isinstance(value, np.ndarray) and value.dtype == object:
        return [_worded(one, said) for one in value]
    return [_worded(one, said) for one in value] if isinstance(value, list | tuple) else value
