"""A two-way p-value that holds every level, at the price of power.

Given the variance of the difference, the p-value would be a normal tail. The variance is not known, so the tail is
averaged over what the data leave open: ``V* = S g / chi2_g + sum_k max(0, nu_k x_k / chi2_k - e_k)`` with independent
chi-squares. S is the variance over units with g degrees of freedom, x_k that over the runs of side k with nu_k, and e_k
the share of the interaction in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from scipy import special

from mteval.base.arrays import FloatArray

WIDEST = 8.5  # of the normal deviates that stand for chi-squares: what lies beyond has a probability of 2e-17
N_BINS = 4_000  # in which standard errors are averaged; p-values change by less than 1e-5 of themselves


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
        scale, weights = _inverse_chi_square(self.df_segments)
        variances = self.segments * scale
        for x, e, df in zip(self.runs, self.pairs, self.df_runs, strict=True):
            scale, weight = _inverse_chi_square(df)
            variances = np.add.outer(variances, np.maximum(0.0, x * scale - e))
            weights = np.multiply.outer(weights, weight)
        least = self.standard_error**2 * 1e-12  # a variance of zero has no logarithm
        logs, weights = np.log(np.maximum(variances.ravel(), least)) / 2, weights.ravel()
        bins = ((logs - logs.min()) / max(float(np.ptp(logs)), 1e-9) * (N_BINS - 1)).astype(np.int64)
        shares = np.asarray(np.bincount(bins, weights, N_BINS), dtype=np.float64)
        is_met = shares > 0
        return np.exp(np.bincount(bins, weights * logs, N_BINS)[is_met] / shares[is_met]), shares[is_met]

    def p_value(self, difference: float) -> float:
        """Return the two-sided p-value."""
        errors, weights = self._errors
        if difference == 0:
            return 1.0
        return float(2 * special.ndtr(-abs(difference) / errors) @ weights)

    def reach(self, level: float) -> float:
        """Return half the width of the interval of all differences not rejected at a level."""
        from scipy import optimize  # here, because it takes a quarter of a second to import

        high = float(self._errors[0].max()) * 10
        return float(optimize.brentq(lambda reach: self.p_value(reach) - level, 0.0, high, rtol=1e-12))


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
