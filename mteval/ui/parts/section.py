"""A section of an answer on a page."""

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from mteval.answers.section import Column, Note, Section, Table
from mteval.render.html import card, cards, is_card, note_markup, section_table, tag, words_of
from mteval.ui.parts.elements import as_label, chart, say, show
from mteval.values.notation import rounded

Pick = Callable[[Any], None]  # a callback, given the first column's value

Figure = Callable[[], go.Figure]
MOST_NOTES = 2  # that stay open below a section


def show_section(
    section: Section,
    *,
    has_title: bool = True,
    draw: Callable[[Figure], go.Figure] = lambda figure: figure(),
    on_pick: Pick | None = None,
    **how: Any,
) -> None:
    """Show a section: heading, answer, figure, table, notes; details are folded.

    Parameters
    ----------
    has_title
        Whether its title stands above it; titles of the sections below it always do.
    draw
        Draws its figures.
    on_pick
        Makes its table a grid, and is told when one of its rows is clicked, or a point of its figure.
    how
        Whatever else ``grid`` takes.
    """
    if is_card(section):
        show(card(section))
        return
    if section.title and has_title:
        st.subheader(as_label(section.title), anchor=False)
    show(*words_of(section))
    if section.figure is not None:

        def picked() -> None:
            points = st.session_state[section.key]["selection"]["points"]
            if points and on_pick is not None:
                on_pick(points[0]["customdata"])

        clicks: dict[str, Any] = {} if on_pick is None else {"on_select": picked, "selection_mode": "points"}
        chart(draw(section.figure), section.key, **clicks)
        show(*(tag("p", text, class_="mt-quiet") for text in [section.legend] if text))
    if section.table is not None and on_pick is None:
        show(section_table(section.table))
    elif section.table is not None:
        grid(section.table, f"{section.key}-table", on_pick=on_pick, **how)
    show_notes(section.notes)
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


def show_notes(notes: Iterable[Note]) -> None:
    """Show notes. Warnings stay open; more than ``MOST_NOTES`` others are folded together."""
    quiet_ones = []
    for note in notes:
        if note.level == "warning":
            say("warning", note.said)
        else:
            quiet_ones.append(note_markup(note))
    if len(quiet_ones) > MOST_NOTES:
        show(tag("details", tag("summary", "Notes"), *quiet_ones, class_="mt-numbers"))
    else:
        show(*quiet_ones)


def grid(
    shown: Table, key: str, *, on_pick: Pick | Literal["rerun"] | None = None, sized: Iterable[str] = (), **how: Any
) -> list[int]:
    """Show a sortable table for many rows, and return the selected rows.

    Parameters
    ----------
    shown
        Its numbers stay numbers, rounded as they are written elsewhere: the grid would round them in another way, and
        write ``-0.0``.
    on_pick
        Told when a row is clicked, in a callback; ``rerun`` has the page drawn anew.
    sized
        Keys of columns that are wide.
    how
        Whatever else ``dataframe`` takes, over what follows from the table.
    """

    def picked() -> None:
        rows = st.session_state[key]["selection"]["rows"]
        if rows and callable(on_pick):
            on_pick(shown.frame[shown.columns[0].key].iloc[rows[0]])

    if on_pick is not None:
        how = {"on_select": picked if callable(on_pick) else on_pick, "selection_mode": "single-row", **how}
    config = {column.key: column_config(column, "large" if column.key in sized else None) for column in shown.columns}
    event = st.dataframe(grid_frame(shown), **{"column_config": config, "key": key, "hide_index": True, **how})
    return list(event["selection"]["rows"]) if on_pick == "rerun" else []


def grid_frame(shown: Table) -> pd.DataFrame:
    """Return the columns of a table as a grid shows them."""
    numbers = {
        column.key: rounded(shown.frame[column.key], column.digits)
        for column in shown.columns
        if column.digits is not None
    }
    return shown.frame[[column.key for column in shown.columns]].assign(**numbers)


def column_config(column: Column, width: Any = None) -> Any:
    """Return how a grid shows a column."""
    head, about = column.short or column.name, column.help or None
    if column.is_word:
        return st.column_config.TextColumn(head, help=about, width=width)
    return st.column_config.NumberColumn(head, help=about, width=width, format=f"%.{column.digits or 0}f")
