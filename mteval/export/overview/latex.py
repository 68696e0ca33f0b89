"""The table for the paper: Clark et al.'s Table 1 with booktabs, or in MultEval's layout."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pandas as pd

from mteval.export.columns import COLUMNS, DEFAULT_COLUMNS, FORMS, MARKED, MULTEVAL_COLUMNS, Cell, Layout, cell
from mteval.export.overview.by_system import by_system
from mteval.notation import DASH, MINUS

_ARROWS = {"↑": r"$\uparrow$", "↓": r"$\downarrow$", "": ""}
_MARKS = {"": "", "†": r"$^{\dagger}$", "‡": r"$^{\ddagger}$"}
_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "`": r"\textasciigrave{}", "'": r"\textquotesingle{}",
    "†": r"$\dagger$", "‡": r"$\ddagger$", MINUS: "$-$",
}  # fmt: skip
_INFINITY = r"\infty"
_LIGATURE = re.compile(r"([-,])(?=\1)")  # two such characters would be set as one
_BOOKTABS = (
    r"\documentclass{article}",
    r"\usepackage[T1]{fontenc}",
    r"\usepackage[utf8]{inputenc}",
    r"\usepackage{amsmath, booktabs, multirow, textcomp}",
)
_PREAMBLE = {
    "booktabs": _BOOKTABS,
    "systems": _BOOKTABS,
    "multeval": (
        r"\documentclass[12pt]{article}",
        r"\usepackage[T1]{fontenc}",
        r"\usepackage[utf8]{inputenc}",
        r"\usepackage[american]{babel}",
        r"\usepackage{multirow, textcomp}",
        r"\usepackage{amsmath, amsthm, amssymb}",
    ),
}


def escape(text: str) -> str:
    """Text that LaTeX sets as it stands, white space and control characters as single spaces."""
    plain = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return _LIGATURE.sub(r"\1{}", "".join(_SPECIAL.get(character, character) for character in plain))


def latex_table(
    overview: pd.DataFrame, caption: str, *, layout: Layout = "booktabs", columns: Sequence[str] = DEFAULT_COLUMNS
) -> str:
    """A table environment with one block a metric, or in the layout ``systems`` one row a system.

    Parameters
    ----------
    overview
        Rows of ``analysis.overview``, with the systems' shown names.
    caption
        In TeX, as ``latex_caption`` makes it; what users wrote has to be escaped in it.
    layout
        ``multeval`` has MultEval's fixed columns and rules, ``systems`` a column a metric, the systems from best to
        worst by the first, with their ranks and a rule between groups where they are ranked by it.
    columns
        For ``booktabs``: keys of the columns, in order.
    """
    blocks = [rows for _, rows in overview.groupby("metric", sort=False)]
    if layout == "systems":
        body = _systems(overview)
    else:
        body = _multeval(blocks) if layout == "multeval" else _booktabs(blocks, columns)
    end = [r"\caption{\label{tab:scores} " + caption + "}", r"\end{table}"]
    return "\n".join([r"\begin{table}[htb]", *body, *end]) + "\n"


def latex_document(table: str, layout: Layout = "booktabs") -> str:
    """A document that compiles, with the table alone."""
    return "\n".join([*_PREAMBLE[layout], r"\begin{document}", table + r"\end{document}"]) + "\n"


def tex_number(written: Cell) -> str:
    """A cell in TeX: what has a sign is set as mathematics, so that a minus is as wide as a digit."""
    text = "--" if written.text == DASH else written.text.replace("<", "$<$")
    if text.startswith(("+", MINUS, "∞")):
        text = f"${text.replace(MINUS, '-').replace('∞', _INFINITY)}$"
        return (rf"{{\boldmath{text}}}" if written.is_best else text) + _MARKS[written.mark]
    return (rf"\textbf{{{text}}}" if written.is_best else text) + _MARKS[written.mark]


def _multeval(blocks: Sequence[pd.DataFrame]) -> list[str]:
    columns = [COLUMNS[key].heading("multeval").tex for key in MULTEVAL_COLUMNS]
    heading = " & ".join(rf"\bf {name}" for name in ("Metric", "System", *columns)) + r" \\"
    lines = [
        r"\begin{center}",
        r"\begin{footnotesize}",
        rf"\begin{{tabular}}{{|l|l{'|l' * len(columns)}|}}",
        r"\hline",
        heading,
        r"\hline",
    ]
    for rows in blocks:
        lines += [_metric(rows), *_rows(rows, MULTEVAL_COLUMNS, "multeval"), r"\hline"]
    return [*lines, r"\end{tabular}", r"\end{footnotesize}", r"\end{center}"]


def _booktabs(blocks: Sequence[pd.DataFrame], columns: Sequence[str]) -> list[str]:
    heading = " & ".join(["Metric", "System", *(COLUMNS[key].heading("booktabs").tex for key in columns)])
    lines = [r"\centering", rf"\begin{{tabular}}{{ll{'r' * len(columns)}}}", r"\toprule", heading + r" \\"]
    for rows in blocks:
        lines += [r"\midrule", _metric(rows), *_rows(rows, columns, "booktabs")]
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _systems(overview: pd.DataFrame) -> list[str]:
    table = by_system(overview)
    names = [f"{escape(one.metric_name)} {_ARROWS[one.notation.direction]}".rstrip() for one in table.metrics]
    heading = " & ".join(["System", *(["Ranks"] if table.has_ranks else []), *names])
    aligned = f"l{'c' * table.has_ranks}{'r' * len(names)}"
    lines = [r"\centering", rf"\begin{{tabular}}{{{aligned}}}", r"\toprule", heading + r" \\"]
    for rows in table.groups:
        lines.append(r"\midrule")
        for row in rows:
            ranks = [row.ranks.replace(DASH, "--")] if table.has_ranks else []
            lines.append(" & ".join([escape(row.system), *ranks, *map(_average, row.cells)]) + r" \\")
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _average(row: Any) -> str:
    """With its mark; a dash where a metric has no score of the system."""
    return "--" if row is None else tex_number(cell(COLUMNS[MARKED], row, FORMS["systems"]))


def _metric(rows: pd.DataFrame) -> str:
    """The cell that names a metric for all its rows."""
    first: Any = next(rows.itertuples())
    return rf"\multirow{{{len(rows)}}}{{*}}{{{escape(first.metric_name)} {_ARROWS[first.notation.direction]}}}"


def _rows(rows: pd.DataFrame, columns: Sequence[str], layout: Layout) -> list[str]:
    lines = []
    for row in rows.itertuples():
        cells = [escape(str(row.system)), *(tex_number(cell(COLUMNS[key], row, FORMS[layout])) for key in columns)]
        lines.append(f"& {' & '.join(cells)} " + r"\\")
    return lines
