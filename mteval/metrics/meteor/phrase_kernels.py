"""Hash tables of open addressing, for compiled code: of 64-bit keys with a value each, and of numbered words.

A trie of phrases in arrays, for compiled code.

Nodes are numbered breadth first and children stand in the order of their words, so that the children of a node are
neighbours and one number a node says where they begin. The root is node 0, and every word ``w`` has the node ``w + 1``.

The order of a trie's nodes in which a reader finds children by their neighbourhood.

The lines of METEOR's paraphrase table read: words are numbered, phrases are nodes of a trie.
"""

from typing import NamedTuple

import numpy as np

from mteval.base.arrays import ByteArray, Int32Array, IntArray
from mteval.base.kernels import kernel
from mteval.metrics.text.text_kernels import FREE, MULTIPLIER


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


@kernel
def order_nodes(
    keys: IntArray, children: Int32Array, n_nodes: int, n_words: int
) -> tuple[Int32Array, Int32Array, Int32Array]:
    """Number the nodes of a trie as ``phrase_trie_kernels`` wants them.

    Parameters
    ----------
    keys, children
        Hash table from ``parent << 32 | word`` to child; free places have a negative key.

    Returns
    -------
    last_words, first_children
        As in ``phrase_trie_kernels``; words that begin no phrase have got a node as well.
    renumbered
        The new number of each old node.
    """
    nodes = np.arange(n_nodes, n_nodes + n_words)
    for slot in range(len(keys)):
        if 0 <= keys[slot] < n_words:
            nodes[keys[slot]] = children[slot]
    # words that begin no phrase get a node as well, after all others for the time being
    total = n_nodes
    for word in range(n_words):
        if nodes[word] >= n_nodes:
            nodes[word] = total
            total += 1
    parents = np.zeros(total, dtype=np.int32)
    words = np.full(total, -1, dtype=np.int32)
    for word in range(n_words):
        words[nodes[word]] = word
    for slot in range(len(keys)):
        if keys[slot] >= 0:
            parents[children[slot]] = keys[slot] >> 32
            words[children[slot]] = keys[slot] & 0xFFFFFFFF
    by_word = _sorted_by(words[1:], np.arange(1, total, dtype=np.int32), n_words)
    siblings = _sorted_by(parents[by_word], by_word, total)
    first = np.zeros(total + 1, dtype=np.int64)
    for node in range(1, total):
        first[parents[node] + 1] += 1
    first = np.cumsum(first)
    queue = np.zeros(total, dtype=np.int32)
    renumbered = np.zeros(total, dtype=np.int32)
    first_children = np.empty(total + 1, dtype=np.int32)
    end = 1
    for node in range(total):
        old = queue[node]
        first_children[node] = end
        for rank in range(first[old], first[old + 1]):
            queue[end] = siblings[rank]
            renumbered[siblings[rank]] = end
            end += 1
    first_children[total] = total
    return words[queue], first_children, renumbered


@kernel
def _sorted_by(ranks: Int32Array, items: Int32Array, n_ranks: int) -> Int32Array:
    """Items by rank, those of a rank in their order."""
    places = np.zeros(n_ranks + 1, dtype=np.int64)
    for rank in ranks:
        places[rank + 1] += 1
    places = np.cumsum(places)
    ordered = np.empty_like(items)
    for index in range(len(items)):
        ordered[places[ranks[index]]] = items[index]
        places[ranks[index]] += 1
    return ordered


@kernel
def group_pairs(pairs: Int32Array, n_nodes: int) -> tuple[Int32Array, Int32Array]:
    """Targets by source, those of a source in the order of the pairs, and where each source's begin."""
    starts = np.zeros(n_nodes + 1, dtype=np.int32)
    for source in pairs[:, 0]:
        starts[source + 1] += 1
    for node in range(n_nodes):
        starts[node + 1] += starts[node]
    return starts, _sorted_by(pairs[:, 0].copy(), pairs[:, 1].copy(), n_nodes)


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
            if not _same(data, position, end, data, phrase, phrase_end):
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
        if spans[known, HASH] == code and _same(data, start, end, text, spans[known, START], spans[known, END]):
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


@kernel
def _same(data: ByteArray, start: int, end: int, text: ByteArray, first: int, last: int) -> bool:
    if end - start != last - first:
        return False
    for offset in range(end - start):  # noqa: SIM110 - compiled code has no all()
        if data[start + offset] != text[first + offset]:
            return False
    return True
