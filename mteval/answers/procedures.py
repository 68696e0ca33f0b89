"""Significance tests: all procedures side by side, all pairs of systems, families of comparisons, what p means."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

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

NOT_FIXED = "The baseline is fixed for verdicts only; among all pairs its training luck counts."
DIFFERENCE = headed("difference", "difference", "difference")
INTERVAL = Column("interval", "CI", "interval", "Confidence interval of the difference.", ("low", "high"))
ADJUSTED_P = p_column("p_adjusted", is_adjusted=True)
_SIMULTANEOUS = ("low_simultaneous", "high_simultaneous")
_SMALLEST_LEVEL = 0.001  # of those that the matrix of all pairs has colours for
_SIMULTANEOUS_HELP = "An interval excludes zero exactly when its adjusted p is at or below the level."


def name_of(row: Mapping[Any, Any], runs: RunWord) -> str:
    """Return the name of a row's procedure, with what it resamples if the name does not say so."""
    name, unit = procedures_in(runs, row["unit"])[row["procedure"]].name, plural(row["unit"])
    return name if row["unit"] in ("output", "run") or unit in name else f"{name} on {unit}"


def row_notes(frame: pd.DataFrame, runs: RunWord) -> tuple[Note, ...]:
    """Return the notes of the procedures, each once with the procedures it is about."""
    return notes_by([(name_of(row, runs), row["note"]) for row in frame.to_dict("records")])


def procedures_section(
    frame: pd.DataFrame, spec: MetricSpec, about: str, runs: RunWord, fixed: Collection[tuple[str, str]] = ()
) -> Section:
    """Return every procedure on one pair of systems by one metric.

    Parameters
    ----------
    frame
        Rows of ``family_frame``.
    about
        The systems and the side, in words.
    fixed
        Procedure and unit of those that decide the verdict; they are marked.
    """
    lucks = {"test-set": "test set", "runs": runs.nouns, "both": "both"}

    def procedure(row: Row) -> Cell:
        is_fixed = (row["procedure"], row["unit"]) in fixed
        summary = procedures_in(runs, row["unit"])[row["procedure"]].summary
        return Cell(name_of(row, runs) + (" ◆" if is_fixed else ""), is_fixed, help=summary)

    columns = (
        headed("procedure", "procedure", "word", write=procedure),
        Column("luck", "Luck", help=f"Whether it covers luck with the test set, the {runs.nouns}, or both.",
               write=lambda row: lucks[PROCEDURES[row["procedure"]].luck], is_wide=True),
        replace(DIFFERENCE, write=partial(_effect, spec.notation)), INTERVAL,
        p_column("p_value", help="p-value before any correction."),
        p_column("p_adjusted", is_adjusted=True, help="Adjusted for the family named below."),
        headed("simultaneous", "simultaneous CI", "interval", help=_SIMULTANEOUS_HELP, fields=_SIMULTANEOUS),
        headed("n_resamples", "resamples", "count",
               write=lambda row: f"{row['n_resamples']:,}" if row["n_resamples"] else DASH),
    )  # fmt: skip
    mark = noted("◆ decides the verdict (chosen in the settings)." if fixed else "", is_wide=True)
    table = Table(columns, frame, f"{spec.name}: {about}", notation=spec.notation)
    return Section("procedures", "", table=table, notes=(*row_notes(frame, runs), *mark))


def _effect(notation: Notation, row: Row) -> str:
    """Return what a procedure tests: the difference, or the units on which the system is better and worse."""
    if pd.isna(row["n_higher"]):
        return notation.difference(row["difference"])
    counts, words = (row["n_higher"], row["n_lower"]), notation.comparatives
    n_better, n_worse = counts[::-1] if notation.direction == "↓" else counts
    return f"{n_better:,} {words[0]}, {n_worse:,} {words[1]}"


