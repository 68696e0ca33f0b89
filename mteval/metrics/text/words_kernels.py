"""The words of texts numbered by a hash table of whole words, so that equal numbers mean equal words."""

import numpy as np

from mteval.arrays import BoolArray, Int32Array, IntArray, UInt64Array
from mteval.kernels import kernel
from mteval.metrics.text.hashing_kernels import FREE, MULTIPLIER

_FIRST_BITS = 12
_SHORT = 7  # so many code points of a byte each are a number that no other word has
_BYTE = np.uint64(8)
_IS_LONG = np.uint64(0xFF << 56)  # marks a number that several words may share


@kernel
def number_words(codes: Int32Array, starts: IntArray, spaces: BoolArray) -> tuple[Int32Array, IntArray, IntArray]:
    """Numbers of all words, where each text's begin, and for each number begin and end of its first occurrence."""
    numbers = np.empty(codes.size // 2 + starts.size, np.int32)  # two words of a text have a space between them
    word_starts = np.zeros(starts.size, np.int64)
    bits = _FIRST_BITS
    spans, keys = np.empty((1 << bits - 1, 2), np.int64), np.empty(1 << bits - 1, np.uint64)
    table = _table_of(keys[:0], bits)
    text = n_distinct = 0
    while text < starts.size - 1:
        while n_distinct + (starts[text + 1] - starts[text] + 1) // 2 > keys.size:
            bits += 1
            spans, keys = _doubled(spans, keys)
            table = _table_of(keys[:n_distinct], bits)
        text, n_distinct = _number_texts(
            codes, starts, spaces, text, table, bits, spans, keys, n_distinct, numbers, word_starts
        )
    return numbers[: word_starts[-1]], word_starts, spans[:n_distinct]


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
    """Number the words of texts as long as there is room for all words of a text. Returns the first text that is left,
    and how many words are known.

    The key of a short word is the word itself, a byte a code point; that of others is a hash. All stands in one
    function: calls in the inner loops, or tables that grow within them, would nearly halve the speed.
    """
    n = word_starts[text]
    mask = np.uint64(table.size - 1)
    while text < starts.size - 1 and n_distinct + (starts[text + 1] - starts[text] + 1) // 2 <= keys.size:
        position, end = starts[text], starts[text + 1]
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
            if not is_short:  # bytes of its code points lie over one another
                key = _hash(codes, first, position)
            elif position - first > _SHORT:
                key = (key ^ (key >> np.uint64(32))) | _IS_LONG
            slot = _first_slot(key, bits)
            while table[slot] != FREE:
                like = table[slot]
                if keys[like] == key and (
                    key < _IS_LONG or _is_same(codes, spans[like, 0], spans[like, 1], first, position)
                ):
                    break
                slot = (slot + np.uint64(1)) & mask
            if table[slot] == FREE:
                table[slot] = n_distinct
                keys[n_distinct] = key
                spans[n_distinct, 0], spans[n_distinct, 1] = first, position
                n_distinct += 1
            numbers[n] = table[slot]
            n += 1
        text += 1
        word_starts[text] = n
    return text, n_distinct


@kernel
def _hash(codes: Int32Array, first: int, end: int) -> np.uint64:
    """The key of a word with code points of more than a byte."""
    key = np.uint64(0)
    for position in range(first, end):
        key = (key ^ np.uint64(codes[position])) * MULTIPLIER
    return (key ^ (key >> np.uint64(32))) | _IS_LONG


@kernel
def _first_slot(key: np.uint64, bits: int) -> np.uint64:
    """Where a key is looked for first in a table of ``2**bits`` places."""
    return (key * MULTIPLIER) >> np.uint64(64 - bits)


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
def _table_of(keys: UInt64Array, bits: int) -> Int32Array:
    """A table of ``2**bits`` places with the number of each key."""
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
    """Spans and keys with twice the room."""
    wider_spans, wider_keys = np.empty((2 * keys.size, 2), np.int64), np.empty(2 * keys.size, np.uint64)
    for number in range(keys.size):
        wider_spans[number, 0], wider_spans[number, 1] = spans[number, 0], spans[number, 1]
        wider_keys[number] = keys[number]
    return wider_spans, wider_keys
