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


def clopper_pearson(successes: int, trials: int, confidence: float) -> tuple[float, float]:
    """Return the exact interval of a proportion (Clopper and Pearson 1934); NaN without trials."""
    if trials == 0:
        return math.nan, math.nan
    tail = (1 - confidence) / 2
    low = special.betaincinv(successes, trials - successes + 1, tail) if successes else 0.0
    high = special.betaincinv(successes + 1, trials - successes, 1 - tail) if successes < trials else 1.0
    return float(low), float(high)


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
    only_one, only_other = int(np.count_nonzero(one & ~other)), int(np.count_nonzero(other & ~one))
    return only_one, only_other, sign_test(only_one, only_other)


def sign_test(won: int, lost: int) -> float:
    """Return the exact two-sided p-value that both are equally likely; 1 without any."""
    return min(1.0, 2 * float(special.bdtr(min(won, lost), won + lost, 0.5))) if won + lost else 1.0


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
    All NaN with fewer than six units, or if nothing varies.
    """
    places = np.unique(units, return_inverse=True)[1]
    n = int(places.max()) + 1 if len(places) else 0
    if n < 6 or np.ptp(one) == 0 or np.ptp(other) == 0:  # for a correlation
        return (math.nan,) * 4
    x, y = one - one.mean(), other - other.mean()  # for the digits
    moments = np.array([np.bincount(places, part, n) for part in (np.ones_like(x), x, y, x * x, y * y, x * y)])
    total = moments.sum(axis=1, keepdims=True)
    r, without = float(_pearson_of(total)[0]), _pearson_of(total - moments)
    if np.isnan(without).any() or abs(r) >= 1:
        return r, math.nan, math.nan, math.nan
    z = float(np.arctanh(r))
    pseudo = n * z - (n - 1) * np.arctanh(np.clip(without, -1 + TOLERANCE, 1 - TOLERANCE))
    error = pseudo.std(ddof=1) / math.sqrt(n)
    reach = special.stdtrit(n - 1, 0.5 + confidence / 2) * error
    p_value = 2 * float(special.stdtr(n - 1, -abs(z) / error)) if error else math.nan
    return r, math.tanh(z - reach), math.tanh(z + reach), p_value


def _pearson_of(moments: FloatArray) -> FloatArray:
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
        place = np.broadcast_to(units, human.shape)
        n_units = int(units.max()) + 1
        counts = np.zeros((3, n_units, n_units))
        count_pairs(human.ravel(), metric.ravel(), np.ascontiguousarray(place).ravel(), counts)
        return cls(*(counts + counts.transpose(0, 2, 1)))

    def tau_b(self, counts: FloatArray) -> FloatArray:
        """Return Kendall's tau-b per replicate, given counts of each unit, shape ``(replicates, units)``."""
        agreement, human, metric = (
            ((counts @ matrix) * counts).sum(axis=1)
            for matrix in (self.agreement, self.untied_human, self.untied_metric)
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(agreement / np.sqrt(human * metric))


def rank_sum(one: FloatArray, other: FloatArray) -> tuple[float, float]:
    """Return one-sided p-values that the first sample tends to be larger, and that the second does.

    Uses SciPy's normal approximation with tie and continuity corrections. Assumes that all judgements are independent,
    including those of one output. NaN if a sample is empty; 1 if all values are equal.
    """
    from scipy.stats import mannwhitneyu  # here, because it takes most of a second to import

    if not len(one) or not len(other):
        return math.nan, math.nan
    if np.ptp(np.concatenate([one, other])) == 0:
        return 1.0, 1.0
    greater, less = (
        float(mannwhitneyu(one, other, alternative=side, method="asymptotic").pvalue) for side in ("greater", "less")
    )
    return greater, less


def pair_differences(scores: FloatArray) -> FloatArray:
    """Return differences of all pairs of systems, first minus second, shape ``(..., pairs)``."""
    one, other = np.triu_indices(scores.shape[-1], 1)
    return np.asarray(scores[..., one] - scores[..., other])


def pairwise_accuracy(human: FloatArray, metric: FloatArray) -> FloatArray:
    """Return the share of pairs of systems that metric and people order alike (Kocmi et al. 2021)."""
    people, ours = (np.sign(pair_differences(scores)) for scores in (human, metric))
    return np.asarray((people == ours).mean(axis=-1))


def pearson(human: FloatArray, metric: FloatArray) -> FloatArray:
    """Return Pearson's correlation; NaN if all systems have the same score."""
    return _cosine(*(scores - scores.mean(axis=-1, keepdims=True) for scores in (human, metric)))


def kendall(human: FloatArray, metric: FloatArray) -> FloatArray:
    """Return Kendall's tau-b; NaN if all systems have the same score."""
    return _cosine(*(np.sign(pair_differences(scores)) for scores in (human, metric)))


def _cosine(one: FloatArray, other: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        lengths = np.sqrt((one**2).sum(axis=-1) * (other**2).sum(axis=-1))
        return np.asarray((one * other).sum(axis=-1) / lengths)


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
    people, ours = (values - values.mean(axis=0) for values in (human, metric))
    wholes, without = [], []  # the moments of all units, and without each
    for one, other in ((people, ours), (people, people), (ours, ours)):
        sums, own = one.sum(axis=1) @ other.sum(axis=1), (one * other).sum(axis=0)
        of_unit = one.sum(axis=1) @ other + other.sum(axis=1) @ one - 2 * own
        products = sums - own.sum()  # of different units
        wholes.append(products / (n_units * (n_units - 1)))
        without.append((products - of_unit) / ((n_units - 1) * (n_units - 2)))
    squares = np.column_stack([wholes[1:], without[1:]])
    if (squares <= 0).any():
        return -1.0, 1.0
    lengths = np.sqrt(squares[0] * squares[1])
    variances = np.cov(without[0], lengths[1:]) * (n_units - 1) ** 2 / n_units
    reach = float(special.stdtrit(df, (1 + confidence) / 2)) ** 2
    square = lengths[0] ** 2 - reach * variances[1, 1]
    if square <= 0:
        return -1.0, 1.0
    middle = (wholes[0] * lengths[0] - reach * variances[0, 1]) / square
    width = np.sqrt(max(0.0, middle**2 - (wholes[0] ** 2 - reach * variances[0, 0]) / square))
    low, high = np.clip([middle - width, middle + width], -1, 1).tolist()
    return low, high


MIRRORED = 25  # how much smaller the mirrored tail is (benchmarks/agreement.py)


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
    low, high, below = np.nanquantile(draws, [tail, 1 - tail, tail / MIRRORED])
    return float(low), float(min(1.0, max(high, 2 * value - below)))


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
    is_less = (np.count_nonzero(known < value) + np.count_nonzero(known <= value)) / (2 * len(known))
    bias = special.ndtri(np.clip(is_less, 0.5 / len(known), 1 - 0.5 / len(known)))
    apart = without.mean() - without
    spread = np.sqrt((apart**2).sum())
    acceleration = (apart**3).sum() / (6 * spread**3) if spread > 0 else 0.0
    z = bias + special.ndtri([0.5 - confidence / 2, 0.5 + confidence / 2])
    low, high = np.quantile(known, special.ndtr(bias + z / (1 - acceleration * z)))
    return float(low), float(high)


def soft_pairwise_accuracy(human: FloatArray, metric: FloatArray) -> FloatArray:
    """Return one minus the mean absolute difference of p-values ``(..., pairs)`` (Thompson et al. 2024)."""
    return np.asarray(1 - np.abs(human - metric).mean(axis=-1))


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
    totals = statistics.sum(axis=1).astype(np.float64)
    observed = pair_differences(score(totals))
    reached = np.zeros(len(observed))
    pairs = list(zip(*np.triu_indices(len(totals), 1), strict=True))
    for chunk in chunks_of(n_exchanges, 1_000):
        n_systems, n_segments, d = statistics.shape
        generator = np.random.Generator(np.random.SFC64(seeds_of(seeds, chunk)))
        stays = generator.integers(0, 2, size=(len(chunk), n_segments), dtype=np.int8).astype(np.float64)
        columns = statistics.transpose(1, 0, 2).reshape(n_segments, n_systems * d).astype(np.float64)
        kept = np.asarray((stays @ columns).reshape(len(chunk), n_systems, d))
        gone = totals - kept
        for place, (one, other) in enumerate(pairs):
            exchanged = score(kept[:, one] + gone[:, other]) - score(gone[:, one] + kept[:, other])
            reached[place] += np.count_nonzero(exchanged >= observed[place] - TOLERANCE)
    return reached / n_exchanges


def normal_p_values(contributions: FloatArray, counts: FloatArray) -> FloatArray:
    """Return p-values of that test per replicate of the test set, by the normal approximation.

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
    difference, spread = counts @ gains, np.sqrt(counts @ gains**2)
    return np.asarray(special.ndtr(-np.divide(difference, spread, out=np.zeros_like(difference), where=spread > 0)))


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
    people, ours = human - human.mean(), metric - metric.mean()  # for the digits; a correlation knows no origin
    moments = (part.sum(axis=0) for part in (people, ours, people**2, ours**2, people * ours))
    x, y, xx, yy, xy = (counts @ moment for moment in moments)
    return _pearson_of(np.array([counts.sum(axis=1) * len(human), x, y, xx, yy, xy]))


@dataclass(frozen=True)
class RankedPairs:
    """Pairs of outputs of the same segment, sorted by absolute difference of their metric scores.

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
        human, metric = (np.where(np.isnan(human + metric), np.nan, scores) for scores in (human, metric))
        one, other = np.triu_indices(len(human), 1)
        people, ours = human[one] - human[other], metric[one] - metric[other]
        pair, segment = np.nonzero(~np.isnan(people))
        people, ours = people[pair, segment], ours[pair, segment]
        counts = np.bincount(segment, minlength=human.shape[1])
        was_right, is_right = np.sign(people) == np.sign(ours), people == 0
        order = np.argsort(np.abs(ours), kind="stable")
        weight = 1 / counts[segment]
        change = weight * (is_right.astype(np.float64) - was_right)
        return cls(
            segment[order], weight[order], (weight * was_right)[order], change[order], np.abs(ours)[order], len(counts)
        )

    @cached_property
    def _is_last(self) -> BoolArray:
        """Whether the next pair has another difference, so that the threshold can lie there."""
        return np.append(np.diff(self.difference) > 0, True)[: len(self.difference)]

    def calibrated(self) -> tuple[float, float]:
        """Return the best accuracy and its tie threshold; NaN if no segment has a pair."""
        (accuracy,), (place,) = self._best(np.ones((1, self.n_segments)))
        threshold = self.difference[place] if place >= 0 else 0.0
        return float(accuracy), math.nan if np.isnan(accuracy) else float(threshold)

    def calibrated_on(self, counts: FloatArray) -> FloatArray:
        """Return the best accuracy per replicate with its own threshold, from counts ``(replicates, segments)``."""
        return self._best(counts)[0]

    def _best(self, counts: FloatArray) -> tuple[FloatArray, IntArray]:
        weighted = np.bincount(self.segment, self.weight, self.n_segments)
        right = np.bincount(self.segment, self.start, self.n_segments)
        gains, places = most_gained(self.segment, self.change, self._is_last, counts)
        with np.errstate(invalid="ignore"):
            return np.asarray((counts @ right + gains) / (counts @ weighted)), places
