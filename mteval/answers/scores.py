"""How good each system is, and how unstable: Clark et al.'s Table 1, and one of its numbers for all metrics at once.

Pages, reports and papers read ``COLUMNS`` and nothing else. A new column is an entry there, for a column of the frame
that ``analysis.results.overview`` makes; a new number is also named in ``OVERVIEW`` there. MultEval's table in text
(``report.multeval``) has its own few columns, TSV and CSV have all of the frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from mteval import figures
from mteval.analysis.results import Results, overview
from mteval.answers.findings import DOUBT_MEANS, MARK_OF_DOUBT, doubtful_by, reasons_in_brief, with_doubts
from mteval.answers.section import Cell, Column, Row, Section, Table
from mteval.base.words import counted, counted_part
from mteval.values.findings import Finding
from mteval.values.notation import DASH, Notation
from mteval.values.run_words import RUN, RunWord
from mteval.values.settings import Decision
from mteval.values.verdict import PROVISIONAL, Coverage, rank_range

MARKED = "average"  # the column that has the marks and, of the best system, bold numbers
MARKS = {"†": "† test-set luck ruled out", "‡": "‡ both ruled out"}  # against the baseline
FAMILY_ERROR = (
    " In simulations at 5%, up to 9.4% of families of 3 to 11 systems had a false claim with three {runs} each, and up"
    " to 6.8% with five."
)  # benchmarks/families.csv

LAW_OF_FAMILY = "Holm adjusts p_run after small variances over {runs} are drawn towards the systems' mean."

ByMetric = Mapping[str, Sequence[Coverage]]  # of the systems, by the metric's shown name


def _average(row: Row) -> Cell:
    """Return a mean with the mark of its verdict, and of a doubt if one was looked for (``with_doubts``)."""
    mark = row["mark"] + row.get("doubt", "")
    return Cell(row["notation"].number(row["mean"]), is_best=bool(row["is_best"]), mark=mark)


# In names and help {run}, {runs} and so on are the user's word; in TeX the caption fills in what stands in braces.
_ALL = (
    Column(
        "runs",
        "{Runs}",
        "count",
        "Number of {runs}. Three or more give a firm verdict on {luck}.",
        fields=("n_runs",),
        tex="$n$",
        meaning="{heading}: {runs}.",
    ),
    Column(
        MARKED,
        "Average",
        "number",
        "Mean of the corpus scores of the {runs}.",
        fields=("mean",),
        write=_average,
        tex="Avg",
        meaning="{heading}: mean over {runs}.",
    ),
    Column(
        "s_sel",
        "SD (test set)",
        "number",
        "Test-set luck: standard deviation over bootstrap resamples of the test set, averaged over {runs} (s_sel in"
        " Clark et al., 2011).",
        short="s_sel",
        tex=r"$\overline{s}_{\text{sel}}$",
        meaning="{heading}: SD over test sets (bootstrap).",
    ),
    Column(
        "s_dev",
        "SD ({kind}, tuning set)",
        "number",
        "Standard deviation of the {run} scores on the tuning set (s_dev in Clark et al., 2011).",
        short="s_dev",
        tex=r"$s_{\text{dev}}$",
        meaning="{heading}: SD over {runs} (tuning set).",
        is_omitted_if_empty=True,
        is_usual_in_papers=False,
    ),
    Column(
        "s_opt",
        "SD ({kind})",
        "number",
        "{Luck}: standard deviation of the {run} scores on this test set (s_opt in MultEval).",
        short="s_opt",
        tex=r"$s_{\text{opt}}$",
        meaning="{heading}: SD over {runs}.",
    ),
    Column(
        "difference",
        "Difference",
        "difference",
        "Average minus the average of the baseline.",
        tex=r"$\Delta$",
        meaning="{heading}: difference from {baseline}.",
    ),
    Column(
        "p_test_set",
        "p",
        "p",
        "Could the choice of segments explain the difference, with these {runs} fixed? A small p says no.",
        short="p",
        tex=r"$p_{\text{test set}}$",
        meaning="{heading}: approximate randomization, {exchanged}.",
    ),
    Column(
        "p_run",
        "p_run",
        "p",
        "Could new segments and new {runs} together explain the difference? A small p says no.",
        short="p_run",
        tex=r"$p_{\text{run}}$",
        meaning="{heading}: {test_of_runs}.",
    ),
)
COLUMNS: Mapping[str, Column] = MappingProxyType({column.key: column for column in _ALL})


def metric_heading(notation: Notation, name: str) -> str:
    """Return a metric's name with its arrow, joined by a no-break space."""
    return f"{name}\N{NO-BREAK SPACE}{notation.direction}" if notation.has_direction else name


