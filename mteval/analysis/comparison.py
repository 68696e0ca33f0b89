"""Test one pair of systems by one procedure, and keep the result as a row."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mteval.analysis.scoring import Scored, Work, n_documents, unit_sizes, units_of
from mteval.base.arrays import BoolArray, FloatArray, IntArray, StatArray
from mteval.base.errors import DataError
from mteval.base.words import agreeing, counted, counted_part
from mteval.stats import PROCEDURES, ProcedureSpec
from mteval.stats.base import Alternative, How, PairedResult, at_least
from mteval.stats.procedures.registry import answering
from mteval.stats.resampling.streams import seeds_for
from mteval.values.notation import level
from mteval.values.run_words import RunWord
from mteval.values.settings import Settings

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
        about = (self.scored.test_set.name, self.scored.metric.key, self.baseline, self.system)
        return *about, self.question.procedure, self.question.unit, self.alternative

    @cached_property
    def present(self) -> BoolArray:
        """Return the segments that every run of the pair has, as a mask of shape ``(segments,)``."""
        return self.scored.present(self.baseline, self.system)

    @cached_property
    def statistics(self) -> tuple[StatArray, StatArray]:
        """Return the statistics of baseline and system by segment, shape ``(runs, segments, d)`` each."""
        return self._both(lambda key: self.scored.statistics_on(key, self.present))

    @cached_property
    def units(self) -> tuple[StatArray, StatArray]:
        """Return the statistics of baseline and system by unit, shape ``(runs, units, d)`` each."""
        return self._both(lambda key: units_of(self.scored, key, self.question.unit, self.present))

    @cached_property
    def unit_sizes(self) -> IntArray | None:
        """Return the number of segments per unit, shape ``(units,)``; None if segments are the units."""
        return unit_sizes(self.scored, self.question.unit, self.present)

    @cached_property
    def scores(self) -> tuple[FloatArray, FloatArray]:
        """Return the corpus scores of the runs of both systems on the present segments, shape ``(runs,)`` each."""
        if self.present.all():
            return self._both(self.scored.run_scores.__getitem__)
        return self._both(lambda key: self.scored.scores_on(key, self.present))

    def _both(self, of: Callable[[str], StatArray]) -> tuple[StatArray, StatArray]:
        return of(self.baseline), of(self.system)

    @cached_property
    def difference(self) -> float:
        """Return the difference of the mean run scores, ``system - baseline``, on the present segments."""
        return float(self.scores[1].mean() - self.scores[0].mean())


def compared_system(systems: Sequence[str], name: str | None) -> str:
    """Return the named system of those compared with the baseline, or the only one.

    Raises
    ------
    DataError
        If it is unknown, or there is no name and not exactly one system.
    """
    chosen = systems[0] if name is None and len(systems) == 1 else name
    if chosen is None:
        raise DataError(f"Name one of the systems that are compared with the baseline: {', '.join(systems) or 'none'}.")
    if chosen not in systems:
        known = ", ".join(systems) or "none"
        raise DataError(f"System {chosen!r} is not compared with the baseline. Compared: {known}.")
    return chosen


@dataclass(frozen=True)
class OfPair:
    """The first columns of a row about two systems and a metric."""

    test_set: str
    metric: str
    baseline: str
    system: str


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
        note = self.note
        if self.n_resamples >= settings.n_shuffles and 0 < self.p_value < 1:
            error = p_adjusted * math.sqrt((1 / self.p_value - 1) / self.n_resamples)
        if abs(p_adjusted - settings.level) <= 2 * error:
            text = (
                f"Other shuffles could move p across {level(settings.level)}: it is {p_adjusted:.4f} with a Monte Carlo"
                f" error of {error:.4f}. Use more."
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
        case, result = self.case, self.result
        shift = case.difference - result.statistic if _is_pooled_apart(case, result) else 0.0
        shifted = replace(result, low=result.low + shift, high=result.high + shift)
        return shifted if self.exchanged is None else at_least(shifted, self.exchanged.printed)

    @property
    def _draws(self) -> FloatArray | None:
        """The random draws behind the printed p."""
        result = self.result
        if self.exchanged is not None and self.exchanged.result.p_value > result.p_value:
            result = self.exchanged.result
        return result.null if result.null is not None else result.draws

    def comparison(self, settings: Settings) -> Comparison:
        """Return the row to keep."""
        case, result, drawn = self.case, self.printed, self._draws
        return Comparison(
            *case.key, difference=case.difference,
            improvement=case.difference if case.scored.metric.higher_is_better else -case.difference,
            low=result.low, high=result.high, p_value=result.p_value, p_adjusted=math.nan,
            n_segments=int(np.count_nonzero(case.present)),
            n_documents=n_documents(case.scored.test_set, case.present),
            n_resamples=0 if drawn is None else len(drawn), seed=settings.seed,
            note=" ".join(filter(None, (result.note, *_remarks(case, self.result, settings.runs)))),
        )  # fmt: skip


def ask(case: Case, settings: Settings, work: Work) -> Outcome:
    """Run one procedure on one case, and the exchange of the same units beside a test of both kinds of luck.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    """
    found = Outcome(case, compare(case, settings, work))
    if case.question.spec.luck != "both" or np.isnan(found.result.p_value):
        return found
    beside = Question(answering("test-set", case.question.unit).key, case.question.unit)
    return replace(found, exchanged=ask(replace(case, question=beside), settings, work))


def compare(case: Case, settings: Settings, work: Work) -> PairedResult:
    """Return the result of one procedure on one pair, with notes in the user's word for a run.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    """
    work.engine.check()
    spec, scored = case.question.spec, case.scored
    if not case.present.any():
        return PairedResult(math.nan, note=NONE_SHARED).in_words(settings.runs)
    if spec.needs_segment_mean and not scored.metric.is_segment_mean:
        note = f"Not available for {scored.metric.name}: it is not an average of segment scores."
        return PairedResult(math.nan, note=note)
    baseline, system = case.units
    if spec.design == "paired":
        keys, others = scored.run_keys(case.baseline), scored.run_keys(case.system)
        if sorted(keys) != sorted(others):
            return PairedResult(case.difference, note=_without_partner(case, settings.runs))
        system = system[[others.index(key) for key in keys]]
    how = how_of(spec, settings, work, case.alternative, case.unit_sizes)
    return spec.function(baseline, system, scored.scorer.score, how).in_words(settings.runs)


