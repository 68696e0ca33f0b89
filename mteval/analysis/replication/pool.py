"""The runs at hand as a pool from which smaller experiments can be drawn.

What all runs at hand say, and whether it hangs on one of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy import special

from mteval.analysis.comparison import NONE_SHARED, how_of
from mteval.analysis.scoring import Scored
from mteval.analysis.two_answers import questions, two_answers, verdict_on
from mteval.analysis.units import coverages, unit_sizes, units_of
from mteval.analysis.work import Work
from mteval.base.arrays import BoolArray, FloatArray, IntArray, StatArray
from mteval.base.errors import DataError
from mteval.metrics.base import MetricSpec
from mteval.stats import PROCEDURES
from mteval.stats.base import PairedResult
from mteval.values.model import Experiment
from mteval.values.run_words import RunWord, Wording
from mteval.values.settings import Design, Settings
from mteval.values.verdict import Verdict


class Runs(Protocol):
    """What is said of other runs of two systems needs these alone of a pool."""

    @property
    def baseline(self) -> str: ...
    @property
    def system(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def scores(self) -> tuple[FloatArray, FloatArray]: ...
    @property
    def sizes(self) -> tuple[int, int]: ...
    @property
    def n_units(self) -> int: ...
    @property
    def expected(self) -> float: ...


@dataclass(frozen=True)
class Pool:
    """All runs of a baseline and of a system by one metric on one test set.

    Parameters
    ----------
    unit
        What counts as one unit of the test set: ``segment`` or ``document``.
    design
        How the runs of the two belong together.

    Segments that a run of either system has no score for are left out.
    """

    scored: Scored
    baseline: str
    system: str
    unit: str
    design: Design = "independent"

    @cached_property
    def _present(self) -> BoolArray:
        return self.scored.present(self.baseline, self.system)

    @cached_property
    def statistics(self) -> tuple[StatArray, StatArray]:
        """By segment, shape ``(runs, segments, d)``, of baseline and system."""
        baseline, system = (self.scored.statistics_on(key, self._present) for key in (self.baseline, self.system))
        return baseline, system

    @cached_property
    def units(self) -> tuple[StatArray, StatArray]:
        """By unit, shape ``(runs, units, d)``, of baseline and system."""
        pair = (self.baseline, self.system)
        baseline, system = (units_of(self.scored, key, self.unit, self._present) for key in pair)
        return baseline, system

    @cached_property
    def unit_sizes(self) -> IntArray | None:
        """Segments of each unit, shape ``(units,)``; None where segments are the units."""
        return unit_sizes(self.scored, self.unit, self._present)

    @cached_property
    def scores(self) -> tuple[FloatArray, FloatArray]:
        """Corpus scores of the runs of baseline and system, shape ``(runs,)`` each."""
        baseline, system = (self.scored.scores_on(key, self._present) for key in (self.baseline, self.system))
        return baseline, system

    @property
    def sizes(self) -> tuple[int, int]:
        """How many runs the baseline and the system have."""
        return len(self.scores[0]), len(self.scores[1])

    @property
    def n_units(self) -> int:
        """Segments or documents of the test set."""
        return int(self.units[0].shape[1])

    @property
    def expected(self) -> float:
        """Difference of the mean run scores of all runs, ``system - baseline``: the best guess of the true one."""
        return float(self.scores[1].mean() - self.scores[0].mean())

    @property
    def direction(self) -> int:
        """1 where higher scores are better, -1 where lower ones are."""
        return 1 if self.scored.metric.higher_is_better else -1

    def wording(self, runs: RunWord) -> Wording:
        """How to say in the user's word what is said of these runs."""
        names = (self.baseline, self.system, self.scored.metric.name)
        return Wording(runs, (*names, *self.run_keys(0), *self.run_keys(1)))

    def run_keys(self, side: int) -> tuple[str, ...]:
        """Keys of the runs of the baseline (0) or the system (1)."""
        return self.scored.run_keys((self.baseline, self.system)[side])


