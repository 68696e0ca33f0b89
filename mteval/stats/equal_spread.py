"""Do runs spread more on one set than on another? The same runs, seen on both."""

import numpy as np
import numpy.typing as npt
from scipy import special

from mteval.stats.base import FloatArray


def equal_spread_p_value(one: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """Two-sided p-value of equal variances of paired scores (Pitman 1939; Morgan 1939).

    Scores of the same runs depend on one another, so their variances cannot be compared by F. Variances are equal where
    sums and differences of the pairs are not correlated, which Student's t tests. Assumes normal scores.

    Parameters
    ----------
    one, other
        Scores of the same runs, shape ``(runs,)``.

    Returns
    -------
    NaN for fewer than three runs, and where sums or differences do not vary.
    """
    first, second = (np.asarray(scores, dtype=np.float64) for scores in (one, other))
    n_runs = len(first)
    if n_runs < 3:
        return float("nan")
    sums, differences = _centred(first + second), _centred(first - second)
    scale = float(np.sqrt((sums @ sums) * (differences @ differences)))
    if not scale > 0:
        return float("nan")
    r = float(np.clip(sums @ differences / scale, -1, 1))
    t = np.inf if abs(r) == 1 else abs(r) * np.sqrt((n_runs - 2) / (1 - r**2))
    return float(2 * special.stdtr(n_runs - 2, -t))


def _centred(values: FloatArray) -> FloatArray:
    return np.asarray(values - values.mean())
