"""Correlations of metric scores with human ones: of systems, of segments, and of all outputs per replicate."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from mteval.base.arrays import FloatArray, IntArray
from mteval.stats.agreement.system_pairs import pair_differences
from mteval.stats.base import TOLERANCE
from mteval.stats.stats_kernels import count_pairs

FEWEST_UNITS = 6  # units from which a correlation over segments has an interval


def pearson(human: FloatArray, metric: FloatArray) -> FloatArray:
    """Return Pearson's correlation of scores ``(..., systems)``; NaN if all systems have the same score."""
    centred_human = human - human.mean(axis=-1, keepdims=True)
    centred_metric = metric - metric.mean(axis=-1, keepdims=True)
    return _cosine(centred_human, centred_metric)


def kendall(human: FloatArray, metric: FloatArray) -> FloatArray:
    """Return Kendall's tau-b of scores ``(..., systems)``; NaN if all systems have the same score."""
    human_order = np.sign(pair_differences(human))
    metric_order = np.sign(pair_differences(metric))
    return _cosine(human_order, metric_order)


def _cosine(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the cosine of the angle between two vectors ``(..., n)``."""
    with np.errstate(invalid="ignore", divide="ignore"):
        lengths = np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1))
        return np.asarray((x * y).sum(axis=-1) / lengths)


def segment_pearson(human: FloatArray, metric: FloatArray, counts: FloatArray) -> FloatArray:
    """Return Pearson's correlation over all outputs per replicate.

    Parameters
    ----------
    human, metric
        Shape ``(systems, segments)``, without NaN.
    counts
        Shape ``(replicates, segments)``.

    Returns
    -------
    Shape ``(replicates,)``.
    """
    # A correlation does not depend on the origin; near zero, its sums of squares keep their digits
    x = human - human.mean()
    y = metric - metric.mean()
    n_outputs = counts.sum(axis=1) * len(human)
    # Sums over systems, then over the segments of each replicate
    sums = [counts @ values.sum(axis=0) for values in (x, y, x**2, y**2, x * y)]
    return _pearson_of(np.array([n_outputs, *sums]))


@dataclass(frozen=True)
class Concordance:
    """Counts of pairs of outputs per pair of units, shape ``(units, units)``.

    Parameters
    ----------
    agreement
        Concordant minus discordant pairs.
    untied_human, untied_metric
        Pairs not tied by people, and by the metric.
    """

    agreement: FloatArray
    untied_human: FloatArray
    untied_metric: FloatArray

    @classmethod
    def of(cls, human: FloatArray, metric: FloatArray, units: IntArray) -> "Concordance":
        """Count pairs from scores ``(systems, segments)`` without NaN and the unit index of each segment."""
        unit_of_output = np.ascontiguousarray(np.broadcast_to(units, human.shape))
        n_units = int(units.max()) + 1
        counts = np.zeros((3, n_units, n_units))
        count_pairs(human.ravel(), metric.ravel(), unit_of_output.ravel(), counts)
        # The kernel counts each pair once, in the order of its outputs. Both orders make the matrices symmetric, so
        # every sum counts each pair twice, which cancels in tau.
        agreement, untied_human, untied_metric = counts + counts.transpose(0, 2, 1)
        return cls(agreement, untied_human, untied_metric)

    def tau_b(self, counts: FloatArray) -> FloatArray:
        """Return Kendall's tau-b per replicate, given counts of each unit, shape ``(replicates, units)``."""
        agreement = _quadratic_form(counts, self.agreement)
        untied_human = _quadratic_form(counts, self.untied_human)
        untied_metric = _quadratic_form(counts, self.untied_metric)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(agreement / np.sqrt(untied_human * untied_metric))


def _quadratic_form(counts: FloatArray, matrix: FloatArray) -> FloatArray:
    """Return how many pairs each replicate has: pairs of two units occur as often as both counts multiplied."""
    return np.asarray(((counts @ matrix) * counts).sum(axis=1))


def correlation_over_units(
    first: FloatArray, second: FloatArray, units: IntArray, confidence: float
) -> tuple[float, float, float, float]:
    """Return Pearson's correlation over segments, its interval, and the two-sided p-value of no correlation.

    Interval and p-value are Student's t on the delete-one-unit pseudo-values of Fisher's z, so they always agree.

    Parameters
    ----------
    first, second
        Shape ``(segments,)``, without NaN.
    units
        Unit of each segment.

    Returns
    -------
    All NaN with fewer than ``FEWEST_UNITS`` units, or if nothing varies. Only the correlation if it is perfect, or if
    nothing varies without one of the units.
    """
    unit_of_segment = np.unique(units, return_inverse=True)[1]
    n = int(unit_of_segment.max()) + 1 if len(unit_of_segment) else 0
    if n < FEWEST_UNITS or np.ptp(first) == 0 or np.ptp(second) == 0:
        return math.nan, math.nan, math.nan, math.nan

    # A correlation does not depend on the origin; near zero, its sums of squares keep their digits
    x = first - first.mean()
    y = second - second.mean()
    # Moments of each unit, shape ``(6, units)``
    moments_of_segments = (np.ones_like(x), x, y, x * x, y * y, x * y)
    moments = np.array([np.bincount(unit_of_segment, values, n) for values in moments_of_segments])
    totals = moments.sum(axis=1, keepdims=True)
    r = float(_pearson_of(totals)[0])
    r_without = _pearson_of(totals - moments)
    if np.isnan(r_without).any() or abs(r) >= 1 - TOLERANCE:
        return r, math.nan, math.nan, math.nan

    # The jackknife of Fisher's z
    z = float(np.arctanh(r))
    z_without = np.arctanh(np.clip(r_without, -1 + TOLERANCE, 1 - TOLERANCE))
    pseudo_values = n * z - (n - 1) * z_without
    error = pseudo_values.std(ddof=1) / math.sqrt(n)
    reach = special.stdtrit(n - 1, 0.5 + confidence / 2) * error
    p_value = math.nan
    if error > 0:
        p_value = 2 * float(special.stdtr(n - 1, -abs(z) / error))
    return r, math.tanh(z - reach), math.tanh(z + reach), p_value


def _pearson_of(moments: FloatArray) -> FloatArray:
    """Return Pearson's correlations from sums of 1, x, y, x², y² and xy, shape ``(6, ...)``."""
    n, x, y, xx, yy, xy = moments
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((xy - x * y / n) / np.sqrt((xx - x * x / n) * (yy - y * y / n)))
