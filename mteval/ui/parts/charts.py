"""Figures on the page, each with what it shows in words."""

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from mteval.figures.alternative import points_in_words
from mteval.ui.parts.markup import Markup, show, tag

MOST_SAID = 500


def chart(figure: go.Figure, key: str, **how: Any) -> None:
    """A figure and, folded away below it, its numbers; the key T opens and closes those of the page.

    Parameters
    ----------
    how
        Whatever else ``plotly_chart`` takes.
    """
    st.plotly_chart(figure, config={"displayModeBar": False}, key=key, **how)
    show(numbers_behind(figure))


def numbers_behind(figure: go.Figure) -> Markup:
    """The list of what is said of the points, folded away."""
    summary = tag("summary", "Numbers of the figure ", tag("kbd", "T"))
    return tag("details", summary, _list(figure, "mt-list"), class_="mt-numbers")


def numbers_unseen(figure: go.Figure) -> Markup:
    """The same list for those who have the page read to them, where there is no room for it."""
    return _list(figure, "mt-unseen")


def _list(figure: go.Figure, look: str) -> Markup:
    said = points_in_words(figure)
    items = [tag("li", text) for text in said[:MOST_SAID]]
    if len(said) > MOST_SAID:
        items.append(tag("li", f"and {len(said) - MOST_SAID:,} more"))
    return tag("ul", *items, class_=look)
