"""Pairs of outputs, counted for each pair of units.

The best threshold of each replicate, in one pass over the pairs.
"""

import numpy as np

from mteval.base.arrays import BoolArray, FloatArray, IntArray
from mteval.base.kernels import kernel


@kernel
def count_pairs(human: FloatArray, metric: FloatArray, unit: IntArray, counts: FloatArray) -> None:
    """Each unordered pair of outputs once."""
    for one in range(len(human)):
        for other in range(one + 1, len(human)):
            people, ours = human[one] - human[other], metric[one] - metric[other]
            a, b = unit[one], unit[other]
            if people != 0:
                counts[1, a, b] += 1
            if ours != 0:
                counts[2, a, b] += 1
            if people != 0 and ours != 0:
                counts[0, a, b] += 1 if (people > 0) == (ours > 0) else -1


@kernel
def most_gained(
    segment: IntArray, change: FloatArray, is_last: BoolArray, counts: FloatArray
) -> tuple[FloatArray, IntArray]:
    """Of each replicate the most that a threshold brings over none, and the last pair it ties; -1 for none."""
    gains, places = np.zeros(len(counts)), np.full(len(counts), -1)
    for replicate in range(len(counts)):
        row, total = counts[replicate], 0.0
        for pair in range(len(segment)):
            total += change[pair] * row[segment[pair]]
            if is_last[pair] and total > gains[replicate]:
                gains[replicate], places[replicate] = total, pair
    return gains, places
