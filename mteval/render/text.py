"""Sections as text: aligned tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from mteval.answers.section import Section, Table
from mteval.base.words import on_one_line

WIDTH = 100  # characters of a terminal


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
    if table.look == "grid":
        yield from _in_width(table)
    else:
        yield from aligned(table.head, table.texts, table.n_words)


def _in_width(table: Table) -> Iterator[str]:
    """Yield a grid in parts of some columns each, so that no line is longer than ``WIDTH`` if its columns allow it.

    Each part begins with the words of the rows.
    """
    lines = [table.head, *table.texts]
    widths = [max(len(on_one_line(line[place])) for line in lines) for place in range(len(table.head))]
    n_words = table.n_words
    width_of_words = sum(widths[:n_words]) + 2 * (n_words - 1)
    parts: list[list[int]] = [[]]  # places of the columns in each part
    width = width_of_words
    for place in range(n_words, len(widths)):
        width += 2 + widths[place]
        if width > WIDTH and parts[-1]:
            parts.append([])
            width = width_of_words + 2 + widths[place]
        parts[-1].append(place)
    for number, part in enumerate(parts):
        if number > 0:
            yield ""
        places = [*range(n_words), *part]
        head, *rows = [[line[place] for place in places] for line in lines]
        yield from aligned(head, rows, n_words)


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
