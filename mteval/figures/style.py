"""What all figures share: colours that keep their system, literal text, a frame for light and dark pages."""

import html
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import plotly.graph_objects as go

from mteval.control_characters import visible
from mteval.verdict import Role

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


def new_figure(height: int) -> go.Figure:
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
    # Sizes are said again for axes: the page's theme has smaller ones of its own.
    fonts = {"tickfont": {"size": 13}, "title": {"font": {"size": 14}, "standoff": 10}}
    figure.update_xaxes(automargin=True, zeroline=False, **fonts)
    figure.update_yaxes(automargin=True, zeroline=False, **fonts)
    return figure


def padded_range(low: float, high: float, share: float = 0.06) -> tuple[float, float]:
    """A range with room on both sides; a single point gets room too."""
    room = (high - low) * share or max(abs(high) * 0.01, 0.5)
    return low - room, high + room
