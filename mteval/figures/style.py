"""Colours, fonts, axes and labels shared by all figures, and the hover texts of a figure as plain text."""

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
import plotly.io as pio
from plotly.offline import get_plotlyjs

from mteval.base.words import visible
from mteval.values.notation import as_typed

LONGEST_NAME = 28
SHARES = "~%"  # of ticks, with the digits that they need
FIELD = re.compile(r"%\{(customdata|x|y)(?:\[0\])?\}")  # of a hover template


def plain(text: str) -> str:
    """Escape text for Plotly labels, which interpret some HTML and names in braces."""
    return html.escape(visible(text), quote=False).replace("%{", "%&#123;")


def short(text: str) -> str:
    """Escape and shorten a name; a long one loses its middle, since names tend to differ at the ends."""
    if len(text) > LONGEST_NAME:
        half = (LONGEST_NAME - 1) // 2
        text = f"{text[:half]}…{text[-half:]}"
    return plain(text)


def in_lines(label: str, longest: int = 40) -> str:
    """Escape a label, and break a long one into two lines near its middle."""
    words = label.split(" ")
    if len(label) < longest or len(words) == 1:
        return plain(label)
    middle = len(label) / 2
    n_first = min(range(1, len(words)), key=lambda n: abs(len(" ".join(words[:n])) - middle))
    first_line = " ".join(words[:n_first])
    second_line = " ".join(words[n_first:])
    return f"{plain(first_line)}<br>{plain(second_line)}"


def new_figure(height: int, **layout: Any) -> go.Figure:
    """Return an empty figure with a transparent background, so that the page's theme sets its colours."""
    figure = go.Figure()
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 16, "t": 16, "b": 8},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"size": 14},
        showlegend=False,
        hoverlabel={"align": "left"},
        dragmode=False,
    )
    figure.update_layout(layout)
    # Sizes are repeated for axes, since the page's theme sets smaller ones.
    fonts = {"tickfont": {"size": 13}, "title": {"font": {"size": 14}, "standoff": 10}}
    figure.update_xaxes(automargin=True, zeroline=False, **fonts)
    figure.update_yaxes(automargin=True, zeroline=False, **fonts)
    return figure


def legend(y: float, size: int = 13) -> dict[str, Any]:
    """Return the layout of a horizontal legend, above the plot or below it if ``y`` is negative."""
    return {"orientation": "h", "x": 0, "y": y, "yanchor": "bottom" if y > 0 else "top", "font": {"size": size}}


def name_rows(figure: go.Figure, names: Sequence[str], room: float = 0.4) -> None:
    """Label the rows on the vertical axis, from top to bottom."""
    figure.update_yaxes(
        tickvals=list(range(len(names))), ticktext=list(names), range=[len(names) - room, room - 1], showgrid=False
    )


def told(words: Iterable[str], subjects: Iterable[Sequence[Any]] | None = None) -> dict[str, Any]:
    """Return the trace options that show one hover text per point.

    Parameters
    ----------
    subjects
        What a click on each point is about, which follows its text in ``customdata``.
    """
    if subjects is None:
        return {"customdata": list(words), "hovertemplate": "%{customdata}<extra></extra>"}
    data = [[text, *subject] for text, subject in zip(words, subjects, strict=True)]
    return {"customdata": data, "hovertemplate": "%{customdata[0]}<extra></extra>"}


def named(name: str, marker: Mapping[str, Any]) -> go.Scatter:
    """Return an empty trace that only adds a legend entry."""
    return go.Scatter(x=[None], y=[None], mode="markers", marker=marker, name=name, hoverinfo="skip")


def padded_range(low: float, high: float, share: float = 0.06) -> tuple[float, float]:
    """Return an axis range with padding on both sides."""
    room = (high - low) * share or max(abs(high) * 0.01, 0.5)
    return low - room, high + room


