"""Do judgements of one system tend to be higher than those of another (Mann and Whitney 1947)?"""

import math

import numpy as np

from mteval.base.arrays import FloatArray


def rank_sum(first: FloatArray, second: FloatArray) -> tuple[float, float]:
    """Return one-sided p-values that the first sample tends to be larger, and that the second does.

    Uses SciPy's normal approximation with tie and continuity corrections. Assumes that all judgements are independent,
    including those of one output. NaN if a sample is empty; 1 if all values are equal.

    Parameters
    ----------
    first, second
        Judgements, shape ``(judgements,)``; the numbers may differ.
    """
    from scipy.stats import mannwhitneyu  # here, because it takes most of a second to import

    if len(first) == 0 or len(second) == 0:
        return math.nan, math.nan
    if np.ptp(np.concatenate([first, second])) == 0:
        return 1.0, 1.0
    greater = mannwhitneyu(first, second, alternative="greater", method="asymptotic")
    less = mannwhitneyu(first, second, alternative="less", method="asymptotic")
    return float(greater.pvalue), float(less.pvalue)