def how_of(
    spec: ProcedureSpec, settings: Settings, work: Work, alternative: Alternative, sizes: IntArray | None = None
) -> How:
    """Return how a procedure should work under these settings, on units of these sizes."""
    engine, seeds = work.engine, seeds_for(settings.seed, spec.key)
    return How(settings.n_shuffles, seeds, alternative, settings.confidence, engine.map, engine.checked, sizes)


def _without_partner(case: Case, runs: RunWord) -> str:
    """Return a note that names the runs without a partner of the same key."""
    keys_of = {system: case.scored.run_keys(system) for system in (case.baseline, case.system)}
    everywhere = set(keys_of[case.baseline]) & set(keys_of[case.system])
    alone = [f"'{key}' of {system}" for system, keys in keys_of.items() for key in keys if key not in everywhere]
    named = ", ".join(alone[:MOST_NAMED]) + (" and others" if len(alone) > MOST_NAMED else "")
    who = f"{counted(len(alone), runs.noun)} {agreeing(len(alone), 'has', 'have')} no partner of the same name"
    remedy = f"Give both {runs.nouns} of a pair the same name, or declare the {runs.nouns} independent."
    return f"{runs.filled('{Runs}')} were declared paired, but {who}: {named}. {remedy}"


def _remarks(case: Case, result: PairedResult, runs: RunWord) -> Iterator[str]:
    """Yield notes on skipped segments, and on pooled scores that differ from the mean run score."""
    missing = int(np.count_nonzero(~case.present))
    if 0 < missing < len(case.present):
        skipped = f"{counted_part(missing, len(case.present), 'segment')} {agreeing(missing, 'is', 'are')} skipped"
        yield runs.filled(f"{skipped}: {{a_run}} has no score for {agreeing(missing, 'it', 'them')}.")
    if _is_pooled_apart(case, result):
        text = "The pooled score of all {runs} differs from the mean {run} score by over a tenth of its standard error."
        yield runs.filled(text + (" Look for {a_run} of very different length." if _differ_in_length(case) else ""))


def _is_pooled_apart(case: Case, result: PairedResult) -> bool:
    """Return whether the tested difference of pooled scores differs from that of mean run scores, which is shown."""
    error = result.standard_error
    if np.isnan(error) and result.null is not None:
        error = float(np.std(result.null))
    gap = abs(result.statistic - case.difference)
    return bool(gap > 1e-9 and (result.statistic * case.difference < 0 or gap > error / 10))


def _differ_in_length(case: Case) -> bool:
    """Return whether runs of one of the systems differ by over a tenth in their number of words."""
    runs = (case.scored.test_set.runs_of(system) for system in (case.baseline, case.system))
    lengths = [[sum(len(text.split()) for text in run.hypotheses) for run in some] for some in runs]
    return any(max(some) > 1.1 * min(some) for some in lengths)
