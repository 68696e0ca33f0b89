"""What experiments with k runs per system would show (Clark et al. 2011, Figure 2 and section 5).

The difference of the means of k new runs per system on the same test set has mean ``δ`` and variance ``(σ_A^2 + σ_B^2)
/ k``. With normal scores it has the wrong sign with probability ``Φ(-√k |δ| / √(σ_A^2 + σ_B^2))``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
import scipy  # loads its optimizer, which few questions need, when that is first used
from scipy import special

from mteval.base.arrays import FloatArray
from mteval.stats.base import Estimate
from mteval.stats.procedures.classical import all_divisions
from mteval.stats.resampling.streams import Chunk, seeds_of, stream_of
from mteval.stats.runs import satterthwaite, variance
from mteval.stats.stats_kernels import draw

MOST_COMBINATIONS = 50_000
SLOTS = 1 << 17  # of the hash table of combinations
NEVER_REPEATING = 500 * MOST_COMBINATIONS**2  # beyond, fewer than one sample in a thousand has repeats
ASIDE = 1e-9  # how far a limit of a probability is searched from 0 and 1
N_POINTS = 2_000  # of the chi-square distribution; confidence is off by less than 0.0001
FARTHEST = 9.0  # standard errors beyond which the normal density is negligible


@dataclass(frozen=True)
class Differences:
    """Differences between mean scores of k runs per system, ``system - baseline``.

    Parameters
    ----------
    values
        One per combination of k runs of each system.
    n_combinations
        Number of combinations.
    is_exact
        Whether ``values`` has all combinations, not a sample without replacement.
    """

    k: int
    values: FloatArray
    n_combinations: int
    is_exact: bool


def differences_by_k(
    baseline: FloatArray, system: FloatArray, ks: Sequence[int], seeds: np.random.SeedSequence
) -> list[Differences]:
    """Return the differences for each k: all combinations, or a sample of 50,000 without replacement.

    Parameters
    ----------
    baseline, system
        Scores of the runs, shapes ``(n_A,)`` and ``(n_B,)``.
    ks
        Numbers of runs, from 1 to the smaller of ``n_A`` and ``n_B``.
    """
    n_combinations = {k: comb(len(baseline), k) * comb(len(system), k) for k in ks}
    too_many = {k: n for k, n in n_combinations.items() if n > MOST_COMBINATIONS}
    sampled = _sampled(baseline, system, too_many, seeds)
    differences = []
    for k, n in n_combinations.items():
        if k in sampled:
            values = sampled[k]
        else:
            baseline_means = baseline[all_divisions(len(baseline), k)].mean(axis=1)
            system_means = system[all_divisions(len(system), k)].mean(axis=1)
            values = np.subtract.outer(system_means, baseline_means).ravel()
        differences.append(Differences(k, values, n, k not in sampled))
    return differences


def _sampled(
    baseline: FloatArray, system: FloatArray, numbers: Mapping[int, int], seeds: np.random.SeedSequence
) -> dict[int, FloatArray]:
    """Sample combinations without replacement for each k.

    The first k runs of a random order are a random combination, so one order serves all k. Repeated combinations are
    recognised by the sum of random 64-bit labels of their runs.
    """
    if not numbers:
        return {}
    ks = sorted(numbers, key=lambda k: numbers[k])
    n_repeating = sum(number < NEVER_REPEATING for number in numbers.values())
    values = np.empty((len(ks), MOST_COMBINATIONS))
    place_of = np.full(max(ks) + 1, -1)
    place_of[ks] = np.arange(len(ks))
    labels = np.random.SFC64(seeds_of(seeds, Chunk(1, 0, 1))).random_raw(len(baseline) + len(system))
    stream = stream_of(seeds, Chunk(0, 0, MOST_COMBINATIONS))
    draw(stream, baseline, system, labels, place_of, np.zeros((n_repeating, SLOTS), dtype=np.uint64), values)
    return dict(zip(ks, values, strict=True))


def fresh_variance(baseline: FloatArray, system: FloatArray, k: int) -> float:
    """Return the variance of the difference of k new runs per system, ``s_A^2/k + s_B^2/k``.

    Parameters
    ----------
    baseline, system
        Run scores, shape ``(runs,)``.
    """
    return sum(variance(scores) / k for scores in (baseline, system))


@dataclass(frozen=True)
class Outlook:
    """Distribution of the difference of k runs per system, around that of all runs.

    Parameters
    ----------
    standard_deviation, low, high
        Of the observed difference, and its 95% range.
    wrong_sign
        Probability of the wrong sign. NaN if the expected difference is zero.
    at_least_half
        Probability of the right sign and at least half the expected size. NaN if the expected difference is zero.
    """

    standard_deviation: float
    low: float
    high: float
    wrong_sign: float
    at_least_half: float


def pool_outlook(differences: FloatArray, expected: float) -> Outlook:
    """Return the outlook from combinations of the runs at hand.

    Parameters
    ----------
    differences
        Of each combination, in score points; shape ``(combinations,)``.
    expected
        Difference of the means of all runs.
    """
    low, high = np.quantile(differences, (0.025, 0.975))
    wrong_sign = np.nan
    at_least_half = np.nan
    if expected:
        relative = differences / expected
        wrong_sign = float((relative < 0).mean())
        at_least_half = float((relative >= 0.5).mean())
    return Outlook(float(differences.std()), float(low), float(high), wrong_sign, at_least_half)


def fresh_outlook(expected: float, deviation: float) -> Outlook:
    """Return the outlook for new runs by the normal distribution."""
    reach = float(special.ndtri(0.975)) * deviation
    size = np.nan  # of the expected difference, in standard deviations
    if expected and deviation > 0:
        size = abs(expected) / deviation
    wrong_sign = float(special.ndtr(-size))
    at_least_half = float(special.ndtr(size / 2))
    return Outlook(deviation, expected - reach, expected + reach, wrong_sign, at_least_half)


def probability_of_superiority(baseline: FloatArray, system: FloatArray, confidence: float) -> Estimate:
    """Return the probability that a run of the system beats one of the baseline (ties count half), with its interval.

    From run scores, shapes ``(n_A,)`` and ``(n_B,)``. Covers training luck on the test set at hand.

    Newcombe's (2006, part 2) method 5 with Student's instead of the normal quantile. With three separate runs per
    system, the normal quantile would always exclude 1/2, which happens to equal systems one time in ten. Assumes
    independent runs.

    Returns
    -------
    NaN limits if a system has one run.
    """
    # Of each pair of runs, shape ``(n_B, n_A)``
    beats = (system[:, np.newaxis] > baseline) + 0.5 * (system[:, np.newaxis] == baseline)
    observed = float(beats.mean())
    n_baseline = len(baseline)
    n_system = len(system)
    if min(n_baseline, n_system) < 2:
        return Estimate(observed)
    t = float(special.stdtrit(n_baseline + n_system - 2, 0.5 + confidence / 2))

    def excess(probability: float) -> float:
        """Return a positive value if the probability is outside the interval."""
        return (probability - observed) ** 2 - t**2 * _variance(probability, n_baseline, n_system)

    # At 0 and 1 the variance is 0 and both ends would be limits, hence the offset.
    low = 0.0
    if observed > 0:
        low = float(scipy.optimize.brentq(excess, 0.0, min(observed, 1 - ASIDE)))
    high = 1.0
    if observed < 1:
        high = float(scipy.optimize.brentq(excess, max(observed, ASIDE), 1.0))
    return Estimate(observed, low, high)


def _variance(probability: float, n_baseline: int, n_system: int) -> float:
    """Return Hanley and McNeil's variance of the Mann–Whitney share with both sizes replaced by their mean."""
    others = (n_baseline + n_system) / 2 - 1
    spread = (1 - probability) / (2 - probability) + probability / (1 + probability)
    return probability * (1 - probability) * (1 + others * spread) / (n_baseline * n_system)


