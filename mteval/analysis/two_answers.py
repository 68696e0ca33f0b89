"""Answer both questions about every system: test-set luck, and both kinds of luck.

Also the signature of each metric: the options that determine its numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from mteval._version import __version__
from mteval.analysis.comparison import Case, Comparison, Question, ask
from mteval.analysis.corrections import family_p_values
from mteval.analysis.scoring import Progress, Scored, Work
from mteval.base.errors import DataError
from mteval.stats.base import PairedResult
from mteval.stats.interval import difference_over_units
from mteval.stats.multiplicity import holm_with_laws, holm_within, max_t_step_down
from mteval.stats.procedures.randomization import too_few_units
from mteval.stats.procedures.registry import answering
from mteval.stats.procedures.two_way import PROVISIONAL
from mteval.values.model import REALIGNED, Experiment
from mteval.values.notation import Notation
from mteval.values.settings import Settings, looks_in_words
from mteval.values.verdict import Conclusion, Coverage, Verdict, answer_at, concluded


@dataclass(frozen=True)
class TwoAnswers:
    """Both answers about one system by one metric on one test set.

    Parameters
    ----------
    error_over_units
        Standard error of the raw difference over units of the test set, with the runs taken as given; NaN if
        unavailable.
    n_runs
        Of the system or the baseline, whichever has fewer; planned interim analyses refer to it.
    p_alone, p_family
        p for both kinds of luck without that for test-set luck (``Outcome.exchanged``), and by the law of the family
        (``corrections.family_laws``).
    smallest_p
        As in ``PairedResult``, of the test of test-set luck.
    """

    test_set_luck: Comparison
    both: Comparison
    error_over_units: float = float("nan")
    n_runs: int = 0
    p_alone: float = float("nan")
    p_family: float = float("nan")
    smallest_p: float = 0.0

    def __iter__(self) -> Iterator[Comparison]:
        yield self.test_set_luck
        yield self.both

    def p_looked(self, settings: Settings) -> float:
        """Return p for both kinds of luck, adjusted for planned interim analyses but not for other systems."""
        return self.beside(p_at_look(self.p_alone, self.n_runs, settings), self.test_set_luck.p_value)

    def beside(self, p_both: float, p_test_set: float) -> float:
        """Return p for both kinds of luck, not below that for test-set luck on the same units."""
        is_same = self.test_set_luck.unit == self.both.unit
        return float(np.maximum(p_both, p_test_set)) if is_same else p_both

    def too_few_units(self, level: float, n_tests: int) -> str:
        """Return a note if p for test-set luck cannot reach the level; empty if it can, or units of tests differ."""
        unit = self.test_set_luck.unit
        return too_few_units(self.smallest_p, unit, level, n_tests) if unit == self.both.unit else ""


def questions(scored: Scored, settings: Settings) -> tuple[Question, Question]:
    """Return the procedures behind the two answers: test-set luck, then both kinds.

    Raises
    ------
    DataError
        If documents should be permuted but there are no document IDs.
    """
    by_document = scored.test_set.documents is not None
    if settings.exchange_unit == "document" and not by_document:
        raise DataError(
            f"Test set '{scored.test_set.name}' has no document IDs. Add a file with one document ID per line, or"
            " use segments as the unit."
        )
    unit = "document" if by_document and settings.exchange_unit != "segment" else "segment"
    both = Question(answering("both", unit, settings.design, settings.strict).key, unit)
    if settings.design == "released":
        return both, both
    exchanged = "output" if settings.exchange_unit == "output" else unit
    return Question(answering("test-set", exchanged).key, exchanged), both


def two_answers(
    experiment: Experiment, scored_metrics: Sequence[Scored], settings: Settings, work: Work
) -> tuple[TwoAnswers, ...]:
    """Answer both questions for every test set, metric and system; p adjusted by Holm over the systems.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    """
    found: list[tuple[TwoAnswers, PairedResult]] = []
    for index, scored in enumerate(scored_metrics):
        task = f"Comparing by {scored.metric.name} on {scored.test_set.name}"
        work.report(Progress(task, index, len(scored_metrics)))
        found += _against(experiment.baseline, scored, settings, work)
    answers = [one for one, _ in found]
    adjusted = iter(_adjusted(found, settings))
    return tuple(
        replace(one, test_set_luck=first, both=second)
        for one, first, second in zip(answers, adjusted, adjusted, strict=True)
    )


def _against(
    baseline: str, scored: Scored, settings: Settings, work: Work
) -> Iterator[tuple[TwoAnswers, PairedResult]]:
    """Yield both answers for every other system and the result of the first; nothing without the baseline's output."""
    if baseline not in scored.statistics:
        return
    settings, asked = settings.for_family(family_size(scored, settings)), questions(scored, settings)
    outcomes = [
        [ask(Case(scored, baseline, system, question), settings, work) for question in asked]
        for system in scored.statistics
        if system != baseline
    ]
    by_family = family_p_values([both for _, both in outcomes], settings.confidence).tolist()
    for (first, second), p_family in zip(outcomes, by_family, strict=True):
        rows = first.comparison(settings), second.comparison(settings)
        if settings.design == "released":
            rows = rows[0], replace(rows[1], low=rows[0].low, high=rows[0].high)
        n_runs = second.case.question.spec.fewest_runs(*map(len, second.case.statistics))
        p_values = second.result.p_value, p_family, first.result.smallest_p
        answers = TwoAnswers(*rows, _error_over_units(second.case, settings), n_runs, *p_values)
        yield answers, first.result if settings.decision == "any" else replace(first.result, null=None)


