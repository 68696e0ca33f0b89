"""A section of an answer on the page."""

import streamlit as st

from mteval.answers.section import Section
from mteval.render.html import join, note_markup, section_table, tag, verdict_markup
from mteval.ui.parts import messages
from mteval.ui.parts.tables import as_label, chart, show


def show_section(section: Section, *, has_title: bool = True) -> None:
    """Put a section on the page: heading, answer, figure, table, notes; what is a detail is folded away.

    Parameters
    ----------
    has_title
        Whether its title stands above it; titles of the sections below it always do.
    """
    if section.title and has_title:
        st.subheader(as_label(section.title), anchor=False)
    if section.verdict is not None:
        show(verdict_markup(section.verdict))
    if section.lead:
        show(*(tag("p", text) for text in section.lead))
    if section.figure is not None:
        chart(section.figure(), section.key)
        if section.legend:
            show(tag("p", section.legend, class_="mt-quiet"))
    if section.table is not None:
        show(section_table(section.table))
    for note in section.notes:
        if note.level == "warning":
            messages.say("warning", note.said)
        else:
            show(join([note_markup(note)]))
    for part in section.parts:
        if part.is_detail:
            with st.expander(as_label(part.title)):
                show_section(part, has_title=False)
        else:
            show_section(part)
