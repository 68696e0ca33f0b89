"""The search for one shift: spans of the hypothesis that occur elsewhere in the reference, and their targets.

tercom and sacreBLEU consider nearly the same candidates, and both take the largest gain, then the longest span, then
the earliest start, then the earliest target: the first found. They differ in distance limits and in moves within the
span. tercom stops when little more can be gained, sacreBLEU after 1,000 candidates.
"""

from typing import Any, NamedTuple

from mteval.base.arrays import Int32Array, IntArray, UInt64Array
from mteval.base.kernels import kernel
from mteval.metrics.edits.distance_kernels import (
    BLOCK,
    Columns,
    Pair,
    Path,
    Rules,
    Table,
    copy,
    exchanged_distance,
    exchanged_distance_in_one_block,
    limited_distance,
)

MAX_SPAN = 10


class Room(NamedTuple):
    """Work arrays, overwritten for each pair and round, large enough for the longest."""

    columns: Columns
    table: Table
    path: Path
    spare: tuple[UInt64Array, UInt64Array]
    shifted: Int32Array
    tried: IntArray


class Distance(NamedTuple):
    """Edit distance of the current order of words.

    ``error`` is within the limits of the search, ``least`` without them. At or below ``safe`` they agree.
    """

    error: int
    least: int
    safe: int


class Shift(NamedTuple):
    """Words a..b-1 and b..c-1 change places, which reduces the edit distance by ``gain`` (0: no shift).

    One of the two is the span that moves; it has ``length`` words from ``start`` on.
    """

    gain: int
    length: int
    start: int
    spans: tuple[int, int, int]


@kernel
def find_spans(pair: Pair, path: Path, rules: Rules, spans: IntArray) -> int:
    """Write the movable spans as rows (start in hypothesis, start in reference, least and most words); return their
    number.

    A span needs an error on both sides, which sets its least length, and must not reach the word that its reference
    position is aligned to, which limits the most.
    """
    n = 0
    consumed = path.consumed
    hypothesis_error = path.hypothesis_error
    reference_error = path.reference_error
    words = pair.words
    reference = pair.reference
    first = pair.first
    following = pair.next
    for start in range(pair.n_words):
        position = first[words[start]]
        reach = hypothesis_error[start] - start
        while position >= 0 and reach < MAX_SPAN:
            aligned = consumed[position + 1] - 1
            distance = position - start
            if rules.is_tercom:
                distance = aligned - start
            if aligned != start and abs(distance) <= rules.max_distance:
                least = 1 + max(reach, reference_error[position] - position)
                most = min(MAX_SPAN, pair.n_words - start, pair.n_reference - position)
                if aligned >= start:
                    most = min(most, aligned - start)
                if least <= most:
                    most = _common_length(words, start, reference, position, most)
                    spans[n, 0] = start
                    spans[n, 1] = position
                    spans[n, 2] = least
                    spans[n, 3] = most
                    n += least <= most  # otherwise the next span takes its row
            position = following[position]
    return n


@kernel
def _common_length(words: Int32Array, start: int, reference: Int32Array, position: int, most: int) -> int:
    """Return how many words from these positions on are equal, at most ``most``; the first is known to be."""
    length = 1
    while length < most and words[start + length] == reference[position + length]:
        length += 1
    return length


@kernel
def _target(consumed: Int32Array, start: int, position: int, offset: int, is_tercom: bool) -> int:
    """Return where a span goes that should follow the first ``offset`` words of its match at ``position``; -1: nowhere
    new.
    """
    if position + offset == 0:
        return 0
    target = consumed[position + offset]
    if not is_tercom:
        is_new = offset == 0 or target != consumed[position + offset - 1]
    else:
        is_new = target != start + 1 and (offset == 1 or target != consumed[position + 1])
    return target if is_new else -1


@kernel
def n_candidates(path: Path, spans: IntArray, rules: Rules) -> int:
    """Return the number of shifts that sacreBLEU tries in a round."""
    n = 0
    consumed = path.consumed
    for k in range(len(spans)):
        start, position, least, most = spans[k]
        n_targets = 1
        for length in range(1, most + 1):
            n_targets += _target(consumed, start, position, length, rules.is_tercom) >= 0
            if length >= least:
                n += n_targets
    return n


@kernel
def best_shift(pair: Pair, room: Room, spans: IntArray, now: Distance, rules: Rules, within_limits: bool) -> Shift:
    """Return the shift that the round takes, its gain measured with or without the search's limits.

    Longest spans come first because they can gain most: two edits per word.
    """
    best = Shift(0, 0, -1, (0, 0, 0))
    n_words = pair.n_words
    n_reference = pair.n_reference
    words = pair.words
    consumed = room.path.consumed
    tried = room.tried
    tried[: n_words + 1] = 0
    visit = 0
    for length in range(_longest(spans), 0, -1):
        possible = now.error - max(now.least - 2 * length, pair.floor)
        if possible <= best.gain:
            return best
        previous_start = -1
        for k in range(len(spans)):
            start, position, least, most = spans[k]
            if length < least or length > most:
                continue
            visit += start != previous_start  # numbers the moved span, so that no target is tried twice
            previous_start = start
            for offset in range(length + 1):
                if possible <= best.gain or (rules.is_tercom and 2 * length < best.gain):
                    break  # under a beam, the second condition (tercom's) can bind before the first
                target = _target(consumed, start, position, offset, rules.is_tercom)
                if target < 0 or tried[target] == visit:
                    continue
                tried[target] = visit
                moved = _exchanged(n_words, start, length, target, rules)
                if n_reference <= BLOCK:
                    error = exchanged_distance_in_one_block(room.columns, pair, moved)
                else:
                    error = exchanged_distance(room.columns, pair, moved, room.spare)
                if within_limits and error > now.safe and now.error - error > best.gain:
                    copy(words, room.shifted, n_words)
                    exchange(room.shifted, words, moved)
                    error = limited_distance(room.table, room.shifted, n_words, pair.reference, n_reference, rules)
                if now.error - error > best.gain:
                    best = Shift(now.error - error, length, start, moved)
    return best


@kernel
def _longest(spans: IntArray) -> int:
    longest = 0
    for k in range(len(spans)):
        longest = max(longest, spans[k, 3])
    return longest


@kernel
def _exchanged(n_words: int, start: int, length: int, target: int, rules: Rules) -> tuple[int, int, int]:
    """Return the neighbouring spans that change places; a target inside the span moves it right by its offset."""
    if target <= start:
        return target, start, start + length
    if target > start + length:
        return start, start + length, target
    return start, start + length, min(n_words, target + length - rules.is_tercom)


@kernel
def exchange(words: Int32Array, old: Int32Array, spans: Any) -> None:
    """Write the old words a..c-1 into ``words``, with b..c-1 before a..b-1."""
    a, b, c = spans
    for j in range(b, c):
        words[a + j - b] = old[j]
    for j in range(a, b):
        words[c - b + j] = old[j]
