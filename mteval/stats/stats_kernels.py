"""Compiled loops: subset sums, exchanges, replicates, random combinations of runs, pairs of outputs.

Random bits are identical to numpy's SFC64, and are drawn where they are used instead of being stored. Sums over subsets
of units take 64 units per step: a table has the 256 partial sums of every 8 units, so a step is 8 look-ups.
"""

import numpy as np

from mteval.base.arrays import BoolArray, ByteArray, FloatArray, IntArray, StatArray, UInt64Array
from mteval.base.kernels import in_numpy, kernel

_COUNTS_AT_ONCE = 1 << 15  # their temporary arrays stay in the processor's cache, which is three times as fast


@kernel
def unpack(sums: UInt64Array, layout: IntArray, columns: FloatArray) -> None:
    """Turn sums of lanes ``(lanes, 2, n)``, over all fields and over even ones, into those of columns ``(d, n)``."""
    for k in range(len(columns)):
        lane, is_odd, shift, _, width, offset, is_step = layout[k]
        mask = np.uint64((1 << width) - 1)
        start = np.uint64(shift)
        all_fields, even_fields = sums[lane]
        for i in range(columns.shape[1]):
            fields = even_fields[i]
            if is_odd:
                fields = all_fields[i] - even_fields[i]
            columns[k, i] = np.int64((fields >> start) & mask) - offset
            if is_step:
                columns[k, i] += columns[k - 1, i]


@in_numpy(unpack)
def _unpack_in_numpy(sums: UInt64Array, layout: IntArray, columns: FloatArray) -> None:
    """Do the same for all sums of a column at once."""
    for k, (lane, is_odd, shift, _, width, offset, is_step) in enumerate(layout.tolist()):
        all_fields, even_fields = sums[lane]
        fields = all_fields - even_fields if is_odd else even_fields
        mask = np.uint64((1 << width) - 1)
        columns[k] = ((fields >> np.uint64(shift)) & mask).astype(np.int64) - offset
        if is_step:
            columns[k] += columns[k - 1]


@kernel
def add(sums: FloatArray, sign: float, draws: IntArray, gains: FloatArray) -> None:
    """Add sums ``(d, shuffles)`` to the gains ``(draws, d, shuffles)`` of some draws, or take them away."""
    for draw in draws:
        for k in range(sums.shape[0]):
            for i in range(sums.shape[1]):
                gains[draw, k, i] += sign * sums[k, i]


