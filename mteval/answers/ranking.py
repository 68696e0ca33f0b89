"""All verdicts together: cards for a few systems, a forest plot and a ranking for many, a table over all metrics."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isnan
from typing import Any

import pandas as pd

from mteval import figures
from mteval.analysis.results import Results
from mteval.answers.findings import CODES, DOUBT_MEANS, MARK_OF_DOUBT, doubt_notes, doubtful_in, finding_notes
from mteval.answers.pair_matrix import MARKED, MARKS, matrix_table
from mteval.answers.procedures import NOT_FIXED
from mteval.answers.scores import COLUMNS, LAW_OF_FAMILY, SYSTEM, adjusted_by, adjusted_name, metric_heading
from mteval.answers.section import Cell, Column, Note, Row, Section, Table, noted, p_column
from mteval.answers.verdict import (
    against_sentence,
    card,
    compared_on,
    contradictions,
    disagreement_sentences,
    failures_note,
    forest_help,
    headline,
    luck_unknown,
    nothing_compared,
    own_findings,
    verdict_notes,
    word,
)
from mteval.base.words import agreeing, counted, listed, named
from mteval.values.findings import Finding
from mteval.values.notation import DASH, level, p_value
from mteval.values.verdict import PROVISIONAL, Conclusion, Ranked, Ranking, Verdict

MOST_DRAWN = 30  # systems in a forest plot
MOST_IN_MATRIX = 30  # systems in the matrix of all pairs; the page Significance has a figure of any number
MARK_OF_TWO_RUNS = "¶"
P_TEST_SET = COLUMNS["p_test_set"].name
P_RUN = COLUMNS["p_run"].name
NOT_JUDGED = "not judged"
MARK_OF_HOLM = "ᴴ"  # beside an interval that ends at 0
HOLM_MEANS = "The interval ends at 0 because Holm's test decides the verdict."
TIERS_MEAN = "Every system of a tier is better than every system of later tiers."
RANKS_MEAN = "Rank range: the best and worst place consistent with the tests."
PEOPLE_MEAN = (
    "Pairs of systems elsewhere with such a difference: the share in which people preferred the better-scored one."
)


def verdict_section(results: Results, metric: str, wanted: Collection[str] = ()) -> Section:
    """Return the verdicts by one metric: one card per system, or for many systems a figure and the ranking.

    Parameters
    ----------
    wanted
        Systems that are drawn besides the best ``MOST_DRAWN``; the ranking has all.
    """
    verdicts = results.verdicts(metric)
    confidence = results.settings.confidence
    findings = results.findings(metric)
    if metric != results.settings.primary_metric:
        # Findings about all metrics are shown once, beside the verdicts by the primary metric
        findings = _of_metric(findings)
        verdicts = tuple(replace(verdict, findings=_of_metric(verdict.findings)) for verdict in verdicts)
    findings_of_verdicts = {finding for verdict in verdicts for finding in own_findings(verdict)}
    shared = [finding for finding in findings if finding not in findings_of_verdicts]
    if not verdicts:
        notes = (*noted(nothing_compared(results, metric)), *finding_notes(shared))
        return Section(f"{metric}-verdicts", "", notes=notes)

    # The best come first, those without a difference last; the drawn ones keep the order of the verdicts.
    best_first = sorted(verdicts, key=lambda verdict: (isnan(verdict.improvement), -verdict.improvement))
    best = {verdict.system for verdict in best_first[:MOST_DRAWN]}
    drawn = [verdict for verdict in verdicts if verdict.system in best or verdict.system in wanted]
    by_people = results.verdicts_by_people
    contradicted = {verdict.system for verdict in verdicts if contradictions(verdict, by_people)}
    carded = sorted(drawn, key=lambda verdict: verdict.system not in contradicted)
    cards = tuple(card(verdict, confidence, by_people) for verdict in carded)
    further_notes = verdict_notes(verdicts)
    heading: tuple[str, ...] = ()
    if metric == results.settings.primary_metric:
        heading = luck_unknown(verdicts)
        further_notes = (*further_notes, *failures_note(verdicts))
    if not results.has_many_systems:
        cards_and_notes = list(cards)
        notes = (*finding_notes(shared), *further_notes)
        if notes:
            cards_and_notes.append(Section(f"{metric}-notes", "", notes=notes))
        return Section(f"{metric}-verdicts", "", heading, parts=tuple(cards_and_notes))

    ranking = ranking_by(results, metric)
    parts = []
    if ranking is not None:
        parts.append(ranking_section(ranking, verdicts, by_people))
    legend = []
    if len(drawn) < len(verdicts):
        and_chosen = " and those chosen" if len(drawn) > len(best) else ""
        n_systems = counted(len(verdicts), "system")
        legend.append(f"The {MOST_DRAWN} best of {n_systems}{and_chosen}; the ranking has all.")
    legend += [forest_help(verdicts, confidence), pairs_help(ranking, verdicts)]
    forest = Section(
        forest_key(metric),
        "",
        figure=partial(figures.forest.forest, drawn, ranking, confidence),
        legend=" ".join(filter(None, legend)),
    )
    parts.append(forest)
    if ranking is not None and not verdicts[0].is_of_people:  # its notes say which scores may be too good
        shared = [finding for finding in shared if finding.code not in CODES]
    notes = (*finding_notes(shared), *further_notes)
    if notes:
        parts.append(Section(f"{metric}-notes", "", notes=notes))
    title_of_cards = "Each system" if len(drawn) == len(verdicts) else "Systems of the figure"
    parts.append(Section(f"{metric}-cards", title_of_cards, parts=cards, is_detail=True))

    lead = [*heading, against_sentence(verdicts), *disagreement_sentences(verdicts, by_people)]
    extents = {compared_on(verdict) for verdict in verdicts}
    if ranking is None and len(extents) == 1:
        lead.append(f"Compared on {extents.pop()}.")
    return Section(f"{metric}-verdicts", "", tuple(lead), parts=tuple(parts))


def forest_key(metric: str) -> str:
    """Return the key of the section with the forest of verdicts by a metric."""
    return f"{metric}-forest"


def ranking_by(results: Results, metric: str) -> Ranking | None:
    """Return the ranking by a metric; None unless it is the primary one of enough systems."""
    ranking = results.ranking
    if ranking is None or ranking.metric != metric:
        return None
    return ranking


def ranked_section(results: Results) -> Section | None:
    """Return what forms of text print first: the verdicts counted, and the ranking with their numbers.

    None without a ranking.
    """
    metric = results.settings.primary_metric
    ranking = ranking_by(results, metric)
    if ranking is None:
        return None
    ranking = ranking.with_names(results.shown_names)
    verdicts = results.named(results.verdicts(metric))
    by_people = results.named(results.verdicts_by_people)
    lead = [*luck_unknown(verdicts), against_sentence(verdicts), *disagreement_sentences(verdicts, by_people)]
    parts = (ranking_section(ranking, verdicts, by_people, is_brief=True),)
    return Section(f"{metric}-ranked", "", tuple(lead), parts=parts)


def _of_metric(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings about metrics, without those about the texts behind all of them."""
    return tuple(finding for finding in findings if finding.metrics)


