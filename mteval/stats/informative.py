"""Draw segments that tell systems apart more often than others, with known probabilities.

A segment is informative if a metric's scores of the systems vary there (as *metric_var* of subset2evaluate, Zouhar et
al. 2025). Taking the most informative ones alone would estimate the difference on hard segments. Here segments are
divided into strata by that variation, informative strata get more of the sample (Neyman 1934), and segments are drawn
at random within each. Every segment's probability is known, so weighted means are about the whole test set.
"""

import numpy as np

from mteval.base.arrays import FloatArray, IntArray

STRATA = 5


def informativeness(scores: FloatArray) -> FloatArray:
    """Return the standard deviation of each segment's scores over systems, from scores ``(systems, segments)``."""
    return np.asarray(np.nan_to_num(np.std(scores, axis=0)))


def allocated(spread: FloatArray, sizes: IntArray, n: int) -> IntArray:
    """Return how many segments to draw from each stratum.

    In proportion to size times mean spread, at least one and at most all of each.

    Parameters
    ----------
    spread
        Mean informativeness of each stratum, shape ``(strata,)``.
    sizes
        Number of segments of each.
    n
        From the number of strata to that of segments.
    """
    shares = sizes * (spread if spread.any() else np.ones_like(spread))
    counts = np.ones_like(sizes)
    while counts.sum() < n:  # to the stratum that is furthest below its share
        wanted = np.where(counts < sizes, shares / counts, -1.0)
        counts[int(np.argmax(wanted))] += 1
    return counts


def strata_of(information: FloatArray, n_strata: int = STRATA) -> IntArray:
    """Return the stratum of each segment, from 0: equally many in each, from the least informative ones up.

    Parameters
    ----------
    information
        Of each segment, shape ``(segments,)``.
    """
    if np.ptp(information) == 0:  # plain random sampling
        return np.zeros(len(information), dtype=np.int64)
    rank = np.empty(len(information), dtype=np.int64)
    rank[np.argsort(information, kind="stable")] = np.arange(len(information))
    return rank * min(n_strata, len(information)) // len(information)


def probabilities(information: FloatArray, n: int, n_strata: int = STRATA) -> tuple[FloatArray, IntArray, IntArray]:
    """Return each segment's probability of being drawn, its stratum, and the number drawn from each stratum.

    Parameters
    ----------
    information
        Of each segment, shape ``(segments,)``.
    n
        Segments to draw; all if there are fewer.
    """
    strata = strata_of(information, min(n_strata, n))
    sizes = np.bincount(strata)
    counts = allocated(np.bincount(strata, information) / sizes, sizes, min(n, len(information)))
    return (counts / sizes)[strata], strata, counts


def draw_informative(information: FloatArray, n: int, generator: np.random.Generator) -> tuple[IntArray, FloatArray]:
    """Draw segments without replacement, more from informative strata.

    Returns
    -------
    The drawn segments in random order, and every segment's probability, shape ``(segments,)``.
    """
    chances, strata, counts = probabilities(information, n)
    drawn = [generator.permutation(np.flatnonzero(strata == place))[:count] for place, count in enumerate(counts)]
    return generator.permutation(np.concatenate(drawn)), chances