@kernel
def next_word(
    a: np.uint64, b: np.uint64, c: np.uint64, counter: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return 64 fair bits and the state after them, as ``SFC64.random_raw`` does (Doty-Humphrey's PractRand).

    Compiled loops keep the state in registers. The processor can then make the next word while it uses the last one.
    """
    word = a + b + counter
    next_a = b ^ (b >> np.uint64(11))
    next_b = c + (c << np.uint64(3))
    next_c = ((c << np.uint64(24)) | (c >> np.uint64(40))) + word  # rotated to the left by 24 bits
    return word, next_a, next_b, next_c, counter + np.uint64(1)


@kernel
def count(stream: UInt64Array, counts: ByteArray) -> None:
    """Turn each half of a random word into a unit, by scaling rather than by division, and count it."""
    n_replicates, n_units = counts.shape
    size = np.uint64(n_units)
    half = np.uint64(32)
    once = np.uint8(1)
    a, b, c, counter = stream
    for replicate in range(n_replicates):
        row = counts[replicate]
        for _ in range(n_units // 2):
            word, a, b, c, counter = next_word(a, b, c, counter)
            row[((word & np.uint64(0xFFFFFFFF)) * size) >> half] += once
            row[((word >> half) * size) >> half] += once
        if n_units % 2:
            word, a, b, c, counter = next_word(a, b, c, counter)
            row[((word >> half) * size) >> half] += once
    stream[0] = a
    stream[1] = b
    stream[2] = c
    stream[3] = counter


@in_numpy(count)
def _count_in_numpy(stream: UInt64Array, counts: ByteArray) -> None:
    """Do the same for several replicates at once, with NumPy's own generator."""
    n_replicates, n_units = counts.shape
    n_at_once = max(1, _COUNTS_AT_ONCE // max(1, n_units))
    for start in range(0, n_replicates, n_at_once):
        _count_at_once(stream, counts[start : start + n_at_once])


def _count_at_once(stream: UInt64Array, counts: ByteArray) -> None:
    """Count the units of all replicates in one array."""
    n_replicates, n_units = counts.shape
    half = np.uint64(32)
    size = np.uint64(n_units)
    words = _words(stream, n_replicates * ((n_units + 1) // 2)).reshape(n_replicates, -1)
    low = ((words & np.uint64(0xFFFFFFFF)) * size) >> half
    high = ((words >> half) * size) >> half
    if n_units % 2:
        low = low[:, :-1]  # of the last word only the upper half is used
    # Units of all replicates are numbered in turn
    first = (np.arange(n_replicates, dtype=np.uint64) * size)[:, None]
    drawn = np.concatenate([(first + low).ravel(), (first + high).ravel()]).astype(np.int64)
    counts += np.bincount(drawn, minlength=counts.size).reshape(counts.shape).astype(np.uint8)


def _words(stream: UInt64Array, n: int) -> UInt64Array:
    """Return the next words of a stream, which is advanced past them."""
    generator = np.random.SFC64()
    state = generator.state
    state["state"]["state"] = stream
    generator.state = state
    words = generator.random_raw(n)
    stream[:] = generator.state["state"]["state"]
    return words


@kernel
def fill_tables(values: StatArray, tables: StatArray) -> None:
    """Fill tables with the sums over all subsets of 8 units; the sum over no unit is there already."""
    n_lanes, n_words = values.shape[:2]
    for word in range(n_words):
        for lane in range(n_lanes):
            for block in range(8):
                table = tables[word, lane, block]
                for place in range(8):
                    # Each subset of the units before this one also occurs with this one
                    n_before = 1 << place
                    value = values[lane, word, block, place]
                    for subset in range(n_before):
                        table[subset + n_before] = table[subset] + value


@in_numpy(fill_tables)
def _fill_tables_in_numpy(values: StatArray, tables: StatArray) -> None:
    """Do the same for all words, lanes and blocks at once."""
    by_word = values.swapaxes(0, 1)
    for place in range(8):
        n_before = 1 << place
        tables[..., n_before : 2 * n_before] = tables[..., :n_before] + by_word[..., place, None]


@kernel
def add_random_subsets(stream: UInt64Array, tables: StatArray, masks: UInt64Array | None, sums: StatArray) -> None:
    """Add sums over random subsets to ``(lanes, 1 or 2, n)``.

    The sums are over all fields of a lane and, if there are masks, over those under the mask. The tables of one word
    and lane take 16 KB, so they stay in the processor's first cache.
    """
    n_lanes, _, n_subsets = sums.shape
    words = np.empty(n_subsets, dtype=np.uint64)
    a, b, c, counter = stream
    for index in range(tables.shape[0]):
        for i in range(n_subsets):
            word, a, b, c, counter = next_word(a, b, c, counter)
            words[i] = word
            total = _looked_up(tables[index, 0], word)
            sums[0, 0, i] += total
            if masks is not None:
                sums[0, 1, i] += total & masks[0]
        for lane in range(1, n_lanes):
            for i in range(n_subsets):
                total = _looked_up(tables[index, lane], words[i])
                sums[lane, 0, i] += total
                if masks is not None:
                    sums[lane, 1, i] += total & masks[lane]
    stream[0] = a
    stream[1] = b
    stream[2] = c
    stream[3] = counter


@in_numpy(add_random_subsets)
def _add_random_subsets_in_numpy(
    stream: UInt64Array, tables: StatArray, masks: UInt64Array | None, sums: StatArray
) -> None:
    """Do the same for all subsets at once: each byte of their words is an index into a part of a table."""
    n_lanes, _, n_subsets = sums.shape
    for of_lanes in tables:
        words = _words(stream, n_subsets).astype("<u8")  # lowest byte first
        indices = words.view(np.uint8).reshape(n_subsets, 8).T
        for lane in range(n_lanes):
            parts = of_lanes[lane].reshape(8, 256)
            total = parts[0][indices[0]]
            for part, index in zip(parts[1:], indices[1:], strict=True):
                total += part[index]
            sums[lane, 0] += total
            if masks is not None:
                sums[lane, 1] += total & masks[lane]


@kernel
def add_subsets(words: UInt64Array, tables: StatArray, masks: UInt64Array | None, sums: StatArray) -> None:
    """Add sums over the subsets that words ``(words, n)`` stand for, as ``add_random_subsets`` does."""
    for index in range(tables.shape[0]):
        for lane in range(tables.shape[1]):
            for i in range(words.shape[1]):
                total = _looked_up(tables[index, lane], words[index, i])
                sums[lane, 0, i] += total
                if masks is not None:
                    sums[lane, 1, i] += total & masks[lane]


@kernel
def _looked_up(table: StatArray, word: np.uint64) -> np.number:
    """Sum over the units whose bits are set in the word."""
    byte = np.uint64(255)
    # One table of 256 sums per byte of the word. mypy types elements of any number's array as Any
    return (  # type: ignore[no-any-return]
        table[word & byte]
        + table[np.uint64(256) + ((word >> np.uint64(8)) & byte)]
        + table[np.uint64(512) + ((word >> np.uint64(16)) & byte)]
        + table[np.uint64(768) + ((word >> np.uint64(24)) & byte)]
        + table[np.uint64(1024) + ((word >> np.uint64(32)) & byte)]
        + table[np.uint64(1280) + ((word >> np.uint64(40)) & byte)]
        + table[np.uint64(1536) + ((word >> np.uint64(48)) & byte)]
        + table[np.uint64(1792) + (word >> np.uint64(56))]
    )


@kernel
def exchange(
    baseline: StatArray, system: StatArray, of_system: FloatArray, of_both: FloatArray, scale: float, sides: FloatArray
) -> None:
    """Fill sides ``(2, d, shuffles)``: mean sums of system and baseline after the exchange of some units.

    Parameters
    ----------
    baseline, system
        Sums over the units exchanged, shape ``(d, shuffles)``.
    of_system, of_both
        Sums over all units, shape ``(d,)``.
    scale
        All sums are ``scale`` times those of the mean over runs.
    """
    inverse = 1 / scale  # a product takes half the time of a division
    for k in range(len(baseline)):
        for i in range(baseline.shape[1]):
            exchanged = np.float64(baseline[k, i] - system[k, i]) + of_system[k]
            sides[0, k, i] = exchanged * inverse
            sides[1, k, i] = (of_both[k] - exchanged) * inverse


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
    """Fill values ``(ks, combinations)`` with the mean differences of k random runs of either system.

    ``place_of`` has the row of each k, or -1. ``seen`` has the keys of the first rows, in which a combination counts
    once; in the rows after them combinations may repeat.
    """
    n_drawn = np.zeros(len(values), dtype=np.int64)
    baseline_order = np.arange(len(baseline))
    system_order = np.arange(len(system))
    half = np.uint64(32)
    low = np.uint64(0xFFFFFFFF)
    a, b, c, counter = stream
    while n_drawn.min() < values.shape[1]:
        # Runs are added to a combination one by one, so that it has a value for every k
        total = 0.0
        key = np.uint64(0)
        for n_runs in range(len(place_of) - 1):
            word, a, b, c, counter = next_word(a, b, c, counter)
            baseline_run = _put_next(baseline_order, n_runs, word & low)
            system_run = _put_next(system_order, n_runs, word >> half)
            total += system[system_run] - baseline[baseline_run]
            key += labels[baseline_run] + labels[len(baseline) + system_run]
            row = place_of[n_runs + 1]
            if row < 0 or n_drawn[row] == values.shape[1]:
                continue
            if row >= len(seen) or _is_new(seen[row], key):
                values[row, n_drawn[row]] = total / (n_runs + 1)
                n_drawn[row] += 1


@kernel
def _put_next(order: IntArray, place: int, bits: np.uint64) -> int:
    """Swap a random run of those not chosen yet into the place, and return it.

    With 32 bits, their probabilities are nearly equal.
    """
    drawn = place + np.int64((bits * np.uint64(len(order) - place)) >> np.uint64(32))
    order[place], order[drawn] = order[drawn], order[place]
    return int(order[place])


@kernel
def _is_new(seen: UInt64Array, key: np.uint64) -> bool:
    """Add a key to the table; return whether it is new. Zeros are free slots, and the table is never full."""
    slot = key & np.uint64(len(seen) - 1)
    while seen[slot] != 0:
        if seen[slot] == key:
            return False
        slot = (slot + np.uint64(1)) & np.uint64(len(seen) - 1)
    seen[slot] = key
    return True


@kernel
def count_pairs(human: FloatArray, metric: FloatArray, unit: IntArray, counts: FloatArray) -> None:
    """Count each unordered pair of outputs once, by the units of the two.

    ``counts`` has the shape (3, units, units): concordant minus discordant pairs, pairs that differ by people, and by
    the metric.
    """
    for first in range(len(human)):
        for second in range(first + 1, len(human)):
            human_difference = human[first] - human[second]
            metric_difference = metric[first] - metric[second]
            a = unit[first]
            b = unit[second]
            if human_difference != 0:
                counts[1, a, b] += 1
            if metric_difference != 0:
                counts[2, a, b] += 1
            if human_difference != 0 and metric_difference != 0:
                if (human_difference > 0) == (metric_difference > 0):
                    counts[0, a, b] += 1
                else:
                    counts[0, a, b] -= 1


@kernel
def most_gained(
    segment: IntArray, change: FloatArray, is_last: BoolArray, counts: FloatArray
) -> tuple[FloatArray, IntArray]:
    """Return the most that a threshold gains over none in each replicate, and the last pair that it ties (-1: none)."""
    gains = np.zeros(len(counts))
    places = np.full(len(counts), -1)
    for replicate in range(len(counts)):
        row = counts[replicate]
        total = 0.0
        for pair in range(len(segment)):
            total += change[pair] * row[segment[pair]]
            if is_last[pair] and total > gains[replicate]:
                gains[replicate] = total
                places[replicate] = pair
    return gains, places
