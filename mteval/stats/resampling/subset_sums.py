"""Sums over random subsets of units, used by every exchange between two systems.

A shuffle picks a subset of the units by one random bit each. The kernels take 64 bits per step: a table has the 256
partial sums of every 8 units, so a step is 8 look-ups.

Columns of small integers are packed into 64-bit lanes, so that one look-up serves several columns. A field is wide
enough for sums over 64 units. These are then added up in two halves of a lane, with every other field in each, so that
a field can also use the bits of its neighbour.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mteval.base.arrays import FloatArray, StatArray
from mteval.stats.resampling.streams import BitArray
from mteval.stats.stats_kernels import add_random_subsets, add_subsets, fill_tables, unpack

SHUFFLES_A_CHUNK = 2_500  # each chunk has its own stream, so results depend on the size
UNITS_A_WORD = 64


class Field(NamedTuple):
    """Position of a column; a tuple, so that compiled code gets all fields as one array of integers.

    Parameters
    ----------
    lane, is_odd
        Lane, and half in which its sums are added up.
    shift, word_width, width
        First bit, bits of a sum over one word of units, and bits of a sum over all units.
    offset
        Added to its sums, so that none is negative.
    is_step
        Whether it has the difference from the previous column, which often needs fewer bits.
    """

    lane: int
    is_odd: bool
    shift: int
    word_width: int
    width: int
    offset: int
    is_step: bool


def by_word(values: StatArray) -> StatArray:
    """Reshape values ``(units, d)`` to ``(d, words, 64)``, padded with zeros; same type."""
    n_units, d = values.shape
    n_words = -(-n_units // UNITS_A_WORD)
    padded = np.zeros((d, n_words * UNITS_A_WORD), dtype=values.dtype)
    padded[:, :n_units] = values.T
    return padded.reshape(d, n_words, UNITS_A_WORD)


def packed(values: StatArray) -> tuple[BitArray, BitArray, tuple[Field, ...]] | None:
    """Pack integers ``(units, d)``; None if a subset sum might not be an exact float64.

    Returns
    -------
    The integers, shape ``(lanes, words, 64)``, modulo 2^64, with zeros for units beyond the last; what is added to each
    sum over units of a word, shape ``(lanes, words)``, so that no field is negative; and one field per column.
    """
    # A column as differences from the one before if these need fewer bits; shape ``(d, words, 64)``
    columns = by_word(values.astype(np.int64, copy=False))
    steps = columns.copy()
    steps[1:] -= columns[:-1]
    spans = np.abs(columns).sum(axis=2)  # from the lowest to the highest subset sum of each word, shape ``(d, words)``
    step_spans = np.abs(steps).sum(axis=2)
    is_step = step_spans.sum(axis=1) < spans.sum(axis=1)
    columns[is_step] = steps[is_step]
    spans[is_step] = step_spans[is_step]
    lowest = (columns.sum(axis=2) - spans) // 2  # the sum of what is negative
    if int(spans.sum(axis=1).max()).bit_length() > 53:  # of a float64, in which the sums are given
        return None

    fields = _lay_out(spans, lowest, is_step)
    n_lanes = 1 + max(field.lane for field in fields)
    lanes = np.zeros((n_lanes, *columns.shape[1:]), dtype=np.int64)
    offsets = np.zeros((n_lanes, columns.shape[1]), dtype=np.int64)
    for field, column, low in zip(fields, columns, lowest, strict=True):
        if field.width:
            lanes[field.lane] += column << field.shift
            offsets[field.lane] -= low << field.shift
    return lanes.view(np.uint64), offsets.view(np.uint64), fields


def _lay_out(
    spans: npt.NDArray[np.int64], lowest: npt.NDArray[np.int64], is_step: npt.NDArray[np.bool_]
) -> tuple[Field, ...]:
    """Lay out fields for subset sums, given spans and lowest values per word, ``(d, words)``."""
    fields: list[Field] = []
    lane = 0
    ends = [(0, 0), (0, 0)]  # of the fields of the lane: in the sums over a word, in its half
    needs = zip(
        spans.max(axis=1).tolist(),
        spans.sum(axis=1).tolist(),
        (-lowest.sum(axis=1)).tolist(),
        is_step.tolist(),
        strict=True,
    )
    for word_span, span, offset, has_step in needs:
        word_width = word_span.bit_length()
        width = span.bit_length()
        shift = max(ends[-1][0], ends[-2][1])  # behind the field before, and behind the last field of its half
        if shift + width > 64:
            lane += 1
            ends = [(0, 0), (0, 0)]
            shift = 0
        fields.append(Field(lane, len(ends) % 2 == 1, shift, word_width, width, offset, has_step))
        if width:
            ends.append((shift + word_width, shift + width))
    return tuple(fields)


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
    masks: BitArray | None = None
    layout: npt.NDArray[np.int64] | None = None

    @classmethod
    def of(cls, values: StatArray) -> "SubsetSums":
        """Prepare values ``(units, d)``, integer or float."""
        packs = packed(values) if np.issubdtype(values.dtype, np.integer) else None
        if packs is None:
            columns = by_word(values.astype(np.float64, copy=False))
            return cls(_tables(columns, np.zeros(columns.shape[:2])))
        lanes, offsets, fields = packs
        masks = [0] * len(lanes)  # the bits of the even fields of each lane
        for field in fields:
            if not field.is_odd:
                masks[field.lane] |= ((1 << field.word_width) - 1) << field.shift
        return cls(_tables(lanes, offsets), np.array(masks, dtype=np.uint64), np.array(fields, dtype=np.int64))

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
