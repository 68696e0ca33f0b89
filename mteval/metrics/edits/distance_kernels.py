"""Edit distances on bits, and cell by cell within the limits of tercom and sacreBLEU.

On bits, a column of the dynamic program takes a few machine words. Columns belong to prefixes of the hypothesis, bits
to reference positions, 64 per block. Neighbouring cells differ by -1, 0 or 1, so two bit vectors of vertical
differences store a column (Myers 1999, in the form of Hyyrö 2003). After two neighbouring spans are exchanged, the
computation resumes from the saved column at the first moved word.

tercom prunes cells that cost more than a beam above the best diagonally reached cell of their column. sacreBLEU keeps
to a band around the diagonal. If neither limit can bind, the distance on bits is the same and is used instead.
"""

from typing import Any, NamedTuple

import numpy as np

from mteval.base.arrays import ByteArray, Int32Array, IntArray, UInt64Array
from mteval.base.kernels import kernel

BLOCK = 64
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_TOP = np.uint64(63)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


class Columns(NamedTuple):
    """Saved columns, each of shape ``(hypothesis words + 1, blocks)``; the first belongs to the empty prefix.

    ``up`` and ``down`` mark cells one more or one less than the cell above, ``same`` cells equal to their diagonal
    predecessor, ``right`` cells one more than the cell to their left.
    """

    up: UInt64Array
    down: UInt64Array
    same: UInt64Array
    right: UInt64Array


class Pair(NamedTuple):
    """A hypothesis and a reference, with words numbered from 1 within the reference; 0 is any other word.

    ``masks[w]`` has the positions of word w as bits; ``first[w]`` and ``next[position]`` chain them, -1 at the end.
    ``floor`` is the least number of edits that any order of the words leaves.
    """

    words: Int32Array
    n_words: int
    reference: Int32Array
    n_reference: int
    masks: UInt64Array
    first: Int32Array
    next: Int32Array
    floor: int


@kernel
def copy(values: Any, room: Any, n: int) -> None:
    """Copy the first n values. A slice would compile code for its error messages, which takes seconds."""
    for i in range(n):
        room[i] = values[i]


@kernel
def n_blocks(n_reference: int) -> int:
    """Return the number of blocks for so many reference positions."""
    return (n_reference + BLOCK - 1) // BLOCK


@kernel
def _step(match: Any, up: Any, down: Any, grows: Any, shrinks: Any) -> Any:
    """Return one block of the next column: ``(up, down, same, right, left)``.

    ``match`` marks reference positions with the column's word; ``grows`` and ``shrinks`` say whether the cell above the
    block is one more or one less than the cell to its left.
    """
    match |= shrinks
    same = (((match & up) + up) ^ up) | match | down
    right = down | ~(same | up)
    left = up & same
    right_above = (right << _ONE) | grows
    left_above = (left << _ONE) | shrinks
    return left_above | ~(same | right_above), right_above & same, same, right, left


@kernel
def fill_columns(columns: Columns, pair: Pair, first: int) -> None:
    """Compute the columns after word ``first`` from the column before it; ``first`` 0 starts anew."""
    masks = pair.masks
    words = pair.words
    blocks = n_blocks(pair.n_reference)
    if first == 0:
        columns.up[0, :blocks] = _ALL
        columns.down[0, :blocks] = _ZERO
    for j in range(first, pair.n_words):
        # In the row above the first block, one more hypothesis word costs one more
        grows = _ONE
        shrinks = _ZERO
        for block in range(blocks):
            up, down, same, right, left = _step(
                masks[words[j], block], columns.up[j, block], columns.down[j, block], grows, shrinks
            )
            columns.up[j + 1, block] = up
            columns.down[j + 1, block] = down
            columns.same[j + 1, block] = same
            columns.right[j + 1, block] = right
            grows = right >> _TOP
            shrinks = left >> _TOP


