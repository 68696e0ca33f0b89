"""How good each system is, and how unstable: Clark et al.'s Table 1, and one of its numbers for all metrics at once.

Pages, reports and papers read ``COLUMNS`` and nothing else. A new column is an entry there, for a column of the frame
that ``analysis.results.overview`` makes; a new number is also named in ``OVERVIEW`` there. MultEval's table in text
(``report.multeval``) has its own few columns, TSV and CSV have all of the frame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType

import numpy as np
import pandas as pd

from mteval import figures
from mteval.analysis.results import Results, overview
from mteval.answers.section import Cell, Column, Row, Section, Table
from mteval.base.words import counted, counted_part
from mteval.values.notation import DASH, Notation
from mteval.values.run_words import RUN, RunWord
from mteval.values.settings import Decision
from mteval.values.verdict import PROVISIONAL, Coverage, rank_range

MARKED = "average"  # the column that has the marks and, of the best system, bold numbers


# In names and help {run}, {runs} and so on are the user's word; in TeX the caption fills in what stands in braces.
_ALL = (
    Column(
        "runs", "{Runs}", "count", "Number of {runs}. Three or more give a firm verdict on {luck}.", ("n_runs",),
        tex="$n$", meaning="{heading}: {runs}.",
    ),
    Column(
        "average", "Average", "number", "Mean of the corpus scores of the {runs}.", ("mean",),
        write=lambda row: Cell(row["notation"].number(row["mean"]), bool(row["is_best"]), row["mark"]),
        tex="Avg", meaning="{heading}: mean over {runs}.",
    ),
    Column(
        "s_sel", "SD (test set)", "number",
        "Test-set luck: standard deviation over bootstrap resamples of the test set, averaged over {runs} (s_sel in"
        " Clark et al., 2011).",
        short="s_sel", tex=r"$\overline{s}_{\text{sel}}$",
        meaning="{heading}: SD over test sets (bootstrap).",
    ),
    Column(
        "s_dev", "SD ({kind}, tuning set)", "number",
        "Standard deviation of the {run} scores on the tuning set (s_dev in Clark et al., 2011).",
        short="s_dev", tex=r"$s_{\text{dev}}$", meaning="{heading}: SD over {runs} (tuning set).",
        is_omitted_if_empty=True, is_usual_in_papers=False,
    ),
    Column(
        "s_test", "SD ({kind})", "number",
        "{Luck}: standard deviation of the {run} scores on this test set (s_test in Clark et al., 2011).",
        short="s_opt", tex=r"$s_{\text{test}}$", meaning="{heading}: SD over {runs}.",
    ),
    Column(
        "difference", "Difference", "difference", "Average minus the average of the baseline.",
        tex=r"$\Delta$", meaning="{heading}: difference from {baseline}.",
    ),
    Column(
        "p_test_set", "p (test set)", "p",
        "Could the choice of segments explain the difference, with these {runs} fixed? A small p says no.",
        short="p", tex=r"$p_{\text{test set}}$", meaning="{heading}: approximate randomization, {exchanged}.",
    ),
    Column(
        "p_both", "p (both)", "p",
        "Could new segments and new {runs} together explain the difference? A small p says no.",
        short="p_run", tex=r"$p_{\text{both}}$", meaning="{heading}: two-way test, {units} and {runs}.",
    ),
)  # fmt: skip
COLUMNS: Mapping[str, Column] = MappingProxyType({column.key: column for column in _ALL})
MARKS = {"†": "† test-set luck ruled out", "‡": "‡ both ruled out"}  # against the baseline


def columns_on(frame: pd.DataFrame, runs: RunWord) -> dict[str, Column]:
    """Return the columns as pages, reports and notebooks show them, for rows of an overview.

    If any p-value is adjusted, all are the adjusted ones, which decide the verdicts, and their headings say so.
    """
    worded = [replace(one, name=runs.filled(one.name), help=runs.filled(one.help)) for one in _ALL]
    p_keys = [column.key for column in worded if column.kind == "p"]
    if any(not frame[key].equals(frame[f"{key}_adjusted"]) for key in p_keys):
        worded = [_adjusted(column, runs) if column.kind == "p" else column for column in worded]
    return {column.key: column for column in worded if not column.is_omitted_if_empty or has_values(column, frame)}


def has_values(column: Column, frame: pd.DataFrame) -> bool:
    """Tell whether a column has a value in any row."""
    return bool(frame[list(column.read)].notna().any(axis=None))


FAMILY_ERROR = (
    " In simulations at 5%, families of 3 to 11 systems had a false claim in up to 9.4% with three {runs} each, and in"
    " up to 6.8% with five."
)  # benchmarks/families.csv


def _adjusted(column: Column, runs: RunWord) -> Column:
    """Return the same p-value after the corrections."""
    text = f"{column.help} Adjusted for the number of comparisons and for interim analyses."
    text += runs.filled(FAMILY_ERROR) if column.key == "p_both" else ""
    name, short = column.name.replace(")", ", adjusted)"), f"{column.short} (adjusted)"
    return replace(column, name=name, short=short, help=text, fields=(f"{column.key}_adjusted",), is_adjusted=True)


def metric_heading(notation: Notation, name: str) -> str:
    """Return a metric's name with its arrow, joined by a no-break space."""
    return f"{name}\N{NO-BREAK SPACE}{notation.direction}" if notation.has_direction else name


