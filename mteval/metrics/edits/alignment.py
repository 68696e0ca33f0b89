"""How a hypothesis becomes its nearest reference: shifts, then the remaining edits."""

from collections.abc import Iterator, Sequence

import numpy as np

from mteval.base.arrays import Int32Array, IntArray
from mteval.metrics.edits.distance_kernels import DELETION, DIAGONAL, INSERTION, Rules, Table, limited_distance
from mteval.metrics.edits.ter_kernels import logged_edits
from mteval.metrics.explanation import EditKind, EditPath, Step, Tokens
from mteval.metrics.text.text_kernels import UNKNOWN


def nearest_path(words: Tokens, references: Sequence[Tokens], rules: tuple[bool, int, int]) -> EditPath:
    """Return the path to the reference with fewest edits (ties: the first)."""
    return min((_path(words, reference, Rules(*rules)) for reference in references), key=lambda path: path.edits)


def _path(words: Tokens, reference: Tokens, rules: Rules) -> EditPath:
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys(reference))}
    numbers = np.array([vocabulary.get(word, UNKNOWN) for word in words], dtype=np.int32)
    target = np.array([vocabulary[word] for word in reference], dtype=np.int32)
    order, shifts = list(range(len(words))), []
    if words and reference:
        # every shift leaves fewer edits, and there are at most as many edits as words
        log: IntArray = np.full((len(words) + len(reference), 5), -1, dtype=np.int64)
        logged_edits(numbers, target, len(vocabulary), rules, log)
        for start, length, a, b, c in log[log[:, 1] > 0].tolist():
            shifts.append(tuple(order[start : start + length]))
            order = order[:a] + order[b:c] + order[a:b] + order[c:]
    return EditPath(words, reference, tuple(shifts), tuple(_steps(numbers, target, order, rules)))


def _steps(words: Int32Array, reference: Int32Array, order: list[int], rules: Rules) -> Iterator[Step]:
    """Return the matches and edits that remain in this order of words, from the start."""
    shifted = words[order] if order else words
    j, i = len(words), len(reference)
    table = Table(np.empty((2, i + 1), dtype=np.int32), np.empty((j + 1, i + 1), dtype=np.uint8))
    limited_distance(table, shifted, j, reference, i, rules)
    backwards = []
    while i > 0 or j > 0:
        move = INSERTION if i == 0 else DELETION if j == 0 else table.moves[j, i]
        j, i = j - (move != DELETION), i - (move != INSERTION)
        kind: EditKind = "insertion" if move == INSERTION else "deletion"
        if move == DIAGONAL:
            kind = "match" if shifted[j] == reference[i] else "substitution"
        backwards.append(Step(kind, order[j] if move != DELETION else None, i if move != INSERTION else None))
    return reversed(backwards)