def joint_section(results: Results) -> Section | None:
    """Return the verdicts by all metrics together; None unless the settings ask for them."""
    together = [row for row in results.evaluation.together_by_all if row.test_set == results.test_set.name]
    if not together:
        return None
    conclusion_of = {row.system: row.conclusion for row in together}
    is_adjusted = len(conclusion_of) > 1
    columns = (
        SYSTEM,
        Column("conclusion", "Verdict", "verdict", write=lambda row: Cell.of(conclusion_of[row["system"]])),
        _p_column("p_test_set", P_TEST_SET, is_adjusted=is_adjusted),
        _p_column("p_run", P_RUN, is_adjusted=is_adjusted),
    )

    used = [results.spec(metric).name for metric in together[0].metrics]
    adjusted = ", adjusted for the number of systems (Holm)" if is_adjusted else ""
    texts = [f"Better by all of {listed(used)}, or worse by all. p is the largest of the metrics'{adjusted}."]
    unused = [results.spec(metric).name for metric in results.metrics if results.spec(metric).name not in used]
    if unused:
        are = agreeing(len(unused), "is", "are")
        texts.append(f"{listed(unused)} {are} ignored: neither direction is better.")
    table = Table(columns, results.rows(results.evaluation.joint))
    return Section("joint", "All metrics together", table=table, notes=noted(*texts))


