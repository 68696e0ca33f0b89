"""Sums over random subsets of units, used by every exchange between two systems.

A shuffle picks a subset of the units by one random bit each. The kernels take 64 bits per step: a table has the 256
partial sums of every 8 units, so a step is 8 look-ups, which serve several columns at once (see ``packing``).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mteval.base.arrays import FloatArray, StatArray
from mteval.stats.resampling.packing import LaneArray, by_word, packed
from mteval.stats.resampling.streams import BitArray
from mteval.stats.stats_kernels import add_random_subsets, add_subsets, fill_tables, unpack

SHUFFLES_A_CHUNK = 2_500  # each chunk has its own stream, so results depend on the size


@dataclass(frozen=True)
class SubsetSums:
    """Tables for summing values of units over subsets.

    Parameters
    ----------
    tables
        Shape ``(words, lanes, 8 * 256)``: sums over the subsets of each 8 units, on one axis, so that compiled code
        knows all offsets.
    masks, layout
        Of packed integers; None if each column has its own lane (floats, and integers too large to pack).
    """

    tables: StatArray
    masks: LaneArray | None = None
    layout: npt.NDArray[np.int64] | None = None

    @classmethod
    def of(cls, values: StatArray) -> "SubsetSums":
        """Prepare values ``(units, d)``, integer or float."""
        packs = packed(values) if np.issubdtype(values.dtype, np.integer) else None
        if packs is None:
            columns = by_word(values.astype(np.float64, copy=False))
            return cls(_tables(columns, np.zeros(columns.shape[:2])))
        return cls(_tables(packs.values, packs.offsets), packs.masks, packs.layout)

    def draw(self, stream: BitArray, n_subsets: int) -> FloatArray:
        """Return sums over random subsets, each unit included with probability 1/2.

        Unit ``64 w + j`` is in subset ``i`` if bit ``j`` of word ``w * n_subsets + i`` of the stream is set.

        Parameters
        ----------
        stream
            From ``stream_of``; advanced past the words used.

        Returns
        -------
        Shape ``(d, n_subsets)``; exact for integers.
        """
        sums = self._zeros(n_subsets)
        add_random_subsets(stream, self.tables, self.masks, sums)
        return self._columns(sums)

    def over(self, words: BitArray) -> FloatArray:
        """Return sums over given subsets, which several tables can share.

        Parameters
        ----------
        words
            Shape ``(words, subsets)``: unit ``64 w + j`` is in subset ``i`` if bit ``j`` of ``words[w, i]`` is set.

        Returns
        -------
        Shape ``(d, subsets)``; exact for integers.
        """
        sums = self._zeros(words.shape[1])
        add_subsets(words, self.tables, self.masks, sums)
        return self._columns(sums)

    def _zeros(self, n_subsets: int) -> StatArray:
        n_parts = 1 if self.masks is None else 2
        return np.zeros((self.tables.shape[1], n_parts, n_subsets), dtype=self.tables.dtype)

    def _columns(self, sums: StatArray) -> FloatArray:
        if self.layout is None:
            return np.asarray(sums[:, 0], dtype=np.float64)
        columns = np.empty((len(self.layout), sums.shape[2]))
        unpack(sums, self.layout, columns)
        return columns


def _tables(lanes: StatArray, offsets: StatArray) -> StatArray:
    """Build tables from values ``(lanes, words, 64)`` and offsets added to each sum over a word."""
    n_lanes, n_words, _ = lanes.shape
    tables = np.empty((n_words, n_lanes, 8, 256), dtype=lanes.dtype)
    tables[:, :, :, 0] = 0
    tables[:, :, 0, 0] = offsets.T
    fill_tables(lanes.reshape(n_lanes, n_words, 8, 8), tables)
    return tables.reshape(n_words, n_lanes, 8 * 256)
