"""METEOR's search for an alignment (a beam over the reference words, left to right), and its 23 statistics.

Two of its quirks belong to the metric's definition. Weights of matches are truncated to integers one by one, so a match
of one word by stem, synonym or paraphrase counts nothing in the search. And the distance of a match is added to the
path that it continues, not to the one it creates: later siblings and the path that skips the word inherit it.
"""

from typing import NamedTuple

import numpy as np

from mteval.base.arrays import BoolArray, Int32Array, IntArray, UInt64Array
from mteval.base.kernels import kernel
from mteval.metrics.meteor.matches_kernels import (
    EXACT,
    HYPOTHESIS_LENGTH,
    HYPOTHESIS_START,
    MODULE,
    NEXT,
    NONE,
    REFERENCE_LENGTH,
    REFERENCE_START,
    Candidates,
    Phrases,
    Words,
    find_matches,
    nothing_remembered,
    text_of,
)

# Columns of a path. KEY puts matches, chunks and distance into one number, the larger the better. OPEN_END is the end
# of the open chunk in the hypothesis, COVERED the first reference word not yet decided, MATCH the last match taken (or
# NONE), PARENT the path it continues, HISTORY the history entry of the last match.
_KEY, _OPEN_END, _COVERED, _MATCH, _PARENT, _HISTORY = range(6)
_WORD_BITS = 64


class Beam(NamedTuple):
    """Work arrays.

    Parameters
    ----------
    paths, pool
        Paths, and the continuations of all of them, shape ``(beam size, 6)``; the columns are named above.
    keys, order
        Of the continuations by rank: the key, and the row of the pool.
    used
        Hypothesis words that each path uses, as bits, before and after the word in turn: shape ``(2, beam size,
        blocks)``.
    history
        A match, and the entry of the match before it on the path.
    """

    paths: IntArray
    pool: IntArray
    keys: IntArray
    order: IntArray
    used: UInt64Array
    history: Int32Array


