"""Sections as LaTeX: tables that need the package booktabs, the words as comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from mteval.answers.section import Cell, Column, Section, Table
from mteval.figures.colors import ROLE_COLORS
from mteval.values.notation import DASH, MINUS
from mteval.values.verdict import Role

_SPECIAL = str.maketrans({
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "`": r"\textasciigrave{}", "'": r"\textquotesingle{}",
    "†": r"$\dagger$", "‡": r"$\ddagger$", "↑": r"$\uparrow$", "↓": r"$\downarrow$", MINUS: "$-$",
    "▲": r"$\bigtriangleup$", "▼": r"$\bigtriangledown$", "△": r"$\triangle$", "▽": r"$\nabla$", "○": r"$\circ$",
    "◇": r"$\diamond$", "◆": r"$\star$", "■": r"$\bullet$", "≤": r"$\leq$", "≥": r"$\geq$", "×": r"$\times$",
    "±": r"$\pm$", "∞": r"$\infty$", "√": r"$\surd$", "₂": "$_2$", "²": "$^2$", "σ": r"$\sigma$", "τ": r"$\tau$",
    "δ": r"$\delta$", "Δ": r"$\Delta$", "Φ": r"$\Phi$", "χ": r"$\chi$",
    "ᴴ": r"$^{\mathrm{H}}$", "§": r"\S{}", "¶": r"\P{}",
})  # fmt: skip
_LIGATURE = re.compile(r"([-,])(?=\1)")  # two such characters would be set as one
MARKS = {
    "†": r"$^{\dagger}$",
    "‡": r"$^{\ddagger}$",
    "ᴴ": r"$^{\mathrm{H}}$",
    "§": r"$^{\S}$",
    "¶": r"$^{\P}$",
    "+": "$^{+}$",
    MINUS: "$^{-}$",
    "↑": r"$^{\uparrow}$",
    "↓": r"$^{\downarrow}$",
}
STRONGEST_TINT = 0.45  # the share of a verdict's colour behind a number
_INFINITY = r"\infty"


def escape(text: str) -> str:
    """Return text escaped for LaTeX, with white space and control characters as single spaces."""
    return _LIGATURE.sub(r"\1{}", _with_single_spaces(text).translate(_SPECIAL))


def _with_single_spaces(text: str) -> str:
    """Return text with single spaces for white space and for characters that TeX cannot print."""
    printable = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(printable.split())


def comment(text: str) -> str:
    """Return text as a comment, which ends with its line."""
    return f"% {_with_single_spaces(text)}"


def latex_lines(sections: Iterable[Section]) -> Iterator[str]:
    """Yield a table for each section that has one, with title and notes as comments."""
    for section in sections:
        for part in section.all:
            yield from _section_lines(part.brief)


def _section_lines(section: Section) -> Iterator[str]:
    """Yield the lines of a section without those below it."""
    for text in section.words:
        yield comment(text)
    table = section.table
    if table is not None:
        if table.caption:
            yield comment(table.caption)
        sides = "l" * table.n_words + "r" * (len(table.columns) - table.n_words)
        yield rf"\begin{{tabular}}{{{sides}}}"
        yield r"\toprule"
        yield _row([escape(name) for name in table.head])
        yield r"\midrule"
        for texts in table.texts:
            yield _row([escape(text) for text in texts])
        yield r"\bottomrule"
        yield r"\end{tabular}"
    for note in section.notes:
        yield comment(note.said)
    if table is not None:
        yield ""


def _row(cells: Sequence[str]) -> str:
    """Return the line of a table row."""
    return rf"{' & '.join(cells)} \\"


def paper_table(table: Table) -> Iterator[str]:
    """Yield the lines of a table for a paper, with booktabs and multirow."""
    # If the first column is what rows are grouped by, it is written once per group
    once = bool(table.groups) and table.columns[0].key == table.groups
    sides = "".join(_side(column) for column in table.columns)
    yield rf"\begin{{tabular}}{{{sides}}}"
    yield r"\toprule"
    yield _row([column.tex if column.tex else escape(column.name) for column in table.columns])
    for rows in table.blocks:
        yield r"\midrule"
        yield from block_lines(table.columns, rows, once=once)
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _side(column: Column) -> str:
    """Return the alignment of a column: left, centred or right."""
    if column.is_word:
        return "l"
    if column.kind == "range":
        return "c"
    return "r"


def block_lines(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], *, once: bool) -> Iterator[str]:
    """Yield the rows of a block; a first column that appears once spans them."""
    if once:
        # A metric and its arrow are escaped apart: the no-break space between them becomes a plain one. Without an
        # arrow a space follows the metric, as in published tables.
        name, has_arrow, arrow = rows[0][0].text.rpartition("\N{NO-BREAK SPACE}")
        if has_arrow:
            first = f"{escape(name)} {escape(arrow)}"
        else:
            first = f"{escape(rows[0][0].text)} "
        yield rf"\multirow{{{len(rows)}}}{{*}}{{{first}}}"
    for row in rows:
        cells = []
        for column, cell in zip(columns, row, strict=True):
            cells.append(escape(cell.text) + tex_marks(cell) if column.is_word else tex_number(cell))
        if once:
            cells[0] = ""
        yield _row(cells).lstrip()


def tex_number(cell: Cell) -> str:
    """Return a cell in TeX; numbers with a sign are in math mode."""
    text = cell.text.replace(DASH, "--").replace("<", "$<$")
    is_math = text.startswith(("+", MINUS, "∞"))
    if is_math:
        text = text.replace(MINUS, "-").replace("∞", _INFINITY)
        text = f"${text}$"
    if cell.is_best and is_math:
        text = rf"{{\boldmath{text}}}"
    elif cell.is_best:
        text = rf"\textbf{{{text}}}"
    if cell.shape:
        text = f"{escape(cell.shape)} {text}"
    if cell.tint > 0:
        text = f"{_tinted(cell)}{text}"
    return text + tex_marks(cell)


def tex_marks(cell: Cell) -> str:
    """Return the marks of a cell in TeX."""
    return "".join(MARKS[mark] for mark in cell.mark)


def _tinted(cell: Cell) -> str:
    """Return the background of a cell, on white; it needs the package xcolor with the option table."""
    weight = STRONGEST_TINT * cell.tint
    color = ROLE_COLORS[cast(Role, cell.role)]
    channels = []
    for place in (1, 3, 5):
        channel = int(color[place : place + 2], 16)
        channels.append(round(255 + weight * (channel - 255)))
    red, green, blue = channels
    return rf"\cellcolor[HTML]{{{red:02X}{green:02X}{blue:02X}}}"
