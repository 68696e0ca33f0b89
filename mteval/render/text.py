"""Sections as text: aligned tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mteval.answers.section import Section, Table
from mteval.base.words import display_width, on_one_line, padded, shortened_names

WIDTH = 100  # characters of a terminal
LONGEST_NAME = 41  # characters of a system's name in a table
NAMES_IN_FULL = "Names in full:"


def text_lines(sections: Iterable[Section], *, is_underlined: bool = False, lists_names: bool = True) -> Iterator[str]:
    """Yield title, lead, table and notes of each section, without figures.

    Parameters
    ----------
    is_underlined
        Whether titles are underlined after an empty line, and the lead stands below its table.
    lists_names
        Whether names that tables shorten are listed in full at the end.
    """
    lines_of = _underlined_lines if is_underlined else _section_lines
    full_of: dict[str, str] = {}
    for section in sections:
        for part in section.all:  # the section and those below it
            yield from lines_of(part.brief)
            full_of.update(_shortened_in(part.brief.table))
    if lists_names and full_of:
        yield from names_in_full(full_of)
        yield ""


def names_in_full(full_of: Mapping[str, str]) -> Iterator[str]:
    """Yield names that a table shortened, each with its form there."""
    yield NAMES_IN_FULL
    for form, name in full_of.items():
        yield f"  {on_one_line(form)}: {on_one_line(name)}"


def _shortened_in(table: Table | None) -> dict[str, str]:
    """Return the names that a table shortens, by their shortened form."""
    if table is None:
        return {}
    full_of = {form: name for name, form in _forms_in(table).items() if form != name}
    for column in table.columns:  # of a turned grid
        if table.look == "grid" and column.short and column.short != column.name:
            full_of[column.short] = column.name
    return full_of


def _forms_in(table: Table) -> dict[str, str]:
    """Return the form of each cell of the column of systems."""
    place = _place_of_systems(table)
    if place is None:
        return {}
    return shortened_names((row[place] for row in table.texts), LONGEST_NAME)


def _place_of_systems(table: Table) -> int | None:
    keys = [column.key for column in table.columns]
    if "system" not in keys:
        return None
    return keys.index("system")


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
        yield "-" * display_width(section.title)
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
    form_of = _forms_in(table)
    place = _place_of_systems(table)
    texts = []
    for row in table.texts:
        cells = list(row)
        if place is not None:
            cells[place] = form_of[cells[place]]
        texts.append(cells)
    if table.look == "grid":
        yield from _in_width(table, texts)
    else:
        yield from aligned(table.head, texts, table.n_words)


def _in_width(table: Table, texts: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a grid in parts of some columns each, so that no line is longer than ``WIDTH`` if its columns allow it.

    Each part begins with the words of the rows.
    """
    lines = [table.head, *texts]
    widths = [max(display_width(on_one_line(line[place])) for line in lines) for place in range(len(table.head))]
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
    widths = [max(map(display_width, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = []
        for place, (cell, width) in enumerate(zip(line, widths, strict=True)):
            cells.append(padded(cell, width, is_right=place >= n_words))
        yield "  ".join(cells).rstrip()
