"""Edits of translation edit rate: greedy shifts, round by round, plus the remaining edit distance."""

from typing import Any

import numpy as np

from mteval.base.arrays import Int32Array, IntArray
from mteval.base.kernels import kernel
from mteval.metrics.edits.distance_kernels import (
    Columns,
    Pair,
    Path,
    Rules,
    Table,
    copy,
    fill_columns,
    last_cell,
    limited_distance,
    n_blocks,
    safe_distance,
    trace,
)
from mteval.metrics.edits.shifts_kernels import (
    Distance,
    Room,
    Shift,
    best_shift,
    exchange,
    find_spans,
    n_candidates,
)

_MAX_CANDIDATES = 1000  # sacreBLEU gives up after so many
_ONE = np.uint64(1)


@kernel
def fewest_edits(
    hypothesis_words: Int32Array,
    hypothesis_starts: IntArray,
    reference_words: Int32Array,
    reference_starts: IntArray,
    reference_range: IntArray,
    n_vocabulary: int,
    rules: Rules,
    by_kind: IntArray,
) -> IntArray:
    """Return edits of n hypotheses to their nearest references, shape ``(n,)``.

    Parameters
    ----------
    hypothesis_words, hypothesis_starts
        Numbers of all words, and where each hypothesis starts, shape ``(n + 1,)``; -1 is a word of no reference.
    reference_words, reference_starts
        The same for all references; numbers below ``n_vocabulary``.
    reference_range
        First reference of each hypothesis and the one after its last, shape ``(n, 2)``.
    by_kind
        Filled with substitutions, insertions, deletions and shifts to the first of the nearest references, shape
        ``(n, 4)``, unless it has no rows.
    """
    n = len(hypothesis_starts) - 1
    edits = np.empty(n, np.int64)
    longest_hypothesis = _longest(hypothesis_starts)
    longest_reference = _longest(reference_starts)
    room = _make_room(longest_hypothesis, longest_reference)
    numbering = _make_numbering(longest_reference, n_vocabulary)
    words = np.empty(longest_hypothesis, np.int32)
    spans = np.empty((64, 4), np.int64)
    no_log = np.empty((0, 5), np.int64)
    n_kinds = 0
    if len(by_kind):
        n_kinds = 4
    kinds = np.zeros(n_kinds, np.int64)
    for k in range(n):
        hypothesis = hypothesis_words[hypothesis_starts[k] : hypothesis_starts[k + 1]]
        edits[k] = np.iinfo(np.int64).max
        for r in range(reference_range[k, 0], reference_range[k, 1]):
            reference = reference_words[reference_starts[r] : reference_starts[r + 1]]
            if len(hypothesis) == 0 or len(reference) == 0:
                n_edits = max(len(hypothesis), len(reference))
                _fill(kinds, 0, len(hypothesis), len(reference), 0)
            else:
                pair, n_spans = _number(hypothesis, reference, words, numbering)
                if n_spans > len(spans):
                    spans = np.empty((2 * n_spans, 4), np.int64)
                n_edits = _edits(pair, room, spans, rules, no_log, kinds)
            if n_edits < edits[k]:
                edits[k] = n_edits
                if len(kinds):
                    copy(kinds, by_kind[k], len(kinds))
    return edits


@kernel
def _fill(kinds: IntArray, n_substitutions: int, n_insertions: int, n_deletions: int, n_shifts: int) -> None:
    """Write the edits by kind if there is room for them."""
    if len(kinds):
        kinds[0] = n_substitutions
        kinds[1] = n_insertions
        kinds[2] = n_deletions
        kinds[3] = n_shifts


@kernel
def logged_edits(hypothesis: Int32Array, reference: Int32Array, n_vocabulary: int, rules: Rules, log: IntArray) -> int:
    """Return edits between a nonempty hypothesis and a nonempty reference; write the shifts taken to ``log``.

    Rows of ``log`` are the first word and the number of words of the moved span, then a, b, c: words a..b-1 and b..c-1
    changed places. Positions refer to the order after the earlier shifts; shape ``(shifts, 5)``. Rows beyond the last
    shift stay as they are.
    """
    room = _make_room(len(hypothesis), len(reference))
    numbering = _make_numbering(len(reference), n_vocabulary)
    pair, n_spans = _number(hypothesis, reference, np.empty(len(hypothesis), np.int32), numbering)
    return _edits(pair, room, np.empty((n_spans, 4), np.int64), rules, log, np.empty(0, np.int64))


@kernel
def _longest(starts: IntArray) -> int:
    """Return the length of the longest text."""
    longest = 0
    for k in range(len(starts) - 1):
        longest = max(longest, starts[k + 1] - starts[k])
    return longest


@kernel
def _make_room(n_words: int, n_reference: int) -> Room:
    """Return work arrays for so many hypothesis and reference words."""
    shape = (n_words + 1, n_blocks(n_reference))
    columns = Columns(
        np.empty(shape, np.uint64), np.empty(shape, np.uint64), np.empty(shape, np.uint64), np.empty(shape, np.uint64)
    )
    table = Table(np.empty((2, n_reference + 1), np.int32), np.empty((n_words + 1, n_reference + 1), np.uint8))
    path = Path(
        np.empty(n_reference + 1, np.int32), np.empty(n_words + 1, np.int32), np.empty(n_reference + 1, np.int32)
    )
    spare = (np.empty(shape[1], np.uint64), np.empty(shape[1], np.uint64))
    return Room(columns, table, path, spare, np.empty(n_words, np.int32), np.empty(n_words + 1, np.int64))