def median_weights(scores: FloatArray, k: int) -> FloatArray:
    """Return the probability that each run is the median of k runs drawn without replacement, shape ``(runs,)``.

    A run is the median if ``k // 2`` of the others drawn rank below it. Equal scores are ranked in their order.
    """
    n = len(scores)
    n_below = k // 2
    n_above = k - 1 - n_below
    weights = [comb(rank, n_below) * comb(n - 1 - rank, n_above) / comb(n, k) for rank in range(n)]
    ranks = np.argsort(np.argsort(scores, kind="stable"))
    return np.array(weights)[ranks]


def median_within(scores: FloatArray, k: int, reach: float, read: FloatArray | None = None) -> float:
    """Return the exact probability that the median of k runs is within ``reach`` of the mean of all runs.

    Parameters
    ----------
    scores
        Scores by which the median is chosen, shape ``(runs,)``.
    read
        Scores of the same runs on another test set, on which the chosen run is read; default: ``scores``.
    """
    values = scores if read is None else read
    is_near = np.abs(values - values.mean()) <= reach
    return float(median_weights(scores, k)[is_near].sum())


def fresh_median_within(deviation: float, k: int, reach: float) -> float:
    """Return that probability for k new runs with normal scores (order statistics; beta integral)."""
    if deviation == 0:
        return 1.0
    # The median of k uniform numbers has this beta distribution
    below = k // 2 + 1
    above = k - k // 2
    high = special.ndtr(reach / deviation)
    return float(special.betainc(below, above, high) - special.betainc(below, above, 1 - high))


