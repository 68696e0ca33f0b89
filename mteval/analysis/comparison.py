"""One procedure on one pair of systems: what was asked, what came out, and the row that is written of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mteval.analysis.scoring import Scored, n_documents, unit_sizes, units_of
from mteval.analysis.work import Work
from mteval.base.arrays import BoolArray, FloatArray, IntArray, StatArray
from mteval.base.words import agreeing, counted, counted_part
from mteval.stats import PROCEDURES, ProcedureSpec
from mteval.stats.base import Alternative, How, PairedResult
from mteval.stats.resampling.streams import seeds_for
from mteval.values.run_words import RunWord
from mteval.values.settings import Settings

MOST_NAMED = 4  # runs in a message
NONE_SHARED = "There is no segment that all {runs} of both systems have a score for."


@dataclass(frozen=True)
class Question:
    """A procedure and what it takes as one unit of the test set."""

    procedure: str
    unit: str

    @property
    def spec(self) -> ProcedureSpec:
        """What the procedure is."""
        return PROCEDURES[self.procedure]


@dataclass(frozen=True)
class Case:
    """A question about one pair of systems, with the numbers that it is asked of.

    Parameters
    ----------
    alternative
        About the raw difference, ``system - baseline``.
    """

    scored: Scored
    baseline: str
    system: str
    question: Question
    alternative: Alternative = "two-sided"

    @property
    def key(self) -> tuple[str, str, str, str, str, str, Alternative]:
        """The same in words, as a ``Comparison`` begins."""
        about = (self.scored.test_set.name, self.scored.metric.key, self.baseline, self.system)
        return *about, self.question.procedure, self.question.unit, self.alternative

    @cached_property
    def present(self) -> BoolArray:
        """The segments that are compared, shape ``(segments,)``: those that no run of the pair lacks."""
        return self.scored.present(self.baseline, self.system)

    @cached_property
    def statistics(self) -> tuple[StatArray, StatArray]:
        """By segment, shape ``(runs, segments, d)``, of baseline and system."""
        return self._both(lambda key: self.scored.statistics_on(key, self.present))

    @cached_property
    def units(self) -> tuple[StatArray, StatArray]:
        """By unit, shape ``(runs, units, d)``, of baseline and system."""
        return self._both(lambda key: units_of(self.scored, key, self.question.unit, self.present))

    @cached_property
    def unit_sizes(self) -> IntArray | None:
        """Segments of each unit, shape ``(units,)``; None where segments are the units."""
        return unit_sizes(self.scored, self.question.unit, self.present)

    @cached_property
    def scores(self) -> tuple[FloatArray, FloatArray]:
        """Corpus scores of the runs of baseline and system on those segments, shape ``(runs,)`` each."""
        if self.present.all():
            return self._both(self.scored.run_scores.__getitem__)
        return self._both(lambda key: self.scored.scores_on(key, self.present))

    def _both(self, of: Callable[[str], StatArray]) -> tuple[StatArray, StatArray]:
        return of(self.baseline), of(self.system)

    @property
    def difference(self) -> float:
        """Difference of the mean run scores, ``system - baseline``, on those segments."""
        return float(self.scores[1].mean() - self.scores[0].mean())


@dataclass(frozen=True)
class OfPair:
    """What a row about two systems by one metric begins with."""

    test_set: str
    metric: str
    baseline: str
    system: str


@dataclass(frozen=True)
class Comparison(OfPair):
    """What was asked of a pair of systems and what came out: all that is kept and written of it.

    Parameters
    ----------
    unit
        What was drawn or exchanged as one.
    alternative
        About the raw difference, ``system - baseline``.
    difference, improvement
        Of the mean run scores, ``system - baseline``, and the same positive where the system is better.
    low, high
        Interval of the raw difference, never adjusted for other comparisons; NaN where the procedure has none.
    p_adjusted
        Adjusted for the other comparisons of the family; NaN until it is known.
    n_segments, n_documents
        That were compared; no documents where the test set names none.
    n_resamples
        Numbers that were drawn at random; 0 where none were.
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


