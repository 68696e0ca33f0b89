"""All candidate matches of a reference and a hypothesis, as METEOR's four matchers find them."""

from typing import NamedTuple

import numpy as np

from mteval.base.arrays import BoolArray, Int32Array, IntArray, UInt64Array
from mteval.base.kernels import kernel
from mteval.metrics.text.text_kernels import NOWHERE, are_same, child_of, with_room

EXACT, STEM, SYNONYM, PARAPHRASE = range(4)

# Columns of a match. NEXT is the next match that starts at the same reference word, in the order found.
REFERENCE_START, REFERENCE_LENGTH, HYPOTHESIS_START, HYPOTHESIS_LENGTH, MODULE, NEXT = range(6)
NONE = -1

_START, _LENGTH, _NODE = range(3)
_FILTER = 512  # places of the filter that rejects most phrases at a glance


class Words(NamedTuple):
    """Facts of words by their numbers.

    Parameters
    ----------
    codes, stem_codes
        Java's hash codes of the words and of their stems; METEOR compares these.
    synsets, synset_starts
        For each word the numbers of its synonym sets, rising, one word after the other; where each word's begin, and
        the end of the last, shape ``(words + 1,)``.
    synset_bits
        For each word 64 bits, one or more of which two words with a common set share.
    is_function_word
        Whether the word is among the frequent ones that count less.
    units
        What a word adds to lengths and matches: 1, or its characters where the task counts these.
    phrase_words
        Numbers of the words in the paraphrase index, -1 where it does not have them.
    """

    codes: Int32Array
    stem_codes: Int32Array
    synsets: Int32Array
    synset_starts: IntArray
    synset_bits: UInt64Array
    is_function_word: BoolArray
    units: IntArray
    phrase_words: Int32Array


class Phrases(NamedTuple):
    """The paraphrase index for compiled code, as ``PhraseTable`` has it: its trie, for each node its paraphrases."""

    last_words: Int32Array
    first_children: Int32Array
    starts: Int32Array
    targets: Int32Array


class Found(NamedTuple):
    """The matches found so far.

    Parameters
    ----------
    matches
        Shape ``(capacity, 6)``; the columns are named above.
    firsts, lasts
        For each reference word its first match, or ``NONE``, and its last; the others follow the first by ``NEXT``.
    n
        How many rows of ``matches`` are used, shape ``(1,)``.
    """

    matches: Int32Array
    firsts: Int32Array
    lasts: Int32Array
    n: IntArray


@kernel
def find_matches(
    reference: Int32Array, hypothesis: Int32Array, words: Words, phrases: Phrases, modules: BoolArray
) -> Found:
    """Candidate matches by reference word.

    Parameters
    ----------
    reference, hypothesis
        Numbers of words.
    modules
        Which of the four modules match, shape ``(4,)``.
    """
    none = np.full((2, len(reference)), NONE, dtype=np.int32)
    room = np.empty((4 * len(reference) + 16, 6), dtype=np.int32)
    found = Found(room, none[0], none[1], np.zeros(1, dtype=np.int64))
    equal = are_same(reference, 0, len(reference), hypothesis, 0, len(hypothesis))
    codes, other_codes = words.codes[reference], words.codes[hypothesis]
    if modules[EXACT]:
        found = _same_codes(EXACT, codes, other_codes, codes, other_codes, found)
    if modules[STEM] and not equal:
        stems, other_stems = words.stem_codes[reference], words.stem_codes[hypothesis]
        found = _same_codes(STEM, stems, other_stems, codes, other_codes, found)
    if modules[SYNONYM] and not equal:
        found = _synonyms(reference, hypothesis, words, found)
    if modules[PARAPHRASE] and not equal:
        here = _find_phrases(words.phrase_words[reference], phrases)
        there = _find_phrases(words.phrase_words[hypothesis], phrases)
        found = _paraphrases(here, there, False, phrases, found)
        found = _paraphrases(there, here, True, phrases, found)
    return found


