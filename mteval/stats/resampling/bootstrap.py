"""Bootstrap replicates of a test set.

A replicate draws as many units as the test set has, with replacement. The counts of units form a matrix, so the sums of
all runs on many replicates are one matrix product.

References
----------
Koehn (2004); Clark et al. (2011), section 4.1.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mteval.base.arrays import ByteArray, FloatArray, StatArray
from mteval.stats.base import MapChunks, Score
from mteval.stats.resampling.streams import BitArray, Chunk, chunks_of, stream_of
from mteval.stats.stats_kernels import count

# These limit memory
COUNTS_AT_ONCE = 1 << 25  # bytes
UNITS_A_TILE = 4_096  # of counts
UNITS_AT_ONCE = 1 << 14  # of other numbers
COLUMNS_A_BLOCK = 1_024  # of the matrix product

EXACT_FLOAT32 = 2**24  # whole numbers up to this one are exact in float32


def replicate_scores(
    systems: Sequence[StatArray], score: Score, n_resamples: int, seeds: np.random.SeedSequence, map_chunks: MapChunks
) -> FloatArray:
    """Return corpus scores of each run on replicates of the test set; all runs share the replicates.

    Parameters
    ----------
    systems
        Runs of systems with the same units, shape ``(runs, units, d)`` each.
    score
        Maps sums to corpus scores.

    Returns
    -------
    Shape ``(runs, n_resamples)``, one system after the other, in score points. Sums are exact for counts.
    """
    n_units, d = systems[0].shape[1:]
    blocks = list(_blocks(systems))

    def scores_of_chunk(chunk: Chunk) -> FloatArray:
        # Counts for all blocks are drawn once if memory allows, otherwise anew for each block
        counts_of_all = None
        if len(chunk) * n_units <= COUNTS_AT_ONCE:
            counts_of_all = list(_drawn(seeds, chunk, n_units))
        scores_of_systems = []
        for block in blocks:
            drawn: Iterable[ByteArray]
            if counts_of_all is not None:
                drawn = counts_of_all
            else:
                drawn = _drawn(seeds, chunk, n_units)
            sums = np.concatenate([_summed(counts, block) for counts in drawn])
            sums = sums.reshape(len(chunk), -1, d)  # replicates, runs of all systems, d
            # The axis of runs is cut where each system of the block ends
            for of_system in np.split(sums, np.cumsum(block.n_runs)[:-1], axis=1):
                scores_of_systems.append(score(of_system).T)
        return np.concatenate(scores_of_systems)

    return np.concatenate(list(map_chunks(scores_of_chunk, chunks_of(n_resamples, 500))), axis=1)


def s_sel(replicates: FloatArray) -> float:
    """Return the mean over runs of the standard deviation over replicates (Clark et al. 2011, section 4.1).

    Parameters
    ----------
    replicates
        Shape ``(runs, k)``, from ``replicate_scores``.
    """
    return float(replicates.std(axis=1, ddof=1).mean())


def draw_counts(stream: BitArray, n_replicates: int, n_units: int) -> ByteArray:
    """Return counts of units per replicate, shape ``(n_replicates, n_units)``; each row sums to ``n_units``.

    A unit is drawn by 32 random bits, so relative errors of probabilities are below ``n_units / 2**32``. A count above
    255 has a probability below 1e-500.

    Parameters
    ----------
    stream
        From ``stream_of``; advanced past the words used.
    """
    counts = np.zeros((n_replicates, n_units), dtype=np.uint8)
    count(stream, counts)
    return counts


def _drawn(seeds: np.random.SeedSequence, chunk: Chunk, n_units: int) -> Iterator[ByteArray]:
    """Yield the counts of a chunk's replicates, as many at a time as memory allows."""
    stream = stream_of(seeds, chunk)
    at_once = max(1, COUNTS_AT_ONCE // max(1, n_units))
    for start in range(0, len(chunk), at_once):
        yield draw_counts(stream, min(at_once, len(chunk) - start), n_units)


class _Block(NamedTuple):
    """Runs whose sums are one matrix product.

    Parameters
    ----------
    numbers
        Shape ``(units, runs * d)``.
    n_runs
        Of each system in the block.
    largest
        The largest absolute number if all are counts, otherwise NaN.
    """

    numbers: npt.NDArray[np.floating]
    n_runs: Sequence[int]
    largest: float

    @classmethod
    def of(cls, systems: Sequence[StatArray], dtype: type[np.floating]) -> "_Block":
        """Join the runs of some systems, shape ``(runs, units, d)`` each; float32 is for counts."""
        n_units, d = systems[0].shape[1:]
        n_runs = [len(runs) for runs in systems]
        numbers = np.empty((n_units, sum(n_runs), d), dtype=dtype)
        np.concatenate([runs.transpose(1, 0, 2) for runs in systems], axis=1, out=numbers, casting="unsafe")
        largest = float("nan")
        if dtype is np.float32:
            largest = float(_largest_magnitude(numbers))
        return cls(numbers.reshape(n_units, -1), n_runs, largest)


def _blocks(systems: Sequence[StatArray]) -> Iterator[_Block]:
    """Yield all runs in their order. Counts may share a block with those of other systems.

    Other numbers may not: the last bit of a column's sums may depend on the width of the block.
    """
    runs_a_block = max(1, COLUMNS_A_BLOCK // systems[0].shape[2])
    waiting = list[StatArray]()
    for statistics in systems:
        is_exact = statistics.dtype.kind == "i" and _largest_magnitude(statistics) < EXACT_FLOAT32
        for start in range(0, len(statistics), runs_a_block):
            runs = statistics[start : start + runs_a_block]
            if waiting and (not is_exact or sum(map(len, waiting)) + len(runs) > runs_a_block):
                yield _Block.of(waiting, np.float32)
                waiting = []
            if is_exact:
                waiting.append(runs)
            else:
                yield _Block.of([runs], np.float64)
    if waiting:
        yield _Block.of(waiting, np.float32)


def _largest_magnitude(statistics: StatArray) -> int:
    """Return the largest absolute number, without making an array of absolute numbers."""
    return max(int(statistics.max(initial=0)), -int(statistics.min(initial=0)))


def _summed(counts: ByteArray, block: _Block) -> FloatArray:
    """Return the sums of all columns, shape ``(replicates, columns)``, tile by tile of the units.

    Float32 is used where it is exact. Other numbers of few units are summed at once, in the order of one product.
    """
    are_counts = not np.isnan(block.largest)
    sums = np.zeros((len(counts), block.numbers.shape[1]))
    size = UNITS_A_TILE if are_counts else UNITS_AT_ONCE
    ones = np.ones(size, dtype=np.float32)
    for start in range(0, counts.shape[1], size):
        tile = counts[:, start : start + size]
        drawn: npt.NDArray[np.floating] = tile.astype(np.float32 if are_counts else np.float64)
        # No partial sum exceeds the most units of a replicate times the largest number. As a product, the sums of units
        # take a fraction of the time of ``tile.sum``
        if are_counts and (drawn @ ones[: tile.shape[1]]).max() * block.largest >= EXACT_FLOAT32:
            drawn = drawn.astype(np.float64)
        sums += drawn @ block.numbers[start : start + size]
    return sums
