"""Agreement of metrics with human judgements: accuracies, correlations, tie calibration; the rank-sum test."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from mteval.base.arrays import BoolArray, FloatArray, IntArray, StatArray
from mteval.stats.base import TOLERANCE, Score
from mteval.stats.resampling.streams import chunks_of, seeds_of
from mteval.stats.stats_kernels import count_pairs, most_gained

FEWEST_UNITS = 6  # units from which a correlation over segments has an interval
MIRRORED = 25  # how many times smaller the mirrored tail is than the other (benchmarks/agreement.py)


def clopper_pearson(successes: int, trials: int, confidence: float) -> tuple[float, float]:
    """Return the exact interval of a proportion (Clopper and Pearson 1934); NaN without trials."""
    if trials == 0:
        return math.nan, math.nan
    tail = (1 - confidence) / 2
    low = 0.0
    high = 1.0
    # The beta distributions of the ends are undefined without successes, and without failures
    if successes > 0:
        low = float(special.betaincinv(successes, trials - successes + 1, tail))
    if successes < trials:
        high = float(special.betaincinv(successes + 1, trials - successes, 1 - tail))
    return low, high


def mcnemar(one: BoolArray, other: BoolArray) -> tuple[int, int, float]:
    """Compare how often two tests are right on the same pairs (McNemar 1947, exact binomial form).

    Parameters
    ----------
    one, other
        Shape ``(pairs,)``: whether each is right.

    Returns
    -------
    Counts of pairs on which only the first, and only the second, is right, and the two-sided p-value (1 if they never
    differ). Pairs that share a system are not independent, so the p-value is approximate.
    """
    only_one = int(np.count_nonzero(one & ~other))
    only_other = int(np.count_nonzero(other & ~one))
    return only_one, only_other, sign_test(only_one, only_other)


def sign_test(won: int, lost: int) -> float:
    """Return the exact two-sided p-value that both are equally likely; 1 without any."""
    if won + lost == 0:
        return 1.0
    one_sided = float(special.bdtr(min(won, lost), won + lost, 0.5))
    return min(1.0, 2 * one_sided)


def correlation_over_units(
    one: FloatArray, other: FloatArray, units: IntArray, confidence: float
) -> tuple[float, float, float, float]:
    """Return Pearson's correlation over segments, its interval, and the two-sided p-value that there is none.

    Interval and p-value are Student's t on the delete-one-unit pseudo-values of Fisher's z, so they always agree.

    Parameters
    ----------
    one, other
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
    if n < FEWEST_UNITS or np.ptp(one) == 0 or np.ptp(other) == 0:
        return math.nan, math.nan, math.nan, math.nan

    # A correlation does not depend on the origin; near zero, its sums of squares keep their digits
    x = one - one.mean()
    y = other - other.mean()
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


def rank_sum(one: FloatArray, other: FloatArray) -> tuple[float, float]:
    """Return one-sided p-values that the first sample tends to be larger, and that the second does.

    Uses SciPy's normal approximation with tie and continuity corrections. Assumes that all judgements are independent,
    including those of one output. NaN if a sample is empty; 1 if all values are equal.
    """
    from scipy.stats import mannwhitneyu  # here, because it takes most of a second to import

    if len(one) == 0 or len(other) == 0:
        return math.nan, math.nan
    if np.ptp(np.concatenate([one, other])) == 0:
        return 1.0, 1.0
    greater = mannwhitneyu(one, other, alternative="greater", method="asymptotic")
    less = mannwhitneyu(one, other, alternative="less", method="asymptotic")
    return float(greater.pvalue), float(less.pvalue)


def pair_differences(scores: FloatArray) -> FloatArray:
    """Return differences of all pairs from scores ``(..., systems)``, first minus second, shape ``(..., pairs)``."""
    first, second = np.triu_indices(scores.shape[-1], 1)
    return np.asarray(scores[..., first] - scores[..., second])