_DIFFERENCE_OF_PEOPLE = "difference_by_people"


def ranking_section(
    ranking: Ranking, verdicts: Sequence[Verdict], by_people: Iterable[Verdict] = (), *, is_brief: bool = False
) -> Section:
    """Return all systems from best to worst, each with its verdict; dashes for what was not compared.

    Below it is a matrix of all pairs.

    Parameters
    ----------
    by_people
        Verdicts by human scores, of which the first get a column of their own.
    is_brief
        Whether shapes take the place of verdicts in words, for forms of text.
    """
    verdict_of = {verdict.system: verdict for verdict in verdicts}
    first = verdicts[0]
    human_of = {} if first.is_of_people else of_first_score(by_people)
    doubtful = doubtful_in(verdicts)
    rows = [
        _row_of_ranking(ranked, verdict_of.get(ranked.system), human_of.get(ranked.system), first)
        for ranked in ranking.rows
    ]

    columns = []
    if ranking.n_groups > 1:
        columns.append(Column("group", "Tier", help=TIERS_MEAN, write=lambda row: str(row["group"])))
    columns += [
        SYSTEM,
        Column("ranks", "Ranks", help=RANKS_MEAN, write=_ranks_cell),
    ]
    written_verdict = Column("conclusion", "Verdict", "verdict", write=partial(_verdict_cell, verdict_of))
    if not is_brief:
        columns.append(written_verdict)
    if human_of:
        columns.append(column_of_people(human_of))
    mean = Column("mean", "Average", "number", short=first.metric_name)
    columns.append(replace(mean, write=partial(_mean_cell, mean, doubtful)))
    difference = Column("difference", "Difference", "difference")
    if is_brief:
        difference = replace(difference, kind="verdict", write=partial(_difference_cell, verdict_of))
    columns += [difference, *_intervals(verdicts), *_p_columns(verdicts)]
    columns.append(Column("share_of_pairs", "People", "share", PEOPLE_MEAN, digits=0, is_wide=True))
    extents = {compared_on(verdict) for verdict in verdicts}
    if len(extents) > 1:
        columns.append(Column("n_segments", "Segments", "count"))

    caption = f"Verdicts against {first.baseline}"
    if is_brief:
        caption = f"Difference from {first.baseline}"
    if len(extents) == 1:
        caption += f", on {extents.pop()}"
    if is_brief:
        caption += f". {shapes_of([*verdicts, *human_of.values()])}."
    table = Table(tuple(columns), pd.DataFrame(rows), caption, groups="group", look="ranking").shown
    ended = ""
    if any(verdict.is_ended_at_zero for verdict in verdicts):
        ended = f"{MARK_OF_HOLM} {HOLM_MEANS}"
    by_first_score = ""
    of_adjusted_p = ""
    if is_brief:  # elsewhere these are the help of the columns
        of_adjusted_p = family_law_note(verdicts)
        if human_of:
            by_first_score = people_note(list(human_of.values()))
    notes = (
        *noted(*doubt_notes(doubtful), level="warning"),
        *noted(ended, of_adjusted_p, by_first_score, ranking_sentences(ranking)),
    )
    largest_level = MARKS[-1][0]
    has_marks = any(pair.p_adjusted <= largest_level for pair in ranking.pairs)
    parts: tuple[Section, ...] = ()
    if has_marks and len(ranking.rows) <= MOST_IN_MATRIX:
        parts = (pairs_matrix_section(ranking, verdicts),)
    title = f"Ranking by {first.metric_name}"
    lead = [best_sentence(ranking)]
    if not doubtful.keys().isdisjoint(ranking.could_be_best):
        lead.append(f"{MARK_OF_DOUBT} Its {first.metric_name} may be too good: see the warning below the table.")
    return Section(f"{first.metric}-ranking", title, tuple(lead), table, notes=notes, parts=parts)


