"""Texts as flat arrays of numbers: code points, words and tokens, one sequence a text; n-grams that two texts share.

Each distinct white-space word of many texts has a number, so that it is looked at once only. Equal numbers mean equal
words. Hypotheses are read in the numbers of the references' tokens.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise, repeat
from typing import NamedTuple

import numpy as np

from mteval.base.arrays import BoolArray, Int32Array, IntArray
from mteval.metrics.text.text_kernels import UNKNOWN, count_matches, expanded, number_words, without

# What MultEval splits at: Guava's BREAKING_WHITESPACE, which leaves out the no-break spaces U+00A0, U+2007 and U+202F.
_BREAKING = "\t\n\v\f\r \x85\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u2028\u2029\u205f\u3000"
_LAST_SPACE = 0x3000
_MANY = 1_000_000


@dataclass(frozen=True)
class Sequences:
    """n sequences of numbers, one after the other.

    Parameters
    ----------
    items
        All numbers, int32.
    starts
        Where each sequence begins in ``items``, and the end of the last, shape ``(n + 1,)``.
    """

    items: Int32Array
    starts: IntArray

    @property
    def lengths(self) -> IntArray:
        """Number of items of each sequence, shape ``(n,)``."""
        return np.diff(self.starts)

    @classmethod
    def of_code_points(cls, texts: Sequence[str]) -> "Sequences":
        """The code points of each text."""
        joined = "".join(texts)
        items = np.array([joined]).view(np.int32)  # NumPy keeps a text as its code points
        return cls(items[: len(joined)], starts_of(map(len, texts)))

    def without(self, unwanted: BoolArray) -> "Sequences":
        """Leave out the items ``i`` with ``unwanted[i]``; those beyond the end of ``unwanted`` stay."""
        return Sequences(*without(self.items, self.starts, unwanted))

    def expanded(self, parts: "Sequences") -> "Sequences":
        """Put sequence ``i`` of ``parts`` in the place of each item ``i``."""
        return Sequences(*expanded(self.items, self.starts, parts.items, parts.starts))


def starts_of(lengths: Iterable[int]) -> IntArray:
    """Running total of lengths, zero first."""
    return np.cumsum(np.fromiter((0, *lengths), dtype=np.int64), dtype=np.int64)


@cache
def python_spaces() -> BoolArray:
    """For each code point up to the last space, whether ``str.split`` splits at it."""
    return np.array([chr(code).isspace() for code in range(_LAST_SPACE + 1)])


@cache
def breaking_spaces() -> BoolArray:
    """For each code point up to the last space, whether MultEval splits at it."""
    return np.array([chr(code) in _BREAKING for code in range(_LAST_SPACE + 1)])


@cache
def java_spaces() -> BoolArray:
    """For each code point up to the space, whether tercom splits at it: where Java's patterns have ``\\s``."""
    return np.array([chr(code) in " \t\n\v\f\r" for code in range(0x21)])


@dataclass(frozen=True)
class Words:
    """The words of n texts.

    Parameters
    ----------
    numbers
        For each text the numbers of its words, in order.
    tokens
        The tokens of word 0, then those of word 1, and so on.
    token_starts
        Where the tokens of each word begin in ``tokens``, and the end of the last.
    """

    numbers: Sequences
    tokens: Sequence[str]
    token_starts: IntArray

    def in_numbers(self, of_tokens: Sequence[int]) -> Sequences:
        """The texts as numbers of tokens, given that of each of ``tokens``."""
        return self.numbers.expanded(Sequences(np.array(of_tokens, dtype=np.int32), self.token_starts))


Tokenize = Callable[[Sequence[str]], Words]


def by_word(
    texts: Sequence[str], split: Callable[[str], Sequence[str]], is_token: Callable[[str], bool] = lambda word: False
) -> Words:
    """Split texts at white space and each distinct word into its tokens; a word that is one already is not touched."""
    numbers, distinct = _distinct_words(texts, python_spaces())
    tokens: list[str] = []
    lengths = [1] * len(distinct)
    done = 0
    for place in [place for place, whole in enumerate(map(is_token, distinct)) if not whole]:
        parts = split(distinct[place])
        tokens += distinct[done:place]
        tokens += parts
        lengths[place] = len(parts)
        done = place + 1
    tokens += distinct[done:]
    return Words(numbers, tokens, starts_of(lengths))


def by_text(texts: Sequence[str], cut: Callable[[str], str], spaces: BoolArray) -> Words:
    """Cut each text and split it at the code points marked in ``spaces``: each word is a token."""
    numbers, distinct = _distinct_words(tuple(map(cut, texts)), spaces)
    return Words(numbers, distinct, np.arange(len(distinct) + 1))


def _distinct_words(texts: Sequence[str], spaces: BoolArray) -> tuple[Sequences, list[str]]:
    """The numbers of the words of each text, and the words by number."""
    codes = Sequences.of_code_points(texts)
    numbers, starts, spans = number_words(codes.items, codes.starts, spaces)
    joined = "".join(texts)
    bounds = zip(spans[:, 0].tolist(), spans[:, 1].tolist(), strict=True)
    return Sequences(numbers, starts), [joined[first:end] for first, end in bounds]


class Level(NamedTuple):
    """The new nodes of a trie: the item that leads to each, its parent, how many sequences pass it."""

    items: IntArray
    parents: IntArray
    counts: IntArray


