"""Bootstrap replicates of a test set: how far would the score move with other sentences of the same kind?

Koehn (2004); Clark et al. (2011), section 4.1. A replicate draws as many units as the test set has, with replacement.
How often each unit was drawn makes a row of a matrix of counts, so the sums of all runs in many replicates are one
product.
"""

import numpy as np
import numpy.typing as npt

from mteval.base.arrays import FloatArray, StatArray
from mteval.stats.base import MapChunks, Score
from mteval.stats.resampling.streams import BitArray, Chunk, chunks_of, stream_of
from mteval.stats.stats_kernels import count

REPLICATES_A_CHUNK = 500
COLUMNS_A_BLOCK = 1_024  # of the product: bounds memory, whatever the number of runs
EXACT_FLOAT32 = 2**24


def replicate_scores(
    statistics: StatArray,
    score: Score,
    *,
    n_resamples: int,
    seeds: np.random.SeedSequence,
    map_chunks: MapChunks,
) -> FloatArray:
    """Corpus scores of every run on replicates of the test set; all runs see the same replicates.

    Parameters
    ----------
    statistics
        Shape ``(runs, units, d)``. Give the runs of two systems together to have their differences on the same
        replicates.
    score
        From sums to corpus scores.

    Returns
    -------
    Shape ``(runs, n_resamples)``, in points of the score. The sums are exact for counts.
    """
    runs_a_block = max(1, COLUMNS_A_BLOCK // statistics.shape[2])
    blocks = [_columns(statistics[start : start + runs_a_block]) for start in range(0, len(statistics), runs_a_block)]
    n_units, d = statistics.shape[1:]

    def scores(chunk: Chunk) -> FloatArray:
        counts = draw_counts(stream_of(seeds, chunk), len(chunk), n_units)
        sums = ((counts.astype(block.dtype, copy=False) @ block).astype(np.float64) for block in blocks)
        return np.concatenate([score(block.reshape(len(chunk), -1, d)).T for block in sums])

    return np.concatenate(list(map_chunks(scores, chunks_of(n_resamples, REPLICATES_A_CHUNK))), axis=1)


def s_sel(replicates: FloatArray) -> float:
    """Spread that another choice of test set would bring: the mean over runs of the standard deviation over replicates.

    Clark et al. (2011), section 4.1, with ``k - 1``.

    Parameters
    ----------
    replicates
        Shape ``(runs, k)``, from ``replicate_scores``.
    """
    return float(replicates.std(axis=1, ddof=1).mean())


def draw_counts(stream: BitArray, n_replicates: int, n_units: int) -> npt.NDArray[np.float32]:
    """How often each replicate drew each unit, shape ``(n_replicates, n_units)``; every row adds up to ``n_units``.

    A unit is drawn by 32 random bits, so that probabilities are off by less than ``n_units / 2**32`` of their value.
    """
    counts = np.zeros((n_replicates, n_units), dtype=np.float32)
    count(stream, counts)
    return counts


def _columns(statistics: StatArray) -> npt.NDArray[np.floating]:
    """A matrix ``(units, runs * d)``, in float32 only where every sum of every replicate is exact in it."""
    n_runs, n_units, d = statistics.shape
    is_exact = np.issubdtype(statistics.dtype, np.integer) and n_units * _largest(statistics) < EXACT_FLOAT32
    numbers = statistics.astype(np.float32 if is_exact else np.float64)  # before they are moved: half the bytes
    return np.ascontiguousarray(numbers.transpose(1, 0, 2)).reshape(n_units, n_runs * d)


def _largest(statistics: StatArray) -> int:
    """Largest absolute value, without an array of them."""
    return max(int(statistics.max()), -int(statistics.min()))
