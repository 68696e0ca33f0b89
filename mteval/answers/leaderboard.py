"""The leaderboard: all systems from best to worst with tiers, ties and the definition behind them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from mteval._version import __version__
from mteval.analysis.results import Results
from mteval.answers.ranking import (
    MARK_OF_DOUBT,
    RANKS_MEAN,
    best_sentence,
    doubtful_scores,
    ranges_sentence,
    tested_sentence,
)
from mteval.answers.scores import metric_heading
from mteval.answers.section import Cell, Column, Section, Table, noted
from mteval.answers.verdict import compared_on
from mteval.base.words import counted
from mteval.values.notation import DASH
from mteval.values.verdict import Ranking

MOST_TIES = 4  # that are named
TIERS_MEAN = "Tier: every system of a tier is better than every system of later tiers."
TIES_MEAN = "no test tells these systems from this one, which does not make them equal."
TIES_HELP = "No test tells these systems from this one, which does not make them equal."
_COLUMNS = ("tier", "first_rank", "last_rank", "system", "metric", "mean", "tied_with", "note")


def named_ranking(results: Results) -> Ranking | None:
    """Return the ranking by the primary metric with displayed names; None without one."""
    if results.ranking is None:
        return None
    return results.ranking.with_names(results.shown_names)


def leaderboard_frame(results: Results) -> pd.DataFrame:
    """Return one row per system from best to worst: tier, range of ranks, means by all metrics, and ties.

    ``mean`` is by the primary metric, the others have a column each; ``note`` says why it may be too high. Empty
    without a ranking.
    """
    ranking = named_ranking(results)
    further = results.metrics[1:]
    if ranking is None:
        return pd.DataFrame(columns=[*_COLUMNS, *further])
    mean_of = _means(results)
    doubtful = doubtful_scores(results.verdicts(ranking.metric))
    rows = []
    for ranked in ranking.rows:
        row: dict[str, Any] = {
            "tier": ranked.group,
            "first_rank": ranked.first,
            "last_rank": ranked.last,
            "system": ranked.system,
            "metric": ranking.metric,
            "mean": ranked.mean,
            "tied_with": ranking.tied_with(ranked.system),
            "note": doubtful.get(ranked.system, "").removeprefix(f"{MARK_OF_DOUBT} "),
        }
        for metric in further:
            row[metric] = mean_of.get((ranked.system, metric), float("nan"))
        rows.append(row)
    return pd.DataFrame(rows, columns=[*_COLUMNS, *further])


def _means(results: Results) -> dict[tuple[str, str], float]:
    """Return the mean scores on the test set by displayed name of the system, and metric."""
    mean_of = {}
    for summary in results.evaluation.summaries:
        if summary.test_set == results.test_set.name:
            mean_of[results.name_of(summary.system), summary.metric] = summary.mean
    return mean_of


def definition_sentences(results: Results, ranking: Ranking) -> Iterator[str]:
    """Yield what scores, ranks, tiers and ties are, with the coverage and the signature of each metric."""
    runs = results.run_word
    if max(results.run_counts) == 1:
        scores = f"Scores of one {runs.noun} per system"
    else:
        scores = f"Scores are means over {runs.nouns}"
    covered_by = _extents(results)
    yield f"{scores}, {_on(covered_by.pop(ranking.metric, ''))}".rstrip(", ") + "."
    for metric, extent in covered_by.items():
        yield f"{results.spec(metric).name}: {_on(extent)}."
    yield tested_sentence(ranking)
    yield RANKS_MEAN
    if ranking.level:
        yield ranges_sentence(ranking)
    yield TIERS_MEAN
    yield f"No clear difference: {TIES_MEAN}"
    for name, signature in results.signatures.items():
        yield f"{name}: {signature}."
    yield f"Made with mteval {__version__}."


def _extents(results: Results) -> dict[str, str]:
    """Return on what each metric compares the systems, as far as all comparisons agree and the primary differs."""
    covered_by: dict[str, str] = {}
    for metric in results.metrics:
        extents = {compared_on(verdict) for verdict in results.verdicts(metric)}
        if len(extents) == 1 and not extents <= set(covered_by.values()):
            covered_by[metric] = extents.pop()
    return covered_by


def _on(extent: str) -> str:
    return f"on {extent}" if extent else ""


def definition(results: Results, ranking: Ranking) -> dict[str, object]:
    """Return the definition behind a leaderboard for programs, with the same in words."""
    spec = results.spec(ranking.metric)
    return {
        "metric": ranking.metric,
        "metric_name": spec.name,
        "higher_is_better": spec.notation.direction == "↑",
        "test_set": results.test_set.name,
        "n_segments": results.test_set.n_segments,
        "procedure": ranking.procedure,
        "unit": ranking.unit,
        "covers_training_luck": ranking.is_both,
        "correction": ranking.correction,
        "level": round(ranking.level, 6),
        "signatures": results.signatures,
        "words": list(definition_sentences(results, ranking)),
    }


def leaderboard_section(results: Results) -> Section | None:
    """Return the leaderboard by the primary metric, with other metrics beside it; None without a ranking."""
    metric = results.settings.primary_metric
    ranking = named_ranking(results)
    if ranking is None:
        return None
    spec = results.spec(metric)
    frame = leaderboard_frame(results)
    by_name = {results.name_of(verdict.system): verdict for verdict in results.verdicts(metric)}
    doubtful = doubtful_scores(by_name.values())

    ranks_of = {ranked.system: ranked.ranks for ranked in ranking.rows}

    def system_cell(row: Any) -> Cell:
        mark = MARK_OF_DOUBT if row["system"] in doubtful else ""
        return Cell(row["system"], mark=mark)

    columns = [
        Column("tier", "Tier", help=TIERS_MEAN, write=lambda row: str(row["tier"])),
        Column("first_rank", "Ranks", help=RANKS_MEAN, write=lambda row: ranks_of[row["system"]]),
        Column("system", "System", write=system_cell),
        Column("tied_with", "No clear difference from", "text", TIES_HELP, write=_ties_cell),
        Column(
            "mean",
            metric_heading(spec.notation, spec.name),
            "number",
            write=lambda row: spec.notation.number(row["mean"]),
        ),
    ]
    for further in results.metrics[1:]:
        columns.append(_column_of_metric(results, further))
    table = Table(tuple(columns), frame, best_sentence(ranking), groups="tier", look="ranking")
    title = f"{spec.name} on {results.test_set.name}"
    notes = (*noted(*doubtful.values(), level="warning"), *noted(*definition_sentences(results, ranking)))
    return Section("leaderboard", title, table=table, notes=notes)


def _column_of_metric(results: Results, metric: str) -> Column:
    """Return the column of mean scores by a further metric."""
    spec = results.spec(metric)

    def write(row: Any) -> str:
        return spec.notation.number(row[metric])

    return Column(metric, metric_heading(spec.notation, spec.name), "number", write=write)


def _ties_cell(row: Any) -> Cell:
    """Return the names of a few tied systems, or the number of many."""
    tied = row["tied_with"]
    if not tied:
        return Cell(DASH)
    if len(tied) <= MOST_TIES:
        return Cell(", ".join(tied))
    return Cell(counted(len(tied), "system"), help=", ".join(tied))
