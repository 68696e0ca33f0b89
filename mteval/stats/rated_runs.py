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
        baseline, system = sides
        gains = system.mean(axis=0) - baseline.mean(axis=0)  # shape ``(raters, units)``
        return cls(
            runs=tuple(variance(side.mean(axis=(1, 2))) / len(side) for side in sides),
            runs_raters=tuple(pair_variance(side.mean(axis=2)) for side in sides),
            runs_units=tuple(pair_variance(side.mean(axis=1)) for side in sides),
            runs_raters_units=tuple(_triple_variance(side) for side in sides),
            raters=variance(gains.mean(axis=1)) / len(gains),
            units=variance(gains.mean(axis=0)) / gains.shape[1],
            raters_units=pair_variance(gains),
            n_runs=tuple(len(side) for side in sides),
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
        runs = sum(self.runs)
        # Inclusion and exclusion: with one factor held constant, what the other two share is subtracted once; with
        # none, the single factors remain subtracted twice in the sum, and what all three share is added back
        raters_constant = runs + self.units - sum(self.runs_units)
        units_constant = runs + self.raters - sum(self.runs_raters)
        runs_constant = self.raters + self.units - self.raters_units
        by_two = (units_constant, raters_constant, runs_constant)
        all_three = sum(by_two) - runs - self.raters - self.units + sum(self.runs_raters_units)
        return max(all_three, *by_two, runs, self.raters, self.units)

    @property
    def parts(self) -> tuple[float, float, float, float]:
        """Parts of the total due to runs, raters and units alone, and to interactions; none is negative."""
        noise_of_runs, noise_of_raters, noise_of_units = self._noise
        runs = max(0.0, sum(self.runs) - noise_of_runs)
        raters = max(0.0, self.raters - noise_of_raters)
        units = max(0.0, self.units - noise_of_units)
        alone = sum((runs, raters, units))
        if alone:
            scale = min(1.0, self.total / alone)
            runs *= scale
            raters *= scale
            units *= scale
        return runs, raters, units, max(0.0, self.total - runs - raters - units)

    @property
    def df(self) -> float:
        """Satterthwaite degrees of freedom; of runs and raters only variation beyond noise counts."""
        df_between = [n - 1 for n in self.n_runs]
        df_raters = self.n_raters - 1
        variances: list[float] = []
        degrees: list[float] = []
        for side, df_runs in enumerate(df_between):
            noise = self.runs_raters[side] + self.runs_units[side] - self.runs_raters_units[side]
            variances.append(float(beyond_noise(self.runs[side], max(0.0, noise), df_runs)))
            degrees.append(df_runs)
        _, noise_of_raters, _ = self._noise
        variances.append(float(beyond_noise(self.raters, max(0.0, noise_of_raters), df_raters)))
        degrees.append(df_raters)

        variances += [self.units, self.raters_units]
        degrees += [self.df_units, df_raters * self.df_units]
        variances += self.runs_raters
        degrees += [df_runs * df_raters for df_runs in df_between]
        variances += self.runs_units
        degrees += [df_runs * self.df_units for df_runs in df_between]
        variances += self.runs_raters_units
        degrees += [df_runs * df_raters * self.df_units for df_runs in df_between]
        df = satterthwaite(variances, degrees, self.total)
        return float(np.minimum(df, most_df(self.n_units)))

    def result(self, difference: float, confidence: float, note: str = "") -> PairedResult:
        """Test the difference. Below 5%, p is corrected for the two smallest numbers of runs and raters."""
        fewest, second_fewest, *_ = sorted((*self.n_runs, self.n_raters))
        law = StudentLaw(float(np.sqrt(self.total)), self.df, (fewest, second_fewest))
        if fewest == 2:
            note = f"{PROVISIONAL} {note}".strip()
        return result_by(law, difference, "two-sided", confidence, note, self.df)


def _triple_variance(values: FloatArray) -> float:
    """Return the mean square of the interaction of all three factors divided by the number of cells."""
    residuals = values - values.mean()
    for axis in range(3):
        residuals = residuals - residuals.mean(axis=axis, keepdims=True)
    df = np.prod([n - 1 for n in values.shape])
    return float(np.square(residuals).sum() / df / values.size)
