"""METEOR's search for an alignment (a beam over the reference words, left to right), and its 23 statistics.

Two of its quirks belong to the metric's definition. Weights of matches are truncated to integers one by one, so a match
of one word by stem, synonym or paraphrase counts nothing in the search. And the distance of a match is added to the
path that it continues, not to the one it creates: later siblings and the path that skips the word inherit it.
"""

import numpy as np

from mteval.base.arrays import BoolArray, Int32Array, IntArray
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
    Found,
    Phrases,
    Words,
    find_matches,
)

# Columns of a path. MATCHES to DISTANCE decide the order. OPEN_END is the end of the open chunk in the hypothesis,
# COVERED the first reference word not yet decided, MATCH the last match taken (or NONE), PARENT the path it continues,
# HISTORY the history entry of the last match.
_MATCHES, _CHUNKS, _DISTANCE, _OPEN_END, _COVERED, _MATCH, _PARENT, _HISTORY = range(8)


@kernel
def best_alignment(found: Found, n_hypothesis: int, beam_size: int) -> tuple[Int32Array, int]:
    """Return the matches of the best path by reference word, shape ``(n, 6)`` as in ``Found``, and its number of
    chunks.
    """
    n_reference = len(found.firsts)
    is_fixed = _fixed_words(found, n_hypothesis)
    paths = np.zeros((beam_size, 8), dtype=np.int64)
    paths[0, _OPEN_END] = paths[0, _HISTORY] = NONE
    used = np.zeros((beam_size, n_hypothesis), dtype=np.bool_)
    next_paths, next_used = np.empty_like(paths), np.empty_like(used)
    history = np.empty((n_reference * beam_size, 2), dtype=np.int32)  # match, entry of the previous match
    order = np.empty(beam_size + 1, dtype=np.int64)
    pool = np.empty((beam_size + 1, 8), dtype=np.int64)
    n_paths, n_history = 1, 0
    for word in range(n_reference):
        n_next = _continue_all(word, found, is_fixed[word], paths, used, n_paths, order, pool)
        n_history = _settle(order, pool, n_next, found.matches, used, next_paths, next_used, history, n_history)
        paths, next_paths = next_paths, paths
        used, next_used = next_used, used
        n_paths = n_next
    best = _best(paths, n_paths)
    chosen = np.empty(n_reference, dtype=np.int32)
    first, entry = n_reference, paths[best, _HISTORY]
    while entry != NONE:
        first -= 1
        chosen[first] = history[entry, 0]
        entry = history[entry, 1]
    return found.matches[chosen[first:]], _closed(paths[best])


@kernel
def _fixed_words(found: Found, n_hypothesis: int) -> BoolArray:
    """Return whether a reference word's only match is also the only match of all words that it covers."""
    matches, firsts = found.matches, found.firsts
    in_reference = np.zeros(len(firsts), dtype=np.int64)
    in_hypothesis = np.zeros(n_hypothesis, dtype=np.int64)
    for row in matches[: found.n]:
        in_reference[row[REFERENCE_START] : row[REFERENCE_START] + row[REFERENCE_LENGTH]] += 1
        in_hypothesis[row[HYPOTHESIS_START] : row[HYPOTHESIS_START] + row[HYPOTHESIS_LENGTH]] += 1
    is_fixed = np.zeros(len(firsts), dtype=np.bool_)
    for word in range(len(firsts)):
        if firsts[word] != NONE:
            row = matches[firsts[word]]
            a = in_reference[word : word + row[REFERENCE_LENGTH]]
            b = in_hypothesis[row[HYPOTHESIS_START] : row[HYPOTHESIS_START] + row[HYPOTHESIS_LENGTH]]
            is_fixed[word] = a.max() == 1 and b.max() == 1  # counts are at least 1
    return is_fixed


@kernel
def _continue_all(
    word: int,
    found: Found,
    is_fixed: bool,
    paths: IntArray,
    used: BoolArray,
    n_paths: int,
    order: IntArray,
    pool: IntArray,
) -> int:
    """Write the best continuations of all paths over one reference word as rows of ``pool`` in ``order``; return how
    many.
    """
    n_next = 0
    matches = found.matches
    for parent in range(n_paths):
        path = paths[parent]
        if path[_COVERED] > word:
            n_next = _offer(order, pool, n_next, path, path[_MATCHES], path[_CHUNKS], path[_OPEN_END], NONE, parent)
            continue
        match = np.int64(found.firsts[word])
        while match != NONE:
            row = matches[match]
            start = int(row[HYPOTHESIS_START])
            end = start + int(row[HYPOTHESIS_LENGTH])
            if _is_free(used, parent, start, end):
                closes = path[_OPEN_END] != NONE and path[_OPEN_END] != start
                weighted = path[_MATCHES] + _weighted(row)
                n_next = _offer(order, pool, n_next, path, weighted, path[_CHUNKS] + closes, end, match, parent)
                path[_DISTANCE] += abs(word - start)
            match = np.int64(row[NEXT])
        if not is_fixed:
            n_next = _offer(order, pool, n_next, path, path[_MATCHES], _closed(path), NONE, NONE, parent)
    return n_next