def family_size(scored: Scored, settings: Settings) -> int:
    """Return the number of comparisons that p is adjusted for."""
    return (len(scored.statistics) - 1) * (len(settings.metrics) if settings.decision == "any" else 1)


def _error_over_units(case: Case, settings: Settings) -> float:
    """Return it for a pair; NaN for copies."""
    if not case.present.any():
        return float("nan")
    result = difference_over_units(*case.units, case.scored.scorer.score, settings.confidence, case.unit_sizes)
    return result.standard_error or float("nan")


def p_at_look(p_value: float, n_runs: int, settings: Settings) -> float:
    """Adjust a p-value for planned interim analyses; NaN if none is planned at this number of runs."""
    plan = settings.look_plan
    return p_value if plan is None else float(np.minimum(1.0, p_value * plan.factor(n_runs)))


def look_note(n_runs: int, settings: Settings) -> str:
    """Return why there is no answer at this number of runs; empty if there is one."""
    if not settings.looks or n_runs in settings.looks:
        return ""
    later = next((look for look in settings.looks if look > n_runs), None)
    waits = "None is left" if later is None else f"The answer waits for {later}"
    planned = looks_in_words(settings.looks, settings.runs.nouns)
    return f"Interim analyses were planned at {planned}, but there are {n_runs}. {waits}."


def _adjusted(found: Sequence[tuple[TwoAnswers, PairedResult]], settings: Settings) -> list[Comparison]:
    """Adjust p-values over the systems compared with the baseline, separately for each question.

    With planned interim analyses, p for both kinds of luck is adjusted for these first. If any metric decides, families
    include all metrics; p for test-set luck is then adjusted by the shuffles that they share.
    """
    compared, answers = [], [one for one, _ in found]
    for one in answers:
        note, both = look_note(one.n_runs, settings), one.both
        if note not in both.note:
            both = replace(both, note=" ".join(filter(None, (note, both.note))))
        compared += [one.test_set_luck, both]
    p, by_family = (
        [
            value
            for one in answers
            for value in (one.test_set_luck.p_value, p_at_look(getattr(one, name), one.n_runs, settings))
        ]
        for name in ("p_alone", "p_family")
    )
    is_joint = settings.decision == "any"
    families = [
        (row.test_set, place % 2) if is_joint else (row.test_set, row.metric, place % 2)
        for place, row in enumerate(compared)
    ]
    p_adjusted = holm_within(families, p, by_family)
    drawn: dict[str, dict[int, PairedResult]] = {}
    for place, (one, result) in enumerate(found):
        if result.null is not None:
            drawn.setdefault(one.both.test_set, {})[2 * place] = result
    for members in drawn.values():
        nulls = [result.null for result in members.values() if result.null is not None]
        statistics = [result.statistic for result in members.values()]
        p_adjusted[list(members)] = max_t_step_down(statistics, np.stack(nulls))
    sizes, rows = Counter(family for family, one in zip(families, p, strict=True) if one == one), list[Comparison]()
    for place, one in enumerate(answers):
        pair, n_tests = slice(2 * place, 2 * place + 2), 1 if is_joint else sizes[families[2 * place]]
        rows += _decided(one, compared[pair], p_adjusted[pair].tolist(), n_tests, settings)
    return rows


def _decided(
    answers: TwoAnswers, rows: Sequence[Comparison], p_adjusted: Sequence[float], n_tests: int, settings: Settings
) -> list[Comparison]:
    """Return both rows with adjusted p; without p and with the reason if test-set luck can never be ruled out."""
    (first, second), level = p_adjusted, settings.level
    if first > level and (why := answers.too_few_units(level, n_tests)):
        rest = rows[0].note.replace(answers.too_few_units(level, 1), "").strip()
        note, own = " ".join(filter(None, (why, rest))), rows[1].note  # the reason why runs show no training luck
        notes = note, own if np.isnan(answers.p_alone) else note
        nan = float("nan")
        return [replace(row, p_value=nan, p_adjusted=nan, note=one) for row, one in zip(rows, notes, strict=True)]
    return [row.decided(one, settings) for row, one in zip(rows, (first, answers.beside(second, first)), strict=True)]


@dataclass(frozen=True)
class JointVerdict:
    """Verdict on one system by all metrics with a better direction together, on one test set.

    Parameters
    ----------
    metrics
        Their keys.
    p_test_set, p_both
        The largest p over the metrics, adjusted by Holm over the systems; 1 if the metrics disagree about the better
        system, NaN if any metric has no answer.
    """

    test_set: str
    system: str
    metrics: tuple[str, ...]
    p_test_set: float
    p_both: float
    conclusion: Conclusion