def trie_levels(
    items: Int32Array, starts: IntArray, lengths: IntArray | Int32Array, nodes: IntArray, total: int
) -> Iterator[Level]:
    """Enter sequences into a trie whose first items have their nodes already, level by level.

    Nodes are numbered by level, and within a level by parent and item: the children of a node are neighbours.

    Parameters
    ----------
    items, starts, lengths
        All items, and where each sequence begins and how long it is.
    nodes
        That of each sequence's first item; becomes that of the whole sequence.
    total
        Number of nodes.
    """
    level = 1
    while (longer := np.flatnonzero(lengths > level)).size:
        keys = (nodes[longer] << 32) | items[starts[longer] + level]
        distinct, numbers = _sorted_and_numbered(keys)
        nodes[longer] = total + numbers
        yield Level(distinct & 0xFFFFFFFF, distinct >> 32, np.bincount(numbers))
        total, level = total + distinct.size, level + 1


def _sorted_and_numbered(keys: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct keys, and the place of each key among them."""
    if keys.size < _MANY:
        return np.unique(keys, return_inverse=True)
    from pandas import factorize  # here, since only for many keys its hash table is worth its import

    numbers, distinct = factorize(keys, sort=True)
    return distinct, numbers


def ngram_counts(lengths: IntArray, order: int) -> IntArray:
    """Number of n-grams, for n from 1 to ``order``, of sequences with these lengths: shape ``(..., order)``."""
    counts: IntArray = np.maximum(lengths[..., None] - np.arange(order), 0)
    return counts


def clipped_matches(
    hypotheses: Sequences, groups: IntArray, references: Sequences, group_starts: IntArray, order: int
) -> IntArray:
    """N-grams of each hypothesis that stand in its group of references, each counted at most as often as there.

    Parameters
    ----------
    hypotheses
        n sequences; ``UNKNOWN`` matches nothing.
    groups
        The group of each hypothesis, shape ``(n,)``. Equal groups are best given side by side.
    references
        Sequences of the groups; no ``UNKNOWN`` among them.
    group_starts
        Where each group begins in ``references``, and the end of the last. Of several references in a group the one
        with most occurrences of an n-gram sets its limit.
    order
        Longest n-grams counted.

    Returns
    -------
    IntArray
        Shape ``(n, order)``; column ``n - 1`` for n-grams.
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
    """The first member of each group, then the second, and so on; the last one again where there are fewer."""
    first, last = group_starts[groups], group_starts[groups + 1] - 1
    for rank in range((last - first).max(initial=0) + 1):
        yield np.minimum(first + rank, last)


@dataclass(frozen=True)
class TokenizedReferences:
    """All references of a test set, each distinct token numbered.

    Parameters
    ----------
    tokens
        The first segment's references, then the second's, and so on.
    segment_starts
        Where each segment begins in ``tokens``, and the end of the last.
    vocabulary
        The numbers.
    tokenize
        How texts become tokens.
    """

    tokens: Sequences
    segment_starts: IntArray
    vocabulary: Mapping[str, int]
    tokenize: Tokenize

    @classmethod
    def of(cls, references: Sequence[Sequence[str]], tokenize: Tokenize) -> "TokenizedReferences":
        """References given for each segment."""
        words = tokenize([text for of_segment in references for text in of_segment])
        distinct = dict.fromkeys(words.tokens)
        vocabulary = dict(zip(distinct, range(len(distinct)), strict=True))
        return cls(_numbered(words, vocabulary), starts_of(map(len, references)), vocabulary, tokenize)

    def read(self, hypotheses: Sequence[str]) -> Sequences:
        """Hypotheses in the same numbers; ``UNKNOWN`` for a token that no reference has."""
        return _numbered(self.tokenize(hypotheses), self.vocabulary)

    def cut(self, text: str) -> tuple[str, ...]:
        """The tokens of one text."""
        words = self.tokenize([text])
        places = words.in_numbers(range(len(words.tokens))).items.tolist()
        return tuple(words.tokens[place] for place in places)

    def of_segment(self, segment: int) -> tuple[tuple[str, ...], ...]:
        """The tokens of a segment's references."""
        first, end = self.segment_starts[segment : segment + 2]
        bounds = self.tokens.starts[first : end + 1].tolist()
        return tuple(
            tuple(self._by_number[number] for number in self.tokens.items[start:stop].tolist())
            for start, stop in pairwise(bounds)
        )

    @cached_property
    def _by_number(self) -> tuple[str, ...]:
        return tuple(self.vocabulary)

    @cached_property
    def scale(self) -> int:
        """The least common multiple of the segments' numbers of references: mean lengths times this are integers."""
        return math.lcm(*np.diff(self.segment_starts).tolist())

    def mean_lengths(self, segments: IntArray) -> IntArray:
        """Mean length of the references of each segment, times ``scale``, so that sums are exact."""
        first, end = self.segment_starts[segments], self.segment_starts[segments + 1]
        lengths: IntArray = (self.tokens.starts[end] - self.tokens.starts[first]) * (self.scale // (end - first))
        return lengths

    def matched_tokens(self, hypotheses: Sequences, chosen: IntArray) -> IntArray:
        """Tokens that each hypothesis shares with the reference chosen for it, wherever they stand, shape ``(n,)``."""
        each = np.arange(len(self.tokens.starts))
        matches: IntArray = clipped_matches(hypotheses, chosen, self.tokens, each, 1)[:, 0]
        return matches

    def closest_lengths(self, segments: IntArray, lengths: IntArray) -> IntArray:
        """For each hypothesis the length of that reference of its segment which comes closest, of two the shorter."""
        of_references = self.tokens.lengths
        closest: IntArray = of_references[self.segment_starts[segments]]
        for chosen in in_turn(self.segment_starts, segments):
            other = of_references[chosen]
            gain = np.abs(lengths - closest) - np.abs(lengths - other)
            closest = np.where((gain > 0) | ((gain == 0) & (other < closest)), other, closest)
        return closest


def _numbered(words: Words, vocabulary: Mapping[str, int]) -> Sequences:
    return words.in_numbers(list(map(vocabulary.get, words.tokens, repeat(UNKNOWN))))