METRIC = Column("metric", "Metric", write=lambda row: metric_heading(row["notation"], row["metric_name"]))
SYSTEM = Column("system", "System")


def scores_of(results: Results, rows: pd.DataFrame | None = None, before: str = "") -> Table:
    """Return Clark et al.'s Table 1 of a test set.

    Parameters
    ----------
    rows
        Of the overview; all by default.
    before
        Text before the caption.
    """
    colors = figures.colors.system_colors([system.key for system in results.experiment.systems])
    frame, caption = overview(results) if rows is None else rows, before + scores_caption(results)
    return scores_table(frame, colors, caption, results.run_word)


def scores_table(frame: pd.DataFrame, colors: Mapping[str, str], caption: str, runs: RunWord = RUN) -> Table:
    """Return rows of an overview, one block per metric, with the scores of the runs as dots."""
    extents = dict[str, tuple[float, float]]()
    for metric, several in frame.groupby("metric")["run_scores"]:
        finite = [score for scores in several for score in scores if np.isfinite(score)] or [0.0, 1.0]
        extents[str(metric)] = min(finite), max(finite)
    strip = Column("run_scores", runs.filled("Scores of the {runs}"), "text", write=partial(_strip, runs))
    drawn = frame.assign(color=frame["system"].map(colors), extent=frame["metric"].map(extents))
    columns = (METRIC, SYSTEM, strip, *columns_on(frame, runs).values())
    return Table(columns, drawn, caption, groups="metric", look="overview").shown


def _strip(runs: RunWord, row: Row) -> Cell:
    """Return dots for the runs and a bar for the average, on a line from the metric's lowest to its highest score."""
    low, high = row["extent"]
    if not (finite := [score for score in row["run_scores"] if np.isfinite(score)]):
        return Cell("none")
    drawn = [(score - low) / (high - low) if high > low else 0.5 for score in (*finite, float(np.mean(finite)))]
    ends = dict.fromkeys(map(row["notation"].number, (min(finite), max(finite))))
    return Cell(f"{counted(len(finite), runs.noun)}: {' to '.join(ends)}", dots=tuple(drawn), color=row["color"])


def scores_caption(results: Results) -> str:
    """Return what the numbers rest on, and what bold and the marks mean."""
    caption = f"{coverage_text(results.coverage(), results.test_set.name, results.run_word)} Bold: best mean."
    if len(results.systems) < 2:
        return caption
    by = adjusted_by(bool(results.settings.looks), len(results.systems) - 1, results.settings.decision)
    found = {verdict.mark for verdict in results.verdicts()}
    marks = "; ".join(meaning for mark, meaning in MARKS.items() if mark in found)
    against = f" Against {results.name_of(results.experiment.baseline)}: {marks}." if marks else ""
    return f"{caption}{against}{by and f' p adjusted ({by}).'}"


def adjusted_by(has_looks: bool, n_compared: int, decision: Decision) -> str:
    """Return what p-values of so many systems are adjusted for; empty if for nothing."""
    family = ["metrics and systems"] if decision == "any" else ["Holm"] * (n_compared > 1)
    return ", ".join(["interim analyses"] * has_looks + family)


def columns_section(results: Results) -> Section:
    """Return what each column means."""
    terms = ((column.name, column.help) for column in scores_of(results).columns if column.help)
    return Section("columns", "Columns", terms=(*terms, ("Marks", "; ".join(MARKS.values()))), is_detail=True)


def scores_sections(results: Results) -> tuple[Section, ...]:
    """Return Table 1; for many systems, the averages by all metrics first."""
    if not results.has_many_systems:
        return (Section("scores", "", table=scores_of(results)),)
    every = Section("scores", "All numbers", table=scores_of(results), is_detail=True)
    return (Section("averages", "", table=crossed_scores(results, MARKED, results.metrics[0]), parts=(every,)),)


def crossed_scores(results: Results, key: str, sorted_by: str) -> Table:
    """Return one of the columns, systems from best to worst by a metric, with lines between groups of its ranking."""
    frame = overview(results)
    table = crossed(frame, columns_on(frame, results.run_word)[key], sorted_by)
    columns = (SYSTEM, *(column for column in table.columns[1:] if column.key != "ranks"))
    lines = f" Lines: groups by {results.spec(sorted_by).name}." if table.frame["group"].nunique() > 1 else ""
    return replace(table, columns=columns, caption=f"{scores_caption(results)}{lines}")


