"""Random combinations of runs, and the difference of each."""

import numpy as np

from mteval.base.arrays import FloatArray, IntArray, UInt64Array
from mteval.base.kernels import kernel
from mteval.stats.resampling.resampling_kernels import next_word


@kernel
def draw(
    stream: UInt64Array,
    baseline: FloatArray,
    system: FloatArray,
    labels: UInt64Array,
    place_of: IntArray,
    seen: UInt64Array,
    values: FloatArray,
) -> None:
    """Fill values ``(ks, combinations)``.

    ``place_of`` has the row of each k, or -1; ``seen`` has room for the keys of the first rows, which may repeat.
    """
    n_found = np.zeros(len(values), dtype=np.int64)
    orders = np.arange(len(baseline)), np.arange(len(system))
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    a, b, c, counter = stream
    while n_found.min() < values.shape[1]:
        total, key = 0.0, np.uint64(0)
        for chosen in range(len(place_of) - 1):  # runs of either system; one more is put in the next place
            word, a, b, c, counter = next_word(a, b, c, counter)
            one = _put_next(orders[0], chosen, word & low)
            other = _put_next(orders[1], chosen, word >> half)
            total += system[other] - baseline[one]
            key += labels[one] + labels[len(baseline) + other]
            row = place_of[chosen + 1]
            if row < 0 or n_found[row] == values.shape[1]:
                continue
            if row >= len(seen) or _is_new(seen[row], key):
                values[row, n_found[row]] = total / (chosen + 1)
                n_found[row] += 1


@kernel
def _put_next(order: IntArray, place: int, bits: np.uint64) -> int:
    """Swap a random one of those not yet chosen into the place; 32 bits, so nearly equal probabilities suffice."""
    other = place + np.int64((bits * np.uint64(len(order) - place)) >> np.uint64(32))
    order[place], order[other] = order[other], order[place]
    return int(order[place])


@kernel
def _is_new(seen: UInt64Array, key: np.uint64) -> bool:
    """Whether the key was not in the table; now it is. Zeros are free slots; the table is never full."""
    slot = key & np.uint64(len(seen) - 1)
    while seen[slot] != 0:
        if seen[slot] == key:
            return False
        slot = (slot + np.uint64(1)) & np.uint64(len(seen) - 1)
    seen[slot] = key
    return True
