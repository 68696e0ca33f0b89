"""Variance of a difference where runs and units of the test set are crossed: every run translates every unit.

A system's score of one run on one unit is taken as a mean, plus what is peculiar to the run, to the unit, and to the
pair. The variance of the difference of two systems is then that over runs plus that over units, less that of the pairs,
which both of them contain. The same holds for one table of gains, as of runs that are paired, or of raters.

Thousands of draws from one pool hold the same runs again and again. The mean squares of a draw are sums of products
over units, of pairs of its runs, and those of all pairs are computed once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mteval.base.arrays import FloatArray, IntArray
from mteval.stats.base import Alternative, PairedResult, student_result
from mteval.stats.resampling.streams import sum_by_unit
from mteval.stats.runs import beyond_noise, satterthwaite, variance
from mteval.stats.units import df_of_units, most_df, pseudo_values, uneven_refusal, uneven_remark


@dataclass(frozen=True)
class Components:
    """Variance of a difference of mean scores, by where it comes from, in squared points of the score.

    Parameters
    ----------
    runs
        ``s_k^2 / n_k`` of each system whose luck with training counts, each run seen on the segments at hand.
    segments
        Luck with the test set: variance of the mean over units, each seen in the runs at hand.
    pairs
        Of the mean over runs and units, for each of these systems: what both of the others contain.
    shape
        Numbers of runs, one for each entry of ``runs``, and the number of units.
    df_units
        Degrees of freedom over units where these are of unequal size; by default one less than units.
    df_runs
        Of each entry of ``runs`` where it does not come from its own runs alone; by default one less than runs.
    """

    runs: tuple[float, ...]
    segments: float
    pairs: tuple[float, ...]
    shape: tuple[int, ...]
    df_units: float | None = None
    df_runs: tuple[float, ...] | None = None

    @property
    def total(self) -> float:
        """``runs + segments - pairs``, at least either of the first two."""
        runs = sum(self.runs)
        return max(runs + self.segments - sum(self.pairs), runs, self.segments)

    @property
    def parts(self) -> tuple[float, float, float]:
        """What of the total runs have beyond noise, what units have, and the rest, which only more of both makes less.

        The mean over either contains the noise of the pairs as well; none of the parts is negative.
        """
        pairs = sum(self.pairs)
        own = max(sum(self.runs) - pairs, 0.0), max(self.segments - pairs, 0.0)
        return *own, self.total - sum(own)

    @property
    def df(self) -> float:
        """Degrees of freedom of the total by Satterthwaite; NaN where nothing varies.

        Only what runs differ beyond the noise of their outputs counts for few runs; few units bound them.
        """
        *n_runs, n_units = self.shape
        last = n_units - 1 if self.df_units is None else self.df_units
        own = tuple(n - 1 for n in n_runs)
        df = satterthwaite(
            (*beyond_noise(self.runs, self.pairs, own), self.segments, *self.pairs),
            (*(self.df_runs or own), last, *(df * last for df in own)),
            self.total,
        )
        return float(np.minimum(df, most_df(n_units)))


def components_of(baseline: FloatArray, system: FloatArray, df_units: float | None = None) -> Components:
    """Components of variance from contributions of shape ``(runs, units)``, two or more of either.

    The usual mean squares of the two-way crossed layout with random rows and columns (Searle, Casella and McCulloch
    1992, chapter 4).
    """
    return _components((baseline, system), system.mean(axis=0) - baseline.mean(axis=0), df_units)


def components_against_fixed(baseline: FloatArray, system: FloatArray, df_units: float | None = None) -> Components:
    """The same where the baseline's luck with training does not count; it may have one run, the system two or more."""
    return _components((system,), system.mean(axis=0) - baseline.mean(axis=0), df_units)


def components_of_gains(gains: FloatArray, df_units: float | None = None) -> Components:
    """The same from gains of shape ``(runs, units)``: of paired runs, or of raters; two or more of either."""
    return _components((gains,), gains.mean(axis=0), df_units)


def _components(sides: Sequence[FloatArray], gains: FloatArray, df_units: float | None) -> Components:
    """Of the sides whose luck with training counts, and what units gain on average over runs, shape ``(units,)``."""
    return Components(
        runs=tuple(variance(side.mean(axis=1)) / len(side) for side in sides),
        segments=float(gains.var(ddof=1)) / len(gains),
        pairs=tuple(_pair_variance(side) for side in sides),
        shape=(*map(len, sides), len(gains)),
        df_units=df_units,
    )


def _pair_variance(values: FloatArray) -> float:
    """Interaction mean square over the number of cells."""
    n_runs, n_units = values.shape
    rest = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0)
    rest += values.mean()
    mean_square = float(np.square(rest).sum()) / ((n_runs - 1) * (n_units - 1))
    return float(mean_square / (n_runs * n_units))


