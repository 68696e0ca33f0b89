"""Do a metric and people order pairs of systems alike, and with the same confidence?

Both accuracies are shares over pairs of systems: of orders (Kocmi et al. 2021), and of p-values (Thompson et al. 2024).
"""

import numpy as np
from scipy import special

from mteval.base.arrays import FloatArray, StatArray
from mteval.stats.base import TOLERANCE, Score
from mteval.stats.resampling.streams import chunks_of, seeds_of


def pair_differences(scores: FloatArray) -> FloatArray:
    """Return differences of all pairs from scores ``(..., systems)``, first minus second, shape ``(..., pairs)``."""
    first, second = np.triu_indices(scores.shape[-1], 1)
    return np.asarray(scores[..., first] - scores[..., second])


def pairwise_accuracy(human: FloatArray, metric: FloatArray) -> FloatArray:
    """Return the share of pairs that metric and people order alike (Kocmi et al. 2021), from ``(..., systems)``."""
    human_order = np.sign(pair_differences(human))
    metric_order = np.sign(pair_differences(metric))
    return np.asarray((human_order == metric_order).mean(axis=-1))


def soft_pairwise_accuracy(human_p: FloatArray, metric_p: FloatArray) -> FloatArray:
    """Return one minus the mean absolute difference of p-values ``(..., pairs)`` (Thompson et al. 2024)."""
    return np.asarray(1 - np.abs(human_p - metric_p).mean(axis=-1))


def exchange_p_values(
    statistics: StatArray, score: Score, n_exchanges: int, seeds: np.random.SeedSequence
) -> FloatArray:
    """Return p-values of paired permutation tests that the first system of each pair is better.

    Each segment is exchanged with probability 1/2, the same segments for all pairs. The p-value is the share of
    exchanges whose difference is at least the observed one, as in the WMT metrics task.

    Parameters
    ----------
    statistics
        Shape ``(systems, segments, d)``, without NaN.
    score
        Maps sums ``(..., d)`` to scores; higher is better.

    Returns
    -------
    Shape ``(pairs,)``.
    """
    n_systems, n_segments, d = statistics.shape
    totals = statistics.sum(axis=1).astype(np.float64)
    observed = pair_differences(score(totals))
    pairs = list(zip(*np.triu_indices(n_systems, 1), strict=True))
    n_reached = np.zeros(len(pairs))

    # One row per segment, one column per system and statistic
    columns = statistics.transpose(1, 0, 2).reshape(n_segments, n_systems * d).astype(np.float64)
    for chunk in chunks_of(n_exchanges, 1_000):
        generator = np.random.Generator(np.random.SFC64(seeds_of(seeds, chunk)))
        # 1 if the segment stays, 0 if it is exchanged; shape ``(exchanges, segments)``
        stays = generator.integers(0, 2, size=(len(chunk), n_segments), dtype=np.int8).astype(np.float64)
        # Sums over the segments that stay, and over those that go; shape ``(exchanges, systems, d)``
        kept = np.asarray((stays @ columns).reshape(len(chunk), n_systems, d))
        gone = totals - kept
        for pair, (first, second) in enumerate(pairs):
            exchanged = score(kept[:, first] + gone[:, second]) - score(gone[:, first] + kept[:, second])
            n_reached[pair] += np.count_nonzero(exchanged >= observed[pair] - TOLERANCE)
    return n_reached / n_exchanges


def normal_p_values(contributions: FloatArray, counts: FloatArray) -> FloatArray:
    """Return p-values of ``exchange_p_values`` per replicate of the test set, by the normal approximation.

    Parameters
    ----------
    contributions
        Contribution of each segment to its system's score, shape ``(systems, segments)``.
    counts
        Count of each segment in each replicate, shape ``(replicates, segments)``.

    Returns
    -------
    Shape ``(replicates, pairs)``; 1/2 for a pair without any difference.
    """
    gains = pair_differences(contributions.T)
    # An exchange changes the sign of a segment's gain, so the variance is the sum of squared gains
    difference = counts @ gains
    spread = np.sqrt(counts @ gains**2)
    z = np.divide(difference, spread, out=np.zeros_like(difference), where=spread > 0)
    return np.asarray(special.ndtr(-z))
