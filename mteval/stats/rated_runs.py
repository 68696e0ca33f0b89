"""Runs × raters × units crossed in one verdict: each rater judged each run of both systems on each unit.

The score of a run by a rater on a unit is a mean plus effects of the run, the rater and the unit, and of their
interactions. Runs belong to their system; raters and units are crossed with everything. The variance of a difference
is the sum of the variances over runs, raters and units, minus what two of them share, plus what all three share. If a
factor is constant, this is ``crossed_layout``.

References
----------
Searle, Casella and McCulloch (1992), Variance Components, chapter 4.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mteval.base.arrays import FloatArray
from mteval.stats.base import PairedResult, StudentLaw, result_by
from mteval.stats.crossed_layout import pair_variance
from mteval.stats.runs import beyond_noise, satterthwaite, variance
from mteval.stats.units import most_df

PROVISIONAL = "Provisional: only two {runs} or raters. Three or more of each are needed."


@dataclass(frozen=True)
class RatedRuns:
    """Variance components of a difference of mean judgements, in squared points; each is a mean square over its cells.

    Parameters
    ----------
    runs, runs_raters, runs_units, runs_raters_units
        Of each system: over its runs, and their interactions.
    raters, units, raters_units
        Of the gains averaged over runs.
    n_runs, n_raters, n_units
        Number of runs of each system, raters and units.
    df_units
        Degrees of freedom over units.
    """

    runs: tuple[float, ...]
    runs_raters: tuple[float, ...]
    runs_units: tuple[float, ...]
    runs_raters_units: tuple[float, ...]
    raters: float
    units: float
    raters_units: float
    n_runs: tuple[int, ...]
    n_raters: int
    n_units: int
    df_units: float

    @classmethod
    def of(cls, sides: Sequence[FloatArray], df_units: float) -> "RatedRuns":
        """Return them from unit values of baseline and system, ``(runs, raters, units)``, at least two of each."""
        baseline, system = (side.mean(axis=0) for side in sides)
        gains = system - baseline
        return cls(
            runs=tuple(variance(side.mean(axis=(1, 2))) / len(side) for side in sides),
            runs_raters=tuple(pair_variance(side.mean(axis=2)) for side in sides),
            runs_units=tuple(pair_variance(side.mean(axis=1)) for side in sides),
            runs_raters_units=tuple(map(_triple_variance, sides)),
            raters=variance(gains.mean(axis=1)) / len(gains),
            units=variance(gains.mean(axis=0)) / gains.shape[1],
            raters_units=pair_variance(gains),
            n_runs=tuple(map(len, sides)),
            n_raters=len(gains),
            n_units=gains.shape[1],
            df_units=df_units,
        )

    @property
    def _noise(self) -> tuple[float, float, float]:
        """What the variances over runs, raters and units contain of interactions."""
        triple = sum(self.runs_raters_units)
        return (
            sum(self.runs_raters) + sum(self.runs_units) - triple,
            sum(self.runs_raters) + self.raters_units - triple,
            sum(self.runs_units) + self.raters_units - triple,
        )

    @property
    def total(self) -> float:
        """The variance of the difference, at least that with any of the factors held constant."""
        runs, raters, units = sum(self.runs), self.raters, self.units
        by_two = (
            runs + raters - sum(self.runs_raters),
            runs + units - sum(self.runs_units),
            raters + units - self.raters_units,
        )
        whole = sum(by_two) - runs - raters - units + sum(self.runs_raters_units)
        return max(whole, *by_two, runs, raters, units)

    @property
    def parts(self) -> tuple[float, float, float, float]:
        """Parts of the total due to runs, raters and units alone, and to interactions; none is negative."""
        alone = zip((sum(self.runs), self.raters, self.units), self._noise, strict=True)
        own = [max(0.0, one - noise) for one, noise in alone]
        scale = min(1.0, self.total / sum(own)) if sum(own) else 1.0
        runs, raters, units = (scale * one for one in own)
        return runs, raters, units, max(0.0, self.total - runs - raters - units)

    @property
    def df(self) -> float:
        """Satterthwaite degrees of freedom; of runs and raters only variation beyond noise counts."""
        own, raters = tuple(n - 1 for n in self.n_runs), self.n_raters - 1
        noise = (
            *(a + b - c for a, b, c in zip(self.runs_raters, self.runs_units, self.runs_raters_units, strict=True)),
            self._noise[1],
        )
        sides = beyond_noise((*self.runs, self.raters), tuple(max(0.0, one) for one in noise), (*own, raters))
        terms = (
            *zip(sides, (*own, raters), strict=True),
            (self.units, self.df_units),
            (self.raters_units, raters * self.df_units),
            *zip(self.runs_raters, (n * raters for n in own), strict=True),
            *zip(self.runs_units, (n * self.df_units for n in own), strict=True),
            *zip(self.runs_raters_units, (n * raters * self.df_units for n in own), strict=True),
        )
        values, degrees = zip(*terms, strict=True)
        return float(np.minimum(satterthwaite(values, degrees, self.total), most_df(self.n_units)))

    def result(self, difference: float, confidence: float, note: str = "") -> PairedResult:
        """Test the difference. Below 5%, p is corrected for the two smallest numbers of runs and raters."""
        two = sorted((*self.n_runs, self.n_raters))[:2]
        law = StudentLaw(float(np.sqrt(self.total)), self.df, (two[0], two[1]))
        note = " ".join(filter(None, (PROVISIONAL if two[0] == 2 else "", note)))
        return result_by(law, difference, "two-sided", confidence, note, self.df)


def _triple_variance(values: FloatArray) -> float:
    """Return the mean square of the interaction of all three factors divided by the number of cells."""
    rest = values - values.mean()
    for axis in range(3):
        rest = rest - rest.mean(axis=axis, keepdims=True)
    return float(np.square(rest).sum() / np.prod([n - 1 for n in values.shape]) / values.size)
