"""Sections as LaTeX: tables that need the package booktabs, the words as comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from mteval.answers.section import Cell, Column, Section, Table
from mteval.values.notation import DASH, MINUS

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "`": r"\textasciigrave{}", "'": r"\textquotesingle{}",
    "†": r"$\dagger$", "‡": r"$\ddagger$", "↑": r"$\uparrow$", "↓": r"$\downarrow$", MINUS: "$-$",
    "▲": r"$\bigtriangleup$", "▼": r"$\bigtriangledown$", "△": r"$\triangle$", "▽": r"$\nabla$", "○": r"$\circ$",
    "◇": r"$\diamond$", "◆": r"$\star$", "■": r"$\bullet$", "≤": r"$\leq$", "≥": r"$\geq$", "×": r"$\times$",
    "±": r"$\pm$", "∞": r"$\infty$", "√": r"$\surd$", "₂": "$_2$", "²": "$^2$", "σ": r"$\sigma$", "τ": r"$\tau$",
    "δ": r"$\delta$", "Δ": r"$\Delta$", "Φ": r"$\Phi$",
}  # fmt: skip
_LIGATURE = re.compile(r"([-,])(?=\1)")  # two such characters would be set as one


def escape(text: str) -> str:
    """Return text escaped for LaTeX, with white space and control characters as single spaces."""
    return _LIGATURE.sub(r"\1{}", "".join(_SPECIAL.get(character, character) for character in _on_one_line(text)))


def _on_one_line(text: str) -> str:
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())


def comment(text: str) -> str:
    """Return text as a comment, which ends with its line."""
    return f"% {_on_one_line(text)}"


def latex_lines(sections: Iterable[Section]) -> Iterator[str]:
    """Yield a table for each section that has one, with title and notes as comments."""
    for one in (inner.brief for section in sections for inner in section.all):
        table = one.table
        yield from (comment(text) for text in (*one.words, *([table.caption] if table and table.caption else [])))
        if table is not None:
            yield rf"\begin{{tabular}}{{{'l' * table.n_words}{'r' * (len(table.columns) - table.n_words)}}}"
            yield r"\toprule"
            yield rf"{' & '.join(map(escape, table.head))} \\"
            yield r"\midrule"
            yield from (rf"{' & '.join(map(escape, cells))} \\" for cells in table.texts)
            yield from (r"\bottomrule", r"\end{tabular}")
        yield from (comment(note.said) for note in one.notes)
        yield from [""] if table is not None else []


_MARKS = {"": "", "†": r"$^{\dagger}$", "‡": r"$^{\ddagger}$"}
_INFINITY = r"\infty"


def paper_table(table: Table) -> Iterator[str]:
    """Yield the lines of a table for a paper, with booktabs and multirow."""
    once = bool(table.groups) and table.columns[0].key == table.groups
    sides = ["l" if one.is_word else "c" if one.kind == "range" else "r" for one in table.columns]
    yield rf"\begin{{tabular}}{{{''.join(sides)}}}"
    yield r"\toprule"
    yield rf"{' & '.join(one.tex or escape(one.name) for one in table.columns)} \\"
    for rows in table.blocks:
        yield from (r"\midrule", *block_lines(table.columns, rows, once=once))
    yield from (r"\bottomrule", r"\end{tabular}")


def block_lines(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], *, once: bool) -> Iterator[str]:
    """Yield the rows of a block; a first column that appears once spans them."""
    if once:  # there is a space after every metric, as in published tables
        name, has_arrow, arrow = rows[0][0].text.rpartition("\N{NO-BREAK SPACE}")
        first = f"{escape(name)} {escape(arrow)}" if has_arrow else f"{escape(arrow)} "
        yield rf"\multirow{{{len(rows)}}}{{*}}{{{first}}}"
    for row in rows:
        cells = [escape(cell.text) if one.is_word else tex_number(cell) for one, cell in zip(columns, row, strict=True)]
        yield rf"{' & '.join(['', *cells[1:]] if once else cells)} \\".lstrip()


def tex_number(cell: Cell) -> str:
    """Return a cell in TeX; numbers with a sign are in math mode."""
    text = cell.text.replace(DASH, "--").replace("<", "$<$")
    bold = r"\textbf{{{}}}"
    if text.startswith(("+", MINUS, "∞")):
        bold, text = r"{{\boldmath{}}}", f"${text.replace(MINUS, '-').replace('∞', _INFINITY)}$"
    return (bold.format(text) if cell.is_best else text) + _MARKS[cell.mark]
