"""Edit distance on bits: a column of the dynamic programme in a few machine words.

Columns belong to prefixes of the hypothesis, bits to reference positions, 64 a block. Neighbouring cells differ by -1,
0 or 1, so a column is kept as two bit vectors of vertical differences (Myers 1999, in the form of Hyyrö 2003). Saved
columns let the distance of a hypothesis with two neighbouring spans exchanged start at the first word that moved.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mteval.base.kernels import kernel

Bits = npt.NDArray[np.uint64]
Words = npt.NDArray[np.int32]

BLOCK = 64
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_TOP = np.uint64(63)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


class Columns(NamedTuple):
    """Saved columns, each of shape ``(hypothesis words + 1, blocks)``; the first belongs to the empty prefix.

    ``up`` and ``down`` are set where a cell is one more or one less than the cell above it, ``same`` where it equals
    the cell diagonally before it, ``right`` where it is one more than the cell to its left.
    """

    up: Bits
    down: Bits
    same: Bits
    right: Bits


@kernel
def copy(values: Any, room: Any, n: int) -> None:
    """Write the first n values. Slices would bring the code of their error messages, which takes seconds to make."""
    for i in range(n):
        room[i] = values[i]


@kernel
def n_blocks(n_reference: int) -> int:
    """Blocks that hold so many reference positions."""
    return (n_reference + BLOCK - 1) // BLOCK


@kernel
def _step(match: Any, up: Any, down: Any, grows: Any, shrinks: Any) -> Any:
    """One block of the next column: ``(up, down, same, right, left)``.

    ``match`` has the reference positions with the column's word; ``grows`` and ``shrinks`` say whether the cell above
    the block is one more or one less than the cell to its left.
    """
    match |= shrinks
    same = (((match & up) + up) ^ up) | match | down
    right = down | ~(same | up)
    left = up & same
    right_above = (right << _ONE) | grows
    left_above = (left << _ONE) | shrinks
    return left_above | ~(same | right_above), right_above & same, same, right, left


@kernel
def fill_columns(columns: Columns, masks: Bits, words: Words, n_words: int, blocks: int, first: int) -> None:
    """Compute the columns after word ``first`` from the column before it; ``first`` 0 starts anew."""
    if first == 0:
        columns.up[0, :blocks] = _ALL
        columns.down[0, :blocks] = _ZERO
    for j in range(first, n_words):
        grows, shrinks = _ONE, _ZERO  # deleting one more hypothesis word costs one more
        for block in range(blocks):
            up, down, same, right, left = _step(
                masks[words[j], block], columns.up[j, block], columns.down[j, block], grows, shrinks
            )
            columns.up[j + 1, block] = up
            columns.down[j + 1, block] = down
            columns.same[j + 1, block] = same
            columns.right[j + 1, block] = right
            grows, shrinks = right >> _TOP, left >> _TOP


@kernel
def bit_at(columns: Bits, j: int, position: int) -> Any:
    """Whether the bit of a reference position is set in column j."""
    return (columns[j, position // BLOCK] >> np.uint64(position % BLOCK)) & _ONE != _ZERO


@kernel
def _n_set(bits: Any) -> int:
    """Number of set bits: sums of 2, 4, then 8 neighbours, then of all bytes by one multiplication."""
    bits -= (bits >> _ONE) & np.uint64(0x5555555555555555)
    bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def _climb(up: Any, down: Any, n_rows: int) -> int:
    """Difference between the cell after ``n_rows`` rows (1 to 64) of a block and the cell above the block."""
    used = _ALL >> np.uint64(BLOCK - n_rows)
    return _n_set(up & used) - _n_set(down & used)


@kernel
def last_cell(up: Bits, down: Bits, n_words: int, n_reference: int) -> int:
    """Edit distance of ``n_words`` hypothesis words, given the column after them."""
    distance = n_words
    for block in range(n_blocks(n_reference)):
        distance += _climb(up[block], down[block], min(BLOCK, n_reference - block * BLOCK))
    return distance


@kernel
def exchanged_distance(
    columns: Columns, masks: Bits, words: Words, n_words: int, n_reference: int, spans: Any, spare: Any
) -> int:
    """Edit distance after the words a..b-1 and b..c-1 changed places.

    ``spans`` is (a, b, c), ``spare`` two free columns.
    """
    a, b, c = spans
    blocks = n_blocks(n_reference)
    up, down = spare
    copy(columns.up[a], up, blocks)
    copy(columns.down[a], down, blocks)
    for position in range(a, n_words):
        j = position
        if position < c:
            j = position + b - a if position < a + c - b else position - (c - b)
        elif _equals_saved(columns, up, down, position, blocks):
            return last_cell(columns.up[n_words], columns.down[n_words], n_words, n_reference)
        grows, shrinks = _ONE, _ZERO
        for block in range(blocks):
            up[block], down[block], _, right, left = _step(
                masks[words[j], block], up[block], down[block], grows, shrinks
            )
            grows, shrinks = right >> _TOP, left >> _TOP
    return last_cell(up, down, n_words, n_reference)


@kernel
def _equals_saved(columns: Columns, up: Bits, down: Bits, j: int, blocks: int) -> bool:
    """Whether this column is the saved one; behind the moved words all later columns are then the saved ones too."""
    for block in range(blocks):
        if up[block] != columns.up[j, block] or down[block] != columns.down[j, block]:
            return False
    return True


@kernel
def exchanged_distance_in_one_block(
    up: Bits, down: Bits, masks: Bits, words: Words, n_words: int, n_reference: int, spans: Any
) -> int:
    """The same for at most 64 reference words: the column stays in registers, which is several times faster.

    ``up``, ``down`` and ``masks`` are the first block of each, one-dimensional: whoever calls this often takes them
    once, since handing over many arrays costs more than the work.
    """
    a, b, c = spans
    now_up, now_down = _walk(masks, words, b, c, up[a], down[a])
    now_up, now_down = _walk(masks, words, a, b, now_up, now_down)
    now_up, now_down = _walk(masks, words, c, n_words, now_up, now_down)
    return n_words + _climb(now_up, now_down, n_reference)


@kernel
def _walk(masks: Bits, words: Words, first: int, last: int, up: Any, down: Any) -> Any:
    """The column after the words ``first`` to ``last - 1``."""
    for j in range(first, last):
        up, down, _, _, _ = _step(masks[words[j]], up, down, _ONE, _ZERO)
    return up, down
