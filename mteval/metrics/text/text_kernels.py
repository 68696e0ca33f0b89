"""Compiled code for texts as numbers: clipped n-gram matches and tries.

Matches are counted on a trie of the references' n-grams. A trie of all n-grams up to an order is closed under removing
the first item, so each n-gram links to the n-gram one item shorter. Reading a hypothesis item by item, the longest
n-gram that ends here and occurs in the references is a child of a link of the previous one (Aho and Corasick 1975), and
all shorter ones that end here lie on its links. Children are found by an exact key (node and item in 64 bits), so hash
collisions cannot change results.

The trie of a group of references is built when its first hypothesis is met and discarded at the next group. It fits in
the processor's cache, and memory does not grow with the number of segments.
"""

from typing import NamedTuple

import numpy as np

from mteval.base.arrays import BoolArray, Int32Array, IntArray
from mteval.base.kernels import in_numpy, kernel
from mteval.base.word_kernels import FREE, MULTIPLIER

UNKNOWN = -1  # an item that no reference has
NOWHERE = UNKNOWN  # no node; also the node of an unknown item, if item i is node i
_ROOT = 0


class Trie(NamedTuple):
    """N-grams of a group of references.

    Parameters
    ----------
    keys, shift, children
        Hash table from ``node << 32 | item`` to the node of the n-gram one item longer; 64 less the bits of a place.
    links
        For each node, that of the n-gram without its first item.
    limits, counts
        How often each n-gram may count, and how often it occurred.
    """

    keys: IntArray
    shift: np.uint64
    children: Int32Array
    links: Int32Array
    limits: Int32Array
    counts: Int32Array


@kernel
def count_matches(
    items: Int32Array,
    starts: IntArray,
    groups: IntArray,
    visits: IntArray,
    reference_items: Int32Array,
    reference_starts: IntArray,
    group_starts: IntArray,
    matches: IntArray,
) -> None:
    """Fill ``matches``, shape ``(n, order)``; the other parameters are those of ``clipped_matches``.

    ``visits`` orders the hypotheses so that groups stay together.
    """
    order = matches.shape[1]
    longest = 0
    for group in groups:
        first = reference_starts[group_starts[group]]
        longest = max(longest, reference_starts[group_starts[group + 1]] - first)
    room = 1 + order * longest
    keys = np.empty(1 << _bits(room), np.int64)
    children = np.empty(1 << _bits(room), np.int32)
    links = np.zeros(room, np.int32)
    limits = np.zeros(room, np.int32)
    counts = np.zeros(room, np.int32)
    trie = Trie(keys, np.uint64(0), children, links, limits, counts)
    current = -1
    n_nodes = 0
    for visit in visits:
        group = groups[visit]
        if group != current:
            current = group
            bounds = reference_starts[group_starts[group] : group_starts[group + 1] + 1]
            bits = _bits(1 + order * (bounds[-1] - bounds[0]))
            trie = Trie(keys[: 1 << bits], np.uint64(64 - bits), children, links, limits, counts)
            trie.keys[:] = FREE
            n_nodes = _build(reference_items, bounds, order, trie)
        counts[:n_nodes] = 0
        _match(items[starts[visit] : starts[visit + 1]], order, trie, matches[visit])


@in_numpy(count_matches)
def _count_matches_in_numpy(
    items: Int32Array,
    starts: IntArray,
    groups: IntArray,
    visits: IntArray,
    reference_items: Int32Array,
    reference_starts: IntArray,
    group_starts: IntArray,
    matches: IntArray,
) -> None:
    """Do the same for all n-grams of one length at once, without a trie.

    All places of references, then all places of hypotheses, are one long array. The n-gram that begins at a place has a
    number that differs between groups.
    """
    n_references = reference_starts.size - 1
    group_of_reference = np.repeat(np.arange(group_starts.size - 1), np.diff(group_starts))
    group_of_text = np.concatenate([group_of_reference, groups])
    all_items = np.concatenate([reference_items, items])
    all_starts = np.concatenate([reference_starts, reference_starts[-1] + starts[1:]])
    text_of_place = np.repeat(np.arange(group_of_text.size), np.diff(all_starts))

    ngrams = group_of_text[text_of_place]  # of length 0: one per group
    places = np.flatnonzero(all_items != UNKNOWN)
    for length in range(1, matches.shape[1] + 1):
        last = places + length - 1
        # No n-gram crosses the end of a text or includes an unknown item
        fits = last < all_starts[text_of_place[places] + 1]
        fits[fits] = all_items[last[fits]] != UNKNOWN
        places = places[fits]
        keys = (ngrams[places] << 32) | all_items[last[fits]]
        _, ngrams[places] = np.unique(keys, return_inverse=True)

        # How often each text has each n-gram
        pairs, counts = np.unique((text_of_place[places] << 32) | ngrams[places], return_counts=True)
        text = pairs >> 32
        ngram = pairs & 0xFFFFFFFF
        is_reference = text < n_references
        limits = np.zeros(ngram.max(initial=0) + 1, np.int64)
        np.maximum.at(limits, ngram[is_reference], counts[is_reference])
        is_match = ~is_reference & (limits[ngram] > 0)
        matched = np.minimum(counts, limits[ngram])[is_match]
        np.add.at(matches[:, length - 1], text[is_match] - n_references, matched)
        # A longer n-gram matches only if this one does
        places = places[limits[ngrams[places]] > 0]