@dataclass(frozen=True)
class DrawnLayouts:
    """A pool of runs, of which many crossed layouts are drawn.

    Parameters
    ----------
    values
        What units bring to the score of each run, shape ``(runs, units)``, two units or more. A draw with a run that
        holds NaN has a total of NaN.
    df_units
        Degrees of freedom over units where these are of unequal size.
    """

    values: FloatArray
    df_units: float | None = None

    def components(self, baseline: IntArray, system: IntArray) -> Iterator[Components]:
        """Those of ``components_of`` for each draw, from places in the pool of shapes ``(draws, n)``, n at least 2."""
        sides, n_units = (baseline, system), self.values.shape[1]
        weights = [self._weights(side) for side in sides]
        products = [each @ self._products for each in weights]
        gains = np.sum((weights[1] - weights[0]) * (products[1] - products[0]), axis=1)
        squares = [np.sum(weight * product, axis=1) for weight, product in zip(weights, products, strict=True)]
        columns = (
            *(self._means[side].var(axis=1, ddof=1) / side.shape[1] for side in sides),
            gains / ((n_units - 1) * n_units),
            *(self._pairs(side, square) for side, square in zip(sides, squares, strict=True)),
        )
        shape = baseline.shape[1], system.shape[1], n_units
        for one, other, segments, *pairs in np.column_stack(columns).tolist():
            yield Components((one, other), segments, tuple(pairs), shape, self.df_units)

    @cached_property
    def _means(self) -> FloatArray:
        return np.asarray(self.values.mean(axis=1))

    @cached_property
    def _products(self) -> FloatArray:
        """Sums over units of products of what two runs bring beyond their means, shape ``(runs, runs)``."""
        rest = np.where(np.isfinite(self._means)[:, np.newaxis], self.values - self._means[:, np.newaxis], 0.0)
        rest -= rest.mean(axis=0)  # common to all runs: no mean square has it, but digits would be lost to it
        return np.asarray(rest @ rest.T)

    def _weights(self, chosen: IntArray) -> FloatArray:
        """Of each run of the pool in the mean over the runs of each draw, shape ``(draws, runs)``."""
        weights = np.zeros((len(chosen), len(self.values)))
        np.put_along_axis(weights, chosen, 1 / chosen.shape[1], axis=1)
        return weights

    def _pairs(self, chosen: IntArray, squares: FloatArray) -> FloatArray:
        """Interaction mean squares over the number of cells; ``squares`` are those of the means over the runs."""
        n_runs, n_units = chosen.shape[1], self.values.shape[1]
        rest = np.maximum(0.0, self._products.diagonal()[chosen].sum(axis=1) - n_runs * squares)
        return np.asarray(rest / ((n_runs - 1) * (n_units - 1) * n_runs * n_units))


PROVISIONAL = "Provisional: two raters say little about how much raters differ; three or more are needed."
ONE_RATER = "One rater judged the outputs of both: how much raters differ cannot be known. Three are needed."
ONE_UNIT = "Fewer than two segments or documents were judged by all raters: how much they differ cannot be known."
NONE_SHARED = "No segment was judged in the outputs of both."


@dataclass(frozen=True)
class CrossedGains:
    """By how much each rater puts one system above another on each unit of the test set.

    Parameters
    ----------
    values
        Shape ``(raters, units)``. Repeated judgements of one rater are averaged beforehand: asking the same judge again
        makes no second judge.
    difference
        The mean gain.
    sizes
        Segments of each unit, shape ``(units,)``; None where each unit is a segment.
    """

    values: FloatArray
    difference: float
    sizes: IntArray | None = None

    @classmethod
    def of(cls, gains: FloatArray, units: Sequence[object] | None = None) -> "CrossedGains":
        """From gains of shape ``(raters, segments)`` without NaN.

        Parameters
        ----------
        units
            The unit of each segment, as its document. Units of unequal size are represented by delete-one pseudo-values
            of the raters' mean gains, with the degrees of freedom of as many equal units as their shares are worth,
            ``1 / sum(share^2) - 1``.
        """
        if not gains.size:
            return cls(gains, float("nan"))
        if units is None:
            return cls(gains, float(gains.mean()))
        names, place = np.unique(np.array(units, dtype=object), return_inverse=True)
        sums = sum_by_unit(np.stack([gains, np.ones_like(gains)], axis=-1), place)
        values = sums[..., 0] / gains.shape[1]
        if len(names) > 1:
            values = pseudo_values(sums, lambda sums: np.asarray(sums[..., 0] / sums[..., 1]))
        return cls(values, float(gains.mean()), sums[0, :, 1].astype(np.int64))

    @property
    def refusal(self) -> str:
        """Why the third question cannot be answered; empty where it can."""
        if not self.values.size:
            return NONE_SHARED
        if len(self.values) < 2:
            return ONE_RATER
        if self.values.shape[1] < 2:
            return ONE_UNIT
        return uneven_refusal(self.sizes)

    @property
    def df_units(self) -> float:
        """Degrees of freedom over units."""
        return df_of_units(self.sizes, self.values.shape[1])

    @cached_property
    def components(self) -> Components:
        """Where the variance of the mean gain comes from; needs two raters and two units."""
        return components_of_gains(self.values, self.df_units)

    def other_raters(self, alternative: Alternative, confidence: float) -> PairedResult:
        """Would other raters, on other segments, say so too?

        Refused, with a note and p = NaN, for one rater or one unit; provisional for two raters, which the note says.
        """
        if self.refusal:
            return PairedResult(self.difference, note=self.refusal)
        note = " ".join(filter(None, (PROVISIONAL if len(self.values) == 2 else "", uneven_remark(self.sizes))))
        parts = self.components
        return student_result(self.difference, parts.total, parts.df, alternative, confidence, note)

    def these_raters(self, alternative: Alternative, confidence: float) -> PairedResult:
        """Would these raters say so on other segments? Refused as the other, but for the number of raters."""
        if self.refusal not in ("", ONE_RATER) or self.values.shape[1] < 2:
            return PairedResult(self.difference, note=self.refusal if self.refusal != ONE_RATER else ONE_UNIT)
        variance = float(self.values.mean(axis=0).var(ddof=1)) / self.values.shape[1]
        return student_result(
            self.difference, variance, self.df_units, alternative, confidence, uneven_remark(self.sizes)
        )