def of_first_score(by_people: Iterable[Verdict]) -> dict[str, Verdict]:
    """Return the verdicts by the first human scores, by system; empty without human scores."""
    human_of: dict[str, Verdict] = {}
    first_score = ""
    for verdict in by_people:
        first_score = first_score or verdict.metric
        if verdict.metric == first_score:
            human_of[verdict.system] = verdict
    return human_of


def _ranks_cell(row: Row) -> Cell:
    return Cell(row["ranks"], help=f"{row['system']} {row['possible']}")


def _mean_cell(mean: Column, doubtful: Collection[str], row: Row) -> Cell:
    """Return a score, with a mark if a note says why it may be too good."""
    mark = MARK_OF_DOUBT if row["system"] in doubtful else ""
    return replace(mean.cell(row), mark=mark)


def _verdict_cell(verdict_of: Mapping[str, Verdict], row: Row) -> Cell:
    verdict = verdict_of.get(row["system"])
    if verdict is None:
        return Cell(row["conclusion"])
    return headline(verdict)


def _difference_cell(verdict_of: Mapping[str, Verdict], row: Row) -> Cell:
    """Return the difference after the shape of the verdict; the word for a system that was not compared."""
    verdict = verdict_of.get(row["system"])
    if verdict is None:
        return Cell(row["conclusion"])
    cell = Cell.of(verdict.conclusion, verdict.notation.difference(verdict.difference))
    return replace(cell, mark=_mark_of_two_runs(verdict))


def column_of_people(human_of: Mapping[str, Verdict]) -> Column:
    """Return the column of verdicts by human scores."""

    def write(row: Row) -> Cell:
        human = human_of.get(row["system"])
        if human is None:
            return Cell("baseline" if row["system"] == first.baseline else NOT_JUDGED)
        cell = Cell.of(human.conclusion, human.notation.difference(human.difference), help=word(human))
        return replace(cell, mark=_mark_of_two_runs(human))

    first = next(iter(human_of.values()))
    help = people_note(list(human_of.values()))
    name = f"{first.metric_name}: difference"
    return Column(_DIFFERENCE_OF_PEOPLE, name, "verdict", help, write=write, short=first.metric_name, is_adjusted=True)


def people_note(by_people: Sequence[Verdict]) -> str:
    """Return what the verdicts by one human score rest on, and how their p-values are adjusted."""
    first = by_people[0]
    text = f"{first.metric_name}: difference from {first.baseline} by people, with its verdict"
    extents = {compared_on(human) for human in by_people}
    if len(extents) == 1:
        text += f", on {extents.pop()}"
    if first.family == "systems" and any(human.has_adjusted_p for human in by_people):
        text += ". Its p is adjusted by itself, for the number of systems"
    return f"{text}."


def _p_columns(verdicts: Sequence[Verdict]) -> list[Column]:
    """Return the columns of p-values; the shorter headings are for forms of text."""
    is_adjusted = any(verdict.has_adjusted_p for verdict in verdicts)
    of_runs = _p_column("p_run_adjusted", P_RUN, is_adjusted=is_adjusted)
    return [
        _p_column("p_test_set_adjusted", P_TEST_SET, is_adjusted=is_adjusted),
        replace(of_runs, help=family_law_note(verdicts)),
    ]


def family_law_note(verdicts: Iterable[Verdict]) -> str:
    """Return why the adjusted p is not Holm's over the printed one; empty if it is."""
    for verdict in verdicts:
        if verdict.has_family_law:
            return verdict.runs.filled(LAW_OF_FAMILY)
    return ""