_P_OF_RUNS = "Could new {runs} explain the difference? A small p says no. Welch's test; the test set is taken as given."
METRIC = Column("metric", "Metric", write=lambda row: metric_heading(row["notation"], row["metric_name"]))
SYSTEM = Column("system", "System")


def columns_on(frame: pd.DataFrame, runs: RunWord, *, has_family_law: bool = False) -> dict[str, Column]:
    """Return the columns as pages, reports and notebooks show them, for rows of an overview.

    If any p-value is adjusted, all are the adjusted ones, which decide the verdicts, and their headings say so.

    Parameters
    ----------
    has_family_law
        As of a verdict.
    """
    p_keys = [column.key for column in _ALL if column.kind == "p"]
    is_adjusted = any(not frame[key].equals(frame[f"{key}_adjusted"]) for key in p_keys)
    is_of_runs = tests_runs_alone(frame)
    columns = {}
    for column in _ALL:
        if column.key == "p_run" and is_of_runs:
            column = replace(column, help=_P_OF_RUNS)
        if column.is_omitted_if_empty and not has_values(column, frame):
            continue
        worded = replace(column, name=runs.filled(column.name), help=runs.filled(column.help))
        if is_adjusted and column.kind == "p":
            worded = _adjusted(worded, runs, has_family_law=has_family_law)
        columns[column.key] = worded
    return columns


def tests_runs_alone(frame: pd.DataFrame) -> bool:
    """Tell whether each run has one score for the whole test set: only these have a p about runs alone."""
    return has_values(COLUMNS["p_run"], frame) and not has_values(COLUMNS["p_test_set"], frame)


def has_values(column: Column, frame: pd.DataFrame) -> bool:
    """Tell whether a column has a value in any row."""
    return bool(frame[list(column.read)].notna().any(axis=None))


def adjusted_name(name: str, word: str = "adjusted") -> str:
    """Return ``p_run (adjusted)``."""
    return f"{name} ({word})"


def _adjusted(column: Column, runs: RunWord, *, has_family_law: bool) -> Column:
    """Return the same p-value after the corrections."""
    help = f"{column.help} Adjusted for the number of comparisons and for interim analyses."
    if column.key == "p_run" and has_family_law:
        help += f" {runs.filled(LAW_OF_FAMILY)}"
    if column.key == "p_run":
        help += runs.filled(FAMILY_ERROR)
    return replace(
        column,
        name=adjusted_name(column.name),
        short=f"{column.short} (adjusted)",
        help=help,
        fields=(f"{column.key}_adjusted",),
        is_adjusted=True,
    )


def scores_of(results: Results, rows: pd.DataFrame | None = None, before: str = "") -> Table:
    """Return Clark et al.'s Table 1 of a test set.

    Parameters
    ----------
    rows
        Of the overview; all by default.
    before
        Text before the caption.
    """
    if rows is None:
        rows = overview(results)
    colors = figures.colors.system_colors([system.key for system in results.experiment.systems])
    rows = with_doubts(rows, results)
    has_family_law = any(verdict.has_family_law for verdict in results.verdicts())
    caption = before + scores_caption(results)
    return scores_table(rows, colors, caption, results.run_word, has_family_law=has_family_law)


def scores_table(
    frame: pd.DataFrame,
    colors: Mapping[str, str],
    caption: str,
    runs: RunWord = RUN,
    *,
    has_family_law: bool = False,
) -> Table:
    """Return rows of an overview, one block per metric, with the scores of the runs as dots."""
    # The lowest and highest score by each metric, which are the ends of the line of dots
    extents: dict[str, tuple[float, float]] = {}
    for metric, scores_of_systems in frame.groupby("metric")["run_scores"]:
        scores = _finite(chain.from_iterable(scores_of_systems))
        if not scores:
            scores = [0.0, 1.0]
        extents[str(metric)] = (min(scores), max(scores))
    drawn = frame.assign(color=frame["system"].map(colors), extent=frame["metric"].map(extents))

    dots = Column("run_scores", runs.filled("Scores of the {runs}"), "text", write=partial(_dots, runs))
    columns = (METRIC, SYSTEM, dots, *columns_on(frame, runs, has_family_law=has_family_law).values())
    return Table(columns, drawn, caption, groups="metric", look="overview").shown


def _finite(scores: Iterable[float]) -> list[float]:
    return [score for score in scores if np.isfinite(score)]


def _dots(runs: RunWord, row: Row) -> Cell:
    """Return dots for the runs and a bar for the average, on a line from the metric's lowest to its highest score."""
    scores = _finite(row["run_scores"])
    if not scores:
        return Cell("none")
    low, high = row["extent"]
    dots = []
    for score in (*scores, float(np.mean(scores))):
        place = 0.5  # all runs of all systems have the same score
        if high > low:
            place = (score - low) / (high - low)
        dots.append(place)
    number = row["notation"].number
    ends = dict.fromkeys((number(min(scores)), number(max(scores))))
    return Cell(f"{counted(len(scores), runs.noun)}: {' to '.join(ends)}", dots=tuple(dots), color=row["color"])


