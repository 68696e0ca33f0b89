"""Sections as Markdown; names in tables and sentences have no special meaning in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mteval.answers.section import Section, Table
from mteval.base.words import on_one_line

_SPECIAL = str.maketrans(
    {
        **{character: f"\\{character}" for character in "|\\*_`[$~"},  # $ begins a formula, ~~ strikes through
        "<": "&lt;",
        "&": "&amp;",
    }
)


def markdown_lines(sections: Iterable[Section]) -> Iterator[str]:
    """Yield title, lead, table and notes of each section, with the empty lines that Markdown needs."""
    for section in sections:
        for part in section.all:
            yield from _section_lines(part.brief)


def _section_lines(section: Section) -> Iterator[str]:
    """Yield the lines of a section without those below it."""
    yield from map(markdown_text, section.words)
    notes = [markdown_text(note.said) for note in section.notes]
    if section.table is None:
        yield from notes
        return
    if section.table.caption:
        yield markdown_text(section.table.caption)
    yield ""
    yield from _table_lines(section.table)
    if notes:
        yield ""
        yield from notes
    yield ""


def _table_lines(table: Table) -> Iterator[str]:
    """Yield the lines of a table without its caption."""
    return markdown_table(table.head, table.texts, table.n_words)


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], n_words: int) -> Iterator[str]:
    """Yield the lines of a table; columns after the first ``n_words`` are right-aligned."""
    sides = ["---" if column < n_words else "---:" for column in range(len(head))]
    yield _line_of([markdown_text(name) for name in head])
    yield _line_of(sides)
    for row in rows:
        yield _line_of([markdown_text(text) for text in row])


def _line_of(cells: Sequence[str]) -> str:
    """Return the line of a table row."""
    return f"| {' | '.join(cells)} |"


def markdown_text(text: str) -> str:
    """Return a text that stays on its line and has no special meaning in Markdown."""
    return on_one_line(text).translate(_SPECIAL)


def summary_lines(sections: Iterable[Section]) -> Iterator[str]:
    """Yield sections for the summary page of a CI server: a heading each, and lists of terms and notes."""
    for section in sections:
        heading = markdown_text(section.title)
        if section.verdict is not None:
            heading = f"{section.verdict.plain}: {heading}"
        yield f"### {heading}"
        yield ""
        yield from _list_lines([f"{name}: {text}" for name, text in section.terms])
        if section.table is not None:
            yield from _table_lines(section.table)
            yield ""
            yield markdown_text(section.table.caption)
            yield ""
        yield from _list_lines([note.said for note in section.notes])


def _list_lines(texts: Sequence[str]) -> Iterator[str]:
    """Yield a list and an empty line; nothing without texts."""
    if not texts:
        return
    for text in texts:
        yield markdown_text(f"- {text}")
    yield ""