def crossed(frame: pd.DataFrame, column: Column, sorted_by: str | None = None) -> Table:
    """Return the rows of an overview with one row per system, its rank range, and one column per metric.

    Systems go from best to worst by a metric, the first by default; blocks are the groups of the ranking by it.
    """
    found = {(row["system"], row["metric"]): row for row in frame.to_dict("records")}
    metrics = {row["metric"]: row for row in found.values()}
    sorting = sorted_by or next(iter(metrics))
    rows = []
    for system in ordered(frame, sorting):
        ranked = found.get((system, sorting), {"first_rank": np.nan, "last_rank": np.nan, "group": np.nan})
        values = {metric: found.get((system, metric), {}).get(column.read[0]) for metric in metrics}
        ranks, group = rank_range(ranked["first_rank"], ranked["last_rank"]), ranked["group"]
        rows.append({"system": system, "ranks": ranks, "group": 0 if group != group else group, **values})
    columns = [
        Column(
            metric, metric_heading(row["notation"], row["metric_name"]), column.kind,
            "Systems are sorted by this metric." if metric == sorting else "",
            write=partial(_crossed_cell, column, found, metric), is_adjusted=column.is_adjusted,
        )
        for metric, row in metrics.items()
    ]  # fmt: skip
    if any(row["group"] for row in rows):
        columns.insert(0, Column("ranks", "Ranks", "range", write=lambda row: str(row["ranks"])))
    return Table((SYSTEM, *columns), pd.DataFrame(rows), groups="group", look="crossed")


def _crossed_cell(column: Column, found: Mapping[tuple[str, str], Row], metric: str, of_system: Row) -> Cell:
    """Return a number, with the verdict in its tooltip."""
    if (row := found.get((of_system["system"], metric))) is None:
        return Cell(DASH)
    notation, text = row["notation"], f"{row['system']}: {row['notation'].number(row['mean'])} {row['metric_name']}"
    if row.get("conclusion"):
        said = f"{row['conclusion']}, {PROVISIONAL}" if row["is_provisional"] else row["conclusion"]
        text += f"; difference {notation.difference(row['difference'])}, {said}"
    return replace(column.cell(row), help=text)


def ordered(overview: pd.DataFrame, metric: str) -> list[str]:
    """Return the systems from best to worst average by a metric, those without one last."""
    rows = overview[overview["metric"] == metric]
    others = [system for system in dict.fromkeys(overview["system"]) if system not in set(rows["system"])]
    if rows.empty:
        return others
    is_rising = rows["notation"].iloc[0].direction == "↓"
    by_mean = rows.sort_values("mean", ascending=is_rising, kind="stable", na_position="last")
    return [*by_mean["system"], *others]


ByMetric = Mapping[str, Sequence[Coverage]]  # of the systems, by the metric's shown name


def coverage_text(coverage: ByMetric, test_set: str, runs: RunWord = RUN) -> str:
    """Return ``1,910 segments of test. Provided with the runs: MQM (9,840 scores on 820 of 1,910 segments).``"""
    given = given_names(coverage)
    part = [name for name, rows in coverage.items() if name not in given and _part(rows)]
    sentences = [
        f"{title}: {', '.join(f'{name} ({extent(coverage[name])})' for name in names)}."
        for title, names in ((f"Provided with the {runs.nouns}", given), ("Partly scored", part))
        if names
    ]
    return " ".join((f"{size_of_test_set(coverage, f' of {test_set}')}.", *sentences))


def size_of_test_set(coverage: ByMetric, name: str) -> str:
    """Return ``1,910 segments in 97 documents``; the name of the test set comes after the segments."""
    first = next(row for rows in coverage.values() for row in rows)
    inside = f" in {counted(first.of_documents, 'document')}" if first.of_documents else ""
    return f"{counted(first.of_segments, 'segment')}{name}{inside}"


def given_names(coverage: ByMetric) -> list[str]:
    """Return the metrics whose scores were provided with the runs."""
    return [name for name, rows in coverage.items() if any(row.n_given for row in rows)]


def covered(coverage: Coverage) -> str:
    """Return what one comparison covers: ``820 of 1,910 segments in 40 of 97 documents``, or the whole test set."""
    return _part([coverage]) or size_of_test_set({"": [coverage]}, "")


def extent(rows: Sequence[Coverage]) -> str:
    """Return what one metric covers: ``9,840 scores on 820 of 1,910 segments``; empty if it covers all."""
    n_given, n_judgements = sum(row.n_given for row in rows), sum(row.n_judgements for row in rows)
    scores = counted(n_given, "score") if n_given else ""
    given = f"{scores} of {counted(n_judgements, 'judgement')}" if n_judgements else scores
    return " on ".join(filter(None, (given, _part(rows))))


def _part(rows: Sequence[Coverage]) -> str:
    """Return which part of the test set the averages cover; empty if all of it."""
    if all(row.is_whole for row in rows):
        return ""
    segments = _of([row.n_segments for row in rows], rows[0].of_segments, "segment")
    if not rows[0].of_documents:
        return segments
    return f"{segments} in {_of([row.n_documents for row in rows], rows[0].of_documents, 'document')}"


def _of(numbers: Sequence[int], total: int, noun: str) -> str:
    """Return ``820 of 1,910 segments``, or ``800 to 820 of 1,910 segments`` if systems differ."""
    if len(set(numbers)) == 1:
        return counted_part(numbers[0], total, noun)
    return f"{min(numbers):,} to {counted_part(max(numbers), total, noun)}"
