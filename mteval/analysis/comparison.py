"""Test one pair of systems by one procedure, and keep the result as a row."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mteval.analysis.scoring import Scored, Work, is_accuracy, n_documents, unit_sizes, units_of
from mteval.base.arrays import BoolArray, FloatArray, IntArray, StatArray
from mteval.base.errors import DataError
from mteval.base.words import agreeing, composed, counted, counted_part
from mteval.stats import PROCEDURES, ProcedureSpec
from mteval.stats.base import Alternative, How, PairedResult, at_least
from mteval.stats.interval import accuracy_difference_interval
from mteval.stats.procedures.randomization import AR_SEGMENT
from mteval.stats.procedures.registry import answering
from mteval.stats.resampling.streams import seeds_for
from mteval.values.notation import level, p_value, significant
from mteval.values.run_words import RunWord
from mteval.values.settings import Settings
from mteval.values.verdict import OTHER_SHUFFLES

MOST_NAMED = 4  # runs named in a message
NONE_SHARED = "No segment has a score from all {runs} of both systems."


@dataclass(frozen=True)
class Question:
    """A procedure and the unit of the test set that it resamples or permutes."""

    procedure: str
    unit: str

    @property
    def spec(self) -> ProcedureSpec:
        """Return the procedure's description."""
        return PROCEDURES[self.procedure]


@dataclass(frozen=True)
class Case:
    """One question about one pair of systems, with the statistics that answer it.

    Parameters
    ----------
    alternative
        Of the raw difference, ``system - baseline``.
    """

    scored: Scored
    baseline: str
    system: str
    question: Question
    alternative: Alternative = "two-sided"

    @property
    def key(self) -> tuple[str, str, str, str, str, str, Alternative]:
        """Return the fields that identify the case, in the order in which a ``Comparison`` starts."""
        return (
            self.scored.test_set.name,
            self.scored.metric.key,
            self.baseline,
            self.system,
            self.question.procedure,
            self.question.unit,
            self.alternative,
        )

    @cached_property
    def present(self) -> BoolArray:
        """Return the segments that every run of the pair has, as a mask of shape ``(segments,)``."""
        return self.scored.present(self.baseline, self.system)

    @cached_property
    def statistics(self) -> tuple[StatArray, StatArray]:
        """Return the statistics of baseline and system by segment, shape ``(runs, segments, d)`` each."""
        baseline = self.scored.statistics_on(self.baseline, self.present)
        system = self.scored.statistics_on(self.system, self.present)
        return baseline, system

    @cached_property
    def units(self) -> tuple[StatArray, StatArray]:
        """Return the statistics of baseline and system by unit, shape ``(runs, units, d)`` each."""
        baseline = units_of(self.scored, self.baseline, self.question.unit, self.present)
        system = units_of(self.scored, self.system, self.question.unit, self.present)
        return baseline, system

    @cached_property
    def unit_sizes(self) -> IntArray | None:
        """Return the number of segments per unit, shape ``(units,)``; None if segments are the units."""
        return unit_sizes(self.scored, self.question.unit, self.present)

    @cached_property
    def scores(self) -> tuple[FloatArray, FloatArray]:
        """Return the corpus scores of the runs of both systems on the present segments, shape ``(runs,)`` each."""
        if self.present.all():
            return self.scored.run_scores[self.baseline], self.scored.run_scores[self.system]
        baseline = self.scored.scores_on(self.baseline, self.present)
        system = self.scored.scores_on(self.system, self.present)
        return baseline, system

    @cached_property
    def is_copy(self) -> bool:
        """Whether both systems have the same runs, by all statistics of the metric: there is nothing to test."""
        if sorted(self.scores[0].tolist()) != sorted(self.scores[1].tolist()):
            return False
        # A system may have the same run more than once
        baseline, system = self.statistics
        return Counter(run.tobytes() for run in baseline) == Counter(run.tobytes() for run in system)

    @cached_property
    def difference(self) -> float:
        """Return the difference of the mean run scores, ``system - baseline``, on the present segments."""
        if self.scored.is_complete or self.present.all():
            return self.scored.mean_scores[self.system] - self.scored.mean_scores[self.baseline]
        return float(self.scores[1].mean() - self.scores[0].mean())


def compared_system(systems: Sequence[str], name: str | None) -> str:
    """Return the named system of those compared with the baseline, or the only one.

    Raises
    ------
    DataError
        If it is unknown, or there is no name and not exactly one system.
    """
    known = ", ".join(systems) or "none"
    if name is None:
        if len(systems) != 1:
            raise DataError(f"Name one of the systems that are compared with the baseline: {known}.")
        return systems[0]
    name = composed(name)
    if name not in systems:
        raise DataError(f"System {name!r} is not compared with the baseline. Compared: {known}.")
    return name


@dataclass(frozen=True)
class OfPair:
    """The first columns of a row about two systems and a metric."""

    test_set: str
    metric: str
    baseline: str
    system: str


