"""Sections as text: aligned tables, wrapped into blocks in narrow terminals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from mteval.answers.section import Section, Table

_GAP = "  "


def text_lines(sections: Iterable[Section], width: int | None = None, *, is_underlined: bool = False) -> Iterator[str]:
    """Yield title, lead, table and notes of each section, without figures.

    Parameters
    ----------
    width
        Of the terminal: columns that do not fit stand in a block of their own below. None does not wrap.
    is_underlined
        Whether titles are underlined after an empty line, and the lead stands below its table.
    """
    for one in (inner.brief for section in sections for inner in section.all):
        table = [] if one.table is None else [*_table_lines(one.table, width)]
        notes = [*_wrapped((note.said for note in one.notes), width)]
        if is_underlined:
            yield from ("", one.title, "-" * len(one.title), *table, *one.words[1:], *notes)
            continue
        yield from (*_wrapped(one.words, width), *table, *notes)
        if one.table is not None or one.title:
            yield ""


def _wrapped(texts: Iterable[str], width: int | None) -> Iterator[str]:
    for text in texts:
        yield from [text] if width is None else wrap(text, width, break_on_hyphens=False)


def _table_lines(table: Table, width: int | None) -> Iterator[str]:
    yield from _wrapped(filter(None, [table.caption]), width)
    yield from aligned(table.head, table.texts, table.n_words, width)


def aligned(
    head: Sequence[str], rows: Iterable[Sequence[str]], n_words: int, width: int | None = None
) -> Iterator[str]:
    """Yield the lines of a text table; columns after the first ``n_words`` are right-aligned."""
    lines = [tuple(head), *(tuple(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    align = [str.ljust if column < n_words else str.rjust for column in range(len(widths))]
    for number, block in enumerate(_blocks(widths, n_words, width)):
        if number:
            yield ""
        for line in lines:
            cells = (align[column](line[column], widths[column]) for column in block)
            yield _GAP.join(cells).rstrip()


def _blocks(widths: Sequence[int], n_words: int, most: int | None) -> Iterator[list[int]]:
    """Yield the columns of each block; each starts with the first column."""
    block: list[int] = []
    for column, width in enumerate(widths):
        taken = sum(widths[other] + len(_GAP) for other in block)
        if most is not None and len(block) > 1 and taken + width > most:
            yield block
            block = [0] if n_words else []
        block.append(column)
    yield block
