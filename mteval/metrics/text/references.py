"""References as numbered tokens, and hypotheses in the same numbers."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, repeat

import numpy as np

from mteval.base.arrays import IntArray
from mteval.metrics.text.ngrams import Sequences, Tokenize, Words, clipped_matches, starts_of
from mteval.metrics.text.text_kernels import UNKNOWN


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

    def in_turn(self, segments: IntArray) -> Iterator[IntArray]:
        """The first reference of each segment, then the second, and so on; the last one again where there are fewer."""
        first, last = self.segment_starts[segments], self.segment_starts[segments + 1] - 1
        for rank in range((last - first).max(initial=0) + 1):
            yield np.minimum(first + rank, last)

    def matched_tokens(self, hypotheses: Sequences, chosen: IntArray) -> IntArray:
        """Tokens that each hypothesis shares with the reference chosen for it, wherever they stand, shape ``(n,)``."""
        each = np.arange(len(self.tokens.starts))
        matches: IntArray = clipped_matches(hypotheses, chosen, self.tokens, each, 1)[:, 0]
        return matches

    def closest_lengths(self, segments: IntArray, lengths: IntArray) -> IntArray:
        """For each hypothesis the length of that reference of its segment which comes closest, of two the shorter."""
        of_references = self.tokens.lengths
        closest: IntArray = of_references[self.segment_starts[segments]]
        for chosen in self.in_turn(segments):
            other = of_references[chosen]
            gain = np.abs(lengths - closest) - np.abs(lengths - other)
            closest = np.where((gain > 0) | ((gain == 0) & (other < closest)), other, closest)
        return closest


def _numbered(words: Words, vocabulary: Mapping[str, int]) -> Sequences:
    return words.in_numbers(list(map(vocabulary.get, words.tokens, repeat(UNKNOWN))))
