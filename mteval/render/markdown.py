"""Sections as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mteval.answers.section import Section
from mteval.base.words import on_one_line

_SPECIAL = str.maketrans({"|": r"\|", "<": "&lt;", "\\": r"\\", "*": r"\*", "_": r"\_", "`": r"\`", "[": r"\["})


def _plain(text: str) -> str:
    """Return a text that stays on its line and has no special meaning in Markdown."""
    return on_one_line(text).translate(_SPECIAL)


def markdown_lines(sections: Iterable[Section]) -> Iterator[str]:
    """Yield title, lead, table and notes of each section, with the empty lines that Markdown needs."""
    for one in (inner.brief for section in sections for inner in section.all):
        lines = [*one.words]
        notes = [note.said for note in one.notes]
        if one.table is None:
            yield from (*lines, *notes)
            continue
        lines += [one.table.caption] if one.table.caption else []
        yield from (*lines, "", *markdown_table(one.table.head, one.table.texts, one.table.n_words))
        yield from (*([""] if notes else []), *notes, "")


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], n_words: int) -> Iterator[str]:
    """Yield the lines of a table; columns after the first ``n_words`` are right-aligned."""
    marks = ["---" if column < n_words else "---:" for column in range(len(head))]
    for cells in (head, marks, *rows):
        yield f"| {' | '.join(cells if cells is marks else map(_plain, cells))} |"


def summary_lines(sections: Iterable[Section]) -> Iterator[str]:
    """Yield sections for the summary page of a CI server: a heading each, and lists of terms and notes."""
    for one in sections:
        shape = "" if one.verdict is None else f"{one.verdict.plain}: "
        yield from (f"### {shape}{_plain(one.title)}", "")
        for lines in (
            [_plain(f"- {name}: {text}") for name, text in one.terms],
            [] if one.table is None else [*markdown_table(one.table.head, one.table.texts, one.table.n_words)],
            [] if one.table is None else [one.table.caption],
            [_plain(f"- {note.said}") for note in one.notes],
        ):
            yield from (*lines, "") if lines else ()
