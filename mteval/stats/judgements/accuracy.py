"""How often tests conclude what people do: exact intervals of a share, and two tests on the same pairs of systems."""

import math

import numpy as np
import numpy.typing as npt
from scipy import special

BoolArray = npt.NDArray[np.bool_]


def clopper_pearson(successes: int, trials: int, confidence: float) -> tuple[float, float]:
    """Exact interval of a share (Clopper and Pearson 1934), as Graham et al. (2014) give it; NaN without trials."""
    if trials == 0:
        return math.nan, math.nan
    tail = (1 - confidence) / 2
    low = special.betaincinv(successes, trials - successes + 1, tail) if successes else 0.0
    high = special.betaincinv(successes + 1, trials - successes, 1 - tail) if successes < trials else 1.0
    return float(low), float(high)


def mcnemar(one: BoolArray, other: BoolArray) -> tuple[int, int, float]:
    """Do two tests differ in how often they are right on the same pairs? Exact (McNemar 1947, binomial form).

    Parameters
    ----------
    one, other
        Shape ``(pairs,)``: where each is right.

    Returns
    -------
    How often only the first and only the second is right, and the two-sided p-value; 1 where they never differ. Pairs
    that share a system are not independent, so that the p-value is a guide.
    """
    only_one, only_other = int(np.count_nonzero(one & ~other)), int(np.count_nonzero(other & ~one))
    n = only_one + only_other
    return only_one, only_other, min(1.0, 2 * float(special.bdtr(min(only_one, only_other), n, 0.5))) if n else 1.0
