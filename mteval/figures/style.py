"""Colours, type and words that all figures share, and what a figure shows in words."""

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import plotly.graph_objects as go

from mteval.base.characters import visible
from mteval.values.notation import as_typed
from mteval.values.verdict import Role

# Okabe and Ito's palette, distinct to the colour-blind, without black and yellow, which vanish on a dark or light page,
# and with a lighter blue, for the same reason.
PALETTE = ("#2483C5", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
FAINT = "#8A939B"  # of lines that guide the eye, visible on light and dark pages
ROLE_COLORS: Mapping[Role, str] = MappingProxyType(
    {"good": PALETTE[2], "bad": PALETTE[1], "apart": PALETTE[0], "open": FAINT, "unsaid": FAINT}
)
LONGEST_NAME = 28
SHARES = "~%"  # of ticks, with the digits that they need


def system_colors(keys: Sequence[str]) -> Mapping[str, str]:
    """A colour for each system by its place, so that a system looks the same in every figure of an experiment."""
    return {key: PALETTE[index % len(PALETTE)] for index, key in enumerate(keys)}


def plain(text: str) -> str:
    """Text as Plotly shows it literally: its labels understand a little HTML, and fill in names in braces."""
    return html.escape(visible(text), quote=False).replace("%{", "%&#123;")


def short(text: str) -> str:
    """A name that fits a label, literal; long ones lose their middle, since names tend to differ at the ends."""
    if len(text) > LONGEST_NAME:
        half = (LONGEST_NAME - 1) // 2
        text = f"{text[:half]}…{text[-half:]}"
    return plain(text)


def new_figure(height: int, **layout: Any) -> go.Figure:
    """An empty figure without background, so that the page's theme shows through and gives the text its colour."""
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
    # Sizes are said again for axes: the page's theme has smaller ones of its own.
    fonts = {"tickfont": {"size": 13}, "title": {"font": {"size": 14}, "standoff": 10}}
    figure.update_xaxes(automargin=True, zeroline=False, **fonts)
    figure.update_yaxes(automargin=True, zeroline=False, **fonts)
    return figure


def legend(y: float, size: int = 13) -> dict[str, Any]:
    """A legend in a row, above the plot or, where ``y`` is negative, below it."""
    return {"orientation": "h", "x": 0, "y": y, "yanchor": "bottom" if y > 0 else "top", "font": {"size": size}}


def name_rows(figure: go.Figure, names: Sequence[str], room: float = 0.4) -> None:
    """Write the names of rows, which count from the top, on the vertical axis."""
    figure.update_yaxes(
        tickvals=list(range(len(names))), ticktext=list(names), range=[len(names) - room, room - 1], showgrid=False
    )


def told(words: Iterable[str]) -> dict[str, Any]:
    """What is shown of each point where it is pointed at, literal."""
    return {"customdata": list(words), "hovertemplate": "%{customdata}<extra></extra>"}


def named(name: str, marker: Mapping[str, Any]) -> go.Scatter:
    """An entry of the legend that stands for no single trace."""
    return go.Scatter(x=[None], y=[None], mode="markers", marker=marker, name=name, hoverinfo="skip")


def padded_range(low: float, high: float, share: float = 0.06) -> tuple[float, float]:
    """A range with room on both sides; a single point gets room too."""
    room = (high - low) * share or max(abs(high) * 0.01, 0.5)
    return low - room, high + room


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
