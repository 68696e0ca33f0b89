"""Tests of significance: all procedures side by side, all pairs of systems, families of comparisons, what p is.

What a p-value is and is not, where one looks for it (Sokolov 2015; the questions that MultEval's users asked).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from mteval.analysis.comparison import Case, Outcome, Question
from mteval.analysis.corrections import CORRECTIONS
from mteval.analysis.pairs import groups
from mteval.analysis.significance import superiority
from mteval.answers.section import Cell, Column, Note, Row, Section, Table, headed, noted, notes_by, p_column, said
from mteval.base.words import counted
from mteval.metrics.base import MetricSpec
from mteval.stats import PROCEDURES
from mteval.stats.multiplicity import experiment_wise_error
from mteval.stats.procedures.registry import procedures_in
from mteval.values.notation import DASH, Notation, as_typed, level, p_value, percent
from mteval.values.run_words import RunWord
from mteval.values.settings import Settings

if TYPE_CHECKING:
    import plotly.graph_objects as go

UNIT_NAMES: Mapping[str, str] = {
    "segment": "sentences",
    "document": "documents",
    "output": "outputs",
    "run": "runs",
}
NOT_FIXED = (
    "The baseline was declared as fixed, which holds for verdicts alone: among all pairs its own training luck counts"
    " as that of any other system."
)
_SIMULTANEOUS = ("low_simultaneous", "high_simultaneous")
DIFFERENCE = headed("difference", "difference", "difference")
INTERVAL = headed("interval", "interval", "interval", fields=("low", "high"))
_SMALLEST_LEVEL = 0.001  # of those that the matrix of all pairs has colours for
_HELD_TOGETHER = "One of a family of intervals that hold together; how is said below."


def name_of(row: Mapping[Any, Any], runs: RunWord) -> str:
    """What the procedure of a row is called."""
    return procedures_in(runs)[row["procedure"]].name


def unit_of(row: Mapping[Any, Any], runs: RunWord) -> str:
    """What the procedure of a row takes as one unit."""
    return runs.nouns if row["unit"] == "run" else UNIT_NAMES[row["unit"]]


def remarks(frame: pd.DataFrame, runs: RunWord) -> tuple[Note, ...]:
    """The notes of the procedures, each once with the procedures that make it."""
    return notes_by([(name_of(row, runs), row["note"]) for row in frame.to_dict("records")])


def procedures_section(
    frame: pd.DataFrame, spec: MetricSpec, about: str, runs: RunWord, fixed: Collection[tuple[str, str]] = ()
) -> Section:
    """Every procedure on one pair of systems by one metric.

    Parameters
    ----------
    frame
        Rows of ``family_frame``.
    about
        The systems and the side, in words.
    fixed
        Procedure and unit of those that give the verdict, which are marked.
    """
    lucks = {"test-set": "test set", "runs": runs.nouns, "both": "both"}

    def procedure(row: Row) -> Cell:
        is_fixed = (row["procedure"], row["unit"]) in fixed
        spec = procedures_in(runs)[row["procedure"]]
        return Cell(spec.name + (" ◆" if is_fixed else ""), is_fixed, help=spec.summary)

    columns = (
        headed("procedure", "procedure", "word", write=procedure),
        Column(
            "luck", "Luck", help=f"With what: the choice of the test set, the {runs.nouns}, or both together.",
            write=lambda row: lucks[PROCEDURES[row["procedure"]].luck], is_wide=True,
        ),
        headed("unit", "unit", "word", write=partial(unit_of, runs=runs)),
        DIFFERENCE,
        INTERVAL,
        p_column("p_value", help="p-value before any correction."),
        p_column("p_adjusted", is_adjusted=True, help="For the family named below.", short="adjusted p"),
        headed("simultaneous", "simultaneous interval", "interval", help=_HELD_TOGETHER, fields=_SIMULTANEOUS),
        headed(
            "n_resamples", "resamples", "count",
            write=lambda row: f"{row['n_resamples']:,}" if row["n_resamples"] else DASH,
        ),
    )  # fmt: skip
    mark = Note("◆ gives an answer above, fixed in the settings.", is_wide=True)
    notes = (*remarks(frame, runs), *([mark] if fixed else []))
    table = Table(columns, frame, f"{spec.name}: {about}", notation=spec.notation)
    return Section("procedures", "", table=table, notes=notes)


def family_section(
    frame: pd.DataFrame, n_systems: int, n_metrics: int, correction: str, confidence: float, *more: str
) -> Section:
    """What p-values are adjusted for, how intervals hold together, and what would happen without a correction."""
    systems, metrics = counted(n_systems, "system"), counted(n_metrics, "metric")
    n = n_systems * n_metrics
    family = f"Family: {systems} compared with the baseline by {metrics}, {counted(n, 'comparison')}."
    texts = (
        f"{family} {_by(correction)}",
        simultaneous_sentence(frame, confidence),
        experiment_wise_sentence(1 - confidence, n),
    )
    return Section("family", "", notes=noted(*texts, *more))


def _by(correction: str) -> str:
    return "P-values are not adjusted." if correction == "none" else f"Adjusted p by {CORRECTIONS[correction]}."


def simultaneous_sentence(frame: pd.DataFrame, confidence: float) -> str:
    """How the simultaneous intervals of a frame of comparisons were made; empty where there is none."""
    names = [name for name in dict.fromkeys(frame["simultaneous"]) if name]
    if not names:
        return ""
    return (
        f"Simultaneous {level(confidence)} intervals hold together for the family, by {' or '.join(names)}; one leaves"
        " out zero where p adjusted by the same is at most the level."
    )


def experiment_wise_sentence(alpha: float, n_comparisons: int) -> str:
    """What would happen at the level ``alpha`` without a correction (Riezler and Maxwell 2005, section 4.4)."""
    if n_comparisons < 2:
        return (
            f"One comparison at {level(alpha)}: a false claim in {level(alpha)} of experiments without a true"
            " difference."
        )
    return (
        f"Without a correction, {counted(n_comparisons, 'independent comparison')} at {level(alpha)} would bring at"
        f" least one false claim in {percent(experiment_wise_error(alpha, n_comparisons), 0)} of experiments without"
        f" any true difference: 1 − (1 − {as_typed(round(alpha, 8), 2)})^{n_comparisons}."
    )


def simultaneous_section(frame: pd.DataFrame, notation: Notation, confidence: float) -> Section:
    """The verdicts' differences with intervals that hold together for all systems."""
    columns = (
        Column("system", "System"),
        DIFFERENCE,
        Column("simultaneous", "Simultaneous interval", "interval", fields=_SIMULTANEOUS),
        p_column("p_simultaneous", is_adjusted=True),
    )
    return Section(
        "simultaneous", "Intervals that hold together", table=Table(columns, frame, notation=notation),
        notes=noted(simultaneous_sentence(frame, confidence)), is_detail=True,
    )  # fmt: skip