def joint_verdicts(
    answers: Sequence[TwoAnswers], metrics: Sequence[str], test_set: str, settings: Settings
) -> list[JointVerdict]:
    """Return whether each system is better, or worse, by all metrics (intersection-union; Berger 1982).

    Parameters
    ----------
    metrics
        Keys of the metrics with a better direction. Without at least two of them, nothing is returned.
    """
    by_system: dict[str, list[TwoAnswers]] = {}
    for answer in answers:
        if answer.both.metric in metrics and answer.both.test_set == test_set:
            by_system.setdefault(answer.both.system, []).append(answer)
    groups = {system: group for system, group in by_system.items() if len(group) == len(metrics) > 1}
    p = np.array([
        [
            (one.test_set_luck.p_value, one.p_looked(settings), p_at_look(one.p_family, one.n_runs, settings))
            for one in group
        ]
        for group in groups.values()
    ]).reshape(len(groups), -1, 3).max(axis=1, initial=0.0)  # fmt: skip
    signs = [{np.sign(one.both.improvement) for one in group} for group in groups.values()]
    p[[len(found) > 1 for found in signs]] = 1.0
    p_test_set, p_both = holm_with_laws(p[:, 0], p[:, 0]), holm_with_laws(p[:, 1], p[:, 2])
    found = []
    adjusted = zip(groups.items(), p_test_set.tolist(), p_both.tolist(), signs, strict=True)
    for (system, group), one, both, sign in adjusted:
        is_single = both != both and all(row.n_runs < 2 for row in group)  # NaN: test-set luck decides
        both = float(np.max([row.beside(both, one) for row in group]))
        decided, direction = answer_at(one if is_single else both, settings.level), max(sign)
        conclusion = concluded(decided, direction, direction, Notation("↑"))
        found.append(JointVerdict(test_set, system, tuple(metrics), one, both, conclusion))
    return found


class Measured(Protocol):
    """What a verdict is about: a metric, or a measure of some words."""

    @property
    def name(self) -> str:
        """Display name."""

    @property
    def notation(self) -> Notation:
        """How values are written."""


def verdict_on(
    answers: TwoAnswers, n_runs: int, settings: Settings, spec: Measured, of_system: Coverage | None = None
) -> Verdict:
    """Return the verdict on one system.

    Parameters
    ----------
    n_runs
        Runs of the system that has fewer, if both were retrained.
    of_system
        The system's own coverage, for the size of the test set.
    """
    level = settings.level
    first, second = answers
    segments, documents = second.n_segments, second.n_documents
    return Verdict(
        test_set=first.test_set,
        metric=first.metric,
        metric_name=spec.name,
        baseline=first.baseline,
        system=first.system,
        difference=first.difference,
        improvement=first.improvement,
        n_runs=n_runs,
        unit=first.unit,
        test_set_luck=answer_at(first.p_adjusted, level),
        p_test_set=first.p_value,
        p_test_set_adjusted=first.p_adjusted,
        note_test_set=first.note,
        both=answer_at(second.p_adjusted, level),
        p_both=second.p_value,
        p_both_adjusted=second.p_adjusted,
        low=second.low,
        high=second.high,
        note_both=second.note.replace(settings.runs.filled(PROVISIONAL), "").strip(),
        design=settings.design,
        notation=spec.notation,
        unit_both=second.unit,
        low_test_set=first.low,
        high_test_set=first.high,
        p_looked=answers.p_looked(settings),
        coverage=of_system and replace(of_system, n_segments=segments, n_documents=documents),
        runs=settings.runs,
        decision=settings.decision,
    )


def signatures(
    experiment: Experiment, scored_metrics: Sequence[Scored], settings: Settings
) -> dict[str, dict[str, str]]:
    """Return, for each test set and metric, the options that determine the numbers, in sacreBLEU's form."""
    found: dict[str, dict[str, str]] = {test_set.name: {} for test_set in experiment.test_sets}
    for scored in scored_metrics:
        test_set, metric = scored.test_set, scored.metric
        n_references = sorted({len(references) for references in test_set.references})
        n_runs = sorted({len(system.runs) for system in test_set.systems})
        n_shuffles = settings.for_family(family_size(scored, settings)).n_shuffles
        asked = dict.fromkeys(questions(scored, settings))  # released models have one
        procedures = "+".join(f"{question.procedure}/{question.unit}" for question in asked)
        aligned = "|align:document" if REALIGNED in test_set.side else ""
        found[test_set.name][metric.key] = (
            f"nrefs:{_range(n_references)}|{metric.signature()}{aligned}|runs:{_range(n_runs)}|proc:{procedures}"
            f"|bs:{settings.n_bootstrap}|ar:{n_shuffles}|seed:{settings.seed}|mteval:{__version__}"
        )
    return found


def _range(sorted_counts: Sequence[int]) -> str:
    """Return ``3``, or ``1-4`` if counts differ (sacreBLEU's ``var`` says less), or 0 for no counts."""
    lowest, highest = (sorted_counts[0], sorted_counts[-1]) if sorted_counts else (0, 0)
    return str(lowest) if lowest == highest else f"{lowest}-{highest}"
