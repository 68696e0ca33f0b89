"""What a figure shows, in words: for those who do not see it, and for those who want the numbers themselves."""

import html
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import plotly.graph_objects as go

from mteval.notation import as_typed

FIELD = re.compile(r"%\{(customdata|x|y)\}")


def points_in_words(figure: go.Figure) -> tuple[str, ...]:
    """What is said of each point when it is pointed at, as plain text, each once.

    Figures write these texts with the notation of their metric, so that nothing is rounded here.
    """
    said = (html.unescape(text.replace("<br>", ": ")).strip() for trace in figure.data for text in _texts(trace))
    return tuple(dict.fromkeys(filter(None, said)))


def _texts(trace: Any) -> Iterator[str]:
    if trace.hoverinfo == "skip":
        return
    if trace.hovertemplate is None:
        yield from _flat(trace.text)
        return
    template = trace.hovertemplate.removesuffix("<extra></extra>")
    fields = list(dict.fromkeys(FIELD.findall(template)))
    if not fields:
        yield template
        return
    for values in zip(*(_flat(trace[name]) for name in fields), strict=True):
        here = dict(zip(fields, values, strict=True))
        if all(map(_is_shown, values)) and here.get("y") != 0:
            yield FIELD.sub(lambda found: _written(here[found[1]]), template)  # noqa: B023 - used at once


def _flat(values: Any) -> list[Any]:
    """The values of all points, those of a matrix row by row."""
    if values is None:
        return []
    return [values] if isinstance(values, str) else np.asarray(values, dtype=object).ravel().tolist()


def _is_shown(value: Any) -> bool:
    """A point without a value is not drawn."""
    return value is not None and value == value and value != ""


def _written(value: Any) -> str:
    """Counts are numbers, all else is written by the figure."""
    return value if isinstance(value, str) else as_typed(float(value))
