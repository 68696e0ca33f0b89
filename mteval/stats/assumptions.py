"""Do the data look like what the two-way test assumes? Runs that stand apart, informative sizes.

Each function returns a p-value of the assumption; the calibration states how often it warns, rightly and wrongly.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from mteval.base.arrays import FloatArray


@dataclass(frozen=True)
class Odd:
    """What is least as assumed.

    Parameters
    ----------
    places
        The runs concerned.
    value
        The statistic, as the function says.
    p_value
        Of the assumption, adjusted for the number of runs or pairs; 1 if it cannot be tested.
    """

    places: tuple[int, ...]
    value: float
    p_value: float


NOTHING = Odd((), float("nan"), 1.0)


def run_apart(scores: npt.ArrayLike) -> Odd:
    """Test whether the run furthest from the mean is an outlier among normal runs (Grubbs 1950).

    With three runs the p-value is exact and tests the ratio of the two gaps; it needs about 33:1 for 5%.

    Parameters
    ----------
    scores
        Of the runs of one system, shape ``(runs,)``.

    Returns
    -------
    The run, and its distance from the mean in standard deviations.
    """
    values = np.asarray(scores, dtype=np.float64)
    n = len(values)
    if n < 3:
        return NOTHING
    spread = float(values.std(ddof=1))
    if not spread > 0:
        return NOTHING
    distances = np.abs(values - values.mean()) / spread
    place = int(distances.argmax())
    furthest = float(distances.max())

    # Grubbs' statistic in terms of Student's t, with Bonferroni over the runs and both directions
    remainder = (n - 1) ** 2 - n * furthest**2
    if remainder <= 0:  # all other runs are equal
        return Odd((place,), furthest, 0.0)
    t_value = np.sqrt(n * (n - 2) * furthest**2 / remainder)
    p_value = 2 * n * float(special.stdtr(n - 2, -t_value))
    return Odd((place,), furthest, min(1.0, p_value))


def informative_sizes(gains: npt.ArrayLike, sizes: npt.ArrayLike) -> Odd:
    """Test whether a system's gain depends on the size of documents (Spearman's rank correlation).

    Parameters
    ----------
    gains
        Mean gain per segment of each document, shape ``(documents,)``.
    sizes
        Segments of each document, same shape.

    Returns
    -------
    No runs, and the correlation.
    """
    gain_values = np.asarray(gains, dtype=np.float64)
    n = len(gain_values)
    if len(np.unique(np.asarray(sizes))) < 3 or n < 6 or not np.ptp(gain_values) > 0:
        return NOTHING
    correlation = float(np.corrcoef(_mean_ranks(gain_values), _mean_ranks(sizes))[0, 1])
    if abs(correlation) >= 1:
        return Odd((), correlation, 0.0)
    # Student's t as in SciPy's spearmanr, whose package takes as long to import as all else that a command does
    t_value = abs(correlation) * np.sqrt((n - 2) / ((1 + correlation) * (1 - correlation)))
    return Odd((), correlation, 2 * float(special.stdtr(n - 2, -t_value)))


def _mean_ranks(values: npt.ArrayLike) -> FloatArray:
    """Return ranks from 1, shape as the values; equal values share the mean of their ranks."""
    _, numbers, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last_ranks = counts.cumsum()
    ranks = last_ranks - (counts - 1) / 2
    return np.asarray(ranks[numbers], dtype=np.float64)
