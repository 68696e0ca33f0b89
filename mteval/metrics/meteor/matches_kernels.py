"""All candidate matches between a reference and a hypothesis, as METEOR's four matchers find them."""

from typing import NamedTuple

import numpy as np

from mteval.base.arrays import BoolArray, Int32Array, IntArray, UInt64Array
from mteval.base.kernels import kernel
from mteval.metrics.text.text_kernels import NOWHERE, are_same, child_of, with_room

EXACT, STEM, SYNONYM, PARAPHRASE = range(4)

# Columns of a match. NEXT is the next match found at the same reference word.
REFERENCE_START, REFERENCE_LENGTH, HYPOTHESIS_START, HYPOTHESIS_LENGTH, MODULE, NEXT = range(6)
NONE = -1

_START, _LENGTH, _NODE = range(3)
_REMEMBERED = 4096  # a power of two
_FILTER = 512  # places of a filter that rejects most phrases quickly


class Words(NamedTuple):
    """Properties of words by number.

    Parameters
    ----------
    codes, stem_codes
        Java hash codes of the words and of their stems, which METEOR compares.
    synsets, synset_starts
        Sorted numbers of each word's synonym sets, word after word; where each word's start, and the end of the last,
        shape ``(words + 1,)``.
    synset_bits
        64 bits per word; words with a common set share at least one.
    is_function_word
        Whether the word is among the frequent ones that count less.
    units
        What a word adds to lengths and matches: 1, or its characters if the task counts them.
    phrase_words
        Numbers of the words in the paraphrase index, or -1.
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
    """The paraphrase index for compiled code, as in ``PhraseTable``: its trie, and the paraphrases of each node."""

    last_words: Int32Array
    first_children: Int32Array
    starts: Int32Array
    targets: Int32Array


class Found(NamedTuple):
    """All matches.

    Parameters
    ----------
    matches
        Shape ``(capacity, 6)``; the columns are named above.
    firsts
        First match of each reference word, or ``NONE``; ``NEXT`` leads to the others.
    n
        Number of rows of ``matches`` in use.
    """

    matches: Int32Array
    firsts: Int32Array
    n: int


class Memory(NamedTuple):
    """What was looked up lately, since outputs of a segment resemble each other: a newer pair replaces an older one.

    Parameters
    ----------
    pairs, is_synonym
        Pairs of words and whether they share a synonym set, shape ``(slots,)``.
    edges, children
        Pairs of a node of the paraphrase index and a word, and where the word leads to.
    """

    pairs: IntArray
    is_synonym: BoolArray
    edges: IntArray
    children: IntArray


@kernel
def nothing_remembered() -> Memory:
    """Return an empty memory."""
    pairs, edges = np.full(_REMEMBERED, NONE, dtype=np.int64), np.full(_REMEMBERED, NONE, dtype=np.int64)
    return Memory(pairs, np.empty(_REMEMBERED, dtype=np.bool_), edges, np.empty(_REMEMBERED, dtype=np.int64))


@kernel
def _slot(key: int | np.int64) -> int:
    return int((key ^ (key >> 21) ^ (key >> 38)) & (_REMEMBERED - 1))


@kernel
def find_matches(
    reference: Int32Array,
    hypothesis: Int32Array,
    words: Words,
    phrases: Phrases,
    modules: BoolArray,
    here: Int32Array,
    memory: Memory,
) -> Found:
    """Return candidate matches by reference word.

    Parameters
    ----------
    reference, hypothesis
        Numbers of words.
    modules
        Which of the four modules match, shape ``(4,)``.
    here
        From ``find_phrases`` of the reference.
    """
    matches = np.empty((4 * len(reference) + 16, 6), dtype=np.int32)
    ends = np.full((2, len(reference)), NONE, dtype=np.int32)  # first and last match of each reference word
    n = 0
    equal = are_same(reference, 0, len(reference), hypothesis, 0, len(hypothesis))
    codes, others = words.codes[reference], words.codes[hypothesis]
    if modules[EXACT]:
        matches, n = _same_codes(EXACT, codes, others, codes, others, matches, n, ends)
    if modules[STEM] and not equal:
        stems, other_stems = words.stem_codes[reference], words.stem_codes[hypothesis]
        matches, n = _same_codes(STEM, stems, other_stems, codes, others, matches, n, ends)
    if modules[SYNONYM] and not equal:
        matches, n = _synonyms(reference, hypothesis, words, memory, matches, n, ends)
    if modules[PARAPHRASE] and not equal:
        there = find_phrases(words.phrase_words[hypothesis], phrases, memory)
        matches, n = _paraphrases(here, there, False, phrases, matches, n, ends)
        matches, n = _paraphrases(there, here, True, phrases, matches, n, ends)
    return Found(matches, ends[0], n)


@kernel
def _same_codes(
    module: int,
    keys: Int32Array,
    other_keys: Int32Array,
    codes: Int32Array,
    others: Int32Array,
    matches: Int32Array,
    n: int,
    ends: Int32Array,
) -> tuple[Int32Array, int]:
    """Append pairs of words with the same key: all of them for exact matches, otherwise only words that differ."""
    for i in range(len(keys)):
        for j in range(len(other_keys)):
            if keys[i] == other_keys[j] and (module == EXACT or codes[i] != others[j]):
                matches = _append(matches, n, ends, i, 1, j, 1, module)
                n += 1
    return matches, n


@kernel
def _synonyms(
    reference: Int32Array,
    hypothesis: Int32Array,
    words: Words,
    memory: Memory,
    matches: Int32Array,
    n: int,
    ends: Int32Array,
) -> tuple[Int32Array, int]:
    """Append pairs of words that differ and share a synonym set."""
    codes, synsets, starts = words.codes, words.synsets, words.synset_starts
    bits, other_bits = words.synset_bits[reference], words.synset_bits[hypothesis]
    for i in range(len(reference)):
        if bits[i] == 0:
            continue
        for j in range(len(hypothesis)):
            if bits[i] & other_bits[j] == 0 or reference[i] == hypothesis[j]:
                continue
            first, second = np.int64(reference[i]), np.int64(hypothesis[j])
            pair = first << 32 | second
            slot = _slot(pair)
            if memory.pairs[slot] != pair:
                memory.pairs[slot] = pair
                is_synonym = codes[first] != codes[second] and _share_synset(synsets, starts, first, second)
                memory.is_synonym[slot] = is_synonym
            if memory.is_synonym[slot]:
                matches = _append(matches, n, ends, i, 1, j, 1, SYNONYM)
                n += 1
    return matches, n


@kernel
def _share_synset(synsets: Int32Array, starts: IntArray, first: int | np.int64, second: int | np.int64) -> bool:
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
def find_phrases(text: Int32Array, phrases: Phrases, memory: Memory) -> Int32Array:
    """Return start, length and node of every indexed phrase in a text, by start, then by increasing length."""
    rows = np.empty((4 * len(text) + 16, 3), dtype=np.int32)
    n_rows = 0
    for start in range(len(text)):
        node = np.int64(text[start]) + 1 if text[start] >= 0 else np.int64(NOWHERE)
        end = start
        while node != NOWHERE:
            end += 1
            if n_rows == len(rows):
                rows = with_room(rows)
            rows[n_rows, _START], rows[n_rows, _LENGTH], rows[n_rows, _NODE] = start, end - start, node
            n_rows += 1
            if end == len(text) or text[end] < 0:
                break
            edge = np.int64(node) << 32 | np.int64(text[end])
            slot = _slot(edge)
            if memory.edges[slot] != edge:
                memory.edges[slot] = edge
                memory.children[slot] = child_of(phrases.last_words, phrases.first_children, node, text[end])
            node = memory.children[slot]
    return rows[:n_rows]


@kernel
def _paraphrases(
    sources: Int32Array,
    others: Int32Array,
    from_hypothesis: bool,
    phrases: Phrases,
    matches: Int32Array,
    n: int,
    ends: Int32Array,
) -> tuple[Int32Array, int]:
    """Append a match for each paraphrase of a source phrase that the other side contains."""
    may_be_there = np.zeros(_FILTER, dtype=np.bool_)
    for place in range(len(others)):
        may_be_there[others[place, _NODE] & (_FILTER - 1)] = True
    for origin in range(len(sources)):  # indices throughout: a row of its own costs more than the comparison
        node = sources[origin, _NODE]
        for index in range(phrases.starts[node], phrases.starts[node + 1]):
            target = phrases.targets[index]
            if not may_be_there[target & (_FILTER - 1)]:
                continue
            for place in range(len(others)):
                if others[place, _NODE] == target:
                    a, b = (others[place], sources[origin]) if from_hypothesis else (sources[origin], others[place])
                    matches = _append(matches, n, ends, a[_START], a[_LENGTH], b[_START], b[_LENGTH], PARAPHRASE)
                    n += 1
    return matches, n


@kernel
def _append(
    matches: Int32Array,
    n: int,
    ends: Int32Array,
    reference_start: int,
    reference_length: int,
    hypothesis_start: int,
    hypothesis_length: int,
    module: int,
) -> Int32Array:
    """Append a match to those of its reference word; the rows may be reallocated."""
    if n == len(matches):
        matches = with_room(matches)
    matches[n, REFERENCE_START], matches[n, REFERENCE_LENGTH] = reference_start, reference_length
    matches[n, HYPOTHESIS_START], matches[n, HYPOTHESIS_LENGTH] = hypothesis_start, hypothesis_length
    matches[n, MODULE], matches[n, NEXT] = module, NONE
    if ends[0, reference_start] == NONE:
        ends[0, reference_start] = n
    else:
        matches[ends[1, reference_start], NEXT] = n
    ends[1, reference_start] = n
    return matches
