"""Sections as text: aligned tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mteval.answers.section import Section, Table
from mteval.base.words import on_one_line


def text_lines(sections: Iterable[Section], *, is_underlined: bool = False) -> Iterator[str]:
    """Yield title, lead, table and notes of each section, without figures.

    Parameters
    ----------
    is_underlined
        Whether titles are underlined after an empty line, and the lead stands below its table.
    """
    for one in (inner.brief for section in sections for inner in section.all):
        table = [] if one.table is None else _table_lines(one.table)
        notes = [note.said for note in one.notes]
        if is_underlined:
            yield from ("", one.title, "-" * len(one.title), *table, *one.words[1:], *notes)
            continue
        yield from (*one.words, *table, *notes)
        if one.table is not None or one.title:
            yield ""


def _table_lines(table: Table) -> Iterator[str]:
    yield from filter(None, [table.caption])
    yield from aligned(table.head, table.texts, table.n_words)


def aligned(head: Sequence[str], rows: Iterable[Sequence[str]], n_words: int) -> Iterator[str]:
    """Yield the lines of a text table; columns after the first ``n_words`` are right-aligned."""
    lines = [tuple(map(on_one_line, row)) for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    align = [str.ljust if column < n_words else str.rjust for column in range(len(widths))]
    for line in lines:
        yield "  ".join(pad(text, width) for pad, text, width in zip(align, line, widths, strict=True)).rstrip()
