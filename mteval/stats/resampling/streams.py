"""Random streams per chunk of draws, and sums of statistics by unit."""

import hashlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mteval.base.arrays import StatArray
from mteval.base.words import counted


@dataclass(frozen=True)
class Chunk:
    """Draws ``start`` to ``stop`` of a procedure; ``index`` identifies their stream."""

    index: int
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start


def chunks_of(n_draws: int, size: int) -> list[Chunk]:
    """Split ``n_draws`` into chunks of ``size``; the last may be shorter.

    Draws depend on the size, so it must not depend on the machine or the number of workers.
    """
    return [Chunk(index, start, min(start + size, n_draws)) for index, start in enumerate(range(0, n_draws, size))]


def seeds_for(seed: int, procedure: str) -> np.random.SeedSequence:
    """Return the root of a procedure's random streams.

    It depends only on the two arguments, so that all metrics and systems share shuffles and replicates.

    Raises
    ------
    ValueError
        If the seed is negative.
    """
    name = np.frombuffer(hashlib.sha256(procedure.encode()).digest(), dtype="<u4")
    return np.random.SeedSequence(seed, spawn_key=tuple(int(word) for word in name[:4]))


def seeds_of(seeds: np.random.SeedSequence, chunk: Chunk) -> np.random.SeedSequence:
    """Return the seeds of one chunk's stream.

    Equal to ``seeds.spawn`` of a fresh root, which counts its calls and would give other draws the second time.
    """
    return np.random.SeedSequence(seeds.entropy, spawn_key=(*seeds.spawn_key, chunk.index), pool_size=seeds.pool_size)


def sum_by_unit(statistics: StatArray, unit_ids: npt.ArrayLike) -> StatArray:
    """Sum the statistics of segments by unit, e.g. by document.

    Parameters
    ----------
    statistics
        Shape ``(runs, segments, d)``.
    unit_ids
        Unit of each segment, shape ``(segments,)``, of any sortable type.

    Returns
    -------
    Shape ``(runs, units, d)``, same type; units in the order of their first segment.

    Raises
    ------
    ValueError
        If there is not one id for each segment.
    """
    ids = np.asarray(unit_ids)
    if ids.shape != statistics.shape[1:2]:
        raise ValueError(
            f"{ids.shape} unit ids for {counted(statistics.shape[1], 'segment')}; expected one id per segment."
        )
    _, first, unit = np.unique(ids, return_index=True, return_inverse=True)
    appearance = np.empty_like(first)
    appearance[np.argsort(first)] = np.arange(len(first))
    place = appearance[unit]
    by_unit = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[by_unit], np.arange(len(first)))
    summed: StatArray = np.add.reduceat(statistics[:, by_unit], starts, axis=1)
    return summed


BitArray = npt.NDArray[np.uint64]


def stream_of(seeds: np.random.SeedSequence, chunk: Chunk) -> BitArray:
    """Return the SFC64 state of one chunk's stream, shape ``(4,)``, for ``next_word``."""
    state = np.random.SFC64(seeds_of(seeds, chunk)).state["state"]["state"]
    return np.asarray(state, dtype=np.uint64)
