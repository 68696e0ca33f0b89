"""References as numbered tokens, and hypotheses in the same numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from mteval.metrics.base import IntArray
from mteval.metrics.ngrams import UNKNOWN
from mteval.metrics.sequences import Sequences, starts_of
from mteval.metrics.words import Tokenize, Words


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
        distinct = dict.fromkeys(token for tokens in words.tokens for token in tokens)
        vocabulary = {token: number for number, token in enumerate(distinct)}
        return cls(_numbered(words, vocabulary), starts_of(map(len, references)), vocabulary, tokenize)

    def read(self, hypotheses: Sequence[str]) -> Sequences:
        """Hypotheses in the same numbers; ``UNKNOWN`` for a token that no reference has."""
        return _numbered(self.tokenize(hypotheses), self.vocabulary)

    def cut(self, text: str) -> tuple[str, ...]:
        """The tokens of one text."""
        words = self.tokenize([text])
        return tuple(token for number in words.numbers.items for token in words.tokens[number])

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

    def closest_lengths(self, segments: IntArray, lengths: IntArray) -> IntArray:
        """For each hypothesis the length of that reference of its segment which comes closest, of two the shorter."""
        starts = self.segment_starts[segments]
        counts = self.segment_starts[segments + 1] - starts
        of_references = self.tokens.lengths
        closest: IntArray = of_references[starts]
        for rank in range(1, counts.max(initial=0)):
            other = of_references[starts + np.minimum(rank, counts - 1)]
            gain = np.abs(lengths - closest) - np.abs(lengths - other)
            closest = np.where((gain > 0) | ((gain == 0) & (other < closest)), other, closest)
        return closest


def _numbered(words: Words, vocabulary: Mapping[str, int]) -> Sequences:
    numbers = [vocabulary.get(token, UNKNOWN) for tokens in words.tokens for token in tokens]
    parts = Sequences(np.array(numbers, dtype=np.int32), starts_of(map(len, words.tokens)))
    return words.numbers.expanded(parts)