def enlarged(figure: go.Figure, width: int, height: int, size: int = 22) -> go.Figure:
    """Change a figure for slides to a width, a height and a font size in pixels, and return it."""
    font = {"size": size}
    figure.update_layout(width=width, height=height, font=font, legend={"font": font})
    figure.update_annotations(font=font)
    figure.update_traces(marker={"size": 15}, selector={"mode": "markers"})
    figure.update_traces(textfont=font, selector={"type": "bar"})
    figure.update_xaxes(tickfont=font, title={"font": font})
    figure.update_yaxes(tickfont=font, title={"font": font})
    figure.update_xaxes(ticklabelstandoff=round(0.7 * size))  # clear of the lowest number of the other axis
    return figure


def magnified(figure: go.Figure, factor: float) -> go.Figure:
    """Return a copy of an enlarged figure with everything scaled by a factor."""
    layout = figure.layout
    width = round(layout.width * factor)
    height = round(layout.height * factor)
    font_size = round(layout.font.size * factor)
    large = enlarged(go.Figure(figure), width, height, font_size)
    large.update_layout(margin={side: factor * room for side, room in layout.margin.to_plotly_json().items()})
    for annotation in large.layout.annotations:
        annotation.update(xshift=_times(annotation.xshift, factor), yshift=_times(annotation.yshift, factor))
    large.for_each_shape(lambda shape: _magnify_shape(shape, factor))
    large.for_each_trace(lambda trace: _magnify_marks(trace, factor))
    return large


def _times(value: Any, factor: float) -> Any:
    """Scale a length or an array of lengths; None stays None."""
    if value is None:
        return None
    if np.ndim(value) > 0:
        return factor * np.asarray(value)
    return factor * value


def _magnify_shape(shape: Any, factor: float) -> None:
    """Scale the line of a shape, and its height if that is in pixels."""
    shape.line.width = _times(shape.line.width, factor)
    if shape.ysizemode == "pixel":
        shape.update(y0=_times(shape.y0, factor), y1=_times(shape.y1, factor))


def _magnify_marks(trace: Any, factor: float) -> None:
    """Scale lines and dots of a trace; bar widths follow their axis."""
    if trace.type == "scatter":
        trace.line.width = _times(trace.line.width, factor)
        trace.marker.size = _times(trace.marker.size, factor)


def points_in_words(figure: go.Figure) -> tuple[str, ...]:
    """Return the hover texts of a figure as plain text, without duplicates."""
    texts = []
    for trace in figure.data:
        for text in _texts(trace):
            texts.append(html.unescape(text.replace("<br>", ": ")).strip())
    return tuple(dict.fromkeys(filter(None, texts)))


def _texts(trace: Any) -> Iterator[str]:
    """Yield the hover texts of a trace; points without a value or without a count have none."""
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
    for values in zip(*(_field(trace, field) for field in fields), strict=True):
        value_of = dict(zip(fields, values, strict=True))
        if all(_is_known(value) for value in values) and value_of.get("y") != 0:
            yield FIELD.sub(lambda field: _written(value_of[field[1]]), template)  # noqa: B023 - used at once


def _field(trace: Any, field: str) -> list[Any]:
    """Return the values of a field of a hover text; what follows a point's text is what a click on it is about."""
    values = trace[field]
    if field == "customdata" and "%{customdata[0]}" in trace.hovertemplate:
        return [of_point[0] for of_point in values]
    return _flat(values)


def _is_known(value: Any) -> bool:
    """Return whether a value is neither missing, NaN nor an empty text."""
    return value is not None and value == value and value != ""


def _flat(values: Any) -> list[Any]:
    """Return the values of all points; a matrix row by row."""
    if values is None:
        return []
    if isinstance(values, str):
        return [values]
    return np.asarray(values, dtype=object).ravel().tolist()


def _written(value: Any) -> str:
    """Format a count; other values are already text."""
    if isinstance(value, str):
        return value
    return as_typed(float(value))


def script() -> str:
    """Return Plotly's script for pages."""
    return str(get_plotlyjs())


def as_json(figure: go.Figure) -> str:
    """Return a figure as JSON without colours of its own; the page's script sets them."""
    written: dict[str, Any] = figure.to_dict()  # another figure would check all of its values once more
    written["layout"]["template"] = pio.templates["none"].to_plotly_json()
    return str(pio.to_json(written, validate=False))