def superiority_section(case: Case, settings: Settings, spec: MetricSpec) -> Section:
    """How likely a run of the system beats one of the baseline here; empty where single runs cannot say."""
    share, confidence = superiority(case, settings.confidence), level(settings.confidence)
    text = settings.runs.filled(
        "By {metric}, {a_run} of {system} is {word} than {a_run} of {baseline} with probability {share} ({level}"
        " interval {low} to {high}), on this test set.",
        metric=spec.name, system=case.system, baseline=case.baseline, word=spec.notation.comparatives[0],
        share=percent(share.value, 0), level=confidence, low=percent(share.low, 0), high=percent(share.high, 0),
    )  # fmt: skip
    return Section("superiority", "", said(text if share.low == share.low else ""))


def distributions_section(tests: Sequence[Outcome], spec: MetricSpec, runs: RunWord) -> Section:
    """The distributions that procedures judge by; empty where none has any."""
    rows = [_distribution(test, tests, runs) for test in tests]
    drawn = [row for row in rows if row["null"] is not None or row["draws"] is not None or row["standard_error"] > 0]
    if not drawn:
        return Section("nulls", "")

    from mteval.figures.significance import null_distributions  # here, since the command line draws nothing

    text = (
        "Each row is a distribution of the difference. Blue: what chance would bring if there were none; the share at"
        " least as far out as the orange mark is p. Green: the paired bootstrap makes no such distribution; its"
        " replicates lie around the observed difference, and the share beyond zero counts."
    )
    figure = partial(null_distributions, pd.DataFrame(drawn), spec.name, spec.notation)
    return Section("nulls", "What each procedure judges by", figure=figure, legend=text)


