"""The words of texts numbered by a hash table of whole words, so that equal numbers mean equal words."""

import numpy as np

from mteval.arrays import BoolArray, Int32Array, IntArray, UInt64Array
from mteval.kernels import kernel
from mteval.metrics.text.hashing_kernels import FREE, MULTIPLIER

_FIRST_SIZE = 1 << 12


@kernel
def number_words(codes: Int32Array, starts: IntArray, spaces: BoolArray) -> tuple[Int32Array, IntArray, IntArray]:
    """Numbers of all words, where each text's begin, and for each number begin and end of its first occurrence."""
    numbers = np.empty(codes.size // 2 + starts.size, np.int32)  # two words of a text have a space between them
    word_starts = np.zeros(starts.size, np.int64)
    table = np.full(_FIRST_SIZE, FREE, np.int32)
    spans = np.empty((_FIRST_SIZE // 2, 2), np.int64)
    hashes = np.empty(_FIRST_SIZE // 2, np.uint64)
    n = n_distinct = 0
    for text in range(starts.size - 1):
        position, end = starts[text], starts[text + 1]
        while True:
            first, position, value = _next_word(codes, position, end, spaces)
            if first == end:
                break
            mask = np.uint64(table.size - 1)
            slot = value & mask
            while table[slot] != FREE:  # a function of its own would not be inlined and nearly halve the speed
                number = table[slot]
                if hashes[number] == value and _is_same(codes, spans[number, 0], spans[number, 1], first, position):
                    break
                slot = (slot + np.uint64(1)) & mask
            if table[slot] == FREE:
                table[slot] = numbers[n] = n_distinct
                spans[n_distinct, 0], spans[n_distinct, 1] = first, position
                hashes[n_distinct] = value
                n_distinct += 1
                if n_distinct == hashes.size:
                    table, spans, hashes = _doubled(spans, hashes)
            else:
                numbers[n] = table[slot]
            n += 1
        word_starts[text + 1] = n
    return numbers[:n], word_starts, spans[:n_distinct]


@kernel
def _next_word(codes: Int32Array, position: int, end: int, spaces: BoolArray) -> tuple[int, int, np.uint64]:
    """Begin, end and hash of the next word from a place on; it begins at the end of the text where there is none."""
    while position < end and _is_space(codes[position], spaces):
        position += 1
    first = position
    value = np.uint64(0)
    while position < end and not _is_space(codes[position], spaces):
        value = (value ^ np.uint64(codes[position])) * MULTIPLIER
        position += 1
    return first, position, value ^ (value >> np.uint64(32))


@kernel
def _is_space(code: int, spaces: BoolArray) -> bool:
    return code < spaces.size and spaces[code]


@kernel
def _is_same(codes: Int32Array, like: int, like_end: int, first: int, end: int) -> bool:
    """Whether the same code points stand in both spans."""
    if like_end - like != end - first:
        return False
    offset = 0
    while offset < end - first and codes[like + offset] == codes[first + offset]:
        offset += 1
    return offset == end - first


@kernel
def _doubled(spans: IntArray, hashes: UInt64Array) -> tuple[Int32Array, IntArray, UInt64Array]:
    """Table, spans and hashes with twice the room."""
    table = np.full(4 * hashes.size, FREE, np.int32)
    mask = np.uint64(table.size - 1)
    for number in range(hashes.size):
        slot = hashes[number] & mask
        while table[slot] != FREE:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = number
    wider_spans, wider_hashes = np.empty((2 * hashes.size, 2), np.int64), np.empty(2 * hashes.size, np.uint64)
    for number in range(hashes.size):
        wider_spans[number, 0], wider_spans[number, 1] = spans[number, 0], spans[number, 1]
        wider_hashes[number] = hashes[number]
    return table, wider_spans, wider_hashes