def family_section(
    frame: pd.DataFrame, n_systems: int, n_metrics: int, correction: str, confidence: float, *more: str
) -> Section:
    """Return the family that p-values are adjusted for, and the error rate without a correction."""
    systems, metrics, n = counted(n_systems, "system"), counted(n_metrics, "metric"), n_systems * n_metrics
    family = f"Family: {systems} compared with the baseline by {metrics}, {counted(n, 'comparison')}. {_by(correction)}"
    family = "One comparison: nothing to adjust p for." if n == 1 else family
    texts = (family, simultaneous_sentence(frame, confidence), experiment_wise_sentence(1 - confidence, n))
    return Section("family", "", notes=noted(*texts, *more))


def _by(correction: str) -> str:
    return "p-values are not adjusted." if correction == "none" else f"p adjusted by {CORRECTIONS[correction]}."


def simultaneous_sentence(frame: pd.DataFrame, confidence: float) -> str:
    """Return how the simultaneous intervals of a frame of comparisons were made; empty if there are none."""
    names = [name for name in dict.fromkeys(frame["simultaneous"]) if name]
    return f"Simultaneous {level(confidence)} CI: {' or '.join(names)}." if names else ""


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
        Column("system", "System"), DIFFERENCE,
        Column("simultaneous", "Simultaneous CI", "interval", _SIMULTANEOUS_HELP, _SIMULTANEOUS),
        p_column("p_simultaneous", is_adjusted=True),
    )  # fmt: skip
    table, notes = Table(columns, frame, notation=notation), noted(simultaneous_sentence(frame, confidence))
    return Section("simultaneous", "Simultaneous intervals", table=table, notes=notes, is_detail=True)


def superiority_section(case: Case, settings: Settings, spec: MetricSpec) -> Section:
    """Return how likely a run of the system beats one of the baseline; empty if single runs cannot tell."""
    share, confidence = superiority(case, settings.confidence), level(settings.confidence)
    text = settings.runs.filled(
        "{A_run} of {system} is {word} than {a_run} of {baseline} by {metric} with probability {share} ({level} CI"
        " {low} to {high}).",
        metric=spec.name, system=case.system, baseline=case.baseline, word=spec.notation.comparatives[0],
        share=percent(share.value, 0), level=confidence, low=percent(share.low, 0), high=percent(share.high, 0),
    )  # fmt: skip
    return Section("superiority", "", (text if share.low == share.low else "",))


def distributions_section(tests: Sequence[Outcome], spec: MetricSpec, runs: RunWord) -> Section:
    """Return the null distributions of the procedures; empty if none has any."""
    rows = [_distribution(test, runs) for test in tests]
    drawn = [row for row in rows if row["null"] is not None or row["draws"] is not None or row["standard_error"] > 0]
    if not drawn:
        return Section("nulls", "")
    text = (
        "Blue: differences under the null hypothesis; p is the share at least as extreme as the orange mark. Green:"
        " bootstrap replicates around the observed difference; the share beyond zero counts."
    )
    return Section(
        "nulls", "Null distributions", legend=text,
        figure=lambda: figures.significance.null_distributions(pd.DataFrame(drawn), spec.name, spec.notation),
    )  # fmt: skip


