"""All verdicts together: cards of a few systems, a forest plot and a ranking of many, a table of all metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd

from mteval import figures
from mteval.analysis.results import Results
from mteval.answers.procedures import NOT_FIXED, UNIT_NAMES
from mteval.answers.scores import SYSTEM, metric_heading
from mteval.answers.section import Cell, Column, Row, Section, Table, noted, p_column
from mteval.answers.verdict import (
    against_sentence,
    card,
    compared_on,
    forest_help,
    headline,
    nothing_compared,
    verdict_notes,
    word,
)
from mteval.base.words import counted
from mteval.values.notation import DASH, level, p_value
from mteval.values.verdict import PROVISIONAL, Conclusion, Ranking, Verdict


def verdict_section(results: Results, metric: str) -> Section:
    """The verdicts by one metric: a card a system, or of many one figure, with the ranking by the primary metric."""
    verdicts, confidence = results.verdicts(metric), results.settings.confidence
    if not verdicts:
        return Section(f"{metric}-verdicts", "", notes=noted(nothing_compared(results, metric)))
    cards = tuple(card(verdict, confidence) for verdict in verdicts)
    if not results.has_many_systems:
        below = Section(f"{metric}-notes", "", notes=verdict_notes(verdicts))
        return Section(f"{metric}-verdicts", "", parts=(*cards, *([below] if below.notes else [])))
    ranking = results.ranking if results.ranking is not None and results.ranking.metric == metric else None
    ranked = () if ranking is None else (ranking_section(ranking, verdicts),)
    in_words = Section(f"{metric}-cards", "Each system in words", parts=cards, is_detail=True)
    extents = dict.fromkeys(map(compared_on, verdicts))
    extent = f"Compared on {'; '.join(extents)}." if len(extents) == 1 else ""
    return Section(
        f"{metric}-forest",
        "",
        (against_sentence(verdicts), extent),
        figure=partial(figures.forest.forest, verdicts, ranking, confidence),
        legend=forest_help(verdicts, confidence),
        notes=verdict_notes(verdicts),
        parts=(*ranked, in_words),
    )


def ranking_section(ranking: Ranking, verdicts: Sequence[Verdict]) -> Section:
    """All systems from best to worst: a row each, with its verdict; what was not compared has dashes."""
    found, (first, *_) = {verdict.system: verdict for verdict in verdicts}, verdicts
    rows = []
    for ranked in ranking.rows:
        verdict = found.get(ranked.system)
        values = {} if verdict is None else {name: getattr(verdict, name) for name in (*_OF_RANKED, "coverage")}
        coverage = values.pop("coverage", None)
        instead = "baseline" if ranked.system == first.baseline else DASH
        rows.append({
            "system": ranked.system, "ranks": ranked.ranks, "group": ranked.group, "mean": ranked.mean,
            "conclusion": instead if verdict is None else word(verdict), "n_segments": coverage and coverage.n_segments,
            **dict.fromkeys(_OF_RANKED), **values, "notation": first.notation,
        })  # fmt: skip
    both_p = [(one.p_test_set, one.p_test_set_adjusted) for one in verdicts]
    both_p += [(one.p_both, one.p_both_adjusted) for one in verdicts]
    p_name = "p (adjusted)" if any(raw != p and p == p for raw, p in both_p) else "p"
    columns = (
        Column("ranks", "Ranks"),
        SYSTEM,
        Column("conclusion", "Verdict", "verdict", write=partial(_verdict_in_row, found)),
        Column("mean", "Average", "number"),
        Column("difference", "Difference", "difference"),
        Column("low_test_set", "Interval, test-set luck", "interval", fields=("low_test_set", "high_test_set")),
        p_column("p_test_set_adjusted", f"{p_name}, test-set luck", is_adjusted=p_name != "p"),
        Column("low", "Interval, both kinds", "interval", fields=("low", "high")),
        Column(
            "low_simultaneous", "Interval (adjusted), both kinds", "interval",
            fields=("low_simultaneous", "high_simultaneous"),
            help=f"Adjusted for the number of systems compared ({first.simultaneous}).",
        ),
        p_column("p_both_adjusted", f"{p_name}, both kinds", is_adjusted=p_name != "p"),
        Column("n_segments", "Segments", "count"),
    )  # fmt: skip
    units = dict.fromkeys(compared_on(verdict) for verdict in verdicts)
    caption = f"Ranks and verdicts by {first.metric_name}" + (f", on {next(iter(units))}" if len(units) == 1 else "")
    table = Table(columns, pd.DataFrame(rows), caption, groups="group", look="ranking").shown
    notes = noted(ranking_sentences(ranking))
    return Section(f"{first.metric}-ranking", "The ranking in numbers", table=table, notes=notes, is_detail=True)


_OF_RANKED = (
    "difference", "low_test_set", "high_test_set", "low", "high", "low_simultaneous", "high_simultaneous",
    "p_test_set_adjusted", "p_both_adjusted",
)  # fmt: skip


def _verdict_in_row(found: Mapping[str, Verdict], row: Row) -> Cell:
    verdict = found.get(row["system"])
    if verdict is None:
        return Cell(row["conclusion"])
    return headline(verdict.conclusion, is_provisional=verdict.is_provisional)


MARK_OF_TWO_RUNS = "*"


def all_verdicts_section(verdicts: Sequence[Verdict]) -> Section:
    """By every metric the shape of the verdict with the difference, and both adjusted p-values below.

    Parameters
    ----------
    verdicts
        Of one or more systems and metrics against one baseline, on one test set; they stand from best to worst by the
        first.
    """
    names = {one.metric: metric_heading(one.notation, one.metric_name) for one in verdicts}
    best_first = sorted(verdicts, key=lambda one: ([*names].index(one.metric), -one.improvement))
    found = {(one.system, one.metric): one for one in verdicts}
    rows: dict[str, dict[str, object]] = {
        system: {"system": system} for system in dict.fromkeys(one.system for one in best_first)
    }
    for (system, metric), verdict in found.items():
        rows[system][metric] = verdict.difference
    columns = [
        Column(metric, name, "verdict", write=partial(_crossed_verdict, found, metric), is_adjusted=True)
        for metric, name in names.items()
    ]
    shapes = [f"{one.shape} {one.word}" for one in Conclusion if one in {verdict.conclusion for verdict in verdicts}]
    shapes += [f"{MARK_OF_TWO_RUNS} {PROVISIONAL}"] if any(one.is_provisional for one in verdicts) else []
    looked = ", the second after the planned looks" if any("looks" in one.corrections for one in verdicts) else ""
    caption = (
        f"Against {verdicts[0].baseline}: difference of the averages, then p for test-set luck and p for test-set and"
        f" {verdicts[0].runs.luck} together, both after Holm{looked}. {'  '.join(shapes)}"
    )
    table = Table((SYSTEM, *columns), pd.DataFrame([*rows.values()]), caption, look="crossed")
    return Section("verdicts", "", table=table, notes=verdict_notes(verdicts))


def _crossed_verdict(found: Mapping[tuple[str, str], Verdict], metric: str, row: Row) -> Cell:
    verdict = found.get((row["system"], metric))
    if verdict is None:
        return Cell(DASH)
    difference = verdict.notation.difference(verdict.difference)
    return Cell(
        f"{difference}{MARK_OF_TWO_RUNS if verdict.is_provisional else ''}",
        below=" · ".join(map(p_value, (verdict.p_test_set_adjusted, verdict.p_both_adjusted))),
        shape=verdict.conclusion.shape,
        role=verdict.conclusion.role,
        help=f"{verdict.system} by {verdict.metric_name}: {word(verdict)}; {compared_on(verdict)}",
    )


def ranking_sentences(ranking: Ranking) -> str:
    """What the ranks and the groups rest on."""
    n = len(ranking.rows)
    luck = (
        "test-set and training luck together"
        if ranking.is_both
        else "test-set luck alone, since no pair has an answer to more"
    )
    groups = (
        "There is one group: no line can be drawn."
        if ranking.n_groups == 1
        else f"A line parts {ranking.n_groups:,} groups: all systems above it are shown better than all below it."
    )
    return (
        f"Ranks among {counted(n, 'system')}: from 1 more than those shown better to {n:,} less those shown worse. All"
        f" {counted(n * (n - 1) // 2, 'pair')} are tested for {luck} ({ranking.procedure}, {UNIT_NAMES[ranking.unit]}"
        f" as units, {ranking.correction}, level {level(ranking.level)}); being adjusted for all pairs, this may show"
        f" less than the verdicts against the baseline do. {groups}" + (f" {NOT_FIXED}" if ranking.was_fixed else "")
    )
