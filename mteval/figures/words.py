"""The user's word for a run in a figure that says run."""

from typing import Any

import plotly.graph_objects as go

from mteval.run_words import RUN, Wording

_TEXTS = ("text", "ticktext", "hovertext", "hovertemplate", "label")


def in_words(figure: go.Figure, said: Wording) -> go.Figure:
    """The same figure with its titles, labels, legend and what is shown where it is pointed at in the user's word."""
    if said.runs == RUN:
        return figure
    parts = figure.to_dict()
    for trace in [*parts["data"], *(trace for frame in parts.get("frames", ()) for trace in frame.get("data", ()))]:
        if "name" in trace:  # that of a frame is a key
            trace["name"] = said(trace["name"])
    return go.Figure(_in_words(parts, said))


def _in_words(part: Any, said: Wording) -> Any:
    if isinstance(part, dict):
        return {key: _worded(value, said) if key in _TEXTS else _in_words(value, said) for key, value in part.items()}
    return [_in_words(one, said) for one in part] if isinstance(part, list | tuple) else part


def _worded(value: Any, said: Wording) -> Any:
    """A text, or texts of points or ticks."""
    if isinstance(value, str):
        return said(value)
    if isinstance(value, list | tuple):
        return [_worded(one, said) for one in value]
    return _in_words(value, said)