@dataclass(frozen=True)
class Outcome:
    """What one procedure said of a case, with the draws that it judged by."""

    case: Case
    result: PairedResult

    def comparison(self, settings: Settings, p_adjusted: float = float("nan")) -> Comparison:
        """What is kept of it."""
        case, result = self.case, self.result
        drawn = result.null if result.null is not None else result.draws
        return Comparison(
            *case.key,
            difference=case.difference,
            improvement=case.difference if case.scored.metric.higher_is_better else -case.difference,
            low=result.low,
            high=result.high,
            p_value=result.p_value,
            p_adjusted=p_adjusted,
            n_segments=int(np.count_nonzero(case.present)),
            n_documents=n_documents(case.scored.test_set, case.present),
            n_resamples=0 if drawn is None else len(drawn),
            seed=settings.seed,
            note=" ".join(filter(None, (result.note, *_remarks(case, result, settings.runs)))),
        )


def ask(case: Case, settings: Settings, work: Work) -> Outcome:
    """Ask one procedure.

    Raises
    ------
    CancelledError
        When the work was told to stop.
    """
    work.engine.check()
    return Outcome(case, compare(case, settings, work))


def compare(case: Case, settings: Settings, work: Work) -> PairedResult:
    """One procedure on one pair of systems; what it remarks is said in the settings' word for a run."""
    spec, scored = case.question.spec, case.scored
    if not case.present.any():
        return PairedResult(float("nan"), note=NONE_SHARED).in_words(settings.runs)
    if spec.needs_segment_mean and not scored.metric.is_segment_mean:
        note = f"{scored.metric.name} is no mean of segment scores, which this test compares."
        return PairedResult(float("nan"), note=note)
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
    """How a procedure is to work under the settings, on units of such sizes."""
    engine, seeds = work.engine, seeds_for(settings.seed, spec.key)
    return How(settings.n_shuffles, seeds, alternative, settings.confidence, engine.map, engine.checked, sizes)


def _without_partner(case: Case, runs: RunWord) -> str:
    """Which runs have no partner of the same key."""
    found = {system: case.scored.run_keys(system) for system in (case.baseline, case.system)}
    everywhere = set(found[case.baseline]) & set(found[case.system])
    alone = [f"'{key}' of {system}" for system, keys in found.items() for key in keys if key not in everywhere]
    return (
        f"{runs.filled('{Runs}')} were declared as paired, but {counted(len(alone), runs.noun)}"
        f" {agreeing(len(alone), 'has', 'have')} no partner of the same name: {', '.join(alone[:MOST_NAMED])}"
        f"{' and others' if len(alone) > MOST_NAMED else ''}. Name the {runs.nouns} of a pair alike, or declare the"
        f" {runs.nouns} as independent."
    )


def _remarks(case: Case, result: PairedResult, runs: RunWord) -> Iterator[str]:
    """Which segments were not compared, and where pooled statistics tell another story than the mean run scores."""
    missing = int(np.count_nonzero(~case.present))
    if 0 < missing < len(case.present):
        left_out = f"{counted_part(missing, len(case.present), 'segment')} {agreeing(missing, 'is', 'are')} left out"
        yield runs.filled(f"{left_out}: {{a_run}} has no score for {agreeing(missing, 'it', 'them')}.")
    error = result.standard_error
    if np.isnan(error) and result.null is not None:
        error = float(np.std(result.null))
    gap = abs(result.statistic - case.difference)
    if gap > 1e-9 and (result.statistic * case.difference < 0 or gap > error / 10):
        yield runs.filled(
            "The score of all {runs} pooled differs from the mean of the {run} scores by more than a tenth of its"
            " standard error; look for {a_run} of very different length."
        )
