"""How much power could any test have that holds its level for any run noise?

Systems differ by noise alone and runs do not differ, but the test does not know it. What it can see is the difference
of the mean run scores and the variance over runs of either system (the noise of single outputs is taken as known, which
only helps it). Among all functions of these, a linear programme finds the one with the highest power at that truth that
rejects no more often than its level at any of some truths without a difference; more truths could only lower it. The
programme sees both in cells, which hides half a point of power at most.
"""

from collections.abc import Sequence
from functools import cache
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog
from scipy.stats import chi2, norm

Array = npt.NDArray[np.float64]
RATIOS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)  # run noise over the noise of one run's score
LESSER = (1.0, 0.2)  # of the larger run noise: equal, and 5:1
DIFFERENCES = np.array([*np.linspace(0, 6, 200), 8, 12, 25, 60, np.inf])  # in standard errors without run noise
VARIANCES = np.array([0, *np.geomspace(0.03, 150, 30), np.inf])  # in units of the noise of one run's score


@cache
def highest_power(
    n_runs: int, level: float, effect: float, ratios: Sequence[float] = RATIOS, lesser: Sequence[float] = LESSER
) -> float:
    """Power of the best two-sided test of two systems with ``n_runs`` runs each.

    Parameters
    ----------
    level
        Highest rejection rate allowed where there is no difference, for all run noises of ``ratios`` by ``lesser``.
    effect
        The true difference in standard errors, where runs do not differ.
    """
    truths = dict.fromkeys((ratio, share * ratio) for ratio, share in product(ratios, lesser))
    # Unknowns: how often the test rejects in each cell. Its power is largest, its size at each truth at most the level.
    sizes = np.array([chances_of(n_runs, *truth, 0.0) for truth in truths])
    power = chances_of(n_runs, 0.0, 0.0, effect)
    best = linprog(-power, A_ub=sizes, b_ub=np.full(len(sizes), level), bounds=(0, 1))
    return -float(best.fun)


def chances_of(
    n_runs: int, left: float, right: float, effect: float, differences: Array = DIFFERENCES, edges: Array = VARIANCES
) -> Array:
    """Chance of every cell of (size of the difference, variances of either system in any order).

    Parameters
    ----------
    left, right
        Run noise of the systems over the noise of one run's score.
    effect
        The true difference, in standard errors without run noise.
    differences, edges
        Where cells end: of the difference in such standard errors, of the variances in units of the noise.
    """
    left_variance = 1 + left**2
    right_variance = 1 + right**2
    spread = np.sqrt((left_variance + right_variance) / 2)
    within = norm.cdf((differences - effect) / spread) - norm.cdf((-differences - effect) / spread)
    df = n_runs - 1
    of_left = np.diff(chi2.cdf(df * edges / left_variance, df))
    of_right = np.diff(chi2.cdf(df * edges / right_variance, df))

    # Which system has the larger variance does not count: cells of either order are one.
    ordered = np.outer(of_left, of_right)
    lower, upper = np.triu_indices(len(of_left))
    pairs = np.where(lower == upper, ordered[lower, upper], ordered[lower, upper] + ordered[upper, lower])
    return np.outer(np.diff(within), pairs).ravel()
