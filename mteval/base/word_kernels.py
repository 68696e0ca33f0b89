"""Compiled code that numbers words by a hash table, or hashes them.

The table compares whole words, so equal numbers mean equal words. Hashes take a third of the time, and are enough to
see how similar lines are.
"""

from typing import Any

import numpy as np

from mteval.base.arrays import BoolArray, Int32Array, IntArray, UInt64Array
from mteval.base.kernels import in_numpy, kernel

FREE = -1  # marks a free place
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio, odd: spreads neighbouring keys (Knuth 6.4)
_FIRST_BITS = 12
_SHORT = 7  # up to so many one-byte code points, the key is unique
_BYTE = np.uint64(8)
_IS_LONG = np.uint64(0xFF << 56)  # marks a key that several words may share
HASH_BITS = 40  # of a word alone; with the number of its line beside it, it still fits 64
_DROPPED_BITS = np.uint64(64 - HASH_BITS)
_ONE = np.uint64(1)


@kernel
def are_same(text: Any, start: int, end: int, other: Any, first: int, last: int) -> bool:
    """Return whether spans of two texts hold the same numbers."""
    if end - start != last - first:
        return False
    for offset in range(end - start):  # noqa: SIM110 - compiled code has no all()
        if text[start + offset] != other[first + offset]:
            return False
    return True


