"""A section of an answer on the page."""

from collections.abc import Callable
from itertools import groupby

import plotly.graph_objects as go
import streamlit as st

from mteval.answers.section import Section
from mteval.render.html import card, cards, is_card, join, note_markup, section_table, tag, words_of
from mteval.ui.parts import messages
from mteval.ui.parts.tables import as_label, chart, show

Figure = Callable[[], go.Figure]


def drawn_now(figure: Figure) -> go.Figure:
    """The figure, drawn each time."""
    return figure()


def show_section(section: Section, *, has_title: bool = True, draw: Callable[[Figure], go.Figure] = drawn_now) -> None:
    """Put a section on the page: heading, answer, figure, table, notes; what is a detail is folded away.

    Parameters
    ----------
    has_title
        Whether its title stands above it; titles of the sections below it always do.
    draw
        Draws its figures.
    """
    if is_card(section):
        show(card(section))
        return
    if section.title and has_title:
        st.subheader(as_label(section.title), anchor=False)
    show(*words_of(section))
    if section.figure is not None:
        chart(draw(section.figure), section.key)
        show(*(tag("p", text, class_="mt-quiet") for text in [section.legend] if text))
    if section.table is not None:
        show(section_table(section.table))
    for note in section.notes:
        if note.level == "warning":
            messages.say("warning", note.said)
        else:
            show(join([note_markup(note)]))
    for are_cards, parts in groupby(section.parts, key=is_card):
        if are_cards:
            show(cards(*parts))
            continue
        for part in parts:
            if part.is_detail:
                with st.expander(as_label(part.title)):
                    show_section(part, has_title=False, draw=draw)
            else:
                show_section(part, draw=draw)