@kernel
def _is_free(used: BoolArray, path: int, start: int, end: int) -> bool:
    for word in range(start, end):  # noqa: SIM110 - compiled loops are faster than slices
        if used[path, word]:
            return False
    return True


@kernel
def _weighted(row: Int32Array) -> int:
    """Return the weight of a match in the search: its words on both sides, or half of each, rounded down."""
    if row[MODULE] == EXACT:
        return int(row[REFERENCE_LENGTH] + row[HYPOTHESIS_LENGTH])
    return int(row[REFERENCE_LENGTH] // 2 + row[HYPOTHESIS_LENGTH] // 2)


@kernel
def _closed(path: IntArray) -> int:
    """Return the number of chunks once the open one is closed."""
    return int(path[_CHUNKS] + (path[_OPEN_END] != NONE))


@kernel
def _offer(
    order: IntArray,
    pool: IntArray,
    n_next: int,
    path: IntArray,
    weighted: int,
    chunks: int,
    open_end: int,
    match: int | np.int64,
    parent: int,
) -> int:
    """Insert a continuation after equally good ones if it is among the best; return their new number."""
    beam_size = len(order) - 1
    distance = path[_DISTANCE]
    rank = n_next
    while rank > 0 and _is_better(weighted, chunks, distance, pool[order[rank - 1]]):
        rank -= 1
    if rank == beam_size:
        return n_next
    row = order[beam_size - 1] if n_next == beam_size else n_next
    n_next = min(n_next + 1, beam_size)
    for behind in range(n_next - 1, rank, -1):
        order[behind] = order[behind - 1]
    order[rank] = row
    pool[row, _MATCHES], pool[row, _CHUNKS], pool[row, _DISTANCE] = weighted, chunks, distance
    pool[row, _OPEN_END], pool[row, _COVERED], pool[row, _HISTORY] = open_end, path[_COVERED], path[_HISTORY]
    pool[row, _MATCH], pool[row, _PARENT] = match, parent
    return n_next


@kernel
def _is_better(weighted: int, chunks: int, distance: int, other: IntArray) -> bool:
    if weighted != other[_MATCHES]:
        return bool(weighted > other[_MATCHES])
    if chunks != other[_CHUNKS]:
        return bool(chunks < other[_CHUNKS])
    return bool(distance < other[_DISTANCE])


@kernel
def _settle(
    order: IntArray,
    pool: IntArray,
    n_next: int,
    matches: Int32Array,
    used: BoolArray,
    next_paths: IntArray,
    next_used: BoolArray,
    history: Int32Array,
    n_history: int,
) -> int:
    """Turn the best continuations into paths; return the new length of the history."""
    for rank in range(n_next):
        path = next_paths[rank]
        for column in range(pool.shape[1]):
            path[column] = pool[order[rank], column]
        for column in range(used.shape[1]):
            next_used[rank, column] = used[path[_PARENT], column]
        if path[_MATCH] == NONE:
            continue
        row = matches[path[_MATCH]]
        path[_COVERED] = row[REFERENCE_START] + row[REFERENCE_LENGTH]
        for column in range(row[HYPOTHESIS_START], row[HYPOTHESIS_START] + row[HYPOTHESIS_LENGTH]):
            next_used[rank, column] = True
        history[n_history, 0], history[n_history, 1] = path[_MATCH], path[_HISTORY]
        path[_HISTORY] = n_history
        n_history += 1
    return n_history


@kernel
def _best(paths: IntArray, n_paths: int) -> int:
    """Return the first of the best paths after their open chunks are closed."""
    best = 0
    for number in range(1, n_paths):
        path = paths[number]
        other = paths[best].copy()
        other[_CHUNKS] = _closed(other)
        if _is_better(path[_MATCHES], _closed(path), path[_DISTANCE], other):
            best = number
    return best


# Columns of the statistics. Each module has four from FIRST_MODULE on, content words first, the hypothesis's first.
FIRST_MODULE, CHUNKS, HYPOTHESIS_MATCHES, REFERENCE_MATCHES, N_FIELDS = 4, 20, 21, 22, 23


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
    for pair in range(len(pairs)):
        a, b = pairs[pair]
        reference = references[reference_starts[a] : reference_starts[a + 1]]
        hypothesis = hypotheses[hypothesis_starts[b] : hypothesis_starts[b + 1]]
        found = find_matches(reference, hypothesis, words, phrases, modules)
        alignment, chunks = best_alignment(found, len(hypothesis), beam_size)
        _count(reference, hypothesis, alignment, chunks, words, counts[pair])
    return counts, alignment


@kernel
def _count(
    reference: Int32Array, hypothesis: Int32Array, alignment: Int32Array, chunks: int, words: Words, counts: IntArray
) -> None:
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
    counts[CHUNKS] = 0 if all_matched and chunks == 1 else chunks


@kernel
def _lengths(text: Int32Array, words: Words) -> tuple[int, int]:
    """Return the length of a text, and that of its function words."""
    length = function_length = 0
    for word in text:
        length += words.units[word]
        if words.is_function_word[word]:
            function_length += words.units[word]
    return length, function_length