@dataclass(frozen=True)
class Separation(Estimate):
    """Standardised difference: distance of two systems in standard deviations of single runs (training luck only).

    The value is never negative. If ``low`` is negative, the true order may be reversed.
    """

    def risk(self, k: int) -> tuple[float, float, float]:
        """Return the probability that k new runs per system have the wrong order, and its interval."""

        def wrong_order(size: float) -> float:
            return float(special.ndtr(-(k**0.5) * size))

        return wrong_order(self.value), wrong_order(self.high), wrong_order(self.low)


def separation(baseline: FloatArray, system: FloatArray, confidence: float) -> Separation:
    """Estimate the standardised difference from normal run scores, shapes ``(n_A,)`` and ``(n_B,)``.

    The interval inverts the noncentral t distribution (Steiger and Fouladi 1997) with Satterthwaite degrees of freedom.

    Returns
    -------
    NaN if a system has one run, if runs do not vary, or if the means are equal.
    """
    variances = np.array([variance(baseline), variance(system)])
    total = float(variances.sum())
    difference = abs(float(system.mean() - baseline.mean()))
    if not difference or not total > 0:  # or NaN
        return Separation(float("nan"))
    sizes = np.array([len(baseline), len(system)])
    df = satterthwaite(variances, sizes - 1)

    # Standard error of the difference, in standard deviations of a difference of single runs
    shrinkage = float(np.sqrt((variances / sizes).sum() / total))
    low, high = _noncentralities(difference / (shrinkage * total**0.5), df, confidence)
    return Separation(difference / total**0.5, low * shrinkage, high * shrinkage)


def _noncentralities(t: float, df: float, confidence: float) -> tuple[float, float]:
    """Return the noncentrality parameters that bound the interval for an observed ``t``."""
    # An observed t is a normal number around the noncentrality, divided by the root of chi-square / df; that root is
    # integrated over the midpoints of N_POINTS equally probable intervals
    uniform = (np.arange(N_POINTS) + 0.5) / N_POINTS
    reach = t * np.sqrt(special.chdtri(df, uniform) / df)
    lowest = float(reach.min()) - FARTHEST
    highest = float(reach.max()) + FARTHEST

    def with_share(share: float) -> float:
        """Return the noncentrality at which a smaller t has this probability."""
        return float(scipy.optimize.brentq(lambda size: special.ndtr(reach - size).mean() - share, lowest, highest))

    tail = (1 - confidence) / 2
    return with_share(1 - tail), with_share(tail)
