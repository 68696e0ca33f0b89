"""What stands on a page: HTML, figures with their numbers in words, files to save.

A name in a label, a heading or a tab, which Streamlit reads as Markdown, is text, whatever it looks like.
"""

import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mteval.base.characters import visible
from mteval.figures.style import points_in_words
from mteval.render.frames import frame_csv
from mteval.render.html import Markup, join, tag

PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
BREAKS = re.compile(r"[\r\n\u2028\u2029]+")
# Addresses, icons and emoji are looked for after the escapes have been taken away, so these need a character that
# nobody sees between them.
LOOKED_FOR = re.compile(r"(?<=:)(?=\S)|(?<=@)|(?<=www)(?=\.)", re.IGNORECASE)
UNSEEN = "\N{WORD JOINER}"


def as_label(text: str) -> str:
    """A name as part of a label: shown as it is, never a link, an image, an icon, a colour or a formula."""
    return PUNCTUATION.sub(r"\\\1", LOOKED_FOR.sub(UNSEEN, BREAKS.sub(" ", visible(text))))


def show(*parts: str) -> None:
    """Put the parts on the page."""
    if parts:
        st.html(join(parts))


def download_table(label: str, frame: pd.DataFrame, place: str, name: str = "") -> None:
    """A button that downloads a frame as CSV; the file is called after the place unless it has a name of its own."""
    st.download_button(
        label, data=lambda: frame_csv(frame), file_name=f"mteval-{name or place}.csv", mime="text/csv",
        on_click="ignore", icon=":material/download:", key=f"{place}-download",
    )  # fmt: skip


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


def save_button(
    place: DeltaGenerator, label: str, name: str, mime: str, write: Callable[[], str], *, is_disabled: bool = False
) -> None:
    """A button that saves a file, which is written when asked for."""
    place.download_button(
        label,
        data=write,
        file_name=name,
        mime=mime,
        on_click="ignore",
        icon=":material/download:",
        key=f"download-{label}",
        width="stretch",
        disabled=is_disabled,
    )


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