def _distribution(test: Outcome, runs: RunWord) -> dict[str, Any]:
    """Return a row of the figure."""
    question, result = test.case.question, test.result
    return {
        "name": name_of({"procedure": question.procedure, "unit": question.unit}, runs),
        **{key: getattr(result, key) for key in ("statistic", "null", "draws", "standard_error", "df")},
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
    systems = [*dict.fromkeys([*pairs["better"], *pairs["worse"]])]
    is_one_sided, is_answered = bool((pairs["alternative"] != "two-sided").any()), bool(pairs["p_value"].notna().any())
    together = groups(pairs, systems, settings.level) if is_answered else ()
    apart = {True: "No clear difference within", False: "Different from all others"}
    texts = [
        *(f"{apart[len(group) > 1]}: {', '.join(group)}." for group in together),
        *dict.fromkeys(pairs["note"]),
        pairs_family_sentence(len(systems), is_one_sided, correction),
        NOT_FIXED if settings.design == "fixed" and question.spec.luck == "both" else "",
    ]
    wide = (
        "No clear difference does not mean equal." if any(len(group) > 1 for group in together) else "",
        _resolution(len(pairs) * (2 if is_one_sided else 1), question, settings, correction),
    )
    columns = (
        headed("better", "system", "word"), headed("worse", "against", "word"),
        headed("improvement", "improvement", "difference"), p_column("p_value"), ADJUSTED_P,
    )  # fmt: skip
    name = name_of({"procedure": question.procedure, "unit": question.unit}, settings.runs)
    caption = f"{spec.name}, all pairs: {name} ({'one' if is_one_sided else 'two'}-sided)"
    lower_half = " The lower half is empty: a system with the worse score cannot be better."
    return Section(
        "pairs", "", table=Table(columns, pairs, caption, is_folded=True, notation=spec.notation),
        figure=(lambda: figures.significance.pair_matrix(pairs, systems, spec.notation)) if is_answered else None,
        legend=f"Systems from best to worst.{lower_half if is_one_sided else ''}",
        notes=(*noted(*texts), *noted(*wide, is_wide=True)),
    )  # fmt: skip


def pairs_family_sentence(n_systems: int, is_one_sided: bool, correction: str) -> str:
    """Return the family of pairs that p-values are adjusted for."""
    n_pairs = n_systems * (n_systems - 1) // 2
    family = f"Family: {'all ' if n_pairs > 1 else ''}{counted(n_pairs, 'pair')} of {counted(n_systems, 'system')}"
    if correction == ALL_PAIRS:
        return f"{family}. {_by(correction).removesuffix('.')}, two-sided."
    if is_one_sided:
        family += f" in both directions, {counted(2 * n_pairs, 'comparison')}"
    return f"{family}. {_by(correction)}"


def _resolution(n_family: int, question: Question, settings: Settings, correction: str) -> str:
    """Return a warning if resamples are too few for the smallest level of the matrix; else empty."""
    n_shuffles = settings.for_family(n_family).n_shuffles
    smallest = n_family / (n_shuffles + 1)
    if not question.spec.is_resampled or correction not in ("holm", "bonferroni") or smallest <= _SMALLEST_LEVEL:
        return ""
    resamples, bound = counted(n_shuffles, "resample"), p_value(min(1.0, smallest))
    return f"With {resamples} no adjusted p can be below {bound}. Use more resamples."


def tests_section(results: Results) -> Section:
    """Return the tests behind the verdicts: what each asks, how, and with how many resamples."""
    rows, settings = results.rows(results.evaluation.comparisons), results.settings
    runs, by = settings.runs, adjusted_by(bool(settings.looks), rows["system"].nunique(), settings.decision)
    asks = {"test-set": "Could another test set explain the difference?"}
    terms = []
    for row in rows.drop_duplicates(["procedure", "unit"]).to_dict("records"):
        spec, drawn = procedures_in(runs, row["unit"])[row["procedure"]], row["n_resamples"]
        resamples = f" ({drawn:,} {spec.resamples})" if drawn and spec.resamples else ""
        asks_it = asks.get(spec.luck, runs.filled("Could another test set and new {runs} explain it?"))
        terms.append((f"{name_of(row, runs)}{resamples}", f"{asks_it} {spec.summary}"))
    lead = f"Verdicts at {level(settings.level)}{by and f' ({by})'}. Don't pick the test with the smallest p."
    return Section("tests", "", (lead,), terms=tuple(terms), parts=(p_section(),))


def p_section() -> Section:
    """Return the meaning of p."""
    terms = (("p is", P_IS), ("p is not", f"{'; '.join(P_IS_NOT)}."))
    return Section("p", "About p-values", terms=terms, is_detail=True)


P_IS = "The probability of a difference at least as large as the observed one, if only luck were at work."
P_IS_NOT = (
    "the probability that the systems are equal",
    "the probability that the result is due to chance",
    "the size of the improvement, or whether a reader would notice it",
    "a sign that the experiment is reliable: a test covers only the luck it measures",
)