def pool_of(scored: Scored, baseline: str, system: str, settings: Settings) -> Pool:
    """The pool of two systems.

    Raises
    ------
    DataError
        Where a system has no output on the test set, or a run has no score.
    """
    name = scored.test_set.name
    for key in (baseline, system):
        if key not in scored.statistics:
            raise DataError(f"'{key}' has no output on test set '{name}'; choose another test set.")
    if not scored.present(baseline, system).any():
        raise DataError(f"Test set '{name}': {NONE_SHARED} Choose another metric or test set.")
    pool = Pool(scored, baseline, system, questions(scored, settings)[1].unit, settings.design)
    for side, scores in enumerate(pool.scores):
        undefined = np.flatnonzero(np.isnan(scores))
        if len(undefined):
            raise DataError(
                f"System '{(baseline, system)[side]}', run '{pool.run_keys(side)[undefined[0]]}' has no"
                f" {scored.metric.name} score on '{name}'; leave the run out, or choose another metric."
            )
    return pool


FEWEST = 3  # runs of a system of which one can stand apart from the others
LEVEL = 0.05  # over all runs of both systems


def verdict_of(pool: Pool, experiment: Experiment, settings: Settings, spec: MetricSpec, work: Work) -> Verdict:
    """The verdict on the system, corrected for the others that are compared with the baseline on the test set."""
    all_answers = two_answers(experiment, (pool.scored,), settings, work)
    answers = next(one for one in all_answers if one.both.asked.system == pool.system)
    of_system = next(one for one in coverages((pool.scored,)) if one.system == pool.system)
    return verdict_on(answers, answers.n_runs, settings, spec, of_system)


@dataclass(frozen=True)
class ApartRun:
    """A run that scores unlike the other runs of its system.

    Parameters
    ----------
    score, others
        Its score, and the average of the others.
    without
        The second answer where it is left out: luck with both, not corrected for other systems.
    """

    system: str
    run: str
    score: float
    others: float
    without: PairedResult


def runs_apart(pool: Pool, settings: Settings, work: Work) -> tuple[ApartRun, ...]:
    """Runs whose score is not one that the others lead to expect, by Grubbs' test; Bonferroni over all runs.

    Nothing is left out anywhere because of it: a run that went badly may go badly again.
    """
    return tuple(
        ApartRun(
            (pool.baseline, pool.system)[side],
            pool.run_keys(side)[run],
            float(pool.scores[side][run]),
            float(np.delete(pool.scores[side], run).mean()),
            _without(pool, side, run, settings, work),
        )
        for side, run in _places_apart(pool)
    )


def _places_apart(pool: Pool) -> Iterator[tuple[int, int]]:
    """Side and place of each such run."""
    for side, scores in enumerate(pool.scores):
        if len(scores) >= FEWEST:
            yield from ((side, int(run)) for run in np.flatnonzero(_p_values(scores) <= LEVEL / sum(pool.sizes)))


def _p_values(scores: FloatArray) -> FloatArray:
    """How unlike the others each run is, by the t statistic of a new observation, shape ``(runs,)``."""
    n = len(scores)
    others = np.array([np.delete(scores, run) for run in range(n)])
    spread = others.std(axis=1, ddof=1) * np.sqrt(1 + 1 / (n - 1))
    gaps = np.abs(scores - others.mean(axis=1))
    t = np.divide(gaps, spread, out=np.where(gaps > 0, np.inf, 0.0), where=spread > 0)
    return np.asarray(2 * special.stdtr(n - 2, -t))


def _without(pool: Pool, side: int, run: int, settings: Settings, work: Work) -> PairedResult:
    spec = PROCEDURES[questions(pool.scored, settings)[1].procedure]
    left_out: list[list[int]] = [[], []]
    left_out[side] = [run]
    if spec.pairs_runs:
        left_out[1 - side] = [pool.run_keys(1 - side).index(pool.run_keys(side)[run])]
    baseline, system = (np.delete(units, runs, axis=0) for units, runs in zip(pool.units, left_out, strict=True))
    how = how_of(spec, settings, work, "two-sided", pool.unit_sizes)
    return spec.function(baseline, system, pool.scored.scorer.score, how)
