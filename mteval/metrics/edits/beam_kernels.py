"""The edit distance cell by cell, within the limits that the two programs put on the search.

tercom drops cells that cost more than a beam above the best cell of their column that was reached diagonally. sacreBLEU
keeps to a band around the diagonal. Where neither can bind, the distance on bits is the same and is used instead.

The path of an edit distance: which hypothesis words are consumed where, and which words on both sides are errors.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mteval.base.arrays import ByteArray, Int32Array
from mteval.base.kernels import kernel
from mteval.metrics.edits.bits_kernels import Bits, Columns, Words, bit_at

DIAGONAL, INSERTION, DELETION = 0, 1, 2

_INFINITE = 1 << 30
_SACREBLEU_BAND = 25


class Rules(NamedTuple):
    """What distinguishes the two programs, in a form that kernels take.

    ``beam`` is tercom's; ``max_distance`` is the longest shift.
    """

    is_tercom: bool
    beam: int
    max_distance: int


class Table(NamedTuple):
    """Room for the programme: costs of two columns, and how each cell was reached.

    Shapes ``(2, reference words + 1)`` and ``(hypothesis words + 1, reference words + 1)``.
    """

    costs: Int32Array
    moves: ByteArray


@kernel
def limited_distance(
    table: Table, words: Int32Array, n_words: int, reference: Int32Array, n_reference: int, rules: Rules
) -> int:
    """Edit distance within the rules' limits; fills ``table.moves``.

    At equal cost a match or substitution is preferred, then an insertion (a hypothesis word), then a deletion.
    """
    before, here = 0, 1
    for i in range(n_reference + 1):
        table.costs[here, i] = i
        table.moves[0, i] = DELETION
    for j in range(1, n_words + 1):
        before, here = here, before
        low, high = _window(j, n_words, n_reference, rules)
        limit = _INFINITE
        if rules.is_tercom and j < n_words:
            limit = rules.beam + _best_diagonal(table.costs[before], words[j - 1], reference, n_reference)
        table.costs[here, : n_reference + 1] = _INFINITE
        _fill(table.costs[before], table.costs[here], table.moves[j], words[j - 1], reference, low, high, limit)
    return int(table.costs[here, n_reference])


@kernel
def _fill(
    before: Int32Array,
    here: Int32Array,
    moves: ByteArray,
    word: int,
    reference: Int32Array,
    low: int,
    high: int,
    limit: int,
) -> None:
    """One column's cells ``low`` to ``high - 1``; a cell above the limit stays infinite."""
    for i in range(low, high):
        cost, move = before[i] + 1, INSERTION
        if i > 0:
            diagonal = before[i - 1] + (reference[i - 1] != word)
            if diagonal <= cost:
                cost, move = diagonal, DIAGONAL
            if here[i - 1] + 1 < cost:
                cost, move = here[i - 1] + 1, DELETION
        moves[i] = move
        if cost <= limit and cost < _INFINITE:
            here[i] = cost


@kernel
def _best_diagonal(before: Int32Array, word: int, reference: Int32Array, n_reference: int) -> int:
    """Least cost with which a column is reached by a match or substitution."""
    best = _INFINITE
    for i in range(n_reference):
        best = min(best, before[i] + (reference[i] != word))
    return best


@kernel
def _window(j: int, n_words: int, n_reference: int, rules: Rules) -> tuple[int, int]:
    """Reference positions from ``low`` to ``high - 1`` that the column after j hypothesis words covers."""
    if rules.is_tercom:
        return 0, n_reference + 1
    ratio = n_reference / n_words
    width = _SACREBLEU_BAND
    if width < ratio / 2:
        width = int(np.ceil(ratio / 2 + width))
    centre = int(np.floor(j * ratio))
    high = n_reference + 1 if j == n_words else min(n_reference + 1, centre + width)
    return max(0, centre - width), high


@kernel
def safe_distance(n_words: int, n_reference: int, rules: Rules) -> int:
    """The largest distance at which the limits cannot bind.

    tercom: let a cheapest path of cost D pass a cell that costs at least B + 1 more than the cheapest cell of its
    column, whose cost is m; B is the beam. Cells of a column differ by at most one a row, so the two lie B + 1 rows
    apart or more. The cheapest lies at most m rows off the diagonal, so the other lies at least B + 1 - m off it and
    has to come back to the last cell: D >= (m + B + 1) + (B + 1 - m) - the difference in length.

    sacreBLEU: a path that leaves the band costs at least the way out and back.
    """
    if rules.is_tercom:
        return max(rules.beam, 2 * rules.beam + 1 - abs(n_reference - n_words))
    safe = n_words + n_reference
    for j in range(1, n_words + 1):
        low, high = _window(j, n_words, n_reference, rules)
        if low > 0:
            safe = min(safe, _least_cost_through(low - 1, True, j, n_words, n_reference) - 1)
        if high <= n_reference:
            safe = min(safe, _least_cost_through(high, False, j, n_words, n_reference) - 1)
    return safe


@kernel
def _least_cost_through(i: int, is_upper_end: bool, j: int, n_words: int, n_reference: int) -> int:
    """Least insertions and deletions of a path through column j at row i, or on the far side of it.

    A path at row i of column j has i - j deletions more than insertions behind it, and the rest of the difference in
    length before it.
    """
    surplus, total = i - j, n_reference - n_words
    surplus = min(surplus, max(total, 0)) if is_upper_end else max(surplus, min(total, 0))
    return abs(surplus) + abs(total - surplus)


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
