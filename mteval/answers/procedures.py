"""Significance tests: all procedures side by side, all pairs of systems, families of comparisons, what p means."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isnan
from typing import TYPE_CHECKING, Any

import pandas as pd

from mteval import figures
from mteval.analysis.comparison import Case, Outcome, Question
from mteval.analysis.corrections import ALL_PAIRS, CORRECTIONS
from mteval.analysis.pairs import groups
from mteval.analysis.results import Results
from mteval.analysis.significance import superiority
from mteval.answers.scores import adjusted_by
from mteval.answers.section import Cell, Column, Note, Row, Section, Table, headed, noted, notes_by, p_column
from mteval.base.words import counted, plural
from mteval.metrics.base import MetricSpec
from mteval.stats import PROCEDURES
from mteval.stats.procedures.registry import procedures_in
from mteval.values.notation import DASH, Notation, level, p_value, percent
from mteval.values.run_words import RunWord
from mteval.values.settings import Settings

if TYPE_CHECKING:
    import plotly.graph_objects as go

NOT_FIXED = "The baseline is fixed for verdicts only; among all pairs its training luck counts."
DIFFERENCE = headed("difference", "difference", "difference")
INTERVAL = Column("interval", "CI", "interval", "Confidence interval of the difference.", ("low", "high"))
ADJUSTED_P = p_column("p_adjusted", is_adjusted=True)
P_IS = "The probability of a difference at least as large as the observed one, if only luck were at work."
P_IS_NOT = (
    "the probability that the systems are equal",
    "the probability that the result is due to chance",
    "the size of the improvement, or whether a reader would notice it",
    "a sign that the experiment is reliable: a test covers only the luck it measures",
)
MARK_OF_VERDICT = "◆"  # beside the procedures that decide the verdict
_SIMULTANEOUS = ("low_simultaneous", "high_simultaneous")
_SIMULTANEOUS_HELP = (
    "An interval excludes zero exactly when the p of its own correction is at or below the level. Holm's p can be"
    " smaller."
)
_SMALLEST_LEVEL = 0.001  # the smallest level with a colour of its own in the matrix of all pairs


def name_of(row: Mapping[Any, Any], runs: RunWord) -> str:
    """Return the name of a row's procedure, with what it resamples if the name does not say so."""
    name = procedures_in(runs, row["unit"])[row["procedure"]].name
    units = plural(row["unit"])
    if row["unit"] in ("output", "run") or units in name:
        return name
    return f"{name} on {units}"


def row_notes(frame: pd.DataFrame, runs: RunWord) -> tuple[Note, ...]:
    """Return the notes of the procedures, each once with the procedures it is about."""
    return notes_by([(name_of(row, runs), row["note"]) for row in frame.to_dict("records")])


def procedures_section(
    frame: pd.DataFrame, spec: MetricSpec, compared: str, runs: RunWord, fixed: Collection[tuple[str, str]] = ()
) -> Section:
    """Return every procedure on one pair of systems by one metric.

    Parameters
    ----------
    frame
        Rows of ``family_frame``.
    compared
        The systems, and whether the tests are one-sided, in words.
    fixed
        Procedure and unit of those that decide the verdict; they are marked.
    """
    luck_names = {"test-set": "test set", "runs": runs.nouns, "both": "both"}

    def named_procedure(row: Row) -> Cell:
        name = name_of(row, runs)
        summary = procedures_in(runs, row["unit"])[row["procedure"]].summary
        is_fixed = (row["procedure"], row["unit"]) in fixed
        if is_fixed:
            name += f" {MARK_OF_VERDICT}"
        return Cell(name, is_fixed, help=summary)

    def luck(row: Row) -> str:
        return luck_names[PROCEDURES[row["procedure"]].luck]

    luck_help = f"Whether it covers luck with the test set, the {runs.nouns}, or both."
    columns = (
        headed("procedure", "procedure", "word", write=named_procedure),
        Column("luck", "Luck", help=luck_help, write=luck, is_wide=True),
        replace(DIFFERENCE, write=partial(_effect, spec.notation)),
        INTERVAL,
        p_column("p_value", help="p-value before any correction."),
        p_column("p_adjusted", is_adjusted=True, help="Adjusted for the family named below."),
        headed("simultaneous", "simultaneous CI", "interval", help=_SIMULTANEOUS_HELP, fields=_SIMULTANEOUS),
        headed("n_resamples", "resamples", "count", write=_n_resamples),
    )
    table = Table(columns, frame, f"{spec.name}: {compared}", notation=spec.notation)
    notes = list(row_notes(frame, runs))
    if fixed:
        notes += noted(f"{MARK_OF_VERDICT} decides the verdict (chosen in the settings).", is_wide=True)
    return Section("procedures", "", table=table, notes=tuple(notes))


