"""One procedure on one pair of systems: what was asked, what came out, and the row that is written of both."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from mteval.analysis.coverage import n_documents
from mteval.analysis.rows import cells_of, columns_of
from mteval.analysis.scoring import BoolArray, Scored
from mteval.analysis.work import Work
from mteval.counts import agreeing, counted_part
from mteval.settings import Settings
from mteval.stats import PROCEDURES, ProcedureSpec
from mteval.stats.base import Alternative, How, PairedResult, StatArray
from mteval.stats.resampling.streams import seeds_for, sum_by_unit

NONE_SHARED = "There is no segment that all runs of both systems have a score for."


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
    def asked(self) -> Asked:
        """The same in words."""
        return Asked(
            self.scored.test_set.name, self.scored.metric.key, self.baseline, self.system, self.question.procedure,
            self.question.unit, self.alternative,
        )  # fmt: skip

    @cached_property
    def present(self) -> BoolArray:
        """The segments that are compared, shape ``(segments,)``: those that no run of the pair lacks."""
        return self.scored.present(self.baseline, self.system)

    @cached_property
    def difference(self) -> float:
        """Difference of the mean run scores, ``system - baseline``, on those segments."""
        scored, pair = self.scored, (self.baseline, self.system)
        is_whole = self.present.all()
        scores = scored.run_scores if is_whole else {key: scored.scores_on(key, self.present) for key in pair}
        return float(scores[self.system].mean() - scores[self.baseline].mean())


@dataclass(frozen=True)
class Asked:
    """What was asked.

    Parameters
    ----------
    unit
        What was drawn or exchanged as one.
    alternative
        About the raw difference, ``system - baseline``.
    """

    test_set: str
    metric: str
    baseline: str
    system: str
    procedure: str
    unit: str
    alternative: Alternative


@dataclass(frozen=True)
class Answered:
    """What came out.

    Parameters
    ----------
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
    seconds
        That it took.
    """

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
    seconds: float
    note: str


@dataclass(frozen=True)
class Comparison:
    """What was asked of a pair of systems and what came out: all that is kept and written of it."""

    asked: Asked
    answered: Answered


COMPARISONS = columns_of(Asked, Answered)


def comparisons_frame(compared: Iterable[Comparison]) -> pd.DataFrame:
    """One row a comparison, with the columns ``COMPARISONS``: the fields of ``Asked``, then those of ``Answered``."""
    rows = [(*cells_of(row.asked), *cells_of(row.answered)) for row in compared]
    return pd.DataFrame(rows, columns=list(COMPARISONS))


@dataclass(frozen=True)
class Outcome:
    """What one procedure said of a case, with the draws that it judged by, and how many seconds it took."""

    case: Case
    result: PairedResult
    seconds: float

    def comparison(self, seed: int, p_adjusted: float = float("nan")) -> Comparison:
        """What is kept of it."""
        case, result = self.case, self.result
        drawn = result.null if result.null is not None else result.draws
        answered = Answered(
            difference=case.difference,
            improvement=case.difference if case.scored.metric.higher_is_better else -case.difference,
            low=result.low,
            high=result.high,
            p_value=result.p_value,
            p_adjusted=p_adjusted,
            n_segments=int(np.count_nonzero(case.present)),
            n_documents=n_documents(case.scored.test_set, case.present),
            n_resamples=0 if drawn is None else len(drawn),
            seed=seed,
            seconds=self.seconds,
            note=" ".join(filter(None, (result.note, _left_out(case.present), _disagreement(case.difference, result)))),
        )
        return Comparison(case.asked, answered)


def ask(case: Case, settings: Settings, work: Work) -> Outcome:
    """Ask one procedure, with the time that it takes.

    Raises
    ------
    CancelledError
        When the work was told to stop.
    """
    work.engine.check()
    start = time.perf_counter()
    result = compare(case, settings, work)
    return Outcome(case, result, time.perf_counter() - start)


def compare(case: Case, settings: Settings, work: Work) -> PairedResult:
    """One procedure on one pair of systems."""
    spec, scored = case.question.spec, case.scored
    if not case.present.any():
        return PairedResult(float("nan"), note=NONE_SHARED)
    if spec.needs_segment_mean and not scored.metric.is_segment_mean:
        note = f"{scored.metric.name} is no mean of segment scores, which this test compares."
        return PairedResult(float("nan"), note=note)
    baseline, system = (units_of(scored, key, case.question.unit, case.present) for key in (case.baseline, case.system))
    return spec.function(baseline, system, scored.scorer.score, how_of(spec, settings, work, case.alternative))


def how_of(spec: ProcedureSpec, settings: Settings, work: Work, alternative: Alternative) -> How:
    """How a procedure is to work under the settings."""
    return How(
        settings.n_shuffles,
        seeds_for(settings.seed, spec.key),
        alternative,
        settings.confidence,
        work.engine.map,
        work.engine.checked,
    )


def units_of(scored: Scored, system: str, unit: str, present: BoolArray) -> StatArray:
    """A system's statistics on some segments, summed by document where those are the units.

    Parameters
    ----------
    present
        The segments, shape ``(segments,)``.

    Returns
    -------
    Shape ``(runs, units, d)``.
    """
    statistics = scored.statistics_on(system, present)
    if unit != "document" or scored.test_set.documents is None:
        return statistics
    _, unit_ids = np.unique(np.array(scored.test_set.documents, dtype=object)[present], return_inverse=True)
    return sum_by_unit(statistics, unit_ids)


def _left_out(present: BoolArray) -> str:
    """How many segments were not compared; empty where all or none were."""
    missing = int(np.count_nonzero(~present))
    if missing in (0, len(present)):
        return ""
    left_out = f"{counted_part(missing, len(present), 'segment')} {agreeing(missing, 'is', 'are')} left out"
    return f"{left_out}: a run has no score for {agreeing(missing, 'it', 'them')}."


def _disagreement(difference: float, result: PairedResult) -> str:
    """A warning where the pooled statistics that a test works on tell another story than the mean run scores."""
    error = result.standard_error
    if np.isnan(error) and result.null is not None:
        error = float(np.std(result.null))
    gap = abs(result.statistic - difference)
    other_sign = result.statistic * difference < 0
    if not gap > 1e-9 or not (other_sign or gap > error / 10):
        return ""
    return (
        "The score of all runs pooled differs from the mean of the run scores by more than a tenth of its standard"
        " error; look for a run of very different length."
    )
