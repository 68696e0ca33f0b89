"""All verdicts together: cards for a few systems, a forest plot and a ranking for many, a table over all metrics."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from math import isnan
from types import MappingProxyType

import pandas as pd

from mteval import figures
from mteval.analysis.results import Results
from mteval.answers.findings import finding_notes
from mteval.answers.procedures import NOT_FIXED
from mteval.answers.scores import SYSTEM, adjusted_by, metric_heading
from mteval.answers.section import Cell, Column, Row, Section, Table, noted, p_column
from mteval.answers.verdict import (
    against_sentence,
    card,
    compared_on,
    forest_help,
    headline,
    luck_unknown,
    nothing_compared,
    own_findings,
    verdict_notes,
    word,
)
from mteval.base.words import agreeing, counted, listed, named
from mteval.values.notation import DASH, level, p_value
from mteval.values.verdict import PROVISIONAL, Conclusion, Ranking, Verdict

MOST_DRAWN = 30  # systems in a forest plot


def verdict_section(results: Results, metric: str, wanted: Collection[str] = ()) -> Section:
    """Return the verdicts by one metric: one card per system, or for many systems a figure and the ranking.

    Parameters
    ----------
    wanted
        Systems that are drawn besides the best ``MOST_DRAWN``; the ranking has all.
    """
    verdicts, confidence = results.verdicts(metric), results.settings.confidence
    shared = [one for one in results.findings(metric) if not any(one in own_findings(verdict) for verdict in verdicts)]
    warned = finding_notes(shared)
    if not verdicts:
        return Section(f"{metric}-verdicts", "", notes=(*noted(nothing_compared(results, metric)), *warned))
    in_order = sorted(verdicts, key=lambda one: (isnan(one.improvement), -one.improvement))
    best = {one.system for one in in_order[:MOST_DRAWN]}
    drawn = [one for one in verdicts if one.system in best or one.system in wanted]
    cards, notes = tuple(card(verdict, confidence) for verdict in drawn), (*warned, *verdict_notes(verdicts))
    heading = luck_unknown(verdicts) if metric == results.settings.primary_metric else ()
    if not results.has_many_systems:
        below = (Section(f"{metric}-notes", "", notes=notes),) if notes else ()
        return Section(f"{metric}-verdicts", "", heading, parts=(*cards, *below))
    ranking = results.ranking if results.ranking is not None and results.ranking.metric == metric else None
    ranked = () if ranking is None else (ranking_section(ranking, verdicts),)
    extents = dict.fromkeys(map(compared_on, verdicts))
    lead = (*heading, against_sentence(verdicts), f"Compared on {'; '.join(extents)}." if len(extents) == 1 else "")
    draw = partial(figures.forest.forest, drawn, ranking, confidence)
    few, each = "", "Each system"
    if len(drawn) < len(verdicts):
        chosen = " and those chosen" if len(drawn) > len(best) else ""
        few = f"The {MOST_DRAWN} best of {counted(len(verdicts), 'system')}{chosen}; the ranking has all."
        each = "Systems of the figure"
    legend = " ".join(filter(None, (few, forest_help(verdicts, confidence), pairs_help(ranking, verdicts))))
    parts = (*ranked, Section(f"{metric}-cards", each, parts=cards, is_detail=True))
    return Section(f"{metric}-forest", "", lead, figure=draw, legend=legend, notes=notes, parts=parts)


def joint_section(results: Results) -> Section | None:
    """Return the verdicts by all metrics together; None unless the settings ask for them."""
    verdicts = {row.system: row for row in results.evaluation.together_by_all if row.test_set == results.test_set.name}
    if not verdicts:
        return None
    frame = results.rows(results.evaluation.joint)
    conclusions = {system: row.conclusion for system, row in verdicts.items()}
    verdict = Column("conclusion", "Verdict", "verdict", write=lambda row: Cell.of(conclusions[row["system"]]))
    columns = (SYSTEM, verdict, p_column("p_test_set", "p (test set)"), p_column("p_both", "p (both)"))
    used = [results.spec(key).name for key in next(iter(verdicts.values())).metrics]
    others = [results.spec(key).name for key in results.metrics if results.spec(key).name not in used]
    adjusted = ", adjusted for the number of systems (Holm)" if len(verdicts) > 1 else ""
    text = f"Better by all of {listed(used)}, or worse by all. p is the largest of the metrics'{adjusted}."
    left_out = f"{listed(others)} {agreeing(len(others), 'takes', 'take')} no part" if others else ""
    notes = noted(text, left_out and f"{left_out}: neither direction is better.")
    return Section("joint", "All metrics together", table=Table(columns, frame), notes=notes)


def ranking_section(ranking: Ranking, verdicts: Sequence[Verdict]) -> Section:
    """Return all systems from best to worst, each with its verdict; dashes for what was not compared."""
    found, (first, *_) = {verdict.system: verdict for verdict in verdicts}, verdicts
    rows = []
    for ranked in ranking.rows:
        verdict = found.get(ranked.system)
        values, coverage = (None, None) if verdict is None else (_of_ranked(verdict), verdict.coverage)
        instead = "baseline" if ranked.system == first.baseline else DASH
        rows.append({
            "system": ranked.system, "ranks": ranked.ranks, "possible": ranked.possible, "group": ranked.group,
            "mean": ranked.mean,
            "conclusion": instead if verdict is None else word(verdict), "n_segments": coverage and coverage.n_segments,
            **(values or dict.fromkeys(_of_ranked(first))), "notation": first.notation,
        })  # fmt: skip
    both_p = [(one.p_test_set, one.p_test_set_adjusted) for one in verdicts]
    both_p += [(one.p_both, one.p_both_adjusted) for one in verdicts]
    is_adjusted = any(raw != p and p == p for raw, p in both_p)
    adjusted = ", adjusted" if is_adjusted else ""
    columns = (
        Column("ranks", "Ranks", help="Rank range: the best and worst place consistent with the tests.",
               write=lambda row: Cell(row["ranks"], help=f"{row['system']} {row['possible']}")),
        SYSTEM,
        Column("conclusion", "Verdict", "verdict",
               write=lambda row: headline(found[row["system"]]) if row["system"] in found else Cell(row["conclusion"])),
        Column("mean", "Average", "number"),
        Column("difference", "Difference", "difference"),
        *_intervals(verdicts),
        p_column("p_test_set_adjusted", f"p (test set{adjusted})", is_adjusted=is_adjusted),
        p_column("p_both_adjusted", f"p (both{adjusted})", is_adjusted=is_adjusted),
        Column("n_segments", "Segments", "count"),
    )  # fmt: skip
    units = dict.fromkeys(compared_on(verdict) for verdict in verdicts)
    caption = f"Ranking by {first.metric_name}" + (f", on {next(iter(units))}" if len(units) == 1 else "")
    table = Table(columns, pd.DataFrame(rows), caption, groups="group", look="ranking").shown
    notes = noted(ranking_sentences(ranking))
    return Section(f"{first.metric}-ranking", "Ranking", table=table, notes=notes, is_detail=True)


def _of_ranked(verdict: Verdict) -> dict[str, float]:
    """Return the numbers of a verdict, its intervals adjusted if they are shown so."""
    names = ("low_test_set", "high_test_set", "low", "high")
    ends = dict(zip(names, (*verdict.ends_test_set, *verdict.ends_both), strict=True))
    return ends | {name: getattr(verdict, name) for name in ("difference", "p_test_set_adjusted", "p_both_adjusted")}


def _intervals(verdicts: Sequence[Verdict]) -> list[Column]:
    """Return the columns of intervals; if p is adjusted, only of those that are adjusted, too, if there are any."""
    one = next((verdict for verdict in verdicts if verdict.is_simultaneous), verdicts[0])
    wide, help = (", adjusted", f"Simultaneous, {one.simultaneous}.") if one.is_simultaneous else ("", "")
    alone = Column("low_test_set", f"CI (test set{wide})", "interval", help, ("low_test_set", "high_test_set"))
    both = Column("low", f"CI (both{wide})", "interval", help, ("low", "high"))
    return [alone if one.is_of_test_set else both] if wide else [alone, both]


MARK_OF_TWO_RUNS = "*"


def all_verdicts_section(verdicts: Sequence[Verdict]) -> Section:
    """Return the verdict by every metric: its shape, the difference, and both adjusted p-values below.

    Parameters
    ----------
    verdicts
        Of one or more systems and metrics against one baseline, on one test set; sorted from best to worst by the
        first.
    """
    names = {one.metric: metric_heading(one.notation, one.metric_name) for one in verdicts}
    best_first = sorted(verdicts, key=lambda one: ([*names].index(one.metric), -one.improvement))
    found = {(one.system, one.metric): one for one in verdicts}
    rows: dict[str, dict[str, object]] = {one.system: {"system": one.system} for one in best_first}
    for (system, metric), verdict in found.items():
        rows[system][metric] = verdict.difference
    writers = {metric: partial(_crossed_verdict, found, metric) for metric in names}
    columns = [Column(key, name, "verdict", write=writers[key], is_adjusted=True) for key, name in names.items()]
    shapes = [f"{one.shape} {one.word}" for one in Conclusion if one in {verdict.conclusion for verdict in verdicts}]
    shapes += [f"{MARK_OF_TWO_RUNS} {PROVISIONAL}"] if any(one.is_provisional for one in verdicts) else []
    by = adjusted_by(any("looks" in one.corrections for one in verdicts), len(rows), verdicts[0].decision)
    then = "p (test set)" if all(one.is_of_test_set for one in verdicts) else "p (test set) and p (both)"
    caption = f"Difference from {verdicts[0].baseline}, then {then}{by and f', adjusted ({by})'}. {'  '.join(shapes)}"
    table = Table((SYSTEM, *columns), pd.DataFrame([*rows.values()]), caption, look="crossed")
    findings = dict.fromkeys(finding for one in verdicts for finding in one.findings if finding.code != "single-runs")
    notes = (*finding_notes(findings), *verdict_notes(verdicts))
    return Section("verdicts", "", luck_unknown(verdicts), table, notes=notes)


def _crossed_verdict(found: Mapping[tuple[str, str], Verdict], metric: str, row: Row) -> Cell:
    verdict = found.get((row["system"], metric))
    if verdict is None:
        return Cell(DASH)
    difference = verdict.notation.difference(verdict.difference)
    p_values = [verdict.p_test_set_adjusted, *([] if verdict.is_of_test_set else [verdict.p_both_adjusted])]
    text = f"{difference}{MARK_OF_TWO_RUNS if verdict.is_provisional else ''}"
    about = f"{verdict.system} by {verdict.metric_name}: {word(verdict)}; {compared_on(verdict)}"
    return Cell.of(verdict.conclusion, text, below=" · ".join(map(p_value, p_values)), help=about)


def pairs_help(ranking: Ranking | None, verdicts: Sequence[Verdict]) -> str:
    """Return why ranks may overlap although a verdict tells the system from the baseline; empty if none does."""
    rows = {} if ranking is None else {row.system: row for row in ranking.rows}
    base, shown = rows.get(verdicts[0].baseline), [one.system for one in verdicts if one.conclusion.is_shown]
    near = [system for system in shown if base and system in rows and rows[system].overlaps(base)]
    if ranking is None or not near:
        return ""
    n_pairs = len(ranking.rows) * (len(ranking.rows) - 1) // 2
    text = f"Ranks compare all {n_pairs:,} pairs, verdicts only {len(verdicts):,}, so ranks are more cautious:"
    differ = agreeing(len(near), "differs", "differ")
    return f"{text} {named(near, len(verdicts), 'system')} {differ} from {verdicts[0].baseline} but may share its rank."


def ranks_sentence(ranking: Ranking, names: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return how sure the ranks are, and which systems could be best."""
    if not ranking.level:
        return ""
    best = [names.get(row.system, row.system) for row in ranking.rows if row.first == 1]
    some = "any system" if len(best) == len(ranking.rows) else named(best, len(ranking.rows), "system", "or")
    could = f"{some} is best" if len(best) == 1 else f"{some} could be best"
    return f"Rank ranges are simultaneous {level(1 - ranking.level)} intervals (Mogstad et al., 2024): {could}."


def ranking_sentences(ranking: Ranking) -> str:
    """Return which tests the ranks and groups rest on."""
    luck, n_systems = "test-set and training luck" if ranking.is_both else "test-set luck only", len(ranking.rows)
    groups = f" A line separates {ranking.n_groups:,} groups: all systems above it are better than all below."
    groups = groups if ranking.n_groups > 1 else ""
    return (
        f"All {counted(n_systems * (n_systems - 1) // 2, 'pair')} tested for {luck} ({ranking.procedure};"
        f" {ranking.correction}, {level(ranking.level)}). {ranks_sentence(ranking)}{groups}"
        + (f" {NOT_FIXED}" if ranking.was_fixed else "")
    )