def _p_column(key: str, name: str, *, is_adjusted: bool) -> Column:
    """Return a column of p-values whose heading says whether they are adjusted."""
    if not is_adjusted:
        return p_column(key, name)
    return replace(p_column(key, adjusted_name(name), is_adjusted=True), short=adjusted_name(name, "adj."))


def pairs_matrix_section(ranking: Ranking, verdicts: Sequence[Verdict]) -> Section:
    """Return all pairs of a ranking as a matrix of marks, whose family is larger than that of the verdicts."""
    systems = [ranked.system for ranked in ranking.rows]
    p_of = {(pair.better, pair.worse): pair.p_adjusted for pair in ranking.pairs}
    table = matrix_table(p_of, systems)
    notes = noted(f"{MARKED}.", families_sentence(ranking, verdicts))
    return Section(f"{ranking.metric}-pairs", "All pairs", table=table, notes=notes, is_detail=True)


def families_sentence(ranking: Ranking, verdicts: Sequence[Verdict]) -> str:
    """Return what the marks of pairs and the p-values of verdicts are adjusted for: two families."""
    n_pairs = counted(len(ranking.rows) * (len(ranking.rows) - 1) // 2, "pair")
    of_marks = f"Marks are adjusted for all {n_pairs} ({ranking.correction})"
    tested = [verdict for verdict in verdicts if not verdict.is_identical]
    if not any(verdict.has_adjusted_p for verdict in tested):
        return f"{of_marks}. p of verdicts is not, so the two can differ."
    first = tested[0]
    has_looks = any("looks" in verdict.corrections for verdict in tested)
    corrections = adjusted_by(has_looks, len(tested), first.decision)
    comparisons = counted(len(tested), "comparison")
    return (
        f"{of_marks}, p of verdicts only for the {comparisons} with {first.baseline} ({corrections}), so the two can"
        " differ."
    )


_NUMBERS_OF_RANKING = (
    "difference",
    "low_test_set",
    "high_test_set",
    "low",
    "high",
    "p_test_set_adjusted",
    "p_run_adjusted",
    "share_of_pairs",
    "n_segments",
)


def _row_of_ranking(ranked: Ranked, verdict: Verdict | None, human: Verdict | None, first: Verdict) -> dict[str, Any]:
    """Return the place of a system, and the numbers of its verdict if it was compared.

    Parameters
    ----------
    human
        The verdict by human scores, if there is one.
    first
        Any verdict of the ranking, for what they share.
    """
    row: dict[str, Any] = {
        "system": ranked.system,
        "ranks": ranked.ranks,
        "possible": ranked.possible,
        "group": ranked.group,
        "mean": ranked.mean,
        "notation": first.notation,
        _DIFFERENCE_OF_PEOPLE: None if human is None else human.difference,
        **dict.fromkeys(_NUMBERS_OF_RANKING),
    }
    if verdict is None:
        row["conclusion"] = "baseline" if ranked.system == first.baseline else DASH
        return row
    row["conclusion"] = word(verdict)
    row["difference"] = verdict.difference
    row["low_test_set"], row["high_test_set"] = verdict.ends_test_set
    row["low"], row["high"] = verdict.ends_both
    row["p_test_set_adjusted"] = verdict.p_test_set_adjusted
    row["p_run_adjusted"] = verdict.p_run_adjusted
    row["share_of_pairs"] = verdict.share_of_pairs
    if verdict.coverage is not None:
        row["n_segments"] = verdict.coverage.n_segments
    return row


def _intervals(verdicts: Sequence[Verdict]) -> list[Column]:
    """Return the columns of intervals; if p is adjusted, only of those that are adjusted, too, if there are any."""
    test_set_ends = ("low_test_set", "high_test_set")
    both_ends = ("low", "high")
    simultaneous = next((verdict for verdict in verdicts if verdict.is_simultaneous), None)
    if simultaneous is None:
        return [
            Column("low_test_set", "CI (test set)", "interval", fields=test_set_ends),
            Column("low", "CI (both)", "interval", fields=both_ends),
        ]
    help = f"Simultaneous, {simultaneous.simultaneous}."
    if any(verdict.is_ended_at_zero for verdict in verdicts):
        help += f" {HOLM_MEANS}"
    if simultaneous.is_of_test_set:
        name = "CI (test set, adjusted)"
        fields = test_set_ends
    else:
        name = "CI (both, adjusted)"
        fields = both_ends
    unmarked = Column(fields[0], name, "interval", help, fields, short="CI (adj.)")
    ended = {verdict.system for verdict in verdicts if verdict.is_ended_at_zero}
    return [replace(unmarked, write=partial(_interval_cell, unmarked, ended))]


def _interval_cell(unmarked: Column, ended: Collection[str], row: Row) -> Cell:
    """Return an interval, with a mark if Holm's verdict ended it at 0."""
    mark = MARK_OF_HOLM if row["system"] in ended else ""
    return replace(unmarked.cell(row), mark=mark)


def all_verdicts_section(verdicts: Sequence[Verdict], by_people: Collection[Verdict] = ()) -> Section:
    """Return the verdict by every metric: its shape, the difference, and both adjusted p-values below.

    Parameters
    ----------
    verdicts
        Of one or more systems and metrics against one baseline, on one test set; sorted from best to worst by the
        first.
    by_people
        Verdicts by human scores, whether or not they are among the others.
    """
    # One row per system, from best to worst by the first metric, and one column per metric.
    heading_of = {verdict.metric: metric_heading(verdict.notation, verdict.metric_name) for verdict in verdicts}
    metrics = list(heading_of)
    verdict_of = {(verdict.system, verdict.metric): verdict for verdict in verdicts}
    best_first = sorted(verdicts, key=lambda verdict: (metrics.index(verdict.metric), -verdict.improvement))
    rows: dict[str, dict[str, object]] = {}
    for verdict in best_first:
        row = rows.setdefault(verdict.system, {"system": verdict.system})
        row[verdict.metric] = verdict_of[verdict.system, verdict.metric].difference
    columns = [SYSTEM]
    for metric, heading in heading_of.items():
        write = partial(_crossed_verdict, verdict_of, metric)
        columns.append(Column(metric, heading, "verdict", write=write, is_adjusted=True))

    table = Table(tuple(columns), pd.DataFrame([*rows.values()]), _crossed_caption(verdicts, len(rows)), look="crossed")
    notes = (*notes_by_people(verdicts, by_people), *verdict_notes(verdicts))
    return Section("verdicts", "", luck_unknown(verdicts), table, notes=notes)


def notes_by_people(verdicts: Iterable[Verdict], by_people: Collection[Verdict]) -> tuple[Note, ...]:
    """Return a note per metric and human score that contradicts its verdicts."""
    by_metrics = (verdict for verdict in verdicts if not verdict.is_of_people)
    return noted(*disagreement_sentences(by_metrics, by_people, has_metrics=True))


def _crossed_caption(verdicts: Sequence[Verdict], n_systems: int) -> str:
    """Return what the cells hold, how their p-values are adjusted, and what their shapes mean."""
    first = verdicts[0]
    p_values = f"{P_TEST_SET} and {P_RUN}"
    if all(verdict.is_of_test_set for verdict in verdicts):
        p_values = P_TEST_SET
    elif all(verdict.is_of_runs for verdict in verdicts):
        p_values = P_RUN
    has_looks = any("looks" in verdict.corrections for verdict in verdicts)
    corrections = adjusted_by(has_looks, n_systems, first.decision)
    adjusted = f", adjusted ({corrections})" if corrections else ""

    caption = f"Difference from {first.baseline}, then {p_values}{adjusted}. {shapes_of(verdicts)}."
    if doubtful_in(verdicts):
        caption += f" {DOUBT_MEANS}"
    return caption


def shapes_of(verdicts: Sequence[Verdict]) -> str:
    """Return what the shapes of verdicts mean, and the mark of those that are provisional."""
    concluded = {verdict.conclusion for verdict in verdicts}
    shapes = [f"{conclusion.shape} {conclusion.word}" for conclusion in Conclusion if conclusion in concluded]
    if any(verdict.is_provisional for verdict in verdicts):
        shapes.append(f"{MARK_OF_TWO_RUNS} {PROVISIONAL}")
    return ", ".join(shapes)


def _crossed_verdict(verdict_of: Mapping[tuple[str, str], Verdict], metric: str, row: Row) -> Cell:
    """Return the cell of one system by one metric; a dash if it was not compared."""
    verdict = verdict_of.get((row["system"], metric))
    if verdict is None:
        return Cell(DASH)
    difference = verdict.notation.difference(verdict.difference)
    p_values = p_value(verdict.p_test_set_adjusted)
    if not verdict.is_of_test_set:
        p_values += f" · {p_value(verdict.p_run_adjusted)}"
    if verdict.is_of_runs:
        p_values = p_value(verdict.p_run_adjusted)
    help = f"{verdict.system} by {verdict.metric_name}: {word(verdict)}; {compared_on(verdict)}"
    cell = Cell.of(verdict.conclusion, difference, below=p_values, help=help)
    mark = _mark_of_two_runs(verdict)
    if doubtful_in([verdict]):
        mark += MARK_OF_DOUBT
    return replace(cell, mark=mark)


def _mark_of_two_runs(verdict: Verdict) -> str:
    return MARK_OF_TWO_RUNS if verdict.is_provisional else ""


def pairs_help(ranking: Ranking | None, verdicts: Sequence[Verdict]) -> str:
    """Return why ranks may overlap although a verdict tells the system from the baseline; empty if none does."""
    if ranking is None:
        return ""
    ranked_of = {ranked.system: ranked for ranked in ranking.rows}
    baseline = ranked_of.get(verdicts[0].baseline)
    if baseline is None:
        return ""
    differing = [verdict.system for verdict in verdicts if verdict.conclusion.is_shown]
    overlapping = [system for system in differing if system in ranked_of and ranked_of[system].overlaps(baseline)]
    if not overlapping:
        return ""
    n_pairs = len(ranking.rows) * (len(ranking.rows) - 1) // 2
    names = named(overlapping, len(verdicts), "system")
    differ = agreeing(len(overlapping), "differs", "differ")
    return (
        f"Ranks compare all {n_pairs:,} pairs, verdicts only {len(verdicts):,}, so ranks are more cautious:"
        f" {names} {differ} from {baseline.system} but may share its rank."
    )


def best_sentence(ranking: Ranking) -> str:
    """Return which systems could be best; empty if nothing was tested at a level."""
    if not ranking.level:
        return ""
    best = ranking.could_be_best
    subject = "Any system"
    if len(best) < len(ranking.rows):
        subject = named(best, len(ranking.rows), "system", "or")
    predicate = "is best" if len(best) == 1 else "could be best"
    return f"{subject} {predicate}."


def ranking_sentences(ranking: Ranking) -> str:
    """Return which tests the ranks and groups rest on."""
    text = tested_sentence(ranking)
    if ranking.level:
        text += f" {ranges_sentence(ranking)}"
    if ranking.n_groups > 1:
        text += f" There are {ranking.n_groups:,} tiers: {TIERS_MEAN[:1].lower()}{TIERS_MEAN[1:]}"
    return text


def tested_sentence(ranking: Ranking) -> str:
    """Return how all pairs were tested."""
    n_systems = len(ranking.rows)
    n_pairs = counted(n_systems * (n_systems - 1) // 2, "pair")
    luck = "test-set luck only"
    if ranking.is_both:
        luck = "training luck only" if ranking.unit == "run" else "test-set and training luck"
    text = f"All {n_pairs} tested for {luck} ({ranking.procedure}; {ranking.correction}, {level(ranking.level)})."
    if ranking.was_fixed:
        text += f" {NOT_FIXED}"
    return text


def ranges_sentence(ranking: Ranking) -> str:
    """Return what rank ranges are for statisticians."""
    return f"Rank ranges are simultaneous {level(1 - ranking.level)} intervals (Mogstad et al., 2024)."
