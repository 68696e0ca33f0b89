"""P-values of the two-way test that do not flatter in the tail, and one that holds every level at the price of power.

With few runs the two-way test errs in more experiments than its level says, and the further out, the more: with three
runs per system it rejects in up to 7.8% of experiments at 5%, and in up to 1.6% at 0.1%. What happens at 5% is stated
with the test; below 5% its p-value is mapped to ``p' = size(p) / r``, where ``size`` is the largest size at that level
and ``r = size(5%) / 5%``. So a p' of 0.1% errs as much more than 0.1% as one of 5% errs more than 5%.

``tail_sizes.csv`` holds the sizes for 2 to 30 runs of one or two sides; ``benchmarks/tail_sizes.py`` makes it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy  # loads its optimizer, which few questions need, when that is first used
from scipy import special

from mteval.base.arrays import FloatArray

LEVEL = 0.05  # p-values above it stay as they are
MOST_RUNS = 30  # a design with more runs is treated as one with so many, which errs no less
WIDEST = 8.5  # of the normal deviates that stand for chi-squares: what lies beyond has a probability of 2e-17
N_BINS = 4_000  # in which standard errors are averaged; p-values change by less than 1e-5 of themselves


def largest_size(p_values: npt.ArrayLike, n_runs: tuple[int, ...]) -> FloatArray:
    """Return the largest probabilities of p-values this small without a true difference, same shape.

    Parameters
    ----------
    p_values
        Two-sided, positive, at most 0.05. Below the smallest level of the table, its size is returned.
    n_runs
        Number of runs, at least 2, of each side whose training luck counts: two sides, or one for paired runs, a fixed
        baseline, or one candidate against a history.
    """
    return np.asarray(np.exp(np.interp(np.log(p_values), *_curve(n_runs))))


def printed_p_values(p_values: npt.ArrayLike, n_runs: tuple[int, ...]) -> FloatArray:
    """Return the two-sided p-values to print for those of the two-way test; none is smaller, same shape.

    P-values of 5% or more and NaN are returned unchanged. ``n_runs`` as in ``largest_size``.
    """
    plain = np.asarray(p_values, dtype=np.float64)
    if not (plain < LEVEL).any():
        return plain
    mapped = largest_size(np.maximum(plain, 1e-300), n_runs) * (LEVEL / largest_size(LEVEL, n_runs))
    return np.asarray(np.where(plain < LEVEL, np.maximum(plain, mapped), plain))


def nominal_level(level: float, n_runs: tuple[int, ...]) -> float:
    """Return the p-value that ``printed_p_values`` maps to a level; intervals invert the test at it.

    0 below what the table reaches: an interval of that confidence is endless.
    """
    if not level < LEVEL:
        return level
    levels, sizes = _curve(n_runs)  # logarithms, ascending
    mapped = np.maximum(levels, sizes - sizes[-1] + np.log(LEVEL))
    wanted = np.log(level)
    if wanted < mapped[0]:
        return 0.0
    return float(np.exp(np.interp(wanted, mapped, levels)))


@cache
def _table() -> tuple[FloatArray, dict[tuple[int, ...], FloatArray]]:
    """Return logarithms of the levels, ascending, and of the sizes at them by numbers of runs."""
    lines = Path(__file__).with_name("tail_sizes.csv").read_text(encoding="utf-8").splitlines()
    # Each line begins with the numbers of runs of both sides; the second is 0 if only one side counts. The levels after
    # them fall from left to right.
    levels = np.log([float(level) for level in lines[0].split(",")[2:]][::-1])
    sizes = {}
    for line in lines[1:]:
        cells = line.split(",")
        n_runs = tuple(int(n) for n in cells[:2] if n != "0")
        sizes[n_runs] = np.log([float(size) for size in cells[2:]][::-1])
    return levels, sizes


def _curve(n_runs: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
    """Return logarithms of levels and sizes of a design."""
    levels, table = _table()
    return levels, table[tuple(sorted(min(n, MOST_RUNS) for n in n_runs))]


@dataclass(frozen=True)
class StrictLaw:
    """What the data leave open about the variance of a difference.

    Parameters
    ----------
    runs, pairs, df_runs
        Variance of each side's mean over runs, the interaction's share in it, and degrees of freedom.
    segments, df_segments
        Variance of the mean over units, and its degrees of freedom.
    standard_error
        The two-way test's estimate.
    """

    runs: Sequence[float]
    pairs: Sequence[float]
    df_runs: Sequence[float]
    segments: float
    df_segments: float
    standard_error: float

    @cached_property
    def _errors(self) -> tuple[FloatArray, FloatArray]:
        """Possible standard errors and their probabilities."""
        # All combinations of what segments and runs may add to the variance, and their weights
        scale, weights = _inverse_chi_square(self.df_segments)
        variances = self.segments * scale
        for run, pair, df in zip(self.runs, self.pairs, self.df_runs, strict=True):
            scale, weights_of_run = _inverse_chi_square(df)
            variances = np.add.outer(variances, np.maximum(0.0, run * scale - pair))
            weights = np.multiply.outer(weights, weights_of_run)

        # Averaged in bins of the logarithm of the standard error
        least = self.standard_error**2 * 1e-12  # a variance of zero has no logarithm
        logs = np.log(np.maximum(variances.ravel(), least)) / 2
        weights = weights.ravel()
        width = max(float(np.ptp(logs)), 1e-9)
        bins = ((logs - logs.min()) / width * (N_BINS - 1)).astype(np.int64)
        shares = np.asarray(np.bincount(bins, weights, N_BINS), dtype=np.float64)
        sums = np.bincount(bins, weights * logs, N_BINS)
        is_met = shares > 0
        return np.exp(sums[is_met] / shares[is_met]), shares[is_met]

    def p_value(self, difference: float) -> float:
        """Return the two-sided p-value."""
        errors, weights = self._errors
        if difference == 0:
            return 1.0
        return float(2 * special.ndtr(-abs(difference) / errors) @ weights)

    def reach(self, level: float) -> float:
        """Return half the width of the interval of all differences not rejected at a level."""
        high = float(self._errors[0].max()) * 10
        return float(scipy.optimize.brentq(lambda reach: self.p_value(reach) - level, 0.0, high, rtol=1e-12))


@cache
def _inverse_chi_square(df: float) -> tuple[FloatArray, FloatArray]:
    """Return values of ``df / chi2`` at equally spaced normal deviates, and their weights.

    With many degrees of freedom it is nearly constant, and Gauss and Hermite's nodes are enough.
    """
    if df > 100:
        z, weights = np.polynomial.hermite_e.hermegauss(6)
    else:
        z = np.linspace(-WIDEST, WIDEST, 96)
        weights = np.exp(-np.square(z) / 2)
    chi2 = np.where(z < 0, 2 * special.gammaincinv(df / 2, special.ndtr(z)), special.chdtri(df, special.ndtr(-z)))
    return np.asarray(df / chi2), np.asarray(weights / weights.sum())
