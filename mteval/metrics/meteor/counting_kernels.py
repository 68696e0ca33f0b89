"""From aligned pairs to METEOR's 23 statistics."""

import numpy as np

from mteval.arrays import BoolArray, Int32Array, IntArray
from mteval.kernels import kernel
from mteval.metrics.meteor.beam_kernels import best_alignment
from mteval.metrics.meteor.matches_kernels import (
    HYPOTHESIS_LENGTH,
    HYPOTHESIS_START,
    MODULE,
    NEXT,
    REFERENCE_LENGTH,
    REFERENCE_START,
    Phrases,
    Words,
    find_matches,
)

# Columns of the statistics. Each module has four from FIRST_MODULE on, content words first, the hypothesis's first.
FIRST_MODULE, CHUNKS, HYPOTHESIS_MATCHES, REFERENCE_MATCHES, N_FIELDS = 4, 20, 21, 22, 23


@kernel
def _align(
    reference: Int32Array,
    hypothesis: Int32Array,
    words: Words,
    phrases: Phrases,
    modules: BoolArray,
    beam_size: int,
) -> tuple[Int32Array, int]:
    """The matches of the best alignment by reference word, shape ``(n, 6)`` as in ``matches``; its number of chunks."""
    matches, firsts, n_matches = find_matches(reference, hypothesis, words, phrases, modules)
    chosen, chunks = best_alignment(matches, firsts, n_matches, len(hypothesis), beam_size)
    return matches[chosen], chunks


@kernel
def count_pairs(
    references: Int32Array,
    reference_starts: IntArray,
    hypotheses: Int32Array,
    hypothesis_starts: IntArray,
    pairs: IntArray,
    words: Words,
    phrases: Phrases,
    modules: BoolArray,
    beam_size: int,
) -> tuple[IntArray, Int32Array]:
    """Statistics of pairs of a reference and a hypothesis, and the matches of the last pair as ``_align`` has them.

    Parameters
    ----------
    references, hypotheses
        Numbers of words, one text after the other; ``starts`` say where each begins.
    pairs
        Indices of the reference and the hypothesis, shape ``(n, 2)``.

    Returns
    -------
    Shapes ``(n, 23)`` and ``(matches, 6)``; one function, since each that Python calls takes seconds to compile.
    """
    counts = np.zeros((len(pairs), N_FIELDS), dtype=np.int64)
    alignment = np.empty((0, NEXT + 1), dtype=np.int32)
    for pair in range(len(pairs)):
        a, b = pairs[pair]
        reference = references[reference_starts[a] : reference_starts[a + 1]]
        hypothesis = hypotheses[hypothesis_starts[b] : hypothesis_starts[b + 1]]
        alignment, chunks = _align(reference, hypothesis, words, phrases, modules, beam_size)
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
    # A segment that is matched wholly in one chunk is not fragmented; kept as no chunk, it adds nothing to the sum.
    all_matched = counts[HYPOTHESIS_MATCHES] == len(hypothesis) and counts[REFERENCE_MATCHES] == len(reference)
    counts[CHUNKS] = 0 if all_matched and chunks == 1 else chunks


@kernel
def _lengths(text: Int32Array, words: Words) -> tuple[int, int]:
    """Length of a text, and that of its function words."""
    length = function_length = 0
    for word in text:
        length += words.units[word]
        if words.is_function_word[word]:
            function_length += words.units[word]
    return length, function_length
