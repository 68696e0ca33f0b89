"""The runs at hand as a pool from which smaller experiments can be drawn."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from mteval.analysis.comparison import NONE_SHARED
from mteval.analysis.scoring import BoolArray, Scored
from mteval.analysis.two_answers import questions
from mteval.analysis.units import unit_sizes, units_of
from mteval.arrays import IntArray
from mteval.errors import DataError
from mteval.metrics.base import FloatArray, StatArray
from mteval.run_words import RunWord, Wording
from mteval.settings import Design, Settings


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
