"""When is the median run representative? Its distance from the true mean, by how many runs it is chosen from.

Clark et al. (2011), section 5, advise the median system for manual analysis. The median run is that of ``runs``: the
upper of the two in the middle where k is even.
"""

from math import comb

import numpy as np
from scipy import special

from mteval.counts import counted
from mteval.stats.base import FloatArray


def median_weights(scores: FloatArray, k: int) -> FloatArray:
    """Probability of each run to be the median of k runs drawn from all without replacement, shape ``(runs,)``.

    The run of rank j (of n, from 1) is the median where ``k // 2`` of the others drawn rank below it. Runs with equal
    scores are ranked in their order.

    Raises
    ------
    ValueError
        If k is not between 1 and the number of runs.
    """
    n = len(scores)
    if not 1 <= k <= n:
        raise ValueError(f"The median of {counted(k, 'run')} out of {n}; expected 1 to {n}.")
    below, above = k // 2, k - 1 - k // 2
    weights = np.empty(n)
    ways = [comb(rank, below) * comb(n - 1 - rank, above) / comb(n, k) for rank in range(n)]
    weights[np.argsort(scores, kind="stable")] = ways
    return weights


def median_within(scores: FloatArray, k: int, reach: float, read: FloatArray | None = None) -> float:
    """How often the median of k of the runs lies within ``reach`` of the mean of all runs; exact.

    Parameters
    ----------
    scores
        Shape ``(runs,)``: scores by which the median is chosen.
    read
        Scores of the same runs on another test set, where the chosen run is looked at; by default the same.
    """
    values = scores if read is None else read
    is_near = np.abs(values - values.mean()) <= reach
    return float(median_weights(scores, k)[is_near].sum())


def fresh_median_within(deviation: float, k: int, reach: float) -> float:
    """The same for k new runs with normal scores of that standard deviation: a beta integral of the order statistic."""
    if deviation == 0:
        return 1.0
    high = special.ndtr(reach / deviation)
    order = (k // 2 + 1, k - k // 2)
    return float(special.betainc(*order, high) - special.betainc(*order, 1 - high))
