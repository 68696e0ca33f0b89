"""Sections as text: aligned tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from mteval.answers.section import Section, Table
from mteval.base.words import on_one_line


def text_lines(sections: Iterable[Section], *, is_underlined: bool = False) -> Iterator[str]:
    """Yield title, lead, table and notes of each section, without figures.

    Parameters
    ----------
    is_underlined
        Whether titles are underlined after an empty line, and the lead stands below its table.
    """
    lines_of = _underlined_lines if is_underlined else _section_lines
    for section in sections:
        for part in section.all:  # the section and those below it
            yield from lines_of(part.brief)


def _section_lines(section: Section) -> Iterator[str]:
    """Yield the lines of a section without those below it."""
    yield from section.words
    yield from _table_lines(section.table)
    for note in section.notes:
        yield note.said
    if section.table is not None or section.title:
        yield ""


def _underlined_lines(section: Section) -> Iterator[str]:
    """Yield the lines of a section whose title is underlined, without those below it."""
    yield ""
    if section.title:
        yield section.title
        yield "-" * len(section.title)
    yield from _table_lines(section.table)
    yield from replace(section, title="").words
    for note in section.notes:
        yield note.said


def _table_lines(table: Table | None) -> Iterator[str]:
    """Yield the caption and the lines of a table; nothing without one."""
    if table is None:
        return
    if table.caption:
        yield table.caption
    yield from aligned(table.head, table.texts, table.n_words)


def aligned(head: Sequence[str], rows: Iterable[Sequence[str]], n_words: int) -> Iterator[str]:
    """Yield the lines of a text table; columns after the first ``n_words`` are right-aligned."""
    lines = [[on_one_line(cell) for cell in row] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = []
        for place, (cell, width) in enumerate(zip(line, widths, strict=True)):
            if place < n_words:
                cells.append(cell.ljust(width))
            else:
                cells.append(cell.rjust(width))
        yield "  ".join(cells).rstrip()