def _effect(notation: Notation, row: Row) -> str:
    """Return what a procedure tests: the difference, or the units on which the system is better and worse."""
    if pd.isna(row["n_higher"]):
        return notation.difference(row["difference"])
    if notation.direction == "↓":
        n_better = row["n_lower"]
        n_worse = row["n_higher"]
    else:
        n_better = row["n_higher"]
        n_worse = row["n_lower"]
    better, worse = notation.comparatives
    return f"{n_better:,} {better}, {n_worse:,} {worse}"


def _n_resamples(row: Row) -> str:
    if not row["n_resamples"]:
        return DASH
    return f"{row['n_resamples']:,}"


def family_section(
    frame: pd.DataFrame, n_systems: int, n_metrics: int, correction: str, confidence: float, *further_notes: str
) -> Section:
    """Return the family that p-values are adjusted for, and the error rate without a correction.

    Parameters
    ----------
    further_notes
        Shown after these.
    """
    n_comparisons = n_systems * n_metrics
    family = "One comparison: nothing to adjust p for."
    if n_comparisons != 1:
        systems = counted(n_systems, "system")
        metrics = counted(n_metrics, "metric")
        comparisons = counted(n_comparisons, "comparison")
        family = f"Family: {systems} compared with the baseline by {metrics}, {comparisons}."
        family += f" {_correction_sentence(correction)}"
    texts = (
        family,
        simultaneous_sentence(frame, confidence),
        experiment_wise_sentence(1 - confidence, n_comparisons),
        *further_notes,
    )
    return Section("family", "", notes=noted(*texts))


def _correction_sentence(correction: str) -> str:
    if correction == "none":
        return "p-values are not adjusted."
    return f"p adjusted by {CORRECTIONS[correction]}."


def simultaneous_sentence(frame: pd.DataFrame, confidence: float) -> str:
    """Return how the simultaneous intervals of a frame of comparisons were made; empty if there are none."""
    names = [name for name in dict.fromkeys(frame["simultaneous"]) if name]
    if not names:
        return ""
    return f"Simultaneous {level(confidence)} CI: {' or '.join(names)}."


def experiment_wise_sentence(alpha: float, n_comparisons: int) -> str:
    """Return the error rate without a correction (Riezler and Maxwell 2005, section 4.4); empty for one comparison."""
    if n_comparisons < 2:
        return ""
    return (
        f"Without a correction, {counted(n_comparisons, 'independent test')} at {level(alpha)} give at least one false"
        f" positive in {percent(1 - (1 - alpha) ** n_comparisons, 0)} of experiments."
    )


def simultaneous_section(frame: pd.DataFrame, notation: Notation, confidence: float) -> Section:
    """Return the verdicts' differences with simultaneous intervals."""
    columns = (
        Column("system", "System"),
        DIFFERENCE,
        Column("simultaneous", "Simultaneous CI", "interval", _SIMULTANEOUS_HELP, _SIMULTANEOUS),
        p_column("p_simultaneous", is_adjusted=True),
    )
    table = Table(columns, frame, notation=notation)
    notes = noted(simultaneous_sentence(frame, confidence))
    return Section("simultaneous", "Simultaneous intervals", table=table, notes=notes, is_detail=True)