@kernel
def bit_at(columns: UInt64Array, j: int, position: int) -> Any:
    """Return whether the bit of a reference position is set in column j."""
    return (columns[j, position // BLOCK] >> np.uint64(position % BLOCK)) & _ONE != _ZERO


@kernel
def _n_set(bits: Any) -> int:
    """Return the number of set bits: sums of 2, 4, then 8 neighbours, then of all bytes by one multiplication."""
    bits -= (bits >> _ONE) & np.uint64(0x5555555555555555)
    bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def _climb(up: Any, down: Any, n_rows: int) -> int:
    """Return the difference between the cell after ``n_rows`` rows (1 to 64) of a block and the cell above it."""
    used = _ALL >> np.uint64(BLOCK - n_rows)
    return _n_set(up & used) - _n_set(down & used)


@kernel
def last_cell(up: UInt64Array, down: UInt64Array, n_words: int, n_reference: int) -> int:
    """Return the edit distance of ``n_words`` hypothesis words, given the column after them."""
    distance = n_words
    for block in range(n_blocks(n_reference)):
        distance += _climb(up[block], down[block], min(BLOCK, n_reference - block * BLOCK))
    return distance


@kernel
def least_distances(
    hypothesis_words: Int32Array,
    hypothesis_starts: IntArray,
    reference_words: Int32Array,
    reference_starts: IntArray,
    reference_range: IntArray,
    n_vocabulary: int,
) -> IntArray:
    """Return the edit distances of n hypotheses to their nearest references, shape ``(n,)``.

    Parameters are those of ``fewest_edits``. Neighbours with the same references share their masks.
    """
    n = len(hypothesis_starts) - 1
    distances = np.full(n, np.iinfo(np.int64).max)
    longest = 0
    for r in range(len(reference_starts) - 1):
        longest = max(longest, reference_starts[r + 1] - reference_starts[r])
    number = np.zeros(n_vocabulary + 1, np.int32)  # of each word within the reference, from word -1 on; 0 is no word
    masks = np.zeros((longest + 1, n_blocks(longest)), np.uint64)
    up = np.empty(n_blocks(longest), np.uint64)
    down = np.empty(n_blocks(longest), np.uint64)
    first = 0
    while first < n:
        # Hypotheses first to last - 1 have the same references
        last = first + 1
        while last < n and reference_range[last, 0] == reference_range[first, 0]:
            last += 1
        for r in range(reference_range[first, 0], reference_range[first, 1]):
            start = reference_starts[r]
            end = reference_starts[r + 1]
            n_distinct = 0
            for position in range(end - start):
                word = reference_words[start + position] + 1
                if number[word] == 0:
                    n_distinct += 1
                    number[word] = n_distinct
                    for block in range(n_blocks(end - start)):
                        masks[n_distinct, block] = _ZERO
                masks[number[word], position // BLOCK] |= _ONE << np.uint64(position % BLOCK)
            for k in range(first, last):
                distance = _distance_on_bits(
                    hypothesis_words,
                    hypothesis_starts[k],
                    hypothesis_starts[k + 1],
                    number,
                    masks,
                    end - start,
                    up,
                    down,
                )
                distances[k] = min(distances[k], distance)
            for position in range(start, end):
                number[reference_words[position] + 1] = 0
        first = last
    return distances


@kernel
def _distance_on_bits(
    words: Int32Array,
    start: int,
    end: int,
    number: Int32Array,
    masks: UInt64Array,
    n_reference: int,
    up: UInt64Array,
    down: UInt64Array,
) -> int:
    """Return the edit distance of the words ``start`` to ``end - 1``; the last two arguments have room for a column."""
    blocks = n_blocks(n_reference)
    if blocks == 1:  # registers hold the column
        only_up = _ALL
        only_down = _ZERO
        for j in range(start, end):
            only_up, only_down, _, _, _ = _step(masks[number[words[j] + 1], 0], only_up, only_down, _ONE, _ZERO)
        return end - start + _climb(only_up, only_down, n_reference)
    for block in range(blocks):
        up[block] = _ALL
        down[block] = _ZERO
    for j in range(start, end):
        own = number[words[j] + 1]
        grows = _ONE
        shrinks = _ZERO
        for block in range(blocks):
            up[block], down[block], _, right, left = _step(masks[own, block], up[block], down[block], grows, shrinks)
            grows = right >> _TOP
            shrinks = left >> _TOP
    return last_cell(up, down, end - start, n_reference)


@kernel
def exchanged_distance(columns: Columns, pair: Pair, spans: Any, spare: Any) -> int:
    """Return the edit distance after words a..b-1 and b..c-1 change places.

    ``spans`` is (a, b, c), ``spare`` two free columns.
    """
    a, b, c = spans
    up, down = spare
    blocks = n_blocks(pair.n_reference)
    n_words = pair.n_words
    copy(columns.up[a], up, blocks)
    copy(columns.down[a], down, blocks)
    for position in range(a, n_words):
        # The word that stands here after the exchange: first b..c-1, then a..b-1, then those behind
        j = position
        if position < a + c - b:
            j = position + b - a
        elif position < c:
            j = position - (c - b)
        elif _equals_saved(columns, up, down, position, blocks):
            return last_cell(columns.up[n_words], columns.down[n_words], n_words, pair.n_reference)
        grows = _ONE
        shrinks = _ZERO
        for block in range(blocks):
            up[block], down[block], _, right, left = _step(
                pair.masks[pair.words[j], block], up[block], down[block], grows, shrinks
            )
            grows = right >> _TOP
            shrinks = left >> _TOP
    return last_cell(up, down, n_words, pair.n_reference)


@kernel
def _equals_saved(columns: Columns, up: UInt64Array, down: UInt64Array, j: int, blocks: int) -> bool:
    """Return whether this column equals the saved one; after the moved words, all later columns are then equal too."""
    for block in range(blocks):
        if up[block] != columns.up[j, block] or down[block] != columns.down[j, block]:
            return False
    return True


@kernel
def exchanged_distance_in_one_block(columns: Columns, pair: Pair, spans: Any) -> int:
    """As ``exchanged_distance``, for at most 64 reference words: registers hold the column, which is several times
    faster.
    """
    a, b, c = spans
    up, down = _walk(pair, b, c, columns.up[a, 0], columns.down[a, 0])
    up, down = _walk(pair, a, b, up, down)
    up, down = _walk(pair, c, pair.n_words, up, down)
    return pair.n_words + _climb(up, down, pair.n_reference)


@kernel
def _walk(pair: Pair, first: int, last: int, up: Any, down: Any) -> Any:
    """Return the column after the words ``first`` to ``last - 1``."""
    for j in range(first, last):
        up, down, _, _, _ = _step(pair.masks[pair.words[j], 0], up, down, _ONE, _ZERO)
    return up, down


# How a cell of the table is reached
DIAGONAL, INSERTION, DELETION = range(3)

_INFINITE = 1 << 30
_SACREBLEU_BAND = 25


class Rules(NamedTuple):
    """Differences between the two programs, in a form that kernels accept.

    ``beam`` is tercom's; ``max_distance`` is the longest shift.
    """

    is_tercom: bool
    beam: int
    max_distance: int


class Table(NamedTuple):
    """Work arrays of the dynamic program: costs of two columns, and how each cell was reached.

    Shapes ``(2, reference words + 1)`` and ``(hypothesis words + 1, reference words + 1)``.
    """

    costs: Int32Array
    moves: ByteArray


@kernel
def limited_distance(
    table: Table, words: Int32Array, n_words: int, reference: Int32Array, n_reference: int, rules: Rules
) -> int:
    """Return the edit distance within the rules' limits; fills ``table.moves``.

    At equal cost, a match or substitution is preferred, then an insertion (a hypothesis word), then a deletion.
    """
    before = 0
    current = 1
    for i in range(n_reference + 1):
        table.costs[current, i] = i
        table.moves[0, i] = DELETION
    for j in range(1, n_words + 1):
        before, current = current, before
        low, high = _window(j, n_words, n_reference, rules)
        limit = _INFINITE
        if rules.is_tercom and j < n_words:
            limit = rules.beam + _best_diagonal(table.costs[before], words[j - 1], reference, n_reference)
        table.costs[current, : n_reference + 1] = _INFINITE
        _fill(table.costs[before], table.costs[current], table.moves[j], words[j - 1], reference, low, high, limit)
    return int(table.costs[current, n_reference])


@kernel
def _fill(
    before: Int32Array,
    current: Int32Array,
    moves: ByteArray,
    word: int,
    reference: Int32Array,
    low: int,
    high: int,
    limit: int,
) -> None:
    """Fill cells ``low`` to ``high - 1`` of one column; a cell above the limit stays infinite."""
    for i in range(low, high):
        cost = before[i] + 1
        move = INSERTION
        if i > 0:
            diagonal = before[i - 1] + (reference[i - 1] != word)
            if diagonal <= cost:
                cost = diagonal
                move = DIAGONAL
            if current[i - 1] + 1 < cost:
                cost = current[i - 1] + 1
                move = DELETION
        moves[i] = move
        if cost <= limit and cost < _INFINITE:
            current[i] = cost


@kernel
def _best_diagonal(before: Int32Array, word: int, reference: Int32Array, n_reference: int) -> int:
    """Return the least cost of reaching a column by a match or substitution."""
    best = _INFINITE
    for i in range(n_reference):
        best = min(best, before[i] + (reference[i] != word))
    return best


@kernel
def _window(j: int, n_words: int, n_reference: int, rules: Rules) -> tuple[int, int]:
    """Return the reference positions, ``low`` to ``high - 1``, that the column after j hypothesis words covers."""
    if rules.is_tercom:
        return 0, n_reference + 1
    ratio = n_reference / n_words
    width = _SACREBLEU_BAND
    if width < ratio / 2:
        width = int(np.ceil(ratio / 2 + width))
    centre = int(np.floor(j * ratio))
    high = min(n_reference + 1, centre + width)
    if j == n_words:
        high = n_reference + 1
    return max(0, centre - width), high


@kernel
def safe_distance(n_words: int, n_reference: int, rules: Rules) -> int:
    """Return the largest distance at which the limits cannot bind.

    tercom: let a cheapest path of cost D pass a cell that costs at least B + 1 more than the cheapest cell of its
    column, whose cost is m; B is the beam. Cells of a column differ by at most one per row, so the two lie at least B +
    1 rows apart. The cheapest lies at most m rows off the diagonal, so the other lies at least B + 1 - m off it and has
    to return to the last cell: D >= (m + B + 1) + (B + 1 - m) - the difference in length.

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
    """Return the least number of insertions and deletions of a path through column j at row i or beyond.

    A path at row i of column j has i - j more deletions than insertions behind it, and the rest of the difference in
    length ahead of it.
    """
    surplus = i - j
    total = n_reference - n_words
    if is_upper_end:
        surplus = min(surplus, max(total, 0))
    else:
        surplus = max(surplus, min(total, 0))
    return abs(surplus) + abs(total - surplus)


class Path(NamedTuple):
    """A cheapest path.

    ``consumed[p]`` is the number of hypothesis words consumed when the p-th reference word is. ``hypothesis_error[p]``
    and ``reference_error[p]`` are the position of the first error from position p on, or the number of words.
    """

    consumed: Int32Array
    hypothesis_error: Int32Array
    reference_error: Int32Array


@kernel
def trace(path: Path, columns: Columns, table: Table, is_limited: bool, pair: Pair) -> tuple[int, int, int]:
    """Trace the path back from the last cell, through the table of moves if the search was limited, otherwise on bits.

    Returns the numbers of substitutions, insertions (extra hypothesis words) and deletions (missing words).
    """
    # This function keeps its tuples and its conditional expression. Written out, with a line per assignment and a
    # branch for the move, it makes all of TER 5% to 9% slower (30 pairs of runs in turn).
    words, n_words, reference, n_reference = pair.words, pair.n_words, pair.reference, pair.n_reference
    consumed, hypothesis_error, reference_error = path.consumed, path.hypothesis_error, path.reference_error
    same, right, moves = columns.same, columns.right, table.moves
    # From the last cell back, the next are the first errors from there on; at first there is none
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
    # What is left in the first row or column are all errors
    n_insertions += j
    n_deletions += i
    for position in range(j):
        hypothesis_error[position] = position
    for position in range(i):
        consumed[position + 1] = 0
        reference_error[position] = position
    return n_substitutions, n_insertions, n_deletions


@kernel
def _move_by_bits(same: UInt64Array, right: UInt64Array, j: int, i: int, is_match: bool) -> int:
    """Return how a cell is reached at least cost, in the order of preference of the limited program.

    A cell that differs from its diagonal predecessor is one more: a substitution.
    """
    if is_match or not bit_at(same, j, i - 1):
        return DIAGONAL
    return INSERTION if bit_at(right, j, i - 1) else DELETION
