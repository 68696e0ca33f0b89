"""Texts as flat arrays of numbers (code points, words or tokens), and the n-grams that texts share.

Each distinct white-space word of many texts gets a number, so that it is tokenized only once. Hypotheses use the
numbers of the references' tokens.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, count, pairwise, repeat
from typing import NamedTuple

import numpy as np

from mteval.base.arrays import BoolArray, Int32Array, IntArray
from mteval.base.distinct_words import LAST_SPACE, code_points, distinct_words
from mteval.base.distinct_words import python_spaces as python_spaces
from mteval.base.distinct_words import starts_of as starts_of
from mteval.metrics.text.text_kernels import UNKNOWN, count_matches, expanded, without

# MultEval's white space: Guava's BREAKING_WHITESPACE, without the no-break spaces U+00A0, U+2007 and U+202F.
_BREAKING = "\t\n\v\f\r \x85\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u2028\u2029\u205f\u3000"
TEXTS_AT_ONCE = 1 << 16  # of references; limits memory


class Sequences(NamedTuple):
    """n concatenated sequences of numbers.

    Parameters
    ----------
    items
        All numbers, int32.
    starts
        Where each sequence starts in ``items``, and the end of the last, shape ``(n + 1,)``.
    """

    items: Int32Array
    starts: IntArray

    @property
    def lengths(self) -> IntArray:
        """Number of items of each sequence, shape ``(n,)``."""
        return np.diff(self.starts)

    @classmethod
    def of_code_points(cls, texts: Sequence[str]) -> "Sequences":
        """Return the code points of each text."""
        items, starts = code_points(texts)
        return cls(items, starts)

    @classmethod
    def joined(cls, parts: Sequence["Sequences"]) -> "Sequences":
        """Return the sequences of all parts in turn."""
        items = np.concatenate([np.empty(0, dtype=np.int32), *(part.items for part in parts)])
        return cls(items, starts_of(chain.from_iterable(part.lengths.tolist() for part in parts)))

    def without(self, unwanted: BoolArray) -> "Sequences":
        """Remove items ``i`` with ``unwanted[i]``; items beyond the end of ``unwanted`` stay."""
        items, starts = without(self.items, self.starts, unwanted)
        return Sequences(items, starts)

    def expanded(self, parts: "Sequences") -> "Sequences":
        """Replace each item ``i`` by sequence ``i`` of ``parts``."""
        items, starts = expanded(self.items, self.starts, parts.items, parts.starts)
        return Sequences(items, starts)


@cache
def breaking_spaces() -> BoolArray:
    """Return whether MultEval splits at each code point up to the last space."""
    return np.array([chr(code) in _BREAKING for code in range(LAST_SPACE + 1)])


@cache
def java_spaces() -> BoolArray:
    r"""Return whether tercom splits at each code point up to the space (``\s`` in Java's patterns)."""
    return np.array([chr(code) in " \t\n\v\f\r" for code in range(0x21)])


@dataclass(frozen=True)
class Words:
    """The words of n texts.

    Parameters
    ----------
    numbers
        For each text, the numbers of its words in order.
    tokens
        The tokens of word 0, then those of word 1, and so on.
    token_starts
        Where the tokens of each word start in ``tokens``, and the end of the last.
    """

    numbers: Sequences
    tokens: Sequence[str]
    token_starts: IntArray

    def in_numbers(self, of_tokens: Sequence[int]) -> Sequences:
        """Return the texts as numbers of tokens, given the number of each of ``tokens``."""
        return self.numbers.expanded(Sequences(np.array(of_tokens, dtype=np.int32), self.token_starts))


Tokenize = Callable[[Sequence[str]], Words]


def by_word(
    texts: Sequence[str],
    split: Callable[[Sequence[str]], Iterable[Sequence[str]]],
    is_token: Callable[[str], bool] = lambda word: False,
) -> Words:
    """Split texts at white space, and each distinct word into tokens unless ``is_token`` says it is one already.

    ``split`` returns the tokens of each of some words.
    """
    numbers, distinct = _numbered_words(texts, python_spaces())
    # Most words are tokens: those between two others are added together, which is faster than one by one
    places_to_split = [place for place, is_one_token in enumerate(map(is_token, distinct)) if not is_one_token]
    tokens: list[str] = []
    lengths = [1] * len(distinct)
    n_done = 0
    words_to_split = [distinct[place] for place in places_to_split]
    for place, parts in zip(places_to_split, split(words_to_split), strict=True):
        tokens += distinct[n_done:place]
        tokens += parts
        lengths[place] = len(parts)
        n_done = place + 1
    tokens += distinct[n_done:]
    return Words(numbers, tokens, starts_of(lengths))


def by_text(texts: Sequence[str], cut: Callable[[str], str], spaces: BoolArray) -> Words:
    """Cut each text, then split it at the code points marked in ``spaces``; each word is a token."""
    cut_texts = tuple(cut(text) for text in texts)
    numbers, distinct = _numbered_words(cut_texts, spaces)
    return Words(numbers, distinct, np.arange(len(distinct) + 1))


def _numbered_words(texts: Sequence[str], spaces: BoolArray) -> tuple[Sequences, list[str]]:
    """Return the numbers of the words of each text, and the words by number."""
    numbers, starts, distinct = distinct_words(texts, spaces)
    return Sequences(numbers, starts), distinct


class Level(NamedTuple):
    """New nodes of a trie: the item that leads to each, its parent, and how many sequences pass through it."""

    items: IntArray
    parents: IntArray
    counts: IntArray


def trie_levels(
    items: Int32Array, starts: IntArray, lengths: IntArray | Int32Array, nodes: IntArray, total: int
) -> Iterator[Level]:
    """Add sequences to a trie level by level; their first items have nodes already.

    Nodes are numbered by level, then by parent and item, so the children of a node are neighbours.

    Parameters
    ----------
    items, starts, lengths
        All items, and where each sequence starts and how long it is.
    nodes
        Node of each sequence's first item; overwritten by the node of the whole sequence.
    total
        Number of nodes so far.
    """
    level = 1
    longer = np.flatnonzero(lengths > level)
    while longer.size:
        # A new node per pair of parent and item; a pair is one number, the parent in its upper half
        keys = (nodes[longer] << 32) | items[starts[longer] + level]
        distinct, numbers = _sorted_and_numbered(keys)
        nodes[longer] = total + numbers
        yield Level(items=distinct & 0xFFFFFFFF, parents=distinct >> 32, counts=np.bincount(numbers))
        total += distinct.size
        level += 1
        longer = np.flatnonzero(lengths > level)


def _sorted_and_numbered(keys: IntArray) -> tuple[IntArray, IntArray]:
    """Return the distinct keys in order, and the place of each key among them."""
    if keys.size < 1_000_000:
        return np.unique(keys, return_inverse=True)
    from pandas import factorize  # here: only many keys are worth the import

    numbers, distinct = factorize(keys, sort=True)
    return distinct, numbers


def ngram_counts(lengths: IntArray, order: int) -> IntArray:
    """Return the number of n-grams of orders 1 to ``order`` in sequences of these lengths, shape ``(..., order)``."""
    return np.asarray(np.maximum(lengths[..., None] - np.arange(order), 0))


def clipped_matches(
    hypotheses: Sequences, groups: IntArray, references: Sequences, group_starts: IntArray, order: int
) -> IntArray:
    """Count n-grams of each hypothesis that occur in its group of references, clipped.

    Parameters
    ----------
    hypotheses
        n sequences; ``UNKNOWN`` matches nothing.
    groups
        Group of each hypothesis, shape ``(n,)``. Fastest if equal groups are neighbours.
    references
        Sequences of the groups, without ``UNKNOWN``.
    group_starts
        Where each group starts in ``references``, and the end of the last. The highest count of an n-gram in a single
        reference limits its matches.
    order
        Longest n-grams to count.

    Returns
    -------
    IntArray
        Shape ``(n, order)``; column ``n - 1`` is for n-grams.
    """
    visits = np.argsort(groups, kind="stable")
    matches = np.zeros((groups.size, order), dtype=np.int64)
    if order > 0:
        count_matches(
            hypotheses.items,
            hypotheses.starts,
            groups,
            visits,
            references.items,
            references.starts,
            group_starts,
            matches,
        )
    return matches


def in_turn(group_starts: IntArray, groups: IntArray) -> Iterator[IntArray]:
    """Yield the first member of each group, then the second, and so on; smaller groups repeat their last one."""
    first = group_starts[groups]
    last = group_starts[groups + 1] - 1
    for rank in range((last - first).max(initial=0) + 1):
        yield np.minimum(first + rank, last)


@dataclass(frozen=True)
class TokenizedReferences:
    """All references of a test set as numbered tokens.

    Parameters
    ----------
    tokens
        The first segment's references, then the second's, and so on.
    segment_starts
        Where each segment starts in ``tokens``, and the end of the last.
    vocabulary
        Number of each distinct token.
    tokenize
        Function from texts to tokens.
    """

    tokens: Sequences
    segment_starts: IntArray
    vocabulary: Mapping[str, int]
    tokenize: Tokenize

    @classmethod
    def of(cls, references: Sequence[Sequence[str]], tokenize: Tokenize) -> "TokenizedReferences":
        """Tokenize the references of each segment."""
        texts = list(chain.from_iterable(references))
        vocabulary: dict[str, int] = {}
        parts = []
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            words = tokenize(texts[start : start + TEXTS_AT_ONCE])
            new_tokens = [token for token in dict.fromkeys(words.tokens) if token not in vocabulary]
            vocabulary.update(zip(new_tokens, count(len(vocabulary)), strict=False))
            parts.append(_numbered(words, vocabulary))
        return cls(Sequences.joined(parts), starts_of(map(len, references)), vocabulary, tokenize)

    def read(self, hypotheses: Sequence[str]) -> Sequences:
        """Return hypotheses in the same numbers; ``UNKNOWN`` for a token of no reference."""
        return _numbered(self.tokenize(hypotheses), self.vocabulary)

    def cut(self, text: str) -> tuple[str, ...]:
        """Return the tokens of one text."""
        words = self.tokenize([text])
        places = words.in_numbers(range(len(words.tokens))).items.tolist()
        return tuple(words.tokens[place] for place in places)

    def of_segment(self, segment: int) -> tuple[tuple[str, ...], ...]:
        """Return the tokens of a segment's references."""
        first, end = self.segment_starts[segment : segment + 2]
        references = []
        for start, stop in pairwise(self.tokens.starts[first : end + 1]):
            references.append(tuple(self._by_number[number] for number in self.tokens.items[start:stop]))
        return tuple(references)

    @cached_property
    def _by_number(self) -> tuple[str, ...]:
        """The tokens of the vocabulary, whose numbers are their places."""
        return tuple(self.vocabulary)

    @cached_property
    def scale(self) -> int:
        """Least common multiple of the segments' numbers of references; mean lengths times this are integers."""
        return math.lcm(*np.diff(self.segment_starts).tolist())

    def mean_lengths(self, segments: IntArray) -> IntArray:
        """Return the mean reference length times ``scale``, so that sums are exact; shape ``(segments,)``."""
        first = self.segment_starts[segments]
        end = self.segment_starts[segments + 1]
        total_lengths = self.tokens.starts[end] - self.tokens.starts[first]
        n_references = end - first
        return np.asarray(total_lengths * (self.scale // n_references))

    def matched_tokens(self, hypotheses: Sequences, indices: IntArray) -> IntArray:
        """Return the number of tokens that each hypothesis shares with one reference, in any order, shape ``(n,)``.

        Parameters
        ----------
        indices
            Of these references among all, shape ``(n,)``.
        """
        one_per_group = np.arange(len(self.tokens.starts))
        return np.asarray(clipped_matches(hypotheses, indices, self.tokens, one_per_group, order=1)[:, 0])

    def closest_lengths(self, segments: IntArray, lengths: IntArray) -> IntArray:
        """Return the length of the reference closest to each hypothesis in length (ties: the shorter).

        Parameters
        ----------
        segments, lengths
            Segment of each hypothesis, and its length; shape ``(hypotheses,)``.
        """
        reference_lengths = self.tokens.lengths
        closest: IntArray = reference_lengths[self.segment_starts[segments]]
        for indices in in_turn(self.segment_starts, segments):
            candidates = reference_lengths[indices]
            gain = np.abs(lengths - closest) - np.abs(lengths - candidates)
            is_closer = (gain > 0) | ((gain == 0) & (candidates < closest))
            closest = np.where(is_closer, candidates, closest)
        return closest


def _numbered(words: Words, vocabulary: Mapping[str, int]) -> Sequences:
    """Return texts as numbers of the vocabulary's tokens; ``UNKNOWN`` for others."""
    return words.in_numbers(list(map(vocabulary.get, words.tokens, repeat(UNKNOWN))))
