"""Clark et al.'s Table 1 turned round, for every form of table: a row a system, a column a metric.

The table for the paper: Clark et al.'s Table 1 with booktabs, or in MultEval's layout.

The caption of the table for the paper: runs, replicates, shuffles, seed, signatures, and what each number means.

The table for the paper as it will look, in HTML: the same rows, columns and texts as in its source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pandas as pd

from mteval.answers.planner import look_sentences
from mteval.answers.scores import COLUMNS, DEFAULT_COLUMNS, FORMS, MARKED, MULTEVAL_COLUMNS, Cell, Layout, cell
from mteval.answers.verdict import declared_sentence, ranking_sentences
from mteval.base.words import counted_range
from mteval.render.html import Markup, scrolling, tag
from mteval.render.latex import escape
from mteval.values.notation import DASH, MINUS, level
from mteval.values.run_words import RUN
from mteval.values.settings import Settings
from mteval.values.verdict import Ranking, rank_range


@dataclass(frozen=True)
class SystemRow:
    """One system: its range of ranks by the first metric, and of each metric its row of the overview, or None."""

    system: str
    ranks: str
    cells: Sequence[Any]


@dataclass(frozen=True)
class BySystem:
    """The rows from best to worst, parted into groups.

    Parameters
    ----------
    metrics
        Of each metric any row of the overview, for what it says of the metric.
    has_ranks
        Whether the systems are ranked by the metric that sorts them.
    """

    metrics: Sequence[Any]
    has_ranks: bool
    groups: Sequence[Sequence[SystemRow]]


def by_system(overview: pd.DataFrame, metric: str | None = None) -> BySystem:
    """The rows of an overview in the order of the averages by a metric, the first one unless another is named.

    Groups are those of the ranking by that metric; where it has none there is one group.
    """
    every: Iterator[Any] = overview.itertuples()  # a row of a frame has no static types
    found: dict[tuple[str, str], Any] = {(row.system, row.metric): row for row in every}
    metrics: list[Any] = list({row.metric: row for row in found.values()}.values())
    sorting: str = metric or metrics[0].metric
    rows = [
        SystemRow(system, _ranks(found.get((system, sorting))), [found.get((system, one.metric)) for one in metrics])
        for system in ordered(overview, sorting)
    ]
    groups = [list(some) for _, some in groupby(rows, key=lambda row: _group(found.get((row.system, sorting))))]
    return BySystem(metrics, any(_group(row) > 0 for key, row in found.items() if key[1] == sorting), groups)


def ordered(overview: pd.DataFrame, metric: str) -> list[str]:
    """The systems from best to worst average by a metric, those without last; from high to low without direction."""
    rows = overview[overview["metric"] == metric]
    others = [system for system in dict.fromkeys(overview["system"]) if system not in set(rows["system"])]
    if rows.empty:
        return others
    is_rising = rows["notation"].iloc[0].direction == "↓"
    by_mean = rows.sort_values("mean", ascending=is_rising, kind="stable", na_position="last")
    return [*by_mean["system"], *others]


def _group(row: Any) -> float:
    """0 of a system without a rank."""
    return 0.0 if row is None or row.group != row.group else float(row.group)


def _ranks(row: Any) -> str:
    return rank_range(float("nan"), float("nan")) if row is None else rank_range(row.first_rank, row.last_rank)


_ARROWS = {"↑": r"$\uparrow$", "↓": r"$\downarrow$", "": ""}
_MARKS = {"": "", "†": r"$^{\dagger}$", "‡": r"$^{\ddagger}$"}
_INFINITY = r"\infty"
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


_MARK_CAPTION = (
    r"$^{\dagger}$: luck with the choice of {units} is ruled out; $^{\ddagger}$: luck with {units} and {training}"
    r" together is ruled out{provisional}; at the {level} level, corrected for the number of systems (Holm)."
)
_BEST = "Bold: best average."


def caption(
    settings: Settings,
    run_counts: Sequence[int],
    signatures: Mapping[str, str],
    *,
    columns: Sequence[str],
    coverage: str,
    n_shuffles: int,
    baseline: str,
    exchanged: str,
    layout: Layout = "booktabs",
    ranking: Ranking | None = None,
) -> str:
    """Caption in TeX for ``latex_table``.

    Parameters
    ----------
    run_counts
        Numbers of runs of the systems.
    signatures
        Of the metrics, by shown name.
    columns
        Keys of the columns that the table has.
    coverage
        What the numbers rest on, in plain text.
    n_shuffles
        That were made.
    baseline
        Shown name.
    exchanged
        Unit of the randomization test: ``segment``, ``document`` or ``output``.
    layout
        That of MultEval has other headings, no marks and no bold averages; else they stand at the averages.
    ranking
        By the first metric, whose ranks and groups the layout ``systems`` shows.
    """
    runs = settings.runs
    words = {
        "provisional": f" (provisional: from two {runs.nouns})" if 2 in run_counts else "",
        "bootstrap": f"{settings.n_bootstrap:,}",
        "shuffles": f"{n_shuffles:,}",
        "units": "documents" if exchanged == "document" else "segments",
        "exchanged": "single outputs" if exchanged == "output" else f"{exchanged}s with all {runs.nouns}",
        "baseline": escape(baseline),
        "training": "with training" if runs == RUN else escape(runs.luck),
        "level": escape(level(1 - settings.confidence)),
    }
    explanations = [_of_column(key, layout) for key in columns]
    has_marks = MARKED in columns and FORMS[layout].has_marks
    if has_marks:
        explanations += [_MARK_CAPTION, *map(escape, look_sentences(settings)), _BEST]
    if has_marks or "p_both" in columns:
        explanations.append(declared_sentence(settings.design, "{baseline}"))
    if ranking is not None and layout == "systems":
        explanations.append(escape(ranking_sentences(ranking)))
    parts = [
        f"Scores of {counted_range(run_counts, runs.noun)} of each system, seed {settings.seed}. {escape(coverage)}",
        *(_filled(runs.said(text), words) for text in explanations if text),
    ]
    return " ".join([*parts, f"Signatures: {'; '.join(_signatures(signatures))}."])


def _of_column(key: str, layout: Layout) -> str:
    """What a column means, under the heading that it has in the layout; metrics are the headings in ``systems``."""
    column = COLUMNS[key]
    heading = "Each number" if layout == "systems" else column.heading(layout).tex
    return _filled(column.caption, {"heading": heading})


def _filled(text: str, words: Mapping[str, str]) -> str:
    """The text with its words put in; ``str.format`` would trip over the braces of TeX."""
    for name, word in words.items():
        text = text.replace(f"{{{name}}}", word)
    return text


def _signatures(signatures: Mapping[str, str]) -> Iterator[str]:
    """Each in typewriter, with leave to break the line between its options."""
    for name, signature in signatures.items():
        options = r"\textbar{}\allowbreak{}".join(map(escape, signature.split("|")))
        yield rf"{escape(name)} \texttt{{{options}}}"


def latex_preview(overview: pd.DataFrame, columns: Sequence[str], layout: Layout = "booktabs") -> Markup:
    """A table of the rows of an overview; ``columns`` are keys as for ``latex_table``."""
    if layout == "systems":
        return _preview_systems(overview)
    names = [tag("th", name, scope="col", class_="mt-name") for name in ("Metric", "System")]
    headings = [tag("th", COLUMNS[key].heading(layout).html, scope="col") for key in columns]
    blocks = [_block(list(rows.itertuples()), columns, layout) for _, rows in overview.groupby("metric", sort=False)]
    head = tag("thead", tag("tr", *names, *headings))
    return scrolling(tag("table", head, *blocks, class_="mt-table mt-paper"))


def _preview_systems(overview: pd.DataFrame) -> Markup:
    """A row a system, a column a metric."""
    table = by_system(overview)
    heads = [tag("th", name, scope="col", class_="mt-name") for name in ("System", "Ranks")[: 1 + table.has_ranks]]
    heads += [tag("th", one.notation.heading(one.metric_name), scope="col") for one in table.metrics]
    bodies = []
    for rows in table.groups:
        words = [(row.system, row.ranks)[: 1 + table.has_ranks] for row in rows]
        lines = [
            tag("tr", *(tag("td", word, class_="mt-name") for word in said), *map(_preview_average, row.cells))
            for said, row in zip(words, rows, strict=True)
        ]
        bodies.append(tag("tbody", *lines))
    written = tag("table", tag("thead", tag("tr", *heads)), *bodies, class_="mt-table mt-paper mt-crossed")
    return scrolling(written)


def _preview_average(row: Any) -> Markup:
    """A cell; a dash where a metric has no score of the system."""
    return tag("td", DASH) if row is None else tag("td", *_shown(cell(COLUMNS[MARKED], row, FORMS["systems"])))


def _block(rows: Sequence[Any], columns: Sequence[str], layout: Layout) -> Markup:
    name = rows[0].notation.heading(rows[0].metric_name)
    metric = tag("th", name, scope="rowgroup", rowspan=str(len(rows)))
    lines = []
    for index, row in enumerate(rows):
        cells = [tag("td", *_shown(cell(COLUMNS[key], row, FORMS[layout]))) for key in columns]
        lines.append(tag("tr", *([metric] if index == 0 else []), tag("td", row.system, class_="mt-name"), *cells))
    return tag("tbody", *lines)


def _shown(written: Cell) -> list[str]:
    """The text, bold where it is the best, and the mark."""
    text = tag("b", written.text) if written.is_best else written.text
    return [text, *([tag("sup", written.mark)] if written.mark else [])]