def pairwise_accuracy(human: FloatArray, metric: FloatArray) -> FloatArray:
    """Return the share of pairs that metric and people order alike (Kocmi et al. 2021), from ``(..., systems)``."""
    human_order = np.sign(pair_differences(human))
    metric_order = np.sign(pair_differences(metric))
    return np.asarray((human_order == metric_order).mean(axis=-1))


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


def corrected_pearson_interval(
    human: FloatArray, metric: FloatArray, confidence: float, df: float
) -> tuple[float, float]:
    """Return the interval of the correlation that systems would have on an endless test set.

    Noise from the choice of units makes the observed correlation too small on average. Products of different units have
    no such bias. The interval holds every correlation ``r`` for which their covariance less ``r`` times the root of
    their variances is near zero (Fieller 1954), by the jackknife over units and Student's t.

    Parameters
    ----------
    human, metric
        Unit values whose mean is each system's score, shape ``(systems, units)``, at least three units.
    df
        Degrees of freedom over units.

    Returns
    -------
    All correlations if systems cannot be told from noise.
    """
    n_units = human.shape[1]
    centred_human = human - human.mean(axis=0)
    centred_metric = metric - metric.mean(axis=0)
    covariances = _moment_of_different_units(centred_human, centred_metric)
    human_variances = _moment_of_different_units(centred_human, centred_human)
    metric_variances = _moment_of_different_units(centred_metric, centred_metric)
    if (human_variances <= 0).any() or (metric_variances <= 0).any():
        return -1.0, 1.0

    # The numerator and the denominator of the correlation: of all units, and the jackknife over units
    roots = np.sqrt(human_variances * metric_variances)
    numerator = covariances[0]
    denominator = roots[0]
    # Covariance matrix of numerator and denominator, shape ``(2, 2)``
    covariance = np.cov(covariances[1:], roots[1:]) * (n_units - 1) ** 2 / n_units
    t_squared = float(special.stdtrit(df, (1 + confidence) / 2)) ** 2

    # The ends are the roots of a quadratic equation in r. If the denominator may be zero, they hold nothing between.
    coefficient = denominator**2 - t_squared * covariance[1, 1]
    if coefficient <= 0:
        return -1.0, 1.0
    middle = (numerator * denominator - t_squared * covariance[0, 1]) / coefficient
    width = np.sqrt(max(0.0, middle**2 - (numerator**2 - t_squared * covariance[0, 0]) / coefficient))
    low, high = np.clip([middle - width, middle + width], -1, 1).tolist()
    return low, high