@dataclass(frozen=True)
class DifferenceRow(OfPair):
    """A difference and its procedure."""

    procedure: str
    unit: str
    difference: float


@dataclass(frozen=True)
class Comparison(OfPair):
    """The result of one test of one pair of systems.

    Parameters
    ----------
    unit
        What was resampled or permuted as one.
    alternative
        Of the raw difference, ``system - baseline``.
    difference, improvement
        Difference of the mean run scores, ``system - baseline``, and the same with a positive sign if the system is
        better.
    low, high
        Interval of the raw difference, not adjusted for other comparisons; NaN if the procedure has none.
    p_adjusted
        Adjusted for the other comparisons of the family; NaN until then.
    n_segments, n_documents
        Compared segments and documents; 0 documents if the test set has no document IDs.
    n_resamples
        Random draws; 0 for a procedure that draws nothing.
    """

    procedure: str
    unit: str
    alternative: Alternative
    difference: float
    improvement: float
    low: float
    high: float
    p_value: float
    p_adjusted: float
    n_segments: int
    n_documents: int
    n_resamples: int
    seed: int
    note: str

    def decided(self, p_adjusted: float, settings: Settings) -> Comparison:
        """Return a copy with its adjusted p, and a note if other random draws could move it across the level."""
        error = math.nan
        if self.n_resamples >= settings.n_shuffles and 0 < self.p_value < 1:
            # The relative Monte Carlo error of p is that of its number of extreme draws, adjusted or not
            error = p_adjusted * math.sqrt((1 / self.p_value - 1) / self.n_resamples)
        note = self.note
        if abs(p_adjusted - settings.level) <= 2 * error:
            text = (
                f"{OTHER_SHUFFLES} across {level(settings.level)}: it is"
                f" {p_value(p_adjusted, settings.level)} with a Monte Carlo error of {significant(error, 2)}."
                " Use more shuffles to reduce it."
            )
            note = f"{note} {text}".strip()
        return replace(self, p_adjusted=p_adjusted, note=note)


@dataclass(frozen=True)
class Outcome:
    """The result of one procedure on one case, with its random draws.

    Parameters
    ----------
    exchanged
        For a test of both kinds of luck, that of test-set luck on the same units. Both must rule out luck, so p is the
        larger one, and the interval contains both.
    """

    case: Case
    result: PairedResult
    exchanged: Outcome | None = None

    @property
    def printed(self) -> PairedResult:
        """Return the result around the difference of the mean run scores, limited by ``exchanged``."""
        result = self.result
        if _is_pooled_apart(self.case, result):
            shift = self.case.difference - result.statistic
            result = replace(result, low=result.low + shift, high=result.high + shift)
        if self.exchanged is None:
            return result
        return at_least(result, self.exchanged.printed)

    @property
    def _draws(self) -> FloatArray | None:
        """The random draws behind the printed p."""
        result = self.result
        if self.exchanged is not None and self.exchanged.result.p_value > result.p_value:
            result = self.exchanged.result
        if result.null is not None:
            return result.null
        return result.draws

    def comparison(self, settings: Settings) -> Comparison:
        """Return the row to keep."""
        case = self.case
        result = self.printed
        improvement = case.difference
        if not case.scored.metric.higher_is_better:
            improvement = -improvement
        draws = self._draws
        notes = [result.note, *_remarks(case, self.result, settings.runs)]
        return Comparison(
            *case.key,
            difference=case.difference,
            improvement=improvement,
            low=result.low,
            high=result.high,
            p_value=result.p_value,
            p_adjusted=math.nan,
            n_segments=int(np.count_nonzero(case.present)),
            n_documents=n_documents(case.scored.test_set, case.present),
            n_resamples=0 if draws is None else len(draws),
            seed=settings.seed,
            note=" ".join(filter(None, notes)),
        )


def ask(case: Case, settings: Settings, work: Work, known: Outcome | None = None) -> Outcome:
    """Run one procedure on one case, and the exchange of the same units beside a test of both kinds of luck.

    Parameters
    ----------
    known
        An outcome under the same settings, which is used in place of the exchange if it is just that.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    """
    outcome = Outcome(case, compare(case, settings, work))
    if case.question.spec.luck != "both" or np.isnan(outcome.result.p_value):
        return outcome
    exchange = answering("test-set", case.question.unit)
    exchanged_case = replace(case, question=Question(exchange.key, case.question.unit))
    if known is not None and known.case.key == exchanged_case.key and known.case.scored is case.scored:
        return replace(outcome, exchanged=known)
    return replace(outcome, exchanged=ask(exchanged_case, settings, work))


