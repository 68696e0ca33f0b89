"""Do the data look like what the two-way test assumes? Runs that stand apart or belong together, informative sizes.

Each function returns a p-value of the assumption; the calibration states how often it warns, rightly and wrongly.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

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
    from scipy.stats import t

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
    p_value = 2 * n * float(t.sf(t_value, n - 2))
    return Odd((place,), furthest, min(1.0, p_value))


def runs_alike(contributions: FloatArray) -> Odd:
    """Test whether two runs of a system are more alike than independent ones, segment by segment.

    Residuals of independent runs from the segments' means correlate by ``-1 / (n - 1)``. Runs that share a training
    correlate more. The largest correlation is compared by Fisher's z.

    Parameters
    ----------
    contributions
        Of segments or documents to the score of each run, shape ``(runs, units)``.

    Returns
    -------
    The pair, and its correlation.
    """
    from scipy.stats import norm

    n_runs, n_units = contributions.shape
    residuals = contributions - contributions.mean(axis=0)
    residuals = residuals - residuals.mean(axis=1, keepdims=True)
    norms = np.sqrt((residuals**2).sum(axis=1))
    if n_runs < 3 or n_units < 10 or not (norms > 0).all():
        return NOTHING
    pairs = list(combinations(range(n_runs), 2))
    correlations = []
    for first, second in pairs:
        correlations.append(residuals[first] @ residuals[second] / (norms[first] * norms[second]))

    # Distance of Fisher's z from that of independent runs, -1 / (n - 1); Bonferroni over the pairs
    place = int(np.argmax(correlations))
    largest = float(correlations[place])
    distance = np.arctanh(min(largest, 1 - 1e-12)) + np.arctanh(1 / (n_runs - 1))
    p_value = len(pairs) * float(norm.sf(distance * np.sqrt(n_units - 3)))
    return Odd(pairs[place], largest, min(1.0, p_value))


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
    from scipy.stats import spearmanr

    if len(np.unique(np.asarray(sizes))) < 3 or np.ptp(np.asarray(gains)) == 0 or np.size(gains) < 6:
        return NOTHING
    correlation = spearmanr(gains, sizes)
    return Odd((), float(correlation.statistic), float(correlation.pvalue))
