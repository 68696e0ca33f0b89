"""The table for a paper: Clark et al.'s Table 1 with booktabs, systems as rows or as MultEval has it; caption."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

import pandas as pd

from mteval.analysis.results import Results, overview
from mteval.answers.planner import look_sentences
from mteval.answers.ranking import ranking_sentences
from mteval.answers.scores import COLUMNS, MARKED, METRIC, SYSTEM, coverage_text, crossed
from mteval.answers.section import Column, Row, Table
from mteval.answers.verdict import declared_sentence
from mteval.base.errors import DataError
from mteval.base.words import counted_range
from mteval.render.latex import escape, paper_table
from mteval.report.multeval_table import HEADINGS, column_of, latex_lines
from mteval.values.notation import DASH, fixed, level
from mteval.values.run_words import RUN
from mteval.values.settings import Settings
from mteval.values.verdict import MANY_SYSTEMS, Ranking

Layout = Literal["booktabs", "multeval", "systems"]  # the last with systems as rows and metrics as columns
LAYOUTS: tuple[Layout, ...] = ("booktabs", "multeval", "systems")
DEFAULT_COLUMNS: tuple[str, ...] = tuple(key for key, column in COLUMNS.items() if not column.is_optional)
FIXED_COLUMNS: Mapping[Layout, tuple[str, ...]] = MappingProxyType(
    {"multeval": tuple(HEADINGS), "systems": (MARKED,)}  # of layouts for which none can be chosen
)
_PACKAGES: Mapping[Layout, Sequence[str]] = {
    "booktabs": (r"\usepackage{amsmath, booktabs, multirow, textcomp}",),
    "systems": (r"\usepackage{amsmath, booktabs, multirow, textcomp}",),
    "multeval": (
        r"\usepackage[american]{babel}",
        r"\usepackage{multirow, textcomp}",
        r"\usepackage{amsmath, amsthm, amssymb}",
    ),
}


def usual_layout(n_systems: int) -> Layout:
    """The layout unless another is chosen: a row a system where there are many."""
    return "systems" if n_systems >= MANY_SYSTEMS else "booktabs"


@dataclass(frozen=True)
class LatexChoice:
    """How the table for the paper looks.

    Parameters
    ----------
    columns
        For the layout ``booktabs``; the others have their own.
    metrics, systems
        Keys of the rows; None takes all.
    is_document
        Whether it is to compile by itself.
    """

    layout: Layout = "booktabs"
    columns: Sequence[str] = DEFAULT_COLUMNS
    metrics: Sequence[str] | None = None
    systems: Sequence[str] | None = None
    is_document: bool = False

    @property
    def shown(self) -> Sequence[str]:
        """The columns of the layout: its own, or those that were chosen."""
        return FIXED_COLUMNS.get(self.layout, self.columns)

    def rows(self, results: Results) -> pd.DataFrame:
        """The rows of the overview that the table shows, with the systems' shown names.

        Raises
        ------
        DataError
            Where none of the chosen systems has scores by a chosen metric.
        """
        rows = overview(results)
        for column, chosen in (("metric", self.metrics), ("system", self.systems)):
            rows = rows if chosen is None else rows[rows[column].isin(chosen)]
        if rows.empty:
            raise DataError(
                f"The table would be empty: none of the systems {', '.join(self.systems or ())} has scores by"
                f" {', '.join(self.metrics or ())}. Choose other systems or metrics."
            )
        return rows.assign(system=rows["system"].map(results.name_of))


def latex(results: Results, choice: LatexChoice) -> str:
    """The table for the paper in TeX.

    Raises
    ------
    DataError
        As ``LatexChoice.rows``.
    """
    rows, ranking = choice.rows(results), results.ranking
    words = caption(
        results.settings,
        sorted(set(rows["n_runs"])),
        {name: results.signatures[name] for name in dict.fromkeys(rows["metric_name"])},
        columns=choice.shown,
        coverage=coverage_text(results.coverage(set(rows["metric"])), results.test_set.name, results.run_word),
        n_shuffles=results.n_shuffles,
        baseline=results.name_of(results.experiment.baseline),
        exchanged=results.exchanged,
        layout=choice.layout,
        ranking=ranking if ranking is not None and rows["metric"].iloc[0] == ranking.metric else None,
    )
    table = latex_table(rows, words, layout=choice.layout, columns=choice.shown)
    return latex_document(table, choice.layout) if choice.is_document else table


def paper(rows: pd.DataFrame, layout: Layout = "booktabs", columns: Sequence[str] = DEFAULT_COLUMNS) -> Table:
    """The table for the paper: a block a metric, or in the layout ``systems`` a row a system.

    Its p-values are those before any correction; its numbers have a decimal less than on pages.

    Parameters
    ----------
    rows
        Of ``analysis.results.overview``, with the systems' shown names.
    layout
        ``multeval`` has MultEval's fixed columns, ``systems`` a column a metric, the systems from best to worst by the
        first, with their ranks and a line between groups where they are ranked by it.
    columns
        For ``booktabs``: keys of the columns, in order.
    """
    coarse = rows.assign(notation=rows["notation"].map(lambda notation: notation.coarser))
    if layout == "systems":
        return replace(crossed(coarse, COLUMNS[MARKED]), look="paper")
    shown = [column_of(key) for key in HEADINGS] if layout == "multeval" else [_of_paper(key) for key in columns]
    return Table((METRIC, SYSTEM, *shown), coarse, groups="metric", look="paper")


def _of_paper(key: str) -> Column:
    """A p-value has two digits, and a bound for what rounds to nothing."""
    column = COLUMNS[key]

    def write(row: Row) -> str:
        value = row[key]
        return "<0.01" if value < 0.005 else fixed(value, 2, DASH)

    return replace(column, write=write) if column.kind == "p" else column


def latex_table(
    rows: pd.DataFrame, caption: str, *, layout: Layout = "booktabs", columns: Sequence[str] = DEFAULT_COLUMNS
) -> str:
    """A table environment; ``caption`` is in TeX, as ``caption`` makes it. Other parameters as of ``paper``."""
    table = paper(rows, layout, columns)
    body = [*latex_lines(table)] if layout == "multeval" else [r"\centering", *paper_table(table)]
    end = [r"\caption{\label{tab:scores} " + caption + "}", r"\end{table}"]
    return "\n".join([r"\begin{table}[htb]", *body, *end]) + "\n"


def latex_document(table: str, layout: Layout = "booktabs") -> str:
    """A document that compiles, with the table alone."""
    size = "[12pt]" if layout == "multeval" else ""
    head = [rf"\documentclass{size}{{article}}", r"\usepackage[T1]{fontenc}", r"\usepackage[utf8]{inputenc}"]
    return "\n".join([*head, *_PACKAGES[layout], r"\begin{document}", table + r"\end{document}"]) + "\n"


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
        "run": runs.noun,
        "runs": runs.nouns,
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
    has_marks = MARKED in columns and layout != "multeval"
    if has_marks:
        explanations += [_MARK_CAPTION, *map(escape, look_sentences(settings)), _BEST]
    if has_marks or "p_both" in columns:
        explanations.append(declared_sentence(settings.design, "{baseline}", runs))
    if ranking is not None and layout == "systems":
        explanations.append(escape(ranking_sentences(ranking)))
    parts = [
        f"Scores of {counted_range(run_counts, runs.noun)} of each system, seed {settings.seed}. {escape(coverage)}",
        *(_filled(text, words) for text in explanations if text),
    ]
    return " ".join([*parts, f"Signatures: {'; '.join(_signatures(signatures))}."])


def _of_column(key: str, layout: Layout) -> str:
    """What a column means, under the heading that it has in the layout; metrics are the headings in ``systems``."""
    column = COLUMNS[key]
    heading = HEADINGS.get(key, column.tex) if layout == "multeval" else column.tex
    return _filled(column.meaning, {"heading": "Each number" if layout == "systems" else heading})


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
