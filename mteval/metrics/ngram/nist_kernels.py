"""Compiled code for NIST: the information of n-grams that a hypothesis shares with its references.

All n-grams of a test set's references form one tree, with single words at its root. Nodes are numbered by order, then
by parent and word: a node's children are neighbours and sorted, so bisection finds a child.
"""

from typing import NamedTuple

import numpy as np

from mteval.base.arrays import FloatArray, Int32Array, IntArray
from mteval.base.kernels import kernel
from mteval.metrics.text.text_kernels import NOWHERE, child_of

ORDER = 5


class Tree(NamedTuple):
    """N nodes; the number of a word is that of its node.

    Parameters
    ----------
    words
        The last word of each n-gram, shape ``(N,)``.
    children
        First child of each node, shape ``(N + 1,)``.
    information
        log2 of the count of an n-gram without its last word over the count of the n-gram, shape ``(N,)``. Single words
        are compared with the number of all words.
    """

    words: Int32Array
    children: IntArray
    information: FloatArray


@kernel
def matched_information(
    tree: Tree,
    hypotheses: Int32Array,
    starts: IntArray,
    groups: IntArray,
    visits: IntArray,
    references: Int32Array,
    reference_starts: IntArray,
    group_starts: IntArray,
) -> FloatArray:
    """Return the information of n-grams that each hypothesis shares with its references, shape ``(n, ORDER)``.

    Parameters
    ----------
    hypotheses, starts
        Numbers of all words, and where each hypothesis starts; ``UNKNOWN`` is a word of no reference.
    groups, visits
        Group of each hypothesis, and an order of hypotheses that keeps groups together.
    references, reference_starts, group_starts
        The same for all references, and where each group starts. The highest count of an n-gram in a single reference
        limits its matches.
    """
    information = np.zeros((groups.size, ORDER), np.float64)
    limits = np.zeros(tree.words.size, np.int32)
    counts = np.zeros(tree.words.size, np.int32)
    current = -1
    for visit in visits:
        group = groups[visit]
        if group != current:
            if current >= 0:
                _set_limits(tree, references, reference_starts, group_starts, current, counts, limits, False)
            _set_limits(tree, references, reference_starts, group_starts, group, counts, limits, True)
            current = group
        hypothesis = hypotheses[starts[visit] : starts[visit + 1]]
        _add_up(tree, hypothesis, counts, limits, information[visit])
        _forget(tree, hypothesis, counts)
    return information


@kernel
def _set_limits(
    tree: Tree,
    references: Int32Array,
    starts: IntArray,
    group_starts: IntArray,
    group: int,
    counts: Int32Array,
    limits: Int32Array,
    is_current: bool,
) -> None:
    """Set or clear how often each n-gram of a group may count. Leaves counts at zero."""
    for number in range(group_starts[group], group_starts[group + 1]):
        reference = references[starts[number] : starts[number + 1]]
        for start in range(reference.size):
            node = reference[start]
            for n in range(min(ORDER, reference.size - start)):
                node = node if n == 0 else child_of(tree.words, tree.children, node, reference[start + n])
                counts[node] += 1
                limits[node] = max(limits[node], counts[node]) if is_current else 0
        _forget(tree, reference, counts)


@kernel
def _add_up(tree: Tree, hypothesis: Int32Array, counts: Int32Array, limits: Int32Array, sums: FloatArray) -> None:
    """Add the information of n-grams within their limits to the sums of their orders."""
    for start in range(hypothesis.size):
        node = hypothesis[start]
        for n in range(min(ORDER, hypothesis.size - start)):
            node = node if n == 0 else child_of(tree.words, tree.children, node, hypothesis[start + n])
            if node == NOWHERE or limits[node] == 0:
                break  # longer ones are not in the references either
            counts[node] += 1
            if counts[node] <= limits[node]:
                sums[n] += tree.information[node]


@kernel
def _forget(tree: Tree, words: Int32Array, counts: Int32Array) -> None:
    """Reset the counts of a text's n-grams to zero."""
    for start in range(words.size):
        node = words[start]
        for n in range(min(ORDER, words.size - start)):
            node = node if n == 0 else child_of(tree.words, tree.children, node, words[start + n])
            if node == NOWHERE:
                break
            counts[node] = 0