@kernel
def best_alignment(candidates: Candidates, n_hypothesis: int, beam_size: int) -> tuple[Int32Array, int | np.int64]:
    """Return the matches of the best path by reference word, shape ``(n, 6)`` as in ``Candidates``, and its number of
    chunks.
    """
    n_reference = candidates.ends.shape[1]
    paths = np.zeros((beam_size, 6), dtype=np.int64)
    pool = np.empty((beam_size, 6), dtype=np.int64)
    used = np.zeros((2, beam_size, n_hypothesis // _WORD_BITS + 1), dtype=np.uint64)
    history = np.empty((n_reference * beam_size, 2), dtype=np.int32)
    keys = np.empty(beam_size, dtype=np.int64)
    order = np.empty(beam_size, dtype=np.int64)
    beam = Beam(paths, pool, keys, order, used, history)
    best_matches = np.empty(n_reference, dtype=np.int32)
    first, chunks = _search(
        candidates, _weights(candidates), _fixed_words(candidates, n_hypothesis), n_hypothesis, beam, best_matches
    )
    return candidates.matches[best_matches[first:]], chunks


@kernel
def _search(
    candidates: Candidates,
    weights: IntArray,
    is_fixed: BoolArray,
    n_hypothesis: int,
    beam: Beam,
    best_matches: Int32Array,
) -> tuple[int, int | np.int64]:
    """Write the best path to the end of ``best_matches``; return where its matches begin, and its number of chunks."""
    matches = candidates.matches
    paths = beam.paths
    history = beam.history
    n_reference = len(best_matches)

    # A key has matches, chunks and distance in one number of 62 bits. ``match`` and ``chunk`` are what one of them adds
    # or takes there; a distance has the bits that they leave.
    chunk_bits = _bits(n_reference + 1)
    match_bits = _bits(2 * (n_reference + n_hypothesis))
    chunk = np.int64(1) << (62 - match_bits - chunk_bits)
    match = chunk << chunk_bits
    paths[0, _KEY] = match - 1  # no match, no chunk, no distance
    paths[0, _OPEN_END] = paths[0, _HISTORY] = NONE
    n_paths = 1
    n_history = 0
    for word in range(n_reference):
        n_next = 0
        for parent in range(n_paths):
            key = paths[parent, _KEY]
            open_end = paths[parent, _OPEN_END]
            if paths[parent, _COVERED] > word:  # by the last match, which has several words
                n_next = _offer(beam, n_next, key, open_end, NONE, parent)
                continue
            candidate = np.int64(candidates.ends[0, word])
            while candidate != NONE:
                start = np.int64(matches[candidate, HYPOTHESIS_START])
                length = np.int64(matches[candidate, HYPOTHESIS_LENGTH])
                if _is_free(beam.used[word % 2, parent], start, start + length):
                    gained = key + match * weights[candidate]
                    if open_end != NONE and open_end != start:
                        gained -= chunk
                    n_next = _offer(beam, n_next, gained, start + length, candidate, parent)
                    key -= abs(word - start)
                candidate = np.int64(matches[candidate, NEXT])
            if not is_fixed[word]:
                if open_end != NONE:
                    key -= chunk
                n_next = _offer(beam, n_next, key, NONE, NONE, parent)
        n_history = _settle(beam, n_next, matches, beam.used[word % 2], beam.used[1 - word % 2], n_history)
        n_paths = n_next

    # The best path, once the chunks that are still open count as well
    best = 0
    best_key = np.int64(0)
    for number in range(n_paths):
        key = paths[number, _KEY]
        if paths[number, _OPEN_END] != NONE:
            key -= chunk
        if number == 0 or key > best_key:
            best = number
            best_key = key

    # Its matches, from the last to the first
    first = n_reference
    entry = paths[best, _HISTORY]
    while entry != NONE:
        first -= 1
        best_matches[first] = history[entry, 0]
        entry = history[entry, 1]
    return first, (match - 1 - best_key % match) // chunk


@kernel
def _bits(number: int) -> int:
    """Return how many bits a number takes."""
    bits = 1
    while number >> bits:
        bits += 1
    return bits


@kernel
def _fixed_words(candidates: Candidates, n_hypothesis: int) -> BoolArray:
    """Return whether a reference word's only match is also the only match of all words that it covers."""
    matches = candidates.matches
    firsts = candidates.ends[0]
    # How many matches cover each word
    in_reference = np.zeros(len(firsts), dtype=np.int64)
    in_hypothesis = np.zeros(n_hypothesis, dtype=np.int64)
    for number in range(len(matches)):
        start = matches[number, REFERENCE_START]
        for word in range(start, start + matches[number, REFERENCE_LENGTH]):
            in_reference[word] += 1
        start = matches[number, HYPOTHESIS_START]
        for word in range(start, start + matches[number, HYPOTHESIS_LENGTH]):
            in_hypothesis[word] += 1
    is_fixed = np.zeros(len(firsts), dtype=np.bool_)
    for word in range(len(firsts)):
        if firsts[word] != NONE:
            row = matches[firsts[word]]
            most = 1
            for covered in range(word, word + row[REFERENCE_LENGTH]):
                most = max(most, in_reference[covered])
            for covered in range(row[HYPOTHESIS_START], row[HYPOTHESIS_START] + row[HYPOTHESIS_LENGTH]):
                most = max(most, in_hypothesis[covered])
            is_fixed[word] = most == 1
    return is_fixed


@kernel
def _is_free(used: UInt64Array, start: int | np.int64, end: int | np.int64) -> bool:
    """Return whether a path uses none of the hypothesis words from ``start`` to ``end - 1``."""
    for word in range(start, end):  # noqa: SIM110 - compiled loops are faster than slices
        if (used[word >> 6] >> np.uint64(word & 63)) & np.uint64(1):
            return False
    return True


@kernel
def _weights(candidates: Candidates) -> IntArray:
    """Return the weight of each match in the search: its words on both sides, or half of each, rounded down."""
    matches = candidates.matches
    weights = np.empty(len(matches), dtype=np.int64)
    for number in range(len(matches)):
        n_reference = matches[number, REFERENCE_LENGTH]
        n_hypothesis = matches[number, HYPOTHESIS_LENGTH]
        if matches[number, MODULE] == EXACT:
            weights[number] = n_reference + n_hypothesis
        else:
            weights[number] = n_reference // 2 + n_hypothesis // 2
    return weights


@kernel
def _offer(beam: Beam, n_next: int, key: int, open_end: int | np.int64, match: int | np.int64, parent: int) -> int:
    """Insert a continuation after equally good ones if it is among the best; return their new number.

    The continuation of a rank is row ``order[rank]`` of the pool.
    """
    keys = beam.keys
    order = beam.order
    pool = beam.pool
    # A full beam gives up its worst continuation, whose row becomes free
    if n_next == len(keys):
        if key <= keys[n_next - 1]:
            return n_next
        n_next -= 1
        row = order[n_next]
    else:
        row = n_next
    rank = n_next
    while rank > 0 and key > keys[rank - 1]:
        keys[rank] = keys[rank - 1]
        order[rank] = order[rank - 1]
        rank -= 1
    keys[rank] = key
    order[rank] = row
    pool[row, _OPEN_END] = open_end
    pool[row, _MATCH] = match
    pool[row, _PARENT] = parent
    return n_next + 1


@kernel
def _settle(
    beam: Beam, n_next: int, matches: Int32Array, used: UInt64Array, next_used: UInt64Array, n_history: int
) -> int:
    """Turn the best continuations into paths; return the new length of the history."""
    pool = beam.pool
    paths = beam.paths
    history = beam.history
    # What continuations inherit is copied first, since the paths that they continue are overwritten below
    for row in range(n_next):
        parent = pool[row, _PARENT]
        pool[row, _COVERED] = paths[parent, _COVERED]
        pool[row, _HISTORY] = paths[parent, _HISTORY]
    for rank in range(n_next):
        row = beam.order[rank]
        match = pool[row, _MATCH]
        parent = pool[row, _PARENT]
        paths[rank, _KEY] = beam.keys[rank]
        paths[rank, _OPEN_END] = pool[row, _OPEN_END]
        paths[rank, _COVERED] = pool[row, _COVERED]
        paths[rank, _HISTORY] = pool[row, _HISTORY]
        for column in range(used.shape[1]):
            next_used[rank, column] = used[parent, column]
        if match == NONE:
            continue
        paths[rank, _COVERED] = matches[match, REFERENCE_START] + matches[match, REFERENCE_LENGTH]
        start = np.int64(matches[match, HYPOTHESIS_START])
        for word in range(start, start + matches[match, HYPOTHESIS_LENGTH]):
            next_used[rank, word >> 6] |= np.uint64(1) << np.uint64(word & 63)
        history[n_history, 0] = match
        history[n_history, 1] = paths[rank, _HISTORY]
        paths[rank, _HISTORY] = n_history
        n_history += 1
    return n_history


# Columns of the statistics. Each module has four from FIRST_MODULE on, content words first, the hypothesis's first.
FIRST_MODULE = 4
CHUNKS = 20
HYPOTHESIS_MATCHES = 21
REFERENCE_MATCHES = 22
N_FIELDS = 23


@kernel
def count_pairs(
    pairs: IntArray,
    references: Int32Array,
    reference_starts: IntArray,
    hypotheses: Int32Array,
    hypothesis_starts: IntArray,
    words: Words,
    phrases: Phrases,
    modules: BoolArray,
    beam_size: int,
) -> tuple[IntArray, Int32Array]:
    """Return statistics of reference-hypothesis pairs, and the matches of the last pair as from ``best_alignment``.

    Parameters
    ----------
    pairs
        Indices of reference and hypothesis, shape ``(n, 2)``.
    references, hypotheses
        Numbers of words, text after text; ``starts`` say where each begins.

    Returns
    -------
    Shapes ``(n, 23)`` and ``(matches, 6)``. One function, since each that Python calls takes seconds to compile.
    """
    counts = np.zeros((len(pairs), N_FIELDS), dtype=np.int64)
    alignment = np.empty((0, NEXT + 1), dtype=np.int32)
    memory = nothing_remembered()
    last_reference = np.int64(NONE)
    reference = text_of(references[:0], words, phrases, modules, memory)
    for pair in range(len(pairs)):
        r, h = pairs[pair]
        if r != last_reference:  # neighbouring pairs often share a reference
            last_reference = r
            reference_words = references[reference_starts[r] : reference_starts[r + 1]]
            reference = text_of(reference_words, words, phrases, modules, memory)
        hypothesis_words = hypotheses[hypothesis_starts[h] : hypothesis_starts[h + 1]]
        hypothesis = text_of(hypothesis_words, words, phrases, modules, memory)
        candidates = find_matches(reference, hypothesis, words, phrases, modules, memory)
        alignment, chunks = best_alignment(candidates, len(hypothesis_words), beam_size)
        _count(reference.numbers, hypothesis_words, alignment, chunks, words, counts[pair])
    return counts, alignment


@kernel
def _count(
    reference: Int32Array,
    hypothesis: Int32Array,
    alignment: Int32Array,
    chunks: int | np.int64,
    words: Words,
    counts: IntArray,
) -> None:
    """Write the statistics of an alignment to ``counts``, which are 0, shape ``(23,)``."""
    counts[0], counts[2] = _lengths(hypothesis, words)
    counts[1], counts[3] = _lengths(reference, words)
    for row in alignment:
        module = FIRST_MODULE + 4 * row[MODULE]
        for word in hypothesis[row[HYPOTHESIS_START] : row[HYPOTHESIS_START] + row[HYPOTHESIS_LENGTH]]:
            counts[module + 2 * words.is_function_word[word]] += words.units[word]
        for word in reference[row[REFERENCE_START] : row[REFERENCE_START] + row[REFERENCE_LENGTH]]:
            counts[module + 1 + 2 * words.is_function_word[word]] += words.units[word]
        counts[HYPOTHESIS_MATCHES] += row[HYPOTHESIS_LENGTH]
        counts[REFERENCE_MATCHES] += row[REFERENCE_LENGTH]
    # A segment fully matched in one chunk is not fragmented, so it counts as no chunk in the sum.
    all_matched = counts[HYPOTHESIS_MATCHES] == len(hypothesis) and counts[REFERENCE_MATCHES] == len(reference)
    counts[CHUNKS] = chunks
    if all_matched and chunks == 1:
        counts[CHUNKS] = 0


@kernel
def _lengths(text: Int32Array, words: Words) -> tuple[int, int]:
    """Return the length of a text, and that of its function words."""
    length = 0
    function_length = 0
    for word in text:
        length += words.units[word]
        if words.is_function_word[word]:
            function_length += words.units[word]
    return length, function_length