def superiority_section(case: Case, settings: Settings, spec: MetricSpec) -> Section:
    """Return how likely a run of the system beats one of the baseline; empty if single runs cannot tell."""
    probability = superiority(case, settings.confidence)
    if isnan(probability.low):
        return Section("superiority", "")
    sentence = settings.runs.filled(
        "{A_run} of {system} is {better} than {a_run} of {baseline} by {metric} with probability {probability} ({level}"
        " CI {low} to {high}).",
        metric=spec.name,
        system=case.system,
        baseline=case.baseline,
        better=spec.notation.comparatives[0],
        probability=percent(probability.value, 0),
        level=level(settings.confidence),
        low=percent(probability.low, 0),
        high=percent(probability.high, 0),
    )
    return Section("superiority", "", (sentence,))


def distributions_section(tests: Sequence[Outcome], spec: MetricSpec, runs: RunWord) -> Section:
    """Return the null distributions of the procedures; empty if none has any."""
    drawn = []
    for test in tests:
        row = _distribution(test, runs)
        # Draws under the null hypothesis, bootstrap replicates, or Student's t with a standard error
        if row["null"] is not None or row["draws"] is not None or row["standard_error"] > 0:
            drawn.append(row)
    if not drawn:
        return Section("nulls", "")

    legend = (
        "p is the share of the null distribution at least as extreme as the observed difference, or of replicates"
        " beyond zero."
    )

    def figure() -> go.Figure:
        return figures.significance.null_distributions(pd.DataFrame(drawn), spec.name, spec.notation)

    return Section("nulls", "Null distributions", legend=legend, figure=figure)


def _distribution(test: Outcome, runs: RunWord) -> dict[str, Any]:
    """Return a row of the figure."""
    question = test.case.question
    result = test.result
    return {
        "name": name_of({"procedure": question.procedure, "unit": question.unit}, runs),
        "statistic": result.statistic,
        "null": result.null,
        "draws": result.draws,
        "standard_error": result.standard_error,
        "df": result.df,
        "is_absolute": question.spec.null == "absolute",
    }


def pairs_section(
    pairs: pd.DataFrame, question: Question, spec: MetricSpec, settings: Settings, correction: str
) -> Section:
    """Return all pairs of systems by one procedure, as a matrix and a table.

    Parameters
    ----------
    pairs
        From ``all_pairs``, the best system first.
    """
    # From best to worst: each system but the worst is the better one of a pair
    systems = list(dict.fromkeys([*pairs["better"], *pairs["worse"]]))
    is_one_sided = bool((pairs["alternative"] != "two-sided").any())
    is_answered = bool(pairs["p_value"].notna().any())
    groups_of_systems = groups(pairs, systems, settings.level) if is_answered else ()

    texts = [_group_sentence(group) for group in groups_of_systems]
    texts += dict.fromkeys(pairs["note"])
    texts.append(pairs_family_sentence(len(systems), is_one_sided, correction))
    if settings.design == "fixed" and question.spec.luck == "both":
        texts.append(NOT_FIXED)

    wide_texts = []
    if any(len(group) > 1 for group in groups_of_systems):
        wide_texts.append("No clear difference does not mean equal.")
    n_comparisons = len(pairs)
    if is_one_sided:  # in both directions
        n_comparisons *= 2
    wide_texts.append(_resolution_warning(n_comparisons, question, settings, correction))

    columns = (
        headed("better", "system", "word"),
        headed("worse", "against", "word"),
        headed("improvement", "improvement", "difference"),
        p_column("p_value"),
        ADJUSTED_P,
    )
    name = name_of({"procedure": question.procedure, "unit": question.unit}, settings.runs)
    sides = "one" if is_one_sided else "two"
    caption = f"{spec.name}, all pairs: {name} ({sides}-sided)"
    legend = "Systems from best to worst."
    if is_one_sided:
        legend += " The lower half is empty: a system with the worse score cannot be better."
    return Section(
        "pairs",
        "",
        table=Table(columns, pairs, caption, is_folded=True, notation=spec.notation),
        figure=partial(figures.significance.pair_matrix, pairs, systems, spec.notation) if is_answered else None,
        legend=legend,
        notes=(*noted(*texts), *noted(*wide_texts, is_wide=True)),
    )