@kernel
def _same_codes(
    module: int, keys: Int32Array, other_keys: Int32Array, codes: Int32Array, other_codes: Int32Array, found: Found
) -> Found:
    """Append the pairs of words with the same key: all of them for exact matches, else those that differ."""
    for i in range(len(keys)):
        for j in range(len(other_keys)):
            if keys[i] == other_keys[j] and (module == EXACT or codes[i] != other_codes[j]):
                found = _append(found, i, 1, j, 1, module)
    return found


@kernel
def _synonyms(reference: Int32Array, hypothesis: Int32Array, words: Words, found: Found) -> Found:
    """Append the pairs of words that differ and have a synonym set in common."""
    codes, synsets, starts = words.codes, words.synsets, words.synset_starts
    bits, other_bits = words.synset_bits[reference], words.synset_bits[hypothesis]
    for i in range(len(reference)):
        for j in range(len(hypothesis)):
            if bits[i] & other_bits[j] == 0:
                continue
            first, second = reference[i], hypothesis[j]
            if codes[first] != codes[second] and _share_synset(synsets, starts, first, second):
                found = _append(found, i, 1, j, 1, SYNONYM)
    return found


@kernel
def _share_synset(synsets: Int32Array, starts: IntArray, first: int, second: int) -> bool:
    a, end_a = starts[first], starts[first + 1]
    b, end_b = starts[second], starts[second + 1]
    while a < end_a and b < end_b:
        if synsets[a] == synsets[b]:
            return True
        if synsets[a] < synsets[b]:
            a += 1
        else:
            b += 1
    return False


@kernel
def _find_phrases(text: Int32Array, phrases: Phrases) -> Int32Array:
    """Start, length and node of every phrase of the index in a text: by start, then by rising length."""
    rows = np.empty((4 * len(text) + 16, 3), dtype=np.int32)
    n_rows = 0
    for start in range(len(text)):
        node = int(text[start]) + 1 if text[start] >= 0 else NOWHERE
        end = start
        while node != NOWHERE:
            end += 1
            if n_rows == len(rows):
                rows = with_room(rows)
            rows[n_rows, _START], rows[n_rows, _LENGTH], rows[n_rows, _NODE] = start, end - start, node
            n_rows += 1
            node = child_of(phrases.last_words, phrases.first_children, node, text[end]) if end < len(text) else NOWHERE
    return rows[:n_rows]


@kernel
def _paraphrases(
    sources: Int32Array, others: Int32Array, from_hypothesis: bool, phrases: Phrases, found: Found
) -> Found:
    """Append a match for each paraphrase of a source that is among the phrases of the other side."""
    may_be_there = np.zeros(_FILTER, dtype=np.bool_)
    for node in others[:, _NODE]:
        may_be_there[node % _FILTER] = True
    for source in sources:
        for index in range(phrases.starts[source[_NODE]], phrases.starts[source[_NODE] + 1]):
            target = phrases.targets[index]
            if not may_be_there[target % _FILTER]:
                continue
            for other in others:
                if other[_NODE] == target:
                    a, b = (other, source) if from_hypothesis else (source, other)
                    found = _append(found, a[_START], a[_LENGTH], b[_START], b[_LENGTH], PARAPHRASE)
    return found


@kernel
def _append(
    found: Found,
    reference_start: int,
    reference_length: int,
    hypothesis_start: int,
    hypothesis_length: int,
    module: int,
) -> Found:
    """Add a match after the others of its reference word; the rows may move."""
    matches, firsts, lasts, n = found
    number = n[0]
    if number == len(matches):
        matches = with_room(matches)
    row = matches[number]
    row[REFERENCE_START], row[REFERENCE_LENGTH] = reference_start, reference_length
    row[HYPOTHESIS_START], row[HYPOTHESIS_LENGTH] = hypothesis_start, hypothesis_length
    row[MODULE], row[NEXT] = module, NONE
    if firsts[reference_start] == NONE:
        firsts[reference_start] = number
    else:
        matches[lasts[reference_start], NEXT] = number
    lasts[reference_start] = number
    n[0] += 1
    return Found(matches, firsts, lasts, n)
