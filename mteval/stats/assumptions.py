"""Do the data look like what the two-way test assumes? Runs that stand apart, informative sizes.

Each function returns a p-value of the assumption; the calibration states how often it warns, rightly and wrongly.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special


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
    if len(np.unique(np.asarray(sizes))) < 3 or np.ptp(np.asarray(gains)) == 0 or np.size(gains) < 6:
        return NOTHING
    from scipy.stats import spearmanr  # here, because it takes most of a second to import

    correlation = spearmanr(gains, sizes)
    return Odd((), float(correlation.statistic), float(correlation.pvalue))
