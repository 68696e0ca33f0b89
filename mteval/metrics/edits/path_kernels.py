"""The path of an edit distance: which hypothesis words are consumed where, and which words on both sides are errors."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mteval.kernels import kernel
from mteval.metrics.edits.beam_kernels import DELETION, DIAGONAL, INSERTION, Table
from mteval.metrics.edits.bits_kernels import Bits, Columns, Words, bit_at

Positions = npt.NDArray[np.int32]


class Path(NamedTuple):
    """A cheapest path.

    ``consumed[p]`` hypothesis words are consumed when the p-th reference word is. ``hypothesis_error[p]`` and
    ``reference_error[p]`` are the position of the first error from position p on, or the number of words.
    """

    consumed: Positions
    hypothesis_error: Positions
    reference_error: Positions


@kernel
def trace(
    path: Path,
    columns: Columns,
    table: Table,
    is_limited: bool,
    words: Words,
    n_words: int,
    reference: Words,
    n_reference: int,
) -> tuple[int, int, int]:
    """Follow the path back from the last cell: through the table of moves if the search was limited, else on bits.

    Returns the numbers of substitutions, insertions (hypothesis words too many) and deletions (words missing).
    """
    consumed, hypothesis_error, reference_error = path.consumed, path.hypothesis_error, path.reference_error
    same, right, moves = columns.same, columns.right, table.moves
    consumed[0] = 0
    next_wrong, next_missed = n_words, n_reference
    hypothesis_error[n_words], reference_error[n_reference] = next_wrong, next_missed
    n_substitutions = n_insertions = n_deletions = 0
    j, i = n_words, n_reference
    while i > 0 and j > 0:
        is_match = words[j - 1] == reference[i - 1]
        move = moves[j, i] if is_limited else _move_by_bits(same, right, j, i, is_match)
        if is_match and move == DIAGONAL:
            consumed[i] = j
            i -= 1
            j -= 1
        else:
            n_insertions += move == INSERTION
            n_deletions += move == DELETION
            n_substitutions += move == DIAGONAL
            if move != INSERTION:
                consumed[i] = j
                i -= 1
                next_missed = i
            if move != DELETION:
                j -= 1
                next_wrong = j
        reference_error[i], hypothesis_error[j] = next_missed, next_wrong
    n_insertions += j
    n_deletions += i
    for position in range(j):
        hypothesis_error[position] = position
    for position in range(i):
        consumed[position + 1] = 0
        reference_error[position] = position
    return n_substitutions, n_insertions, n_deletions


@kernel
def _move_by_bits(same: Bits, right: Bits, j: int, i: int, is_match: bool) -> int:
    """How a cell is reached at least cost, in the order of preference of the limited programme.

    A cell that is not the same as the one diagonally before it is one more: a substitution.
    """
    if is_match or not bit_at(same, j, i - 1):
        return DIAGONAL
    return INSERTION if bit_at(right, j, i - 1) else DELETION
