"""Sequences of numbers with items left out, or put in the place of others."""

import numpy as np

from mteval.arrays import BoolArray, Int32Array, IntArray
from mteval.kernels import kernel


@kernel
def without(items: Int32Array, starts: IntArray, unwanted: BoolArray) -> tuple[Int32Array, IntArray]:
    """The items that are wanted and where each text's begin; those beyond the end of ``unwanted`` are."""
    kept = np.empty(items.size, np.int32)
    kept_starts = np.empty(starts.size, np.int64)
    n = 0
    for text in range(starts.size - 1):
        kept_starts[text] = n
        for position in range(starts[text], starts[text + 1]):
            item = items[position]
            if item >= unwanted.size or not unwanted[item]:
                kept[n] = item
                n += 1
    kept_starts[starts.size - 1] = n
    return kept[:n], kept_starts


@kernel
def expanded(
    items: Int32Array, starts: IntArray, parts: Int32Array, part_starts: IntArray
) -> tuple[Int32Array, IntArray]:
    """The parts in place of the items that they are of, and where each text's begin."""
    n = 0
    for item in items:
        n += part_starts[item + 1] - part_starts[item]
    chosen = np.empty(n, np.int32)
    chosen_starts = np.empty(starts.size, np.int64)
    n = 0
    for text in range(starts.size - 1):
        chosen_starts[text] = n
        for position in range(starts[text], starts[text + 1]):
            for part in range(part_starts[items[position]], part_starts[items[position] + 1]):
                chosen[n] = parts[part]
                n += 1
    chosen_starts[starts.size - 1] = n
    return chosen, chosen_starts


@kernel
def are_equal(text: Int32Array, other: Int32Array) -> bool:
    """Whether two texts have the same words."""
    if len(text) != len(other):
        return False
    for word in range(len(text)):  # noqa: SIM110 - compiled code has no all()
        if text[word] != other[word]:
            return False
    return True


@kernel
def with_room(rows: Int32Array) -> Int32Array:
    """The rows, with room for as many more."""
    wider = np.empty((2 * len(rows), rows.shape[1]), np.int32)
    for row in range(len(rows)):
        for column in range(rows.shape[1]):
            wider[row, column] = rows[row, column]
    return wider