def scores_caption(results: Results) -> str:
    """Return what the numbers rest on, and what bold and the marks mean."""
    settings = results.settings
    n_compared = len(results.systems) - 1
    caption = coverage_text(results.coverage(), results.test_set.name, results.run_word)
    if any(doubtful_by(results, metric) for metric in results.metrics):
        caption += f" {_doubt_means(results)}"
    if n_compared < 1:
        return caption
    caption += " Bold: best mean."
    marks_of_verdicts = {verdict.mark for verdict in results.verdicts()}
    meanings = [meaning for mark, meaning in MARKS.items() if mark in marks_of_verdicts]
    if meanings:
        caption += f" Against {results.name_of(results.experiment.baseline)}: {'; '.join(meanings)}."
    corrections = adjusted_by(bool(settings.looks), n_compared, settings.decision)
    if corrections:
        caption += f" p adjusted ({corrections})."
    return caption


def _doubt_means(results: Results) -> str:
    """Return what the mark of doubt means: the reasons, unless they are among the warnings beside the verdict.

    People's scores decide without references, so that no warning about these is beside a verdict by them.
    """
    if results.settings.primary_metric not in results.evaluation.of_people:
        return DOUBT_MEANS
    findings: dict[Finding, None] = {}
    for metric in results.metrics:
        findings.update(dict.fromkeys(results.findings(metric)))
    names = {metric: results.spec(metric).name for metric in results.metrics}
    return f"{MARK_OF_DOUBT} {reasons_in_brief(results.with_names_in(findings), names)}."


def adjusted_by(has_looks: bool, n_compared: int, decision: Decision) -> str:
    """Return what p-values of so many systems are adjusted for; empty if for nothing."""
    corrections = []
    if has_looks:
        corrections.append("interim analyses")
    if decision == "any":
        corrections.append("metrics and systems")
    elif n_compared > 1:
        corrections.append("Holm")
    return ", ".join(corrections)


def columns_section(results: Results) -> Section:
    """Return what each column means."""
    terms = [(column.name, column.help) for column in scores_of(results).columns if column.help]
    return Section("columns", "Columns", terms=tuple(terms), is_detail=True)


def scores_sections(results: Results) -> tuple[Section, ...]:
    """Return Table 1; for many systems, the averages by all metrics first."""
    if not results.has_many_systems:
        return (Section("scores", "", table=scores_of(results)),)
    all_numbers = Section("scores", "All numbers", table=scores_of(results), is_detail=True)
    averages = crossed_scores(results, MARKED, results.metrics[0])
    return (Section("averages", "", table=averages, parts=(all_numbers,)),)


def crossed_scores(results: Results, key: str, sorted_by: str) -> Table:
    """Return one of the columns, systems from best to worst by a metric, with lines between groups of its ranking."""
    frame = with_doubts(overview(results), results)
    column = columns_on(frame, results.run_word)[key]
    table = crossed(frame, column, sorted_by)
    columns = tuple(column for column in table.columns if column.key != "ranks")
    caption = scores_caption(results)
    if table.frame["group"].nunique() > 1:
        caption += f" Lines: tiers by {results.spec(sorted_by).name}."
    return replace(table, columns=columns, caption=caption)


def crossed(frame: pd.DataFrame, column: Column, sorted_by: str | None = None) -> Table:
    """Return the rows of an overview with one row per system, its rank range, and one column per metric.

    Systems go from best to worst by a metric, the first by default; blocks are the groups of the ranking by it.
    """
    row_of = {(row["system"], row["metric"]): row for row in frame.to_dict("records")}
    row_of_metric = {row["metric"]: row for row in row_of.values()}
    if not sorted_by:
        sorted_by = next(iter(row_of_metric))

    rows: list[dict[str, Any]] = []
    for system in ordered(frame, sorted_by):
        row: dict[str, Any] = {"system": system, "ranks": rank_range(np.nan, np.nan), "group": 0}
        ranked = row_of.get((system, sorted_by))
        if ranked is not None:
            row["ranks"] = rank_range(ranked["first_rank"], ranked["last_rank"])
            has_group = ranked["group"] == ranked["group"]  # not NaN
            if has_group:
                row["group"] = ranked["group"]
        for metric in row_of_metric:
            row_by_metric = row_of.get((system, metric), {})
            row[metric] = row_by_metric.get(column.read[0])
        rows.append(row)

    columns = [SYSTEM]
    if any(row["group"] for row in rows):
        columns.append(Column("ranks", "Ranks", "range", write=lambda row: str(row["ranks"])))
    for metric, first_row in row_of_metric.items():
        help = ""
        if metric == sorted_by:
            help = "Systems are sorted by this metric."
        crossed_column = Column(
            metric,
            metric_heading(first_row["notation"], first_row["metric_name"]),
            column.kind,
            help,
            write=partial(_crossed_cell, column, row_of, metric),
            is_adjusted=column.is_adjusted,
        )
        columns.append(crossed_column)
    return Table(tuple(columns), pd.DataFrame(rows), groups="group", look="crossed")


