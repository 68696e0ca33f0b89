"""The table for a paper: Clark et al.'s Table 1 with booktabs, with systems as rows, or as in MultEval; its caption."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Literal

import pandas as pd

from mteval.analysis.results import Results, overview
from mteval.answers.findings import MARK_OF_DOUBT, reasons_in_brief, with_doubts
from mteval.answers.grid import claims_by, doubts_in_grid, grid_table, shapes_of
from mteval.answers.scores import (
    COLUMNS,
    MARKED,
    METRIC,
    SYSTEM,
    adjusted_by,
    coverage_text,
    crossed,
    has_values,
    tests_runs_alone,
)
from mteval.answers.section import Cell, Column, Row, Table
from mteval.answers.verdict import declared_sentence
from mteval.base.errors import DataError
from mteval.base.words import counted, counted_range
from mteval.render.latex import MARKS, comment, escape, paper_table
from mteval.report.multeval import HEADINGS, column_of, latex_lines
from mteval.values.findings import Finding
from mteval.values.notation import MINUS, level
from mteval.values.run_words import RUN, RunWord
from mteval.values.settings import Settings
from mteval.values.verdict import MANY_SYSTEMS, Conclusion, Ranking

# "systems" has systems as rows and metrics as columns, "grid" systems crossed with test sets
Layout = Literal["booktabs", "multeval", "systems", "grid"]
LAYOUTS: tuple[Layout, ...] = ("booktabs", "multeval", "systems")  # of one test set
ALL_LAYOUTS: tuple[Layout, ...] = (*LAYOUTS, "grid")
DEFAULT_COLUMNS: tuple[str, ...] = tuple(key for key, column in COLUMNS.items() if column.is_usual_in_papers)
FIXED_COLUMNS: Mapping[Layout, tuple[str, ...]] = {"multeval": tuple(HEADINGS), "systems": (MARKED,), "grid": ()}
_BEST = "Bold: best mean."
# Marks of verdicts, where no column shows which way a system differs
_MARK_OF_WORD: Mapping[str, str] = {
    Conclusion.BETTER.word: "+",
    Conclusion.WORSE.word: MINUS,
    Conclusion.HIGHER.word: "↑",
    Conclusion.LOWER.word: "↓",
}
_MARKS_OF_LUCK: Mapping[str, str] = {"†": "test-set luck ruled out", "‡": "both"}
TEST_SET_LUCK_ALONE = "test-set luck"
_PACKAGES = r"\usepackage{amsmath, booktabs, multirow, textcomp}"
_PACKAGES_OF_GRID = "\n".join([r"\usepackage{amsmath, booktabs, graphicx, textcomp}", r"\usepackage[table]{xcolor}"])
MANY_ROWS = 30  # are set small
_MULTEVALS_PACKAGES = "\n".join(
    [
        r"\usepackage[american]{babel}",
        r"\usepackage{multirow, textcomp}",
        r"\usepackage{amsmath, amsthm, amssymb}",
    ]
)


def usual_layout(n_systems: int) -> Layout:
    """Return the default layout: one row per system if there are many."""
    return "systems" if n_systems >= MANY_SYSTEMS else "booktabs"


def usual_columns(rows: pd.DataFrame) -> tuple[str, ...]:
    """Return the default columns that have a value in any of these rows."""
    return tuple(key for key in DEFAULT_COLUMNS if has_values(COLUMNS[key], rows))


@dataclass(frozen=True)
class LatexChoice:
    """How the table for the paper looks.

    Parameters
    ----------
    columns
        For the layout ``booktabs``, the usual ones if empty; the other layouts have their own.
    metrics, systems
        Keys of the rows; None for all.
    is_document
        Whether to write a document that compiles.
    """

    layout: Layout = "booktabs"
    columns: Sequence[str] = ()
    metrics: Sequence[str] | None = None
    systems: Sequence[str] | None = None
    is_document: bool = False

    def shown(self, rows: pd.DataFrame) -> Sequence[str]:
        """Return the columns of the layout: its own, the chosen ones, or the usual ones for these rows."""
        if self.layout in FIXED_COLUMNS:
            return FIXED_COLUMNS[self.layout]
        if self.columns:
            return self.columns
        return usual_columns(rows)

    def rows(self, results: Results) -> pd.DataFrame:
        """Return the rows of the overview in the table, with the systems' shown names.

        Raises
        ------
        DataError
            If none of the chosen systems has scores by a chosen metric.
        """
        rows = overview(results)
        if self.metrics is not None:
            rows = rows[rows["metric"].isin(self.metrics)]
        if self.systems is not None:
            rows = rows[rows["system"].isin(self.systems)]
        if rows.empty:
            systems = ", ".join(self.systems or ())
            metrics = ", ".join(self.metrics or ())
            raise DataError(f"Empty table: none of {systems} has scores by {metrics}. Choose other systems or metrics.")
        rows = with_doubts(rows, results)
        return rows.assign(system=rows["system"].map(results.name_of))


def _doubts(results: Results, metrics: Collection[str], systems: Collection[str]) -> str:
    """Return why some of the scores may be too good, with displayed names; empty if none is."""
    findings: list[Finding] = []
    for metric in metrics:
        if metric not in results.evaluation.of_people:  # people read no reference
            findings += results.findings(metric)
    if systems:
        findings = [finding for finding in findings if not set(systems).isdisjoint(finding.systems)]
    names = {metric: results.spec(metric).name for metric in metrics}
    return reasons_in_brief(results.with_names_in(findings), names)


def latex(results: Results, choice: LatexChoice) -> str:
    """Return the table for the paper in TeX, with seed and signatures as comments below.

    Raises
    ------
    DataError
        As ``LatexChoice.rows``, or if a grid is wanted of a single test set.
    """
    if choice.layout == "grid":
        return _latex_grids(results, choice)
    rows = choice.rows(results)
    columns = choice.shown(rows)
    ranking = results.ranking
    if ranking is not None and rows["metric"].iloc[0] != ranking.metric:
        ranking = None  # the table is sorted by another metric
    text_of_caption = caption(
        results.settings,
        sorted(set(rows["n_runs"])),
        columns=columns,
        coverage=coverage_text(results.coverage(set(rows["metric"])), results.test_set.name, results.run_word),
        baseline=results.name_of(results.experiment.baseline),
        exchanged=results.exchanged,
        n_compared=len(results.systems) - 1,
        layout=choice.layout,
        ranking=ranking,
        is_of_runs=tests_runs_alone(rows),
        luck=_luck(rows, results.run_word),
        concluded=_concluded(rows),
        marks=[mark for mark in _MARKS_OF_LUCK if mark in set(rows["mark"])],
        doubts=_doubts(results, list(dict.fromkeys(rows["metric"])), choice.systems or ()),
    )
    table = latex_table(rows, text_of_caption, layout=choice.layout, columns=columns)
    comments = [f"% seed: {results.settings.seed}"]
    for name in dict.fromkeys(rows["metric_name"]):
        comments.append(comment(f"{name}: {results.signatures[name]}"))
    table += "\n".join(comments) + "\n"
    if choice.is_document:
        return latex_document(table, choice.layout)
    return table


def _luck(rows: pd.DataFrame, runs: RunWord) -> str:
    """Return the luck that verdicts in these rows cover."""
    if tests_runs_alone(rows):
        return runs.luck
    if has_values(COLUMNS["p_run"], rows):
        return f"test-set and {runs.luck}"
    return TEST_SET_LUCK_ALONE


def _concluded(rows: pd.DataFrame) -> list[str]:
    """Return the words of the verdicts in these rows that have a mark."""
    present = set(rows["conclusion"])
    return [word for word in _MARK_OF_WORD if word in present]


def grids(results: Results, choice: LatexChoice) -> dict[str, Table]:
    """Return the grid by each chosen metric, by default the primary one.

    Raises
    ------
    DataError
        If there is a single test set, or no chosen system has scores.
    """
    table_of: dict[str, Table] = {}
    for metric in choice.metrics or (results.settings.primary_metric,):
        table = grid_table(results, metric, results.spec(metric).notation.coarser, choice.systems)
        if table is None:
            raise DataError(
                "The layout 'grid' needs two systems on two or more test sets. Load more test sets or choose another"
                " layout."
            )
        table_of[metric] = table
    return table_of


def _latex_grids(results: Results, choice: LatexChoice) -> str:
    """Return a table environment per metric, with seed and signatures as comments below."""
    lines = []
    for metric, table in grids(results, choice).items():
        lines += [r"\begin{table}[htb]", r"\centering"]
        if len(table.frame) > MANY_ROWS:
            lines.append(r"\small")
        # A table that is too wide for the page is made smaller
        lines.append(r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%")
        lines += paper_table(table)
        lines.append("}")
        lines.append(rf"\caption{{\label{{tab:grid-{metric}}} {_caption_of_grid(results, metric)}}}")
        lines.append(r"\end{table}")
    lines.append(comment("Packages: booktabs, graphicx, and xcolor with the option table"))
    lines.append(f"% seed: {results.settings.seed}")
    for metric in choice.metrics or (results.settings.primary_metric,):
        name = results.spec(metric).name
        lines.append(comment(f"{name}: {results.signatures[name]}"))
    text = "\n".join(lines) + "\n"
    if choice.is_document:
        return latex_document(text, choice.layout)
    return text


def _caption_of_grid(results: Results, metric: str) -> str:
    """Return the caption of a grid in TeX."""
    settings = results.settings
    claims = claims_by(results, metric)
    run_counts = sorted({row.n_runs for row in results.evaluation.summaries if row.metric == metric})
    luck = TEST_SET_LUCK_ALONE
    if any(not isnan(claim.these_test_sets.p_adjusted) for claim in claims):
        luck = f"test-set and {settings.runs.luck}"
    corrections = adjusted_by(bool(settings.looks), len(results.systems) - 1, settings.decision)
    at_level = level(settings.level)
    if corrections:
        at_level += f", {corrections}"
    n_test_sets = counted(claims[0].n_test_sets, "test set")
    sentences = [
        f"{results.spec(metric).name} on {n_test_sets}, {counted_range(run_counts, settings.runs.noun)} per system.",
        f"Verdicts against {results.name_of(claims[0].baseline)} ({luck}; {at_level}): {shapes_of(results, metric)}.",
        "Average: all test sets with the same weight, and the verdict over them. Darker: larger difference.",
        _BEST,
    ]
    reasons = doubts_in_grid(results, metric)
    if reasons:
        sentences.append(f"{MARK_OF_DOUBT} {reasons}.")
    return escape(" ".join(sentences))


def paper(
    rows: pd.DataFrame,
    layout: Layout = "booktabs",
    columns: Sequence[str] = DEFAULT_COLUMNS,
    runs: RunWord = RUN,
) -> Table:
    """Return the table for the paper: one block per metric, or in the layout ``systems`` one row per system.

    Its p-values are the adjusted ones, which decide the verdicts, but for MultEval's layout. Its numbers have one
    decimal less than on pages.

    Parameters
    ----------
    rows
        Of ``analysis.results.overview``, with the systems' shown names.
    layout
        ``multeval`` has MultEval's fixed columns. ``systems`` has one column per metric, systems from best to worst by
        the first, with ranks and lines between groups if they are ranked by it.
    columns
        For ``booktabs``: keys of the columns, in order.
    runs
        The word for a run, in tooltips.
    """
    coarse = rows.assign(notation=rows["notation"].map(lambda notation: notation.coarser))
    if layout == "systems":
        table = crossed(coarse, replace(COLUMNS[MARKED], write=_average_with_verdict))
        return replace(table, look="paper")
    if layout == "multeval":
        shown = [column_of(key) for key in HEADINGS]
    else:
        shown = [_of_paper(key, coarse) for key in columns]
    worded = [replace(column, name=runs.filled(column.name), help=runs.filled(column.help)) for column in shown]
    return Table((METRIC, SYSTEM, *worded), coarse, groups="metric", look="paper")


def _average_with_verdict(row: Row) -> Cell:
    """Return a mean with the mark of its verdict, which says whether the system is better or worse."""
    mark = _MARK_OF_WORD.get(row["conclusion"], "") + row.get("doubt", "")
    return Cell(row["notation"].number(row["mean"]), is_best=bool(row["is_best"]), mark=mark)


def _of_paper(key: str, rows: pd.DataFrame) -> Column:
    """Return a column, of p-values the adjusted ones."""
    column = COLUMNS[key]
    if column.kind != "p":
        return column
    field = f"{key}_adjusted"
    if field not in rows:
        field = key
    return replace(column, fields=(field,), is_adjusted=field != key)


def latex_table(
    rows: pd.DataFrame, caption: str, *, layout: Layout = "booktabs", columns: Sequence[str] = DEFAULT_COLUMNS
) -> str:
    """Return a table environment; ``caption`` is in TeX. Other parameters as of ``paper``."""
    table = paper(rows, layout, columns)
    lines = [r"\begin{table}[htb]"]
    if layout == "multeval":
        lines += latex_lines(table)
    else:
        lines += [r"\centering", *paper_table(table)]
    lines.append(r"\caption{\label{tab:scores} " + caption + "}")
    lines.append(r"\end{table}")
    return "\n".join(lines) + "\n"


def latex_document(table: str, layout: Layout = "booktabs") -> str:
    """Return a document that compiles, with only the table."""
    if layout == "multeval":
        size = "[12pt]"
        packages = _MULTEVALS_PACKAGES
    elif layout == "grid":
        size = ""
        packages = _PACKAGES_OF_GRID
    else:
        size = ""
        packages = _PACKAGES
    lines = [
        rf"\documentclass{size}{{article}}",
        r"\usepackage[T1]{fontenc}",
        r"\usepackage[utf8]{inputenc}",
        packages,
        r"\begin{document}",
        table + r"\end{document}",
    ]
    return "\n".join(lines) + "\n"


def caption(
    settings: Settings,
    run_counts: Sequence[int],
    *,
    columns: Sequence[str],
    coverage: str,
    baseline: str,
    exchanged: str,
    n_compared: int,
    layout: Layout = "booktabs",
    ranking: Ranking | None = None,
    is_of_runs: bool = False,
    luck: str = TEST_SET_LUCK_ALONE,
    concluded: Sequence[str] = (Conclusion.BETTER.word, Conclusion.WORSE.word),
    marks: Sequence[str] = tuple(_MARKS_OF_LUCK),
    doubts: str = "",
) -> str:
    """Return the caption in TeX for ``latex_table``: at most about 60 words.

    Parameters
    ----------
    run_counts
        Numbers of runs of the systems.
    columns
        Keys of the columns in the table.
    coverage
        What the numbers cover, in plain text.
    baseline
        Shown name.
    exchanged
        Unit of the randomization test: ``segment``, ``document`` or ``output``.
    n_compared
        Systems that were compared with the baseline.
    layout
        MultEval's has other headings and no marks.
    ranking
        By the first metric, for the layout ``systems``.
    is_of_runs
        Whether each run has one score for the whole test set, so that Welch's test covers training luck only.
    luck
        What verdicts cover, for the layout ``systems``.
    concluded
        Words of the verdicts that have a mark there.
    marks
        Of verdicts that the layout ``booktabs`` has.
    doubts
        Why marked scores may be too good.
    """
    runs = settings.runs
    templates = []
    has_verdicts = layout == "systems" and n_compared > 0
    has_marks = bool(marks) and MARKED in columns and layout == "booktabs" and not is_of_runs
    if has_verdicts or has_marks or "p_run" in columns:
        templates.append(declared_sentence(settings.design, "{baseline}", runs))
    if has_verdicts:
        meanings = ", ".join(f"{MARKS[_MARK_OF_WORD[word]]} {word}" for word in concluded)
        shown = f": {meanings}" if meanings else ": no clear difference"
        templates.append(f"Verdicts against {{baseline}} ({{luck}}{{provisional}}; {{level}}){shown}.")
    if has_marks:
        against = "" if "difference" in columns else "against {baseline}, "
        meanings = "; ".join(f"{MARKS[mark]}: {_MARKS_OF_LUCK[mark]}" for mark in marks)
        if "†" not in marks:
            meanings = f"{MARKS['‡']}: test-set and {escape(runs.luck)} ruled out"
        templates.append(f"{meanings}{{provisional}} ({against}{{level}}).")
    if MARKED in columns and layout != "multeval" and n_compared > 0:
        templates.append(_BEST)
    has_averages = MARKED in columns and layout != "multeval"
    if doubts and has_averages:
        templates.append(f"{MARKS[MARK_OF_DOUBT]}: {escape(doubts)}.")
    if ranking is not None and layout == "systems":
        confidence = level(1 - ranking.level)
        text = f"Ranks: simultaneous {confidence} intervals from tests of all pairs ({ranking.correction})."
        templates.append(escape(text))

    level_and_corrections = escape(level(settings.level))
    corrections = adjusted_by(bool(settings.looks), n_compared, settings.decision)
    if corrections:
        level_and_corrections += f", {corrections}"
    words = {
        "run": runs.noun,
        "runs": runs.nouns,
        "baseline": escape(baseline),
        "units": "documents" if exchanged == "document" else "segments",
        "exchanged": f"{exchanged}s",
        "test_of_runs": _test_of_runs(exchanged, runs, is_of_runs),
        "provisional": f", provisional with two {runs.nouns}" if 2 in run_counts else "",
        "level": level_and_corrections,
        "luck": escape(luck),
    }
    has_p = any(COLUMNS[key].kind == "p" for key in columns)
    if has_p and corrections and layout == "booktabs":
        templates.append(f"$p$: adjusted ({escape(corrections)}).")
    elif has_p and corrections:
        templates.append("$p$: not adjusted for the number of systems.")
    sentences = [f"{counted_range(run_counts, runs.noun)} per system, {escape(coverage)}"]
    has_one_run = list(run_counts) == [1]
    if not (layout == "systems" and has_one_run):  # a mean over one run needs no explanation
        sentences += [_meaning_of(key, layout, words) for key in columns]
    sentences += [_filled(template, words) for template in templates if template]
    return " ".join(sentences)


def _test_of_runs(exchanged: str, runs: RunWord, is_of_runs: bool) -> str:
    """Return the test whose p covers training luck, and what it resamples."""
    if is_of_runs:
        return f"Welch's test, {runs.nouns}"
    units = "documents" if exchanged == "document" else "segments"
    return f"two-way test, {units} and {runs.nouns}"


def _meaning_of(key: str, layout: Layout, words: Mapping[str, str]) -> str:
    """Return a column's meaning under its heading in the layout; in ``systems`` metrics are the headings."""
    column = COLUMNS[key]
    heading = column.tex
    if layout == "systems":
        heading = "Each number"
    elif layout == "multeval":
        heading = HEADINGS.get(key, column.tex)
    # The heading last, since it may have braces of its own: $p_{\text{run}}$
    return _filled(column.meaning, {**words, "heading": heading})


def _filled(template: str, words: Mapping[str, str]) -> str:
    """Return the template with its words filled in; ``str.format`` would fail on the braces of TeX."""
    text = template
    for name, word in words.items():
        text = text.replace(f"{{{name}}}", word)
    return text