def _distribution(test: Outcome, tests: Sequence[Outcome], runs: RunWord) -> dict[str, Any]:
    """A row of the figure; units stand in its name where the same procedure is there with documents as well."""
    question, result = test.case.question, test.result
    n_same = sum(other.case.question.procedure == question.procedure for other in tests)
    return {
        "name": procedures_in(runs)[question.procedure].name + (f", {UNIT_NAMES[question.unit]}" if n_same > 1 else ""),
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
    """All pairs of systems by one procedure, as a matrix and a table.

    Parameters
    ----------
    pairs
        From ``all_pairs``, the best system first.
    """
    systems = [*dict.fromkeys([*pairs["better"], *pairs["worse"]])]
    is_one_sided, is_answered = bool((pairs["alternative"] != "two-sided").any()), bool(pairs["p_value"].notna().any())
    alpha = 1 - settings.confidence
    together = groups(pairs, systems, alpha) if is_answered else ()
    texts = [
        *(
            f"{'not told apart' if group[1:] else 'told apart from all others'}: {', '.join(group)}"
            for group in together
        ),
        *dict.fromkeys(pairs["note"]),
        pairs_family_sentence(len(systems), is_one_sided, correction),
        NOT_FIXED if settings.design == "fixed" and question.spec.luck == "both" else "",
    ]
    caveat = f"That systems cannot be told apart at the {level(alpha)} level does not say that they are equal."
    wide = (
        caveat if any(len(group) > 1 for group in together) else "",
        _resolution(len(pairs) * (2 if is_one_sided else 1), question, settings, correction),
    )
    columns = (
        headed("better", "system", "word"),
        headed("worse", "against", "word"),
        headed("improvement", "improvement", "difference"),
        p_column("p_value"),
        p_column("p_adjusted", is_adjusted=True, short="adjusted p"),
    )
    side = "one-sided: is the first better than the second?" if is_one_sided else "two-sided"
    asked = {"procedure": question.procedure, "unit": question.unit}
    by = f"{name_of(asked, settings.runs)}, {unit_of(asked, settings.runs)}"
    caption = f"{spec.name}: all pairs by {by}, {side}"
    lower_half = " The lower half is empty, since a system that scores worse cannot be shown better."
    return Section(
        "pairs",
        "",
        table=Table(columns, pairs, caption, is_folded=True, notation=spec.notation),
        figure=partial(_matrix, pairs, systems, spec.notation) if is_answered else None,
        legend=f"Systems from best to worst.{lower_half if is_one_sided else ''}",
        notes=(*noted(*texts), *(Note(text, is_wide=True) for text in wide if text)),
    )


def _matrix(pairs: pd.DataFrame, systems: Sequence[str], notation: Notation) -> go.Figure:
    from mteval.figures.significance import pair_matrix  # here, since the command line draws nothing

    return pair_matrix(pairs, systems, notation)


def pairs_family_sentence(n_systems: int, is_one_sided: bool, correction: str) -> str:
    """Which of all pairs p-values are adjusted for."""
    n_pairs = n_systems * (n_systems - 1) // 2
    family = f"Family: {'all ' if n_pairs > 1 else ''}{counted(n_pairs, 'pair')} of {counted(n_systems, 'system')}"
    if is_one_sided:
        family += f" in both directions, {counted(2 * n_pairs, 'comparison')}"
    return f"{family}. {_by(correction)}"


def _resolution(n_family: int, question: Question, settings: Settings, correction: str) -> str:
    """That the resamples, as many as the family takes, cannot reach the smallest level of the matrix; else empty."""
    n_shuffles = settings.for_family(n_family).n_shuffles
    smallest = n_family / (n_shuffles + 1)
    if not question.spec.is_resampled or correction not in ("holm", "bonferroni") or smallest <= _SMALLEST_LEVEL:
        return ""
    return (
        f"With {counted(n_shuffles, 'resample')} no adjusted p of this family can be below"
        f" {p_value(min(1.0, smallest))}; the settings in the sidebar have more."
    )


def fixed_sentence(rows: pd.DataFrame, settings: Settings) -> str:
    """Which procedures give the verdicts, chosen in the settings; empty where nothing was compared."""
    parts = [
        f"{name_of(row, settings.runs)} ({unit_of(row, settings.runs)}"
        + (f", {row['n_resamples']:,} {PROCEDURES[row['procedure']].resamples})" if row["n_resamples"] else ")")
        for row in rows.drop_duplicates("procedure").to_dict("records")
    ]
    if not parts:
        return ""
    return (
        f"Fixed in the settings: {'; '.join(parts)}. Level {level(1 - settings.confidence)} after Holm's correction."
        " The procedures below are for reading, not for choosing the best p."
    )


def p_section(runs: RunWord) -> Section:
    """What p is, what it is not, and what is asked about it."""
    asked = ((question, runs.filled(answer)) for question, answer in QUESTIONS)
    return Section("p", "", terms=(("p is", P_IS), ("p is not", f"{'; '.join(P_IS_NOT)}."), *asked))


P_IS = (
    "If there were no difference but luck, how often would a difference at least as large as the observed one come out?"
    " That share is p."
)
P_IS_NOT = (
    "the probability that the systems are equal",
    "the probability that the result is due to chance",
    "the size of the improvement, or whether a reader would notice it",
    "a sign that the experiment is reliable: a test knows only the luck that it measures",
)
QUESTIONS = (
    (
        "Why is p = 1 for two identical outputs?",
        "Every difference is at least as large as none, so such a difference is no surprise at all. MultEval prints"
        " 0.0001 there, because it counts only differences that are strictly larger.",
    ),
    (
        "Why is p tiny though the difference is small?",
        "p measures how surely there is a difference, not how large it is. With many sentences a difference that nobody"
        " would notice is found surely. Read the difference and its interval first.",
    ),
    (
        "What if p is above the level?",
        "Then luck cannot be ruled out as the explanation. That is no evidence that the systems are equal: the tab on"
        " equivalence asks that, against a margin that you choose.",
    ),
    (
        "Do more shuffles make p smaller?",
        "No: they estimate the same number more exactly. p cannot be smaller than one over the number of shuffles plus"
        " one, which is why more of them can look like more significance.",
    ),
    (
        "Why do two procedures disagree?",
        "They measure different luck. A test on sentences takes the {runs} at hand as given; with few {runs} that says"
        " little of another training. Fix the procedure before you see the numbers, and report that one.",
    ),
    (
        "Is a paper with p < 0.001 right?",
        "Ask for the number of {runs}, the spread between them, the number of comparisons made, and the size of the"
        " difference. No p-value makes up for a metric that does not measure quality.",
    ),
)