def _moment_of_different_units(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the mean product of different units, summed over systems; then the same without each unit.

    Parameters
    ----------
    x, y
        Shape ``(systems, units)``.

    Returns
    -------
    Shape ``(1 + units,)``.
    """
    n_units = x.shape[1]
    x_sums = x.sum(axis=1)
    y_sums = y.sum(axis=1)
    same_unit = (x * y).sum(axis=0)
    products = x_sums @ y_sums - same_unit.sum()
    # The products in which a unit occurs: with all units, on either side, less those with itself
    products_of_unit = x_sums @ y + y_sums @ x - 2 * same_unit
    of_all = products / (n_units * (n_units - 1))
    without_unit = (products - products_of_unit) / ((n_units - 1) * (n_units - 2))
    return np.append(of_all, without_unit)


def corrected_share_interval(value: float, draws: FloatArray, confidence: float) -> tuple[float, float]:
    """Return the interval of a measure over pairs of systems that noise makes too small on average.

    Replicates have the noise twice, so their percentiles are too low. The low end is a percentile all the same. The
    high end lies as far above the value as a percentile of a smaller tail lies below it, if that is higher.

    Parameters
    ----------
    draws
        Of the measure on bootstrap replicates; at most 1.
    """
    tail = (1 - confidence) / 2
    low, high, far_below = np.nanquantile(draws, [tail, 1 - tail, tail / MIRRORED])
    mirrored = 2 * value - far_below
    return float(low), float(min(1.0, max(high, mirrored)))


def bca_interval(value: float, draws: FloatArray, without: FloatArray, confidence: float) -> tuple[float, float]:
    """Return the bias-corrected and accelerated bootstrap interval (Efron 1987).

    Parameters
    ----------
    draws
        Of the measure on bootstrap replicates.
    without
        The measure without each group of units.
    """
    known = draws[~np.isnan(draws)]

    # Bias correction: the share of replicates below the value, in which ties count half
    share_below = (np.count_nonzero(known < value) + np.count_nonzero(known <= value)) / (2 * len(known))
    bias = special.ndtri(np.clip(share_below, 0.5 / len(known), 1 - 0.5 / len(known)))

    # Acceleration: the skewness of the jackknife
    deviations = without.mean() - without
    spread = np.sqrt((deviations**2).sum())
    acceleration = 0.0
    if spread > 0:
        acceleration = (deviations**3).sum() / (6 * spread**3)

    z = bias + special.ndtri([0.5 - confidence / 2, 0.5 + confidence / 2])
    low, high = np.quantile(known, special.ndtr(bias + z / (1 - acceleration * z)))
    return float(low), float(high)


def soft_pairwise_accuracy(human_p: FloatArray, metric_p: FloatArray) -> FloatArray:
    """Return one minus the mean absolute difference of p-values ``(..., pairs)`` (Thompson et al. 2024)."""
    return np.asarray(1 - np.abs(human_p - metric_p).mean(axis=-1))


def exchange_p_values(
    statistics: StatArray, score: Score, n_exchanges: int, seeds: np.random.SeedSequence
) -> FloatArray:
    """Return p-values of paired permutation tests that the first system of each pair is better.

    Each segment is exchanged with probability 1/2, the same segments for all pairs. The p-value is the share of
    exchanges whose difference is at least the observed one, as in the WMT metrics task.

    Parameters
    ----------
    statistics
        Shape ``(systems, segments, d)``, without NaN.
    score
        Maps sums ``(..., d)`` to scores; higher is better.

    Returns
    -------
    Shape ``(pairs,)``.
    """
    n_systems, n_segments, d = statistics.shape
    totals = statistics.sum(axis=1).astype(np.float64)
    observed = pair_differences(score(totals))
    pairs = list(zip(*np.triu_indices(n_systems, 1), strict=True))
    n_reached = np.zeros(len(pairs))

    # One row per segment, one column per system and statistic
    columns = statistics.transpose(1, 0, 2).reshape(n_segments, n_systems * d).astype(np.float64)
    for chunk in chunks_of(n_exchanges, 1_000):
        generator = np.random.Generator(np.random.SFC64(seeds_of(seeds, chunk)))
        # 1 if the segment stays, 0 if it is exchanged; shape ``(exchanges, segments)``
        stays = generator.integers(0, 2, size=(len(chunk), n_segments), dtype=np.int8).astype(np.float64)
        # Sums over the segments that stay, and over those that go; shape ``(exchanges, systems, d)``
        kept = np.asarray((stays @ columns).reshape(len(chunk), n_systems, d))
        gone = totals - kept
        for pair, (first, second) in enumerate(pairs):
            exchanged = score(kept[:, first] + gone[:, second]) - score(gone[:, first] + kept[:, second])
            n_reached[pair] += np.count_nonzero(exchanged >= observed[pair] - TOLERANCE)
    return n_reached / n_exchanges


def normal_p_values(contributions: FloatArray, counts: FloatArray) -> FloatArray:
    """Return p-values of ``exchange_p_values`` per replicate of the test set, by the normal approximation.

    Parameters
    ----------
    contributions
        Contribution of each segment to its system's score, shape ``(systems, segments)``.
    counts
        Count of each segment in each replicate, shape ``(replicates, segments)``.

    Returns
    -------
    Shape ``(replicates, pairs)``; 1/2 for a pair without any difference.
    """
    gains = pair_differences(contributions.T)
    # An exchange changes the sign of a segment's gain, so the variance is the sum of squared gains
    difference = counts @ gains
    spread = np.sqrt(counts @ gains**2)
    z = np.divide(difference, spread, out=np.zeros_like(difference), where=spread > 0)
    return np.asarray(special.ndtr(-z))


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
class RankedPairs:
    """Pairs of outputs of the same segment, sorted by absolute difference of their metric scores.

    Their accuracy with calibrated ties is ``acc_eq`` of Deutsch et al. (2023). Sorting lets one sweep over rising
    thresholds find the best.

    Parameters
    ----------
    segment
        Segment of each pair, shape ``(pairs,)``.
    weight
        One over the number of pairs of its segment.
    start
        Contribution to its segment's accuracy if only equal scores are ties.
    change
        Change of that contribution once the tie threshold reaches its difference.
    difference
        Absolute difference of metric scores, sorted.
    n_segments
        Number of segments, including those without a pair.
    """

    segment: IntArray
    weight: FloatArray
    start: FloatArray
    change: FloatArray
    difference: FloatArray
    n_segments: int

    @classmethod
    def of(cls, human: FloatArray, metric: FloatArray) -> "RankedPairs":
        """Make pairs from scores ``(systems, segments)``; outputs with NaN in either are skipped."""
        is_unknown = np.isnan(human + metric)
        human = np.where(is_unknown, np.nan, human)
        metric = np.where(is_unknown, np.nan, metric)

        # Differences of all pairs of systems, shape ``(pairs of systems, segments)``; then the known ones in a row
        first, second = np.triu_indices(len(human), 1)
        human_table = human[first] - human[second]
        metric_table = metric[first] - metric[second]
        pair, segment = np.nonzero(~np.isnan(human_table))
        human_difference = human_table[pair, segment]
        metric_difference = metric_table[pair, segment]

        # A pair is right if metric and people order it alike; once the threshold ties it, if people tie it too
        n_segments = human.shape[1]
        n_pairs = np.bincount(segment, minlength=n_segments)
        weight = 1 / n_pairs[segment]
        is_right_at_first = np.sign(human_difference) == np.sign(metric_difference)
        is_right_as_tie = human_difference == 0
        start = weight * is_right_at_first
        change = weight * (is_right_as_tie.astype(np.float64) - is_right_at_first)

        distance = np.abs(metric_difference)
        order = np.argsort(distance, kind="stable")
        return cls(segment[order], weight[order], start[order], change[order], distance[order], n_segments)

    @cached_property
    def _is_last(self) -> BoolArray:
        """Whether the next pair has another difference, so that the threshold can lie there."""
        if len(self.difference) == 0:
            return np.zeros(0, dtype=bool)
        return np.append(np.diff(self.difference) > 0, True)

    def calibrated(self) -> tuple[float, float]:
        """Return the best accuracy and its tie threshold; NaN if no segment has a pair."""
        accuracies, last_tied = self._best(np.ones((1, self.n_segments)))
        accuracy = float(accuracies[0])
        if math.isnan(accuracy):
            return math.nan, math.nan
        if last_tied[0] < 0:
            return accuracy, 0.0
        return accuracy, float(self.difference[last_tied[0]])

    def calibrated_on(self, counts: FloatArray) -> FloatArray:
        """Return the best accuracy per replicate with its own threshold, from counts ``(replicates, segments)``."""
        return self._best(counts)[0]

    def _best(self, counts: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return the best accuracy per replicate, and the last pair that its threshold ties; -1 without a threshold."""
        # Of each segment: 1 if it has pairs, and its accuracy if only equal scores are ties
        has_pairs = np.bincount(self.segment, self.weight, self.n_segments)
        accuracy = np.bincount(self.segment, self.start, self.n_segments)
        # The kernel sweeps the pairs once: it ties one after the other, and keeps the largest gain
        gains, last_tied = most_gained(self.segment, self.change, self._is_last, counts)
        with np.errstate(invalid="ignore"):
            return np.asarray((counts @ accuracy + gains) / (counts @ has_pairs)), last_tied
