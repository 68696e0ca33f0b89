"""The leaderboard: all systems from best to worst with tiers, ties and the definition behind them.

On several test sets there is one of each, after the grid with the average of all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from mteval._version import __version__
from mteval.analysis.grid import AVERAGE, grid_frame
from mteval.analysis.results import Results
from mteval.answers.findings import MARK_OF_DOUBT, doubt_notes, doubtful_by
from mteval.answers.grid import claims_by_first_score, grid_section
from mteval.answers.ranking import (
    RANKS_MEAN,
    TIERS_MEAN,
    best_sentence,
    column_of_people,
    of_first_score,
    people_note,
    ranges_sentence,
    tested_sentence,
)
from mteval.answers.scores import metric_heading
from mteval.answers.section import Cell, Column, Section, Table, noted
from mteval.answers.verdict import compared_on, disagreement_sentences
from mteval.base.words import counted, listed
from mteval.values.claim import Claim
from mteval.values.notation import DASH
from mteval.values.verdict import MANY_SYSTEMS, Ranking, Verdict

MOST_TIES = 4  # that are named
TIES_MEAN = "no test tells these systems from this one, which does not make them equal."
TIES_HELP = "No test tells these systems from this one, which does not make them equal."
_COLUMNS = (
    "test_set",
    "tier",
    "first_rank",
    "last_rank",
    "system",
    "metric",
    "mean",
    "tied_with",
    "baseline",
    "difference",
    "verdict",
    "metric_of_people",
    "difference_by_people",
    "verdict_by_people",
    "note",
)


def ranked_on_each(results: Results) -> list[Results]:
    """Return the results on every test set with a ranking; tuning sets only if no other has one."""
    on_each = [results.on(test_set) for test_set in results.experiment.test_sets]
    ranked = [on_one for on_one in on_each if on_one.ranking is not None]
    tested = [on_one for on_one in ranked if on_one.test_set.role != "dev"]
    return tested or ranked


def named_ranking(results: Results) -> Ranking | None:
    """Return the ranking by the primary metric with displayed names; None without one."""
    if results.ranking is None:
        return None
    return results.ranking.with_names(results.shown_names)


def unranked_sentence(results: Results, ranked: Sequence[Results]) -> str:
    """Return which test sets have no leaderboard, since too few systems are on them; empty if all have one."""
    known = {on_one.test_set.name for on_one in ranked}
    names = []
    for test_set in results.experiment.test_sets:
        if test_set.role != "dev" and test_set.name not in known:
            names.append(test_set.name)
    if not names:
        return ""
    return f"No leaderboard on {listed(names)}: fewer than {counted(MANY_SYSTEMS, 'system')} have scores there."


def leaderboard_frame(results: Results) -> pd.DataFrame:
    """Return one row per system from best to worst on a test set: tier, range of ranks, means by all metrics, and ties.

    ``mean`` is by the primary metric, the others have a column each; ``note`` says why scores may be too good. Verdicts
    are against the baseline, by the primary metric and by the first human scores. Empty without a ranking.
    """
    ranking = named_ranking(results)
    further = results.metrics[1:]
    if ranking is None:
        return pd.DataFrame(columns=[*_COLUMNS, *further])
    mean_of = _means(results)
    verdict_of = {verdict.system: verdict for verdict in results.named(results.verdicts(ranking.metric))}
    human_of = _by_people(results)
    note_of = _notes_on_doubt(results)
    rows = []
    for ranked in ranking.rows:
        system = ranked.system
        row: dict[str, Any] = {
            "test_set": results.test_set.name,
            "tier": ranked.group,
            "first_rank": ranked.first,
            "last_rank": ranked.last,
            "system": system,
            "metric": ranking.metric,
            "mean": ranked.mean,
            "tied_with": ranking.tied_with(system),
            "note": note_of.get(system, ""),
            **_numbers_of(verdict_of.get(system), human_of.get(system)),
        }
        for metric in further:
            row[metric] = mean_of.get((system, metric), float("nan"))
        rows.append(row)
    return pd.DataFrame(rows, columns=[*_COLUMNS, *further])


def _notes_on_doubt(results: Results) -> dict[str, str]:
    """Return why scores of a system on the test set may be too good, by displayed name."""
    reasons_of: dict[str, dict[str, None]] = {}
    for metric in results.metrics:
        for system, reason in doubtful_by(results, metric).items():
            reasons_of.setdefault(results.name_of(system), {})[reason] = None
    return {system: " ".join(reasons) for system, reasons in reasons_of.items()}


def _numbers_of(verdict: Verdict | None, human: Verdict | Claim | None) -> dict[str, object]:
    """Return the verdicts on a system by a metric and by people; empty for the baseline."""
    numbers: dict[str, object] = {
        "baseline": "",
        "difference": float("nan"),
        "verdict": "",
        "metric_of_people": "",
        "difference_by_people": float("nan"),
        "verdict_by_people": "",
    }
    if verdict is not None:
        numbers["baseline"] = verdict.baseline
        numbers["difference"] = verdict.difference
        numbers["verdict"] = verdict.conclusion.word
    if human is not None:
        numbers["metric_of_people"] = human.metric
        numbers["difference_by_people"] = human.difference
        numbers["verdict_by_people"] = human.conclusion.word
    return numbers


def averages_frame(results: Results) -> pd.DataFrame:
    """Return one row per system with its average over all test sets and the verdicts on it; empty for one test set.

    Columns as of ``leaderboard_frame``, the means by all metrics included. Ranks and ties are missing, since pairs are
    tested on single test sets only. Systems go from best to worst.
    """
    frame = grid_frame(results.evaluation)
    metric = results.settings.primary_metric
    of_all_metrics = frame[frame["test_set"] == AVERAGE]
    mean_of = of_all_metrics.set_index(["system", "metric"])["mean"]
    averages = of_all_metrics[of_all_metrics["metric"] == metric]
    is_rising = results.spec(metric).notation.direction == "↓"
    averages = averages.sort_values("mean", ascending=is_rising, kind="stable", na_position="last")
    baseline = results.name_of(results.experiment.baseline)
    human_of = {claim.system: claim for claim in claims_by_first_score(results, metric)}
    notes_of: dict[str, dict[str, None]] = {}
    for test_set in dict.fromkeys(frame["test_set"]):
        if test_set != AVERAGE:
            on_test_set = results.on(results.experiment.test_set(test_set))
            for system, note in _notes_on_doubt(on_test_set).items():
                notes_of.setdefault(system, {})[note] = None
    rows = []
    for average in averages.to_dict("records"):
        name = results.name_of(average["system"])
        row: dict[str, Any] = {
            "test_set": AVERAGE,
            "system": name,
            "metric": metric,
            "mean": average["mean"],
            "tied_with": None,
            "note": " ".join(notes_of.get(name, ())),
            **_numbers_of(None, human_of.get(average["system"])),
            "baseline": baseline if average["conclusion"] else "",
            "difference": average["difference"],
            "verdict": average["conclusion"],
        }
        for further in results.metrics[1:]:
            row[further] = mean_of[average["system"], further]
        rows.append(row)
    columns = [*_COLUMNS, *results.metrics[1:]]
    return pd.DataFrame(rows, columns=columns)


def _by_people(results: Results) -> dict[str, Verdict]:
    """Return the verdicts by the first human scores other than the primary metric, by displayed name."""
    metric = results.settings.primary_metric
    return of_first_score(human for human in results.named(results.verdicts_by_people) if human.metric != metric)


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
    yield f"Tier: {TIERS_MEAN[:1].lower()}{TIERS_MEAN[1:]}"
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
    verdicts = results.named(results.verdicts(metric))
    ranks_of = {ranked.system: ranked.ranks for ranked in ranking.rows}
    columns = [
        Column("tier", "Tier", help=TIERS_MEAN, write=lambda row: str(row["tier"])),
        Column("first_rank", "Ranks", help=RANKS_MEAN, write=lambda row: ranks_of[row["system"]]),
        Column("system", "System"),
        Column("tied_with", "No clear difference from", "text", TIES_HELP, write=_ties_cell),
        _column_of_metric(results, metric, "mean"),
    ]
    for further in results.metrics[1:]:
        columns.append(_column_of_metric(results, further, further))
    caption = [best_sentence(ranking)]
    of_people = ""
    human_of = _by_people(results)
    if human_of:
        columns.append(replace(column_of_people(human_of), short=""))
        of_people = people_note(list(human_of.values()))
        caption += disagreement_sentences(verdicts, list(human_of.values()))
    table = Table(tuple(columns), frame, " ".join(caption), groups="tier", look="ranking")
    title = f"{spec.name} on {results.test_set.name}"
    doubts: dict[str, None] = {}
    for shown in results.metrics:
        doubts.update(dict.fromkeys(doubt_notes(doubtful_by(results, shown))))
    notes = (*noted(*doubts, level="warning"), *noted(of_people, *definition_sentences(results, ranking)))
    return Section("leaderboard", title, table=table, notes=notes)


def leaderboard_sections(on_each: Sequence[Results], note: str = "") -> list[Section]:
    """Return the leaderboards of several test sets, the grid with their average first, and what they share once last.

    Parameters
    ----------
    on_each
        The results on each test set.
    note
        About all of them.
    """
    sections = [section for section in map(leaderboard_section, on_each) if section is not None]
    if len(sections) == 1:
        (section,) = sections
        return [replace(section, notes=(*section.notes, *noted(note)))]
    shared = [note for note in sections[0].notes if all(note in section.notes for section in sections)]
    parts = []
    grid = grid_section(on_each[0], on_each[0].settings.primary_metric)
    if grid is not None:
        parts.append(replace(grid, lead=(), notes=(*noted(*grid.lead), *grid.notes)))
    for section in sections:
        own = tuple(note for note in section.notes if note not in shared)
        parts.append(replace(section, notes=own))
    parts.append(Section("leaderboard-definition", "Definition", notes=(*shared, *noted(note))))
    return parts


def _column_of_metric(results: Results, metric: str, key: str) -> Column:
    """Return the column of mean scores by a metric, with a mark beside those that may be too good."""
    spec = results.spec(metric)
    doubtful = {results.name_of(system) for system in doubtful_by(results, metric)}

    def write(row: Any) -> Cell:
        mark = MARK_OF_DOUBT if row["system"] in doubtful else ""
        return Cell(spec.notation.number(row[key]), mark=mark)

    return Column(key, metric_heading(spec.notation, spec.name), "number", write=write)


def _ties_cell(row: Any) -> Cell:
    """Return the names of a few tied systems, or the number of many."""
    tied = row["tied_with"]
    if not tied:
        return Cell(DASH)
    if len(tied) <= MOST_TIES:
        return Cell(", ".join(tied))
    return Cell(counted(len(tied), "system"), help=", ".join(tied))