def compare(case: Case, settings: Settings, work: Work) -> PairedResult:
    """Return the result of one procedure on one pair, with notes in the user's word for a run.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    """
    work.engine.check()
    spec = case.question.spec
    scored = case.scored
    if not case.present.any():
        return PairedResult(math.nan, note=NONE_SHARED).in_words(settings.runs)
    if spec.needs_segment_mean and not scored.metric.is_segment_mean:
        note = f"Not available for {scored.metric.name}: it is not an average of segment scores."
        return PairedResult(math.nan, note=note)
    baseline, system = case.units
    if spec.design == "paired":
        baseline_keys = scored.run_keys(case.baseline)
        system_keys = scored.run_keys(case.system)
        if sorted(baseline_keys) != sorted(system_keys):
            return PairedResult(case.difference, note=_without_partner(case, settings.runs))
        system = system[[system_keys.index(key) for key in baseline_keys]]
    how = how_of(spec, settings, work, case.alternative, case.unit_sizes)
    result: PairedResult = spec.function(baseline, system, scored.scorer.score, how)
    if spec.key == AR_SEGMENT.key and result.smallest_p > settings.level:
        result = _with_few_differing_items(case, result, settings)
    return result.in_words(settings.runs)


def _with_few_differing_items(case: Case, result: PairedResult, settings: Settings) -> PairedResult:
    """Return the result with an interval if scores are right or wrong, where too few items differ for one by shuffles.

    ``result`` as it is for other scores, and with documents as units.
    """
    scored = case.scored
    systems = (case.baseline, case.system)
    are_accuracies = all(is_accuracy(scored, system, case.present) for system in systems)
    if case.question.unit != "segment" or not are_accuracies:
        return result
    # Means over runs, shape ``(segments,)`` each
    baseline, system = (
        scored.scorer.segment_score(scored.statistics_on(key, case.present)).mean(axis=0) for key in systems
    )
    low, high = accuracy_difference_interval(system - baseline, settings.confidence)
    return replace(result, low=low, high=high)


def how_of(
    spec: ProcedureSpec, settings: Settings, work: Work, alternative: Alternative, sizes: IntArray | None = None
) -> How:
    """Return how a procedure should work under these settings, on units of these sizes."""
    return How(
        n_resamples=settings.n_shuffles,
        seeds=seeds_for(settings.seed, spec.key),
        alternative=alternative,
        confidence=settings.confidence,
        map_chunks=work.engine.map,
        checked=work.engine.checked,
        unit_sizes=sizes,
    )


def _without_partner(case: Case, runs: RunWord) -> str:
    """Return a note that names the runs without a partner of the same key."""
    baseline_keys = case.scored.run_keys(case.baseline)
    system_keys = case.scored.run_keys(case.system)
    alone = [f"'{key}' of {case.baseline}" for key in baseline_keys if key not in system_keys]
    alone += [f"'{key}' of {case.system}" for key in system_keys if key not in baseline_keys]
    named = ", ".join(alone[:MOST_NAMED])
    if len(alone) > MOST_NAMED:
        named += " and others"
    who = f"{counted(len(alone), runs.noun)} {agreeing(len(alone), 'has', 'have')} no partner of the same name"
    remedy = f"Give both {runs.nouns} of a pair the same name, or declare the {runs.nouns} independent."
    return f"{runs.filled('{Runs}')} were declared paired, but {who}: {named}. {remedy}"


def _remarks(case: Case, result: PairedResult, runs: RunWord) -> Iterator[str]:
    """Yield notes on skipped segments, and on pooled scores that differ from the mean run score."""
    n_missing = int(np.count_nonzero(~case.present))
    if 0 < n_missing < len(case.present):
        segments = counted_part(n_missing, len(case.present), "segment")
        are = agreeing(n_missing, "is", "are")
        them = agreeing(n_missing, "it", "them")
        yield runs.filled(f"{segments} {are} skipped: {{a_run}} has no score for {them}.")
    if _is_pooled_apart(case, result):
        text = "The pooled score of all {runs} differs from the mean {run} score by over a tenth of its standard error."
        if _differ_in_length(case):
            text += " Look for {a_run} of very different length."
        yield runs.filled(text)


def _is_pooled_apart(case: Case, result: PairedResult) -> bool:
    """Return whether the tested difference of pooled scores differs from that of mean run scores, which is shown."""
    gap = abs(result.statistic - case.difference)
    if not gap > 1e-9:  # equal, as for most pairs, or NaN
        return False
    error = result.standard_error
    if np.isnan(error) and result.null is not None:
        error = float(np.std(result.null))
    differ_in_sign = result.statistic * case.difference < 0
    return bool(differ_in_sign or gap > error / 10)


def _differ_in_length(case: Case) -> bool:
    """Return whether runs of one of the systems differ by over a tenth in their number of words."""
    for system in (case.baseline, case.system):
        lengths = []
        for run in case.scored.test_set.runs_of(system):
            lengths.append(sum(len(text.split()) for text in run.hypotheses))
        if max(lengths) > 1.1 * min(lengths):
            return True
    return False