def _crossed_cell(column: Column, row_of: Mapping[tuple[str, str], Row], metric: str, crossed_row: Row) -> Cell:
    """Return a number, with the verdict in its tooltip; a dash if the metric did not score the system."""
    row = row_of.get((crossed_row["system"], metric))
    if row is None:
        return Cell(DASH)
    notation = row["notation"]
    help = f"{row['system']}: {notation.number(row['mean'])} {row['metric_name']}"
    if row.get("conclusion"):
        help += f"; difference {notation.difference(row['difference'])}, {row['conclusion']}"
        if row["is_provisional"]:
            help += f", {PROVISIONAL}"
    return replace(column.cell(row), help=help)


def ordered(overview: pd.DataFrame, metric: str) -> list[str]:
    """Return the systems from best to worst average by a metric, those without one last."""
    rows = overview[overview["metric"] == metric]
    scored = set(rows["system"])
    others = [system for system in dict.fromkeys(overview["system"]) if system not in scored]
    if rows.empty:
        return others
    is_rising = rows["notation"].iloc[0].direction == "↓"
    best_first = rows.sort_values("mean", ascending=is_rising, kind="stable", na_position="last")
    return [*best_first["system"], *others]


def coverage_text(coverage: ByMetric, test_set: str, runs: RunWord = RUN) -> str:
    """Return ``1,910 segments of test. Provided with the runs: MQM (9,840 scores on 820 of 1,910 segments).``"""
    sentences = [f"{size_of_test_set(coverage, f' of {test_set}')}."]
    given = given_names(coverage)
    if given:
        sentences.append(f"Provided with the {runs.nouns}: {_extents(coverage, given)}.")
    partly_scored = [name for name, rows in coverage.items() if name not in given and _part(rows)]
    if partly_scored:
        sentences.append(f"Partly scored: {_extents(coverage, partly_scored)}.")
    return " ".join(sentences)


def _extents(coverage: ByMetric, names: Sequence[str]) -> str:
    return ", ".join(f"{name} ({extent(coverage[name])})" for name in names)


def size_of_test_set(coverage: ByMetric, name: str) -> str:
    """Return ``1,910 segments in 97 documents``; the name of the test set comes after the segments."""
    first = next(chain.from_iterable(coverage.values()))
    text = f"{counted(first.of_segments, 'segment')}{name}"
    if first.of_documents:
        text += f" in {counted(first.of_documents, 'document')}"
    return text


def given_names(coverage: ByMetric) -> list[str]:
    """Return the metrics whose scores were provided with the runs."""
    return [name for name, rows in coverage.items() if any(row.n_given for row in rows)]


def covered(coverage: Coverage) -> str:
    """Return what one comparison covers: ``820 of 1,910 segments in 40 of 97 documents``, or the whole test set."""
    if coverage.is_whole:
        return size_of_test_set({"": [coverage]}, "")
    return _part([coverage])


def extent(rows: Sequence[Coverage]) -> str:
    """Return what one metric covers: ``9,840 scores on 820 of 1,910 segments``; empty if it covers all."""
    return " on ".join(filter(None, (_given_scores(rows), _part(rows))))


def _given_scores(rows: Sequence[Coverage]) -> str:
    """Return ``12 scores of 24 judgements``; empty if no scores were given."""
    n_given = sum(row.n_given for row in rows)
    n_judgements = sum(row.n_judgements for row in rows)
    scores = counted(n_given, "score") if n_given else ""
    if n_judgements:
        return f"{scores} of {counted(n_judgements, 'judgement')}"
    return scores


def _part(rows: Sequence[Coverage]) -> str:
    """Return which part of the test set the averages cover; empty if all of it."""
    if all(row.is_whole for row in rows):
        return ""
    text = _part_of([row.n_segments for row in rows], rows[0].of_segments, "segment")
    if rows[0].of_documents:
        text += f" in {_part_of([row.n_documents for row in rows], rows[0].of_documents, 'document')}"
    return text


def _part_of(numbers: Sequence[int], total: int, noun: str) -> str:
    """Return ``820 of 1,910 segments``, or ``800 to 820 of 1,910 segments`` if systems differ."""
    if len(set(numbers)) == 1:
        return counted_part(numbers[0], total, noun)
    return f"{min(numbers):,} to {counted_part(max(numbers), total, noun)}"
