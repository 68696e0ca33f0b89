"""Hash tables of open addressing, for compiled code: of 64-bit keys with a value each, and of numbered words.

A trie of phrases in arrays, for compiled code.

Nodes are numbered breadth first and children stand in the order of their words, so that the children of a node are
neighbours and one number a node says where they begin. The root is node 0, and every word ``w`` has the node ``w + 1``.

The order of a trie's nodes in which a reader finds children by their neighbourhood.
"""

import numpy as np

from mteval.base.arrays import Int32Array, IntArray
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
