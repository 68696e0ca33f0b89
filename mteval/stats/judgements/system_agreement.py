"""Do a metric and people put systems in the same order? Measures over the scores of systems.

Each takes scores of shape ``(..., systems)``, higher being better in both, and gives ``(...)``, so that replicates of
the test set are measured at once.
"""

import numpy as np
from scipy import special

from mteval.stats.base import TOLERANCE, FloatArray, Score, StatArray
from mteval.stats.resampling.streams import Chunk, chunks_of, seeds_of

EXCHANGES_A_CHUNK = 1_000


def pair_differences(scores: FloatArray) -> FloatArray:
    """Differences of all pairs of systems, the first less the second; shape ``(..., pairs)``."""
    one, other = np.triu_indices(scores.shape[-1], 1)
    return np.asarray(scores[..., one] - scores[..., other])


def pairwise_accuracy(human: FloatArray, metric: FloatArray) -> FloatArray:
    """Share of the pairs of systems that metric and people order alike (Kocmi et al. 2021); equal scores are a tie."""
    people, ours = (np.sign(pair_differences(scores)) for scores in (human, metric))
    return np.asarray((people == ours).mean(axis=-1))


def pearson(human: FloatArray, metric: FloatArray) -> FloatArray:
    """Pearson's correlation; NaN where all systems have the same score."""
    people, ours = (scores - scores.mean(axis=-1, keepdims=True) for scores in (human, metric))
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.sqrt((people**2).sum(axis=-1) * (ours**2).sum(axis=-1))
        return np.asarray((people * ours).sum(axis=-1) / spread)


def kendall(human: FloatArray, metric: FloatArray) -> FloatArray:
    """Kendall's tau b; NaN where all systems have the same score."""
    people, ours = (np.sign(pair_differences(scores)) for scores in (human, metric))
    with np.errstate(invalid="ignore", divide="ignore"):
        untied = np.sqrt((people != 0).sum(axis=-1) * (ours != 0).sum(axis=-1))
        return np.asarray((people * ours).sum(axis=-1) / untied)


def soft_pairwise_accuracy(human: FloatArray, metric: FloatArray) -> FloatArray:
    """One minus the mean distance of p-values, shape ``(..., pairs)`` both (Thompson et al. 2024)."""
    return np.asarray(1 - np.abs(human - metric).mean(axis=-1))


def exchange_p_values(
    statistics: StatArray, score: Score, n_exchanges: int, seeds: np.random.SeedSequence
) -> FloatArray:
    """Of every pair of systems the p-value of the paired permutation test that the first is better.

    Segments change sides with probability one half, the same segments for all pairs. The p-value is the plain share of
    exchanges whose difference reaches the observed one, as in the WMT metrics task.

    Parameters
    ----------
    statistics
        Shape ``(systems, segments, d)``, without NaN.
    score
        From sums ``(..., d)`` to scores, higher being better.

    Returns
    -------
    Shape ``(pairs,)``.
    """
    totals = statistics.sum(axis=1).astype(np.float64)
    observed = pair_differences(score(totals))
    reached = np.zeros(len(observed))
    for chunk in chunks_of(n_exchanges, EXCHANGES_A_CHUNK):
        reached += _reached(_kept_sums(statistics, chunk, seeds), totals, score, observed)
    return reached / n_exchanges


def _kept_sums(statistics: StatArray, chunk: Chunk, seeds: np.random.SeedSequence) -> FloatArray:
    """Sums of the segments that stay on their side in each exchange, shape ``(exchanges, systems, d)``."""
    n_systems, n_segments, d = statistics.shape
    generator = np.random.Generator(np.random.SFC64(seeds_of(seeds, chunk)))
    stays = generator.integers(0, 2, size=(len(chunk), n_segments), dtype=np.int8).astype(np.float64)
    columns = statistics.transpose(1, 0, 2).reshape(n_segments, n_systems * d).astype(np.float64)
    return np.asarray((stays @ columns).reshape(len(chunk), n_systems, d))


def _reached(kept: FloatArray, totals: FloatArray, score: Score, observed: FloatArray) -> FloatArray:
    """In how many exchanges each pair's difference reaches the observed one."""
    gone = totals - kept
    counts = []
    for (one, other), difference in zip(zip(*np.triu_indices(len(totals), 1), strict=True), observed, strict=True):
        exchanged = score(kept[:, one] + gone[:, other]) - score(gone[:, one] + kept[:, other])
        counts.append(np.count_nonzero(exchanged >= difference - TOLERANCE))
    return np.array(counts, dtype=np.float64)


def normal_p_values(contributions: FloatArray, counts: FloatArray) -> FloatArray:
    """The p-values of that test on replicates of the test set, by the normal distribution that exchanges tend to.

    Parameters
    ----------
    contributions
        Of each segment to its system's score, shape ``(systems, segments)``.
    counts
        How often each replicate has each segment, shape ``(replicates, segments)``.

    Returns
    -------
    Shape ``(replicates, pairs)``; one half for a pair without any difference.
    """
    gains = pair_differences(contributions.T)
    difference, spread = counts @ gains, np.sqrt(counts @ gains**2)
    return np.asarray(special.ndtr(-np.divide(difference, spread, out=np.zeros_like(difference), where=spread > 0)))


def segment_pearson(human: FloatArray, metric: FloatArray, counts: FloatArray) -> FloatArray:
    """Pearson's correlation over all outputs, of replicates that have each segment so often.

    Parameters
    ----------
    human, metric
        Shape ``(systems, segments)``, without NaN.
    counts
        Shape ``(replicates, segments)``.

    Returns
    -------
    Shape ``(replicates,)``.
    """
    people, ours = human - human.mean(), metric - metric.mean()  # for the digits; a correlation knows no origin
    moments = (part.sum(axis=0) for part in (people, ours, people**2, ours**2, people * ours))
    x, y, xx, yy, xy = (counts @ moment for moment in moments)
    n = counts.sum(axis=1) * len(human)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((xy - x * y / n) / np.sqrt((xx - x * x / n) * (yy - y * y / n)))
