"""Sums over random subsets of units, the work behind every exchange between two systems.

A shuffle picks a subset of the units by one random bit each and needs the sum of their values. The kernel takes 64 bits
a step: for every 8 units the 256 possible partial sums stand in a table, so a step is 8 look-ups. Small integers share
a float64: several fields lie beside each other in its 53 exact bits (a lane), so that one addition serves them all.
Integers are added as floats because the look-ups already keep the integer units of a core busy.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mteval.kernels import kernel
from mteval.stats.base import FloatArray, StatArray
from mteval.stats.random_bits import BitArray, next_word

UNITS_A_WORD = 64
EXACT_BITS = 53  # of a float64


@dataclass(frozen=True)
class Field:
    """Where a column of integers lies.

    Parameters
    ----------
    lane, shift, width
        Its lane, the bit where it starts, its number of bits.
    offset
        What was added to its sums, so that none is negative and borrows from its neighbour.
    is_step
        Whether it holds the difference from the column before. Counts of n-grams of neighbouring orders differ little,
        so their differences need fewer bits.
    """

    lane: int
    shift: int
    width: int
    offset: int
    is_step: bool


@dataclass(frozen=True)
class SubsetSums:
    """Values of units, ready for summing over subsets.

    Parameters
    ----------
    tables
        Shape ``(words, lanes, 8, 256)``: sums over the subsets of each 8 units.
    fields
        Where the columns lie in the lanes; None where each column is a lane of its own.
    """

    tables: FloatArray
    fields: tuple[Field, ...] | None

    @classmethod
    def of(cls, values: StatArray) -> "SubsetSums":
        """Prepare values of shape ``(units, d)``, integer or float."""
        lanes, fields = _in_lanes(values)
        n_words = -(-len(values) // UNITS_A_WORD)
        tables = np.zeros((n_words, lanes.shape[1], 8, 256))
        _fill_tables(lanes, tables)
        return cls(tables, fields)

    def draw(self, stream: BitArray, n_subsets: int) -> FloatArray:
        """Sums over random subsets, each unit being in one with probability 1/2.

        The stream gives ``n_subsets`` words for the first 64 units, as many for the next 64, and so on: unit
        ``64 w + j`` is in subset ``i`` where bit ``j`` of word ``w * n_subsets + i`` is set.

        Parameters
        ----------
        stream
            From ``stream_of``.

        Returns
        -------
        Shape ``(d, n_subsets)``; exact for integers.
        """
        lanes = self._lanes(n_subsets)
        _add_random_subsets(stream, self.tables, lanes)
        return self._columns(lanes)

    def over(self, words: BitArray) -> FloatArray:
        """Sums over the given subsets, so that several tables can be asked about the same ones.

        Parameters
        ----------
        words
            Shape ``(words, subsets)``: unit ``64 w + j`` is in subset ``i`` where bit ``j`` of ``words[w, i]`` is set.

        Returns
        -------
        Shape ``(d, subsets)``; exact for integers.
        """
        lanes = self._lanes(words.shape[1])
        _add_subsets(words, self.tables, lanes)
        return self._columns(lanes)

    def _lanes(self, n_subsets: int) -> FloatArray:
        """Room for sums, filled with what keeps the fields from being negative."""
        lanes = np.zeros((self.tables.shape[1], n_subsets))
        if self.fields is not None:
            lanes += _offsets(self.fields, len(lanes))[:, np.newaxis]
        return lanes

    def _columns(self, lanes: FloatArray) -> FloatArray:
        return lanes if self.fields is None else _unpacked(lanes.astype(np.int64), self.fields)


def _in_lanes(values: StatArray) -> tuple[FloatArray, tuple[Field, ...] | None]:
    """Pack columns of integers into lanes; floats, and integers too large for that, keep a lane a column."""
    if not np.issubdtype(values.dtype, np.integer):
        return np.ascontiguousarray(values, dtype=np.float64), None
    steps = np.diff(values, axis=1, prepend=0)
    is_step = np.abs(steps).sum(axis=0) < np.abs(values).sum(axis=0)
    columns = np.where(is_step, steps, values)
    fields = _lay_out(columns, is_step)
    if fields is None:
        return np.ascontiguousarray(values, dtype=np.float64), None
    lanes = np.zeros((len(values), 1 + max(field.lane for field in fields)))
    for field, column in zip(fields, columns.T, strict=True):
        lanes[:, field.lane] += column * 2.0**field.shift
    return lanes, fields


def _lay_out(columns: StatArray, is_step: npt.NDArray[np.bool_]) -> tuple[Field, ...] | None:
    """Give each column room for all its subset sums, in the first lane that has it; None where no lane could."""
    spans = np.abs(columns).sum(axis=0)
    offsets = -np.minimum(columns, 0).sum(axis=0)
    if int(spans.max()).bit_length() > EXACT_BITS:
        return None
    used = [0]
    fields = []
    for span, offset, step in zip(spans, offsets, is_step, strict=True):
        width = int(span).bit_length()
        lane = next((i for i, bits in enumerate(used) if bits + width <= EXACT_BITS), len(used))
        used += [0] if lane == len(used) else []
        fields.append(Field(lane, used[lane], width, int(offset), bool(step)))
        used[lane] += width
    return tuple(fields)


def _offsets(fields: tuple[Field, ...], n_lanes: int) -> FloatArray:
    offsets = np.zeros(n_lanes)
    for field in fields:
        offsets[field.lane] += field.offset * 2.0**field.shift
    return offsets


def _unpacked(lanes: npt.NDArray[np.int64], fields: tuple[Field, ...]) -> FloatArray:
    sums = np.empty((len(fields), lanes.shape[1]))
    for k, field in enumerate(fields):
        sums[k] = (lanes[field.lane] >> field.shift) & ((1 << field.width) - 1)
        sums[k] -= field.offset
        if field.is_step:
            sums[k] += sums[k - 1]
    return sums


@kernel
def _fill_tables(values: FloatArray, tables: FloatArray) -> None:
    """From values ``(units, lanes)`` to tables full of zeros; units beyond the last stay without effect."""
    n_units, n_lanes = values.shape
    for unit in range(n_units):
        word, place = unit // 64, unit % 64
        block, size = place // 8, 1 << (place % 8)
        for lane in range(n_lanes):
            table = tables[word, lane, block]
            for subset in range(size):
                table[subset + size] = table[subset] + values[unit, lane]
    _repeat_unfilled(n_units, tables)


@kernel
def _repeat_unfilled(n_units: int, tables: FloatArray) -> None:
    """In the block that the units fill only in part, let the bits beyond the last unit have no effect."""
    place = n_units % 64
    filled = 1 << (place % 8)
    if filled == 1:
        return
    for lane in range(tables.shape[1]):
        table = tables[n_units // 64, lane, place // 8]
        for subset in range(filled, 256):
            table[subset] = table[subset % filled]


@kernel
def _add_random_subsets(stream: BitArray, tables: FloatArray, sums: FloatArray) -> None:
    """Add to sums ``(lanes, n)``. The tables of one word and lane are 16 KB: they stay in the first cache meanwhile."""
    n_lanes, n_subsets = sums.shape
    words = np.empty(n_subsets, dtype=np.uint64)
    a, b, c, counter = stream
    for index in range(tables.shape[0]):
        table = tables[index, 0]
        for i in range(n_subsets):
            word, a, b, c, counter = next_word(a, b, c, counter)
            words[i] = word
            sums[0, i] += _looked_up(table, word)
        for lane in range(1, n_lanes):
            table = tables[index, lane]
            for i in range(n_subsets):
                sums[lane, i] += _looked_up(table, words[i])


@kernel
def _add_subsets(words: BitArray, tables: FloatArray, sums: FloatArray) -> None:
    """Add to sums ``(lanes, n)`` the sums over the subsets of words ``(words, n)``."""
    for index in range(tables.shape[0]):
        for lane in range(tables.shape[1]):
            table = tables[index, lane]
            for i in range(words.shape[1]):
                sums[lane, i] += _looked_up(table, words[index, i])


@kernel
def _looked_up(table: FloatArray, word: np.uint64) -> float:
    """Sum over the units whose bits are set in the word."""
    byte = np.uint64(255)
    return (  # type: ignore[no-any-return]
        table[0, word & byte]
        + table[1, (word >> np.uint64(8)) & byte]
        + table[2, (word >> np.uint64(16)) & byte]
        + table[3, (word >> np.uint64(24)) & byte]
        + table[4, (word >> np.uint64(32)) & byte]
        + table[5, (word >> np.uint64(40)) & byte]
        + table[6, (word >> np.uint64(48)) & byte]
        + table[7, word >> np.uint64(56)]
    )