@kernel
def _bits(n_nodes: int) -> int:
    """Return the bits of a place in a table that n nodes fill at most by half."""
    bits = 4
    while 1 << bits < 2 * n_nodes:
        bits += 1
    return bits


@kernel
def _slot(keys: IntArray, shift: np.uint64, key: np.int64) -> np.uint64:
    """Return the place of a key in the table, or the free place where it belongs."""
    slot = (np.uint64(key) * MULTIPLIER) >> shift
    while keys[slot] != key and keys[slot] != FREE:
        slot = (slot + np.uint64(1)) & np.uint64(keys.size - 1)
    return slot


@kernel
def _build(items: Int32Array, bounds: IntArray, order: int, trie: Trie) -> int:
    """Enter all n-grams of the sequences between the bounds, limited by their largest counts; return the number of
    nodes.
    """
    n_nodes = 1
    ending = np.zeros(order + 1, np.int32)  # node of the n-gram that ends here, by n
    for sequence in range(bounds.size - 1):
        trie.counts[:n_nodes] = 0
        for position in range(bounds[sequence], bounds[sequence + 1]):
            shorter = ending[0]
            for n in range(1, min(order, position - bounds[sequence] + 1) + 1):
                key = (np.int64(shorter) << 32) | np.int64(items[position])
                slot = _slot(trie.keys, trie.shift, key)
                if trie.keys[slot] == FREE:
                    trie.keys[slot] = key
                    trie.children[slot] = n_nodes
                    trie.links[n_nodes] = ending[n - 1]
                    trie.limits[n_nodes] = trie.counts[n_nodes] = 0
                    n_nodes += 1
                shorter = ending[n]
                node = trie.children[slot]
                ending[n] = node
                trie.counts[node] += 1
                trie.limits[node] = max(trie.limits[node], trie.counts[node])
    return n_nodes


@kernel
def _match(items: Int32Array, order: int, trie: Trie, matches: IntArray) -> None:
    """Count the n-grams that a hypothesis shares with its references, by n."""
    node = np.int32(_ROOT)  # the longest n-gram that ends here and occurs in the references
    depth = 0
    for item in items:
        if item == UNKNOWN:
            node = np.int32(_ROOT)
            depth = 0
            continue
        if depth == order:
            node = trie.links[node]
            depth -= 1
        while True:
            key = (np.int64(node) << 32) | np.int64(item)
            slot = _slot(trie.keys, trie.shift, key)
            if trie.keys[slot] == key:
                node = trie.children[slot]
                depth += 1
                break
            if node == _ROOT:
                break
            node = trie.links[node]
            depth -= 1
        ending = node
        for n in range(depth - 1, -1, -1):
            if trie.counts[ending] < trie.limits[ending]:
                trie.counts[ending] += 1
                matches[n] += 1
            ending = trie.links[ending]


@kernel
def without(items: Int32Array, starts: IntArray, unwanted: BoolArray) -> tuple[Int32Array, IntArray]:
    """Return the wanted items and where each text starts; items beyond the end of ``unwanted`` are wanted."""
    kept = np.empty(items.size, np.int32)
    kept_starts = np.empty(starts.size, np.int64)
    n = 0
    for text in range(starts.size - 1):
        kept_starts[text] = n
        for position in range(starts[text], starts[text + 1]):
            item = items[position]
            if item >= unwanted.size or not unwanted[item]:
                kept[n] = item
                n += 1
    kept_starts[starts.size - 1] = n
    return kept[:n], kept_starts


@kernel
def expanded(
    items: Int32Array, starts: IntArray, parts: Int32Array, part_starts: IntArray
) -> tuple[Int32Array, IntArray]:
    """Return the parts that replace the items, and where each text starts."""
    n = 0
    for item in items:
        n += part_starts[item + 1] - part_starts[item]
    chosen = np.empty(n, np.int32)
    chosen_starts = np.empty(starts.size, np.int64)
    n = 0
    for text in range(starts.size - 1):
        chosen_starts[text] = n
        for position in range(starts[text], starts[text + 1]):
            for part in range(part_starts[items[position]], part_starts[items[position] + 1]):
                chosen[n] = parts[part]
                n += 1
    chosen_starts[starts.size - 1] = n
    return chosen, chosen_starts


@in_numpy(expanded)
def _expanded_in_numpy(
    items: Int32Array, starts: IntArray, parts: Int32Array, part_starts: IntArray
) -> tuple[Int32Array, IntArray]:
    """Do the same for all items at once."""
    lengths = np.diff(part_starts)[items]
    ends = np.cumsum(lengths)
    # From a place in the result to that in the parts, which is the same distance for all parts of an item
    distances = np.repeat(part_starts[items] - (ends - lengths), lengths)
    chosen = parts[np.arange(distances.size) + distances]
    return chosen, np.concatenate([[0], ends])[starts]


@kernel
def child_of(last_items: Int32Array, first_children: IntArray | Int32Array, node: int | np.int64, item: int) -> int:
    """Return the node that an item leads to, or ``NOWHERE``, in a trie whose children are neighbours and sorted.

    Parameters
    ----------
    last_items
        For each node, the item that leads to it.
    first_children
        For each node, its first child; at the end, the number of nodes, shape ``(nodes + 1,)``.
    """
    low = first_children[node]
    end = first_children[node + 1]
    high = end
    while low < high:
        middle = (low + high) // 2
        if last_items[middle] < item:
            low = middle + 1
        else:
            high = middle
    return low if low < end and last_items[low] == item else NOWHERE
