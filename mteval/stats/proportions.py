"""Exact intervals and tests of counts of two outcomes: right or wrong, won or lost."""

import math

import numpy as np
from scipy import special

from mteval.base.arrays import BoolArray, IntArray


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


def mcnemar(first_is_right: BoolArray, second_is_right: BoolArray) -> tuple[int, int, float]:
    """Compare how often two tests are right on the same pairs (McNemar 1947, exact binomial form).

    Parameters
    ----------
    first_is_right, second_is_right
        Whether each test is right on each pair, shape ``(pairs,)``.

    Returns
    -------
    Counts of pairs on which only the first, and only the second, is right, and the two-sided p-value (1 if they never
    differ). Pairs that share a system are not independent, so the p-value is approximate.
    """
    only_first = int(np.count_nonzero(first_is_right & ~second_is_right))
    only_second = int(np.count_nonzero(second_is_right & ~first_is_right))
    return only_first, only_second, sign_test(only_first, only_second)


def chi_square(successes: IntArray, trials: IntArray) -> tuple[float, int, float]:
    """Test whether proportions of independent samples differ (Pearson's chi-square, without continuity correction).

    Parameters
    ----------
    successes, trials
        Of each sample, shape ``(samples,)``.

    Returns
    -------
    The statistic, its degrees of freedom and the p-value; 0 and 1 if all samples have only successes or only failures.
    """
    # Axes: success and failure, samples
    observed = np.array([successes, trials - successes], dtype=np.float64)
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / observed.sum()
    df = len(trials) - 1
    if df < 1 or not expected.all():
        return 0.0, df, 1.0
    statistic = float(((observed - expected) ** 2 / expected).sum())
    return statistic, df, float(special.chdtrc(df, statistic))


def sign_test(won: int, lost: int) -> float:
    """Return the exact two-sided p-value if both outcomes are equally likely; 1 without any outcome."""
    if won + lost == 0:
        return 1.0
    one_sided = float(special.bdtr(min(won, lost), won + lost, 0.5))
    return min(1.0, 2 * one_sided)