def _group_sentence(group: Sequence[str]) -> str:
    names = ", ".join(group)
    if len(group) > 1:
        return f"No clear difference within: {names}."
    return f"Different from all others: {names}."


def pairs_family_sentence(n_systems: int, is_one_sided: bool, correction: str) -> str:
    """Return the family of pairs that p-values are adjusted for."""
    n_pairs = n_systems * (n_systems - 1) // 2
    pairs = counted(n_pairs, "pair")
    if n_pairs > 1:
        pairs = f"all {pairs}"
    family = f"Family: {pairs} of {counted(n_systems, 'system')}"
    if correction in ALL_PAIRS:
        return f"{family}. {_correction_sentence(correction).removesuffix('.')}, two-sided."
    if is_one_sided:
        family += f" in both directions, {counted(2 * n_pairs, 'comparison')}"
    return f"{family}. {_correction_sentence(correction)}"


def _resolution_warning(n_comparisons: int, question: Question, settings: Settings, correction: str) -> str:
    """Return a warning if resamples are too few for the smallest level of the matrix; else empty."""
    n_shuffles = settings.for_family(n_comparisons).n_shuffles
    # With k shuffles no p is below 1 / (k + 1), which the correction multiplies by the size of the family.
    smallest = n_comparisons / (n_shuffles + 1)
    if not question.spec.is_resampled or correction not in ("holm", "bonferroni") or smallest <= _SMALLEST_LEVEL:
        return ""
    resamples = counted(n_shuffles, "resample")
    bound = p_value(min(1.0, smallest))
    return f"With {resamples} no adjusted p can be below {bound}. Use more resamples."


def tests_section(results: Results) -> Section:
    """Return the tests behind the verdicts: what each asks, how, and with how many resamples."""
    settings = results.settings
    rows = results.rows(results.evaluation.comparisons)
    corrections = adjusted_by(bool(settings.looks), rows["system"].nunique(), settings.decision)
    adjusted = ""
    if corrections:
        adjusted = f" ({corrections})"
    lead = f"Verdicts at {level(settings.level)}{adjusted}. Don't pick the test with the smallest p."
    terms = tuple(_terms_of_tests(rows, settings.runs))
    return Section("tests", "", (lead,), terms=terms, parts=(p_section(),))


def _terms_of_tests(comparisons: pd.DataFrame, runs: RunWord) -> Iterator[tuple[str, str]]:
    """Yield the name of each test with its resamples, and what it asks; without tests that have no answer."""
    is_answered = comparisons["p_value"].notna()
    if is_answered.any():
        comparisons = comparisons[is_answered]
    for row in comparisons.drop_duplicates(["procedure", "unit"]).to_dict("records"):
        spec = procedures_in(runs, row["unit"])[row["procedure"]]
        name = name_of(row, runs)
        if row["n_resamples"] and spec.resamples:
            name += f" ({row['n_resamples']:,} {spec.resamples})"
        if spec.luck == "test-set":
            question = "Could another test set explain the difference?"
        elif spec.luck == "runs":
            question = runs.filled("Could new {runs} explain the difference?")
        else:
            question = runs.filled("Could another test set and new {runs} explain it?")
        yield name, f"{question} {spec.summary}"


def p_section() -> Section:
    """Return the meaning of p."""
    terms = (("p is", P_IS), ("p is not", f"{'; '.join(P_IS_NOT)}."))
    return Section("p", "About p-values", terms=terms, is_detail=True)
