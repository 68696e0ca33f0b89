"""All candidate matches between a reference and a hypothesis, as METEOR's four matchers find them."""

from typing import NamedTuple

import numpy as np

from mteval.base.arrays import BoolArray, Int32Array, IntArray, UInt64Array
from mteval.base.kernels import kernel
from mteval.base.word_kernels import are_same
from mteval.metrics.text.text_kernels import NOWHERE, child_of

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


class Text(NamedTuple):
    """A text as the matchers see it.

    Parameters
    ----------
    numbers, codes, stem_codes, synset_bits
        Its words, and their rows of ``Words``.
    phrases
        Start, length and node of every indexed phrase, by start, then by increasing length; shape ``(phrases, 3)``.
    """

    numbers: Int32Array
    codes: Int32Array
    stem_codes: Int32Array
    synset_bits: UInt64Array
    phrases: Int32Array


class Candidates(NamedTuple):
    """All matches from which the alignment is chosen.

    Parameters
    ----------
    matches
        Shape ``(capacity, 6)``; the columns are named above.
    ends
        First and last match of each reference word, or ``NONE``, shape ``(2, words)``; ``NEXT`` leads from one to the
        next.
    """

    matches: Int32Array
    ends: Int32Array


class Memory(NamedTuple):
    """What was looked up lately, since outputs of a segment resemble each other: a newer pair replaces an older one.

    Parameters
    ----------
    pairs, is_synonym
        Pairs of words and whether they share a synonym set, shape ``(slots,)``.
    edges, children
        Pairs of a node of the paraphrase index and a word, and where the word leads to.
    may_be_there
        Work array.
    """

    pairs: IntArray
    is_synonym: BoolArray
    edges: IntArray
    children: IntArray
    may_be_there: BoolArray


@kernel
def nothing_remembered() -> Memory:
    """Return an empty memory."""
    pairs = np.full(_REMEMBERED, NONE, dtype=np.int64)
    is_synonym = np.empty(_REMEMBERED, dtype=np.bool_)
    edges = np.full(_REMEMBERED, NONE, dtype=np.int64)
    children = np.empty(_REMEMBERED, dtype=np.int64)
    may_be_there = np.empty(_FILTER, dtype=np.bool_)
    return Memory(pairs, is_synonym, edges, children, may_be_there)


@kernel
def _slot(key: int | np.int64) -> int:
    """Return where a pair is remembered: a mix of the bits of both parts."""
    return int((key ^ (key >> 21) ^ (key >> 38)) & (_REMEMBERED - 1))


@kernel
def text_of(numbers: Int32Array, words: Words, phrases: Phrases, modules: BoolArray, memory: Memory) -> Text:
    """Return a text with what the matchers need."""
    rows = np.empty((4 * len(numbers) + 16, 3), dtype=np.int32)
    n = 0
    if modules[PARAPHRASE]:
        indexed = words.phrase_words[numbers]
        n = _find_phrases(indexed, phrases, memory, rows)
        if n > len(rows):
            rows = np.empty((n, 3), dtype=np.int32)
            n = _find_phrases(indexed, phrases, memory, rows)
    return Text(numbers, words.codes[numbers], words.stem_codes[numbers], words.synset_bits[numbers], rows[:n])


@kernel
def find_matches(
    reference: Text, hypothesis: Text, words: Words, phrases: Phrases, modules: BoolArray, memory: Memory
) -> Candidates:
    """Return candidate matches by reference word; ``modules`` says which of the four match, shape ``(4,)``."""
    n_reference = len(reference.numbers)
    ends = np.empty((2, n_reference), dtype=np.int32)
    candidates = Candidates(np.empty((4 * n_reference + 16, 6), dtype=np.int32), ends)
    n = _find(reference, hypothesis, words, phrases, modules, memory, candidates)
    if n > len(candidates.matches):
        candidates = Candidates(np.empty((n, 6), dtype=np.int32), ends)
        n = _find(reference, hypothesis, words, phrases, modules, memory, candidates)
    return Candidates(candidates.matches[:n], ends)


# The functions below neither make arrays nor return any: numba counts references to arrays in functions that do, which
# took half of the time. So each returns how many rows there are, and writes those for which there is room.


@kernel
def _find(
    reference: Text,
    hypothesis: Text,
    words: Words,
    phrases: Phrases,
    modules: BoolArray,
    memory: Memory,
    candidates: Candidates,
) -> int:
    """Write all matches; return their number."""
    candidates.ends[:] = NONE
    numbers = reference.numbers
    hypothesis_numbers = hypothesis.numbers
    are_equal = are_same(numbers, 0, len(numbers), hypothesis_numbers, 0, len(hypothesis_numbers))
    n = 0
    if modules[EXACT]:
        n = _same_codes(EXACT, reference.codes, hypothesis.codes, reference, hypothesis, candidates, n)
    # If the texts are equal, only exact matches are looked for
    if modules[STEM] and not are_equal:
        n = _same_codes(STEM, reference.stem_codes, hypothesis.stem_codes, reference, hypothesis, candidates, n)
    if modules[SYNONYM] and not are_equal:
        n = _synonyms(reference, hypothesis, words, memory, candidates, n)
    if modules[PARAPHRASE] and not are_equal:
        n = _paraphrases(reference.phrases, hypothesis.phrases, False, phrases, memory, candidates, n)
        n = _paraphrases(hypothesis.phrases, reference.phrases, True, phrases, memory, candidates, n)
    return n


