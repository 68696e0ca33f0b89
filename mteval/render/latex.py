"""Sections as LaTeX: tables that need the package booktabs, the words as comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from mteval.answers.section import Section
from mteval.values.notation import MINUS

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "`": r"\textasciigrave{}", "'": r"\textquotesingle{}",
    "†": r"$\dagger$", "‡": r"$\ddagger$", MINUS: "$-$",
}  # fmt: skip
_LIGATURE = re.compile(r"([-,])(?=\1)")  # two such characters would be set as one


def escape(text: str) -> str:
    """Text that LaTeX sets as it stands, white space and control characters as single spaces."""
    plain = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return _LIGATURE.sub(r"\1{}", "".join(_SPECIAL.get(character, character) for character in plain))


def latex_lines(sections: Iterable[Section]) -> Iterator[str]:
    """A table for each section that has one, its title and notes as comments."""
    for one in (inner.brief for section in sections for inner in section.all):
        yield from (f"% {text}" for text in ([one.title] if one.title else []))
        yield from (f"% {text}" for text in one.lead)
        if one.table is not None:
            yield from (f"% {text}" for text in ([one.table.caption] if one.table.caption else []))
            yield from latex_table(one.table.head, one.table.texts, one.table.n_words)
        yield from (f"% {note.said}" for note in one.notes)
        if one.table is not None:
            yield ""


def latex_table(head: Sequence[str], rows: Iterable[Sequence[str]], n_words: int) -> Iterator[str]:
    """Lines of a table."""
    yield rf"\begin{{tabular}}{{{'l' * n_words}{'r' * (len(head) - n_words)}}}"
    yield r"\toprule"
    yield rf"{' & '.join(map(escape, head))} \\"
    yield r"\midrule"
    for cells in rows:
        yield rf"{' & '.join(map(escape, cells))} \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"