@kernel
def _make_numbering(n_reference: int, n_vocabulary: int) -> Any:
    """Allocate arrays to number a reference's words: number by word (from -1 on), masks, chains, counts."""
    return (
        np.zeros(n_vocabulary + 1, np.int32),
        np.empty((n_reference + 1, n_blocks(n_reference)), np.uint64),
        np.empty(n_reference + 1, np.int32),
        np.empty(n_reference, np.int32),
        np.empty(n_reference, np.int32),
        np.empty((n_reference + 1, 2), np.int32),
    )


@kernel
def _number(hypothesis: Int32Array, reference: Int32Array, words: Int32Array, numbering: Any) -> tuple[Pair, int]:
    """Number the words within the reference; also return the number of pairs of equal words."""
    number, masks, first, following, numbered, counts = numbering
    blocks = n_blocks(len(reference))
    masks[0, :blocks] = 0
    first[0] = -1
    n_distinct = 0
    for position in range(len(reference) - 1, -1, -1):
        word = reference[position] + 1
        if number[word] == 0:
            n_distinct += 1
            number[word] = n_distinct
            masks[n_distinct, :blocks] = 0
            first[n_distinct] = -1
            counts[n_distinct] = 0
        own = number[word]
        numbered[position] = own
        masks[own, position // 64] |= _ONE << np.uint64(position % 64)
        # The word becomes the first of the chain of its positions
        following[position] = first[own]
        first[own] = position
        counts[own, 1] += 1
    n_common = n_spans = 0
    for j in range(len(hypothesis)):
        own = number[hypothesis[j] + 1]
        words[j] = own
        if own > 0:
            counts[own, 0] += 1
            n_common += counts[own, 0] <= counts[own, 1]
            n_spans += counts[own, 1]
    for word in reference:
        number[word + 1] = 0
    floor = max(len(hypothesis), len(reference)) - n_common
    return Pair(words, len(hypothesis), numbered, len(reference), masks, first, following, floor), n_spans


@kernel
def _edits(pair: Pair, room: Room, spans: IntArray, rules: Rules, log: IntArray, kinds: IntArray) -> int:
    """Apply shifts until none helps, then count the remaining edits.

    Writes as many shifts as ``log`` has rows for, and edits by kind if there is room.
    """
    n_shifts = n_tried = 0
    now = _distance(pair, room, 0, safe_distance(pair.n_words, pair.n_reference, rules), rules)
    while now.error > pair.floor:  # no order of the words does better
        _trace(pair, room, now)
        movable = spans[: find_spans(pair, room.path, rules, spans)]
        if not rules.is_tercom:
            n_tried += n_candidates(room.path, movable, rules)
            if n_tried >= _MAX_CANDIDATES:
                break
        after, shift = _take_shift(pair, room, movable, now, rules)
        if after.error == now.error:
            break
        now = after
        if n_shifts < len(log):
            log[n_shifts, 0] = shift.start
            log[n_shifts, 1] = shift.length
            log[n_shifts, 2], log[n_shifts, 3], log[n_shifts, 4] = shift.spans
        n_shifts += 1
    if len(kinds):
        last = _distance(pair, room, 0, now.safe, rules)  # rejected shifts have overwritten the columns
        n_substitutions, n_insertions, n_deletions = _trace(pair, room, last)
        _fill(kinds, n_substitutions, n_insertions, n_deletions, n_shifts)
    return n_shifts + now.error


@kernel
def _trace(pair: Pair, room: Room, now: Distance) -> tuple[int, int, int]:
    """Trace the path of the current order and count its edits by kind."""
    return trace(room.path, room.columns, room.table, now.least > now.safe, pair)


@kernel
def _take_shift(pair: Pair, room: Room, spans: IntArray, now: Distance, rules: Rules) -> tuple[Distance, Shift]:
    """Take the best shift; return the old distance if no shift helps.

    Shifts are first judged without limits, which can only flatter them. The best of these is right if it keeps its
    promise within the limits; otherwise all are judged again within them.
    """
    shift = best_shift(pair, room, spans, now, rules, False)
    if shift.gain == 0:
        return now, shift
    after = _exchange(pair, room, shift.spans, now.safe, rules)
    if after.error == now.error - shift.gain:
        return after, shift
    a, b, c = shift.spans
    _exchange(pair, room, (a, a + c - b, c), now.safe, rules)
    shift = best_shift(pair, room, spans, now, rules, True)
    if shift.gain == 0:
        return now, shift
    return _exchange(pair, room, shift.spans, now.safe, rules), shift


@kernel
def _exchange(pair: Pair, room: Room, spans: tuple[int, int, int], safe: int, rules: Rules) -> Distance:
    """Exchange the spans in the hypothesis itself."""
    copy(pair.words, room.shifted, pair.n_words)
    exchange(pair.words, room.shifted, spans)
    return _distance(pair, room, spans[0], safe, rules)


@kernel
def _distance(pair: Pair, room: Room, first: int, safe: int, rules: Rules) -> Distance:
    """Return the edit distance of the current order, whose words differ from the columns from ``first`` on.

    Fills the columns and, if the limits could bind, the table of moves.
    """
    last = pair.n_words
    columns = room.columns
    fill_columns(columns, pair, first)
    least = last_cell(columns.up[last], columns.down[last], last, pair.n_reference)
    error = least
    if least > safe:
        error = limited_distance(room.table, pair.words, last, pair.reference, pair.n_reference, rules)
    return Distance(error, least, safe)