@kernel
def _same_codes(
    module: int,
    keys: Int32Array,
    hypothesis_keys: Int32Array,
    reference: Text,
    hypothesis: Text,
    candidates: Candidates,
    n: int,
) -> int:
    """Append pairs of words with the same key: all of them for exact matches, otherwise only words that differ."""
    for i in range(len(keys)):
        for j in range(len(hypothesis_keys)):
            if keys[i] == hypothesis_keys[j] and (module == EXACT or reference.codes[i] != hypothesis.codes[j]):
                n = _append(candidates, n, i, 1, j, 1, module)
    return n


@kernel
def _synonyms(reference: Text, hypothesis: Text, words: Words, memory: Memory, candidates: Candidates, n: int) -> int:
    """Append pairs of words that differ and share a synonym set."""
    codes = words.codes
    synsets = words.synsets
    starts = words.synset_starts
    numbers = reference.numbers
    hypothesis_numbers = hypothesis.numbers
    bits = reference.synset_bits
    hypothesis_bits = hypothesis.synset_bits
    pairs = memory.pairs
    are_synonyms = memory.is_synonym
    for i in range(len(numbers)):
        if bits[i] == 0:
            continue
        for j in range(len(hypothesis_numbers)):
            if bits[i] & hypothesis_bits[j] == 0 or numbers[i] == hypothesis_numbers[j]:
                continue
            first = np.int64(numbers[i])
            second = np.int64(hypothesis_numbers[j])
            pair = first << 32 | second
            slot = _slot(pair)
            if pairs[slot] != pair:
                pairs[slot] = pair
                are_synonyms[slot] = codes[first] != codes[second] and _share_synset(synsets, starts, first, second)
            if are_synonyms[slot]:
                n = _append(candidates, n, i, 1, j, 1, SYNONYM)
    return n


@kernel
def _share_synset(synsets: Int32Array, starts: IntArray, first: int | np.int64, second: int | np.int64) -> bool:
    """Return whether two words share a synonym set: a walk through the sorted numbers of both."""
    a = starts[first]
    end_a = starts[first + 1]
    b = starts[second]
    end_b = starts[second + 1]
    while a < end_a and b < end_b:
        if synsets[a] == synsets[b]:
            return True
        if synsets[a] < synsets[b]:
            a += 1
        else:
            b += 1
    return False


@kernel
def _find_phrases(text: Int32Array, phrases: Phrases, memory: Memory, rows: Int32Array) -> int:
    """Write the phrases of a text, given as words of the index."""
    edges = memory.edges
    children = memory.children
    last_words = phrases.last_words
    first_children = phrases.first_children
    n = 0
    for start in range(len(text)):
        node = np.int64(NOWHERE)
        if text[start] >= 0:
            node = np.int64(text[start]) + 1  # the root's children are numbered as the words are
        end = start
        while node != NOWHERE:
            end += 1
            if n < len(rows):
                rows[n, _START] = start
                rows[n, _LENGTH] = end - start
                rows[n, _NODE] = node
            n += 1
            if end == len(text) or text[end] < 0:
                break
            edge = np.int64(node) << 32 | np.int64(text[end])
            slot = _slot(edge)
            if edges[slot] != edge:
                edges[slot] = edge
                children[slot] = child_of(last_words, first_children, node, text[end])
            node = children[slot]
    return n


@kernel
def _paraphrases(
    sources: Int32Array,
    targets: Int32Array,
    from_hypothesis: bool,
    phrases: Phrases,
    memory: Memory,
    candidates: Candidates,
    n: int,
) -> int:
    """Append a match for each paraphrase of a source phrase that is among the targets, the other side's phrases."""
    # Whether the node of any target has these lowest bits
    may_be_there = memory.may_be_there
    may_be_there[:] = False
    for place in range(len(targets)):
        may_be_there[targets[place, _NODE] & (_FILTER - 1)] = True
    for origin in range(len(sources)):
        node = sources[origin, _NODE]
        for index in range(phrases.starts[node], phrases.starts[node + 1]):
            paraphrase = phrases.targets[index]
            if not may_be_there[paraphrase & (_FILTER - 1)]:
                continue
            for place in range(len(targets)):
                if targets[place, _NODE] == paraphrase:
                    reference = sources[origin]
                    hypothesis = targets[place]
                    if from_hypothesis:
                        reference = targets[place]
                        hypothesis = sources[origin]
                    n = _append(
                        candidates,
                        n,
                        reference[_START],
                        reference[_LENGTH],
                        hypothesis[_START],
                        hypothesis[_LENGTH],
                        PARAPHRASE,
                    )
    return n


@kernel
def _append(
    candidates: Candidates, n: int, start: int, length: int, hypothesis_start: int, hypothesis_length: int, module: int
) -> int:
    """Append a match of a reference span and a hypothesis span to those of its reference word."""
    matches = candidates.matches
    ends = candidates.ends
    if n < len(matches):
        matches[n, REFERENCE_START] = start
        matches[n, REFERENCE_LENGTH] = length
        matches[n, HYPOTHESIS_START] = hypothesis_start
        matches[n, HYPOTHESIS_LENGTH] = hypothesis_length
        matches[n, MODULE] = module
        matches[n, NEXT] = NONE
        if ends[0, start] == NONE:
            ends[0, start] = n
        else:
            matches[ends[1, start], NEXT] = n
        ends[1, start] = n
    return n + 1
