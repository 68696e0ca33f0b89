"""Columns of small integers packed into 64-bit lanes, so that one addition serves several columns.

A field is wide enough for sums over 64 units. These are then added up in two halves of a lane, with every other field
in each, so that a field can also use the bits of its neighbour.
"""

from dataclasses import dataclass
from functools import cached_property
from math import lcm
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mteval.base.arrays import FloatArray, StatArray
from mteval.stats.base import Score

UNITS_A_WORD = 64
LANE_BITS = 64
EXACT_BITS = 53  # of a float64, in which the sums are given

LaneArray = npt.NDArray[np.uint64]


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


@dataclass(frozen=True)
class Packed:
    """Integers packed into lanes.

    Parameters
    ----------
    values
        Shape ``(lanes, words, 64)``, modulo 2^64; units beyond the last are zero.
    offsets
        Shape ``(lanes, words)``: added to each sum over units of a word, so that no field is negative.
    fields
        One per column.
    """

    values: LaneArray
    offsets: LaneArray
    fields: tuple[Field, ...]

    @property
    def layout(self) -> npt.NDArray[np.int64]:
        """Fields as rows of an array."""
        return np.array(self.fields, dtype=np.int64)

    @property
    def masks(self) -> LaneArray:
        """Bits of the even fields of each lane, shape ``(lanes,)``."""
        masks = [0] * len(self.values)
        for field in self.fields:
            if not field.is_odd:
                masks[field.lane] |= ((1 << field.word_width) - 1) << field.shift
        return np.array(masks, dtype=np.uint64)


def by_word(values: StatArray) -> StatArray:
    """Reshape values ``(units, d)`` to ``(d, words, 64)``, padded with zeros; same type."""
    n_units, d = values.shape
    n_words = -(-n_units // UNITS_A_WORD)
    padded = np.zeros((d, n_words * UNITS_A_WORD), dtype=values.dtype)
    padded[:, :n_units] = values.T
    return padded.reshape(d, n_words, UNITS_A_WORD)


def packed(values: StatArray) -> Packed | None:
    """Pack integers ``(units, d)``; None if a subset sum might not be an exact float64."""
    columns = by_word(values.astype(np.int64, copy=False))
    steps = columns.copy()
    steps[1:] -= columns[:-1]
    spans, step_spans = np.abs(columns).sum(axis=2), np.abs(steps).sum(axis=2)
    is_step = step_spans.sum(axis=1) < spans.sum(axis=1)
    columns[is_step], spans[is_step] = steps[is_step], step_spans[is_step]
    lowest = (columns.sum(axis=2) - spans) // 2  # the sum of what is negative
    if int(spans.sum(axis=1).max()).bit_length() > EXACT_BITS:
        return None
    fields = _lay_out(spans, lowest, is_step)
    n_lanes = 1 + max(field.lane for field in fields)
    lanes = np.zeros((n_lanes, *columns.shape[1:]), dtype=np.int64)
    offsets = np.zeros((n_lanes, columns.shape[1]), dtype=np.int64)
    for field, column, low in zip(fields, columns, lowest, strict=True):
        if field.width:
            lanes[field.lane] += column << field.shift
            offsets[field.lane] -= low << field.shift
    return Packed(lanes.view(np.uint64), offsets.view(np.uint64), fields)


def _lay_out(
    spans: npt.NDArray[np.int64], lowest: npt.NDArray[np.int64], is_step: npt.NDArray[np.bool_]
) -> tuple[Field, ...]:
    """Lay out fields for subset sums, given spans and lowest values per word, ``(d, words)``."""
    fields: list[Field] = []
    lane, ends = 0, [(0, 0), (0, 0)]  # of the fields of the lane: in the sums over a word, in its half
    needs = (spans.max(axis=1), spans.sum(axis=1), -lowest.sum(axis=1), is_step)
    for word_span, span, offset, step in zip(*(need.tolist() for need in needs), strict=True):
        word_width, width = word_span.bit_length(), span.bit_length()
        shift = max(ends[-1][0], ends[-2][1])
        if shift + width > LANE_BITS:
            lane, ends, shift = lane + 1, [(0, 0), (0, 0)], 0
        fields.append(Field(lane, len(ends) % 2 == 1, shift, word_width, width, offset, step))
        if width:
            ends.append((shift + word_width, shift + width))
    return tuple(fields)


@dataclass(frozen=True)
class PooledPair:
    """Two systems with statistics averaged over runs, so that numbers of runs may differ.

    Parameters
    ----------
    baseline, system
        ``scale`` times the mean over runs, shape ``(units, d)``, so that counts stay integers.
    """

    baseline: StatArray
    system: StatArray
    scale: int
    score: Score

    @classmethod
    def of(cls, baseline: StatArray, system: StatArray, score: Score) -> "PooledPair":
        """Average statistics of shape ``(runs, units, d)``."""
        scale = lcm(len(baseline), len(system))
        baseline_sums, system_sums = (runs.sum(axis=0) * (scale // len(runs)) for runs in (baseline, system))
        return cls(baseline_sums, system_sums, scale, score)

    @cached_property
    def sums(self) -> FloatArray:
        """Sums over all units of baseline and system, shape ``(2, d)``."""
        return np.stack([self.baseline.sum(axis=0), self.system.sum(axis=0)]).astype(np.float64)

    @property
    def difference(self) -> float:
        """``system - baseline`` of the averaged statistics, in score points."""
        baseline, system = self.score(self.sums / self.scale)
        return float(system - baseline)
