"""Compiled code that numbers words by a hash table.

The table compares whole words, so equal numbers mean equal words.
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
    is_space = np.zeros(codes.size, np.bool_)
    may_be_space = codes < spaces.size
    is_space[may_be_space] = spaces[codes[may_be_space]]
    # A word begins after a space or at the start of a text, and ends before a space or at the end of a text
    is_edge = np.zeros(codes.size + 1, np.bool_)
    is_edge[starts] = True
    first = np.flatnonzero(~is_space & (is_edge[:-1] | np.concatenate([[True], is_space[:-1]])))
    end = 1 + np.flatnonzero(~is_space & (is_edge[1:] | np.concatenate([is_space[1:], [True]])))

    joined = codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    words = [joined[start:stop] for start, stop in zip(first.tolist(), end.tolist(), strict=True)]
    number_of = {word: number for number, word in enumerate(dict.fromkeys(words))}
    numbers = np.array([number_of[word] for word in words], np.int32)
    _, first_of_number = np.unique(numbers, return_index=True)
    spans = np.column_stack([first, end])[first_of_number]
    return numbers, np.searchsorted(first, starts), spans


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