@kernel
def number_words(codes: Int32Array, starts: IntArray, spaces: BoolArray) -> tuple[Int32Array, IntArray, IntArray]:
    """Return the numbers of all words, where each text starts, and start and end of each number's first occurrence."""
    numbers = np.empty(codes.size // 2 + starts.size, np.int32)  # words of a text are separated by a space
    word_starts = np.zeros(starts.size, np.int64)
    bits = _FIRST_BITS
    spans = np.empty((1 << bits - 1, 2), np.int64)
    keys = np.empty(1 << bits - 1, np.uint64)
    table = _table_of(keys[:0], bits)
    text = 0
    n_distinct = 0
    while text < starts.size - 1:
        while n_distinct + (starts[text + 1] - starts[text] + 1) // 2 > keys.size:
            bits += 1
            spans, keys = _doubled(spans, keys)
            table = _table_of(keys[:n_distinct], bits)
        text, n_distinct = _number_texts(
            codes, starts, spaces, text, table, bits, spans, keys, n_distinct, numbers, word_starts
        )
    return numbers[: word_starts[-1]], word_starts, spans[:n_distinct]


@in_numpy(number_words)
def _number_words_in_numpy(
    codes: Int32Array, starts: IntArray, spaces: BoolArray
) -> tuple[Int32Array, IntArray, IntArray]:
    """Do the same with a dictionary of words."""
    first, end = _bounds_of_words(codes, starts, spaces)
    joined = codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    words = [joined[start:stop] for start, stop in zip(first.tolist(), end.tolist(), strict=True)]
    number_of = {word: number for number, word in enumerate(dict.fromkeys(words))}
    numbers = np.array([number_of[word] for word in words], np.int32)
    _, first_of_number = np.unique(numbers, return_index=True)
    spans = np.column_stack([first, end])[first_of_number]
    return numbers, np.searchsorted(first, starts), spans


def _bounds_of_words(codes: Int32Array, starts: IntArray, spaces: BoolArray) -> tuple[IntArray, IntArray]:
    """Return where words start and end."""
    is_space = np.zeros(codes.size, np.bool_)
    may_be_space = codes < spaces.size
    is_space[may_be_space] = spaces[codes[may_be_space]]
    # A word begins after a space or at the start of a text, and ends before a space or at the end of a text
    is_edge = np.zeros(codes.size + 1, np.bool_)
    is_edge[starts] = True
    first = np.flatnonzero(~is_space & (is_edge[:-1] | np.concatenate([[True], is_space[:-1]])))
    end = 1 + np.flatnonzero(~is_space & (is_edge[1:] | np.concatenate([is_space[1:], [True]])))
    return first, end


@kernel
def _number_texts(
    codes: Int32Array,
    starts: IntArray,
    spaces: BoolArray,
    text: int,
    table: Int32Array,
    bits: int,
    spans: IntArray,
    keys: UInt64Array,
    n_distinct: int,
    numbers: Int32Array,
    word_starts: IntArray,
) -> tuple[int, int]:
    """Number the words of texts while all words of a text fit. Return the first text left, and the number of known
    words.

    The key of a short word is the word itself, one byte per code point; other keys are hashes. This is one function
    because calls in the inner loops, or tables that grow within them, would nearly halve the speed.
    """
    n = word_starts[text]
    mask = np.uint64(table.size - 1)
    while text < starts.size - 1 and n_distinct + (starts[text + 1] - starts[text] + 1) // 2 <= keys.size:
        position = starts[text]
        end = starts[text + 1]
        while True:
            while position < end and codes[position] < spaces.size and spaces[codes[position]]:
                position += 1
            first = position
            if first == end:
                break
            key = np.uint64(0)
            is_short = True
            while position < end and not (codes[position] < spaces.size and spaces[codes[position]]):
                code = codes[position]
                is_short &= 0 < code < 256
                if position - first < _SHORT:
                    key = (key << _BYTE) ^ np.uint64(code)
                else:
                    key = (key ^ np.uint64(code)) * MULTIPLIER
                position += 1
            if not is_short:  # its code points overlap in the key
                key = _hash(codes, first, position)
            elif position - first > _SHORT:
                key = (key ^ (key >> np.uint64(32))) | _IS_LONG
            slot = _first_slot(key, bits)
            while table[slot] != FREE:
                like = table[slot]
                if keys[like] == key and (
                    key < _IS_LONG or are_same(codes, spans[like, 0], spans[like, 1], codes, first, position)
                ):
                    break
                slot = (slot + np.uint64(1)) & mask
            if table[slot] == FREE:
                table[slot] = n_distinct
                keys[n_distinct] = key
                spans[n_distinct, 0] = first
                spans[n_distinct, 1] = position
                n_distinct += 1
            numbers[n] = table[slot]
            n += 1
        text += 1
        word_starts[text] = n
    return text, n_distinct


@kernel
def _hash(codes: Int32Array, first: int, end: int) -> np.uint64:
    """Return the key of a word with code points above one byte."""
    key = np.uint64(0)
    for position in range(first, end):
        key = (key ^ np.uint64(codes[position])) * MULTIPLIER
    return (key ^ (key >> np.uint64(32))) | _IS_LONG


@kernel
def _first_slot(key: np.uint64, bits: int) -> np.uint64:
    """Return where the search for a key starts in a table of ``2**bits`` places."""
    return (key * MULTIPLIER) >> np.uint64(64 - bits)


@kernel
def _table_of(keys: UInt64Array, bits: int) -> Int32Array:
    """Return a table of ``2**bits`` places with the number of each key."""
    table = np.full(1 << bits, FREE, np.int32)
    mask = np.uint64(table.size - 1)
    for number in range(keys.size):
        slot = _first_slot(keys[number], bits)
        while table[slot] != FREE:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = number
    return table


@kernel
def _doubled(spans: IntArray, keys: UInt64Array) -> tuple[IntArray, UInt64Array]:
    """Return spans and keys with twice the room."""
    wider_spans = np.empty((2 * keys.size, 2), np.int64)
    wider_keys = np.empty(2 * keys.size, np.uint64)
    for number in range(keys.size):
        wider_spans[number, 0] = spans[number, 0]
        wider_spans[number, 1] = spans[number, 1]
        wider_keys[number] = keys[number]
    return wider_spans, wider_keys


@kernel
def hash_words(codes: Int32Array, starts: IntArray, spaces: BoolArray) -> tuple[IntArray, IntArray]:
    """Return a number of ``HASH_BITS`` bits for each word, and where the words of each text start.

    Equal words have equal numbers. Two others have the same with a probability of about ``2 ** -HASH_BITS``.
    """
    hashes = np.empty(codes.size // 2 + starts.size, np.int64)
    word_starts = np.zeros(starts.size, np.int64)
    n = 0
    for text in range(starts.size - 1):
        # The sum of code points, each plus 1, times powers of the multiplier
        total = np.uint64(0)
        power = _ONE
        for position in range(starts[text], starts[text + 1]):
            code = codes[position]
            if code < spaces.size and spaces[code]:
                if power != _ONE:
                    hashes[n] = _mixed(total)
                    n += 1
                    total = np.uint64(0)
                    power = _ONE
            else:
                total += power * np.uint64(code + 1)
                power *= MULTIPLIER
        if power != _ONE:
            hashes[n] = _mixed(total)
            n += 1
        word_starts[text + 1] = n
    return hashes[:n], word_starts


@in_numpy(hash_words)
def _hash_words_in_numpy(codes: Int32Array, starts: IntArray, spaces: BoolArray) -> tuple[IntArray, IntArray]:
    """Do the same for all words at once."""
    first, end = _bounds_of_words(codes, starts, spaces)
    lengths = end - first
    starts_in_words = np.cumsum(lengths) - lengths
    # Where each character of a word stands: in it, and among all code points
    places = np.arange(lengths.sum()) - np.repeat(starts_in_words, lengths)
    positions = places + np.repeat(first, lengths)
    powers = np.full(lengths.max(initial=0) + 1, MULTIPLIER)
    powers[0] = 1
    np.multiply.accumulate(powers, out=powers)
    terms = powers[places] * (codes[positions] + 1).astype(np.uint64)
    totals = np.zeros(0, np.uint64)
    if lengths.size:
        totals = np.add.reduceat(terms, starts_in_words)
    hashes = ((totals ^ (totals >> np.uint64(32))) * MULTIPLIER) >> _DROPPED_BITS
    return hashes.astype(np.int64), np.searchsorted(first, starts)


@kernel
def _mixed(total: np.uint64) -> np.uint64:
    """Return the highest bits, on which all bits of the total have an influence."""
    return ((total ^ (total >> np.uint64(32))) * MULTIPLIER) >> _DROPPED_BITS


@kernel
def count_shared(
    keys: IntArray,
    starts: IntArray,
    other_keys: IntArray,
    other_starts: IntArray,
    places: IntArray,
    others: IntArray,
    counts: IntArray,
) -> None:
    """Count the keys that lists have in common, and fill in the counts.

    Parameters
    ----------
    keys, starts
        Keys of all lists in turn, distinct and ascending within a list, and where each list starts.
    other_keys, other_starts
        The same of the lists to compare them with.
    places, others
        The lists that are compared, of the shape of the counts.
    """
    for pair in range(places.size):
        place = starts[places[pair]]
        end = starts[places[pair] + 1]
        other_place = other_starts[others[pair]]
        other_end = other_starts[others[pair] + 1]
        n_shared = 0
        while place < end and other_place < other_end:
            # Without a branch that depends on the keys, which would often be predicted wrongly
            key = keys[place]
            other_key = other_keys[other_place]
            n_shared += key == other_key
            place += key <= other_key
            other_place += other_key <= key
        counts[pair] = n_shared


@in_numpy(count_shared)
def _count_shared_in_numpy(
    keys: IntArray,
    starts: IntArray,
    other_keys: IntArray,
    other_starts: IntArray,
    places: IntArray,
    others: IntArray,
    counts: IntArray,
) -> None:
    """Look up list and key in one number; there are not so many lists that these overflow."""
    n_keys = np.diff(starts)[places]
    first = np.cumsum(n_keys) - n_keys
    chosen = np.arange(n_keys.sum()) + np.repeat(starts[places] - first, n_keys)
    wanted = np.repeat(others << HASH_BITS, n_keys) | keys[chosen]
    n_others = np.diff(other_starts)
    known = np.repeat(np.arange(n_others.size) << HASH_BITS, n_others) | other_keys
    places_of_wanted = np.searchsorted(known, wanted)
    is_shared = np.zeros(wanted.size, np.bool_)
    is_inside = places_of_wanted < known.size
    is_shared[is_inside] = known[places_of_wanted[is_inside]] == wanted[is_inside]
    counts[...] = np.bincount(np.repeat(np.arange(places.size), n_keys), weights=is_shared, minlength=places.size)
