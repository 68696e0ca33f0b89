"""Hash tables of open addressing, for compiled code: of 64-bit keys with a value each, and of numbered words.

A trie of phrases in arrays, for compiled code.

Nodes are numbered breadth first and children stand in the order of their words, so that the children of a node are
neighbours and one number a node says where they begin. The root is node 0, and every word ``w`` has the node ``w + 1``.
The lines of METEOR's paraphrase table read: words are numbered, phrases are nodes of a trie.
"""

from typing import NamedTuple

import numpy as np

from mteval.base.arrays import ByteArray, Int32Array, IntArray
from mteval.base.kernels import kernel
from mteval.metrics.text.text_kernels import FREE, MULTIPLIER, are_same


@kernel
def find_slot(keys: IntArray, key: int) -> int:
    """Where a key stands in a table of open addressing, or the free place where it belongs."""
    mask = len(keys) - 1
    slot = int((np.uint64(key) * MULTIPLIER) >> np.uint64(20)) & mask
    while keys[slot] not in (key, FREE):
        slot = (slot + 1) & mask
    return slot


@kernel
def doubled(keys: IntArray, children: Int32Array) -> tuple[IntArray, Int32Array]:
    """The same table with twice the places."""
    wider_keys = np.full(2 * len(keys), FREE, dtype=np.int64)
    wider_children = np.zeros(2 * len(keys), dtype=np.int32)
    for old in range(len(keys)):
        if keys[old] != FREE:
            slot = find_slot(wider_keys, keys[old])
            wider_keys[slot] = keys[old]
            wider_children[slot] = children[old]
    return wider_keys, wider_children


@kernel
def first_slot(code: int, slots: IntArray) -> int:
    """Where the search for a word with this hash begins."""
    return (code ^ (code >> 29)) & (len(slots) - 1)


@kernel
def doubled_words(slots: IntArray, hashes: IntArray, n_words: int) -> IntArray:
    """A table of word numbers with twice the places."""
    wider = np.full(2 * len(slots), FREE, dtype=np.int64)
    for number in range(n_words):
        slot = first_slot(hashes[number], wider)
        while wider[slot] != FREE:
            slot = (slot + 1) & (len(wider) - 1)
        wider[slot] = number
    return wider


ROOT = 0
NO_NODE = -1


@kernel
def child_of(last_words: Int32Array, first_children: Int32Array, node: int, word: int) -> int:
    """The node that a word leads to, or ``NO_NODE``.

    Parameters
    ----------
    last_words
        For each node the word that leads to it.
    first_children
        For each node its first child, and the number of nodes at the end, shape ``(nodes + 1,)``.
    """
    low, high = first_children[node], first_children[node + 1]
    end = high
    if node == ROOT:
        low = word + 1
    while low < high:
        middle = (low + high) // 2
        if last_words[middle] < word:
            low = middle + 1
        else:
            high = middle
    return low if low < end and last_words[low] == word else NO_NODE


WORDS, NODES, LINE, PHRASE = range(4)  # columns of the state
START, END, HASH = range(3)  # columns of the spans
_SPACE, _LINE_FEED = 32, 10
_PRIME = 0x100000001B3  # of the hash by Fowler, Noll and Vo


class Tables(NamedTuple):
    """What is known so far, for compiled code."""

    text: ByteArray  # the words, one after the other
    spans: IntArray  # for each word its start and end in the text, and its hash
    slots: IntArray  # hash table of the words' numbers
    keys: IntArray  # hash table from parent << 32 | word
    children: Int32Array  # to the child
    state: IntArray  # number of words, of nodes, line within the pair, node of the phrase


@kernel
def read_lines(data: ByteArray, position: int, tables: Tables, pairs: Int32Array, n_pairs: int) -> tuple[int, int]:
    """Read whole lines from a position on until the end or until a table should grow; the new position and count.

    Paraphrases of a phrase stand together, so that most phrases are the one before and need not be looked up.
    """
    state = tables.state
    phrase, phrase_end = 0, -1
    while position < len(data):
        end = position
        while data[end] != _LINE_FEED:
            end += 1
        if _is_full(tables, end - position):
            return position, n_pairs
        if state[LINE] == 1:
            if not are_same(data, position, end, data, phrase, phrase_end):
                state[PHRASE] = _node_of_line(data, position, end, tables)
            phrase, phrase_end = position, end
        elif state[LINE] == 2:
            pairs[n_pairs, 0] = state[PHRASE]
            pairs[n_pairs, 1] = _node_of_line(data, position, end, tables)
            n_pairs += 1
        state[LINE] = (state[LINE] + 1) % 3
        position = end + 1
    return position, n_pairs


@kernel
def _is_full(tables: Tables, length: int) -> bool:
    """Whether a line of so many bytes might not find room."""
    n_words, n_nodes = tables.state[WORDS], tables.state[NODES]
    if 2 * (n_nodes + length) > len(tables.keys) or 2 * (n_words + length) > len(tables.slots):
        return True
    used = tables.spans[n_words - 1, END] if n_words else 0
    return bool(n_words + length > len(tables.spans) or used + length > len(tables.text))


@kernel
def _node_of_line(data: ByteArray, position: int, end: int, tables: Tables) -> int:
    """The node of a line's phrase; words and nodes that are new are added."""
    node = ROOT
    while position < end:
        stop = position
        while stop < end and data[stop] > _SPACE:
            stop += 1
        if stop > position:
            key = (node << 32) | _number_of_word(data, position, stop, tables)
            slot = find_slot(tables.keys, key)
            if tables.keys[slot] == FREE:
                tables.keys[slot] = key
                tables.children[slot] = tables.state[NODES]
                tables.state[NODES] += 1
            node = int(tables.children[slot])
        position = stop + 1
    return node


@kernel
def _number_of_word(data: ByteArray, start: int, end: int, tables: Tables) -> int:
    """The number of a word, which is compared letter by letter."""
    text, spans, slots = tables.text, tables.spans, tables.slots
    code = end - start
    for index in range(start, end):
        code = (code ^ int(data[index])) * _PRIME
    slot = first_slot(code, slots)
    while slots[slot] != FREE:
        known = int(slots[slot])
        if spans[known, HASH] == code and are_same(data, start, end, text, spans[known, START], spans[known, END]):
            return known
        slot = (slot + 1) & (len(slots) - 1)
    number = int(tables.state[WORDS])
    first = int(spans[number - 1, END]) if number else 0
    for offset in range(end - start):
        text[first + offset] = data[start + offset]
    spans[number, START] = first
    spans[number, END] = first + end - start
    spans[number, HASH] = code
    slots[slot] = number
    tables.state[WORDS] += 1
    return number
