"""What a metric finds in one segment, to be displayed; its counts equal the statistics."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from mteval.base.arrays import IntArray

Tokens = tuple[str, ...]
EditKind = Literal["match", "substitution", "insertion", "deletion", "shift"]
EDIT_KINDS: tuple[EditKind, ...] = ("match", "substitution", "insertion", "deletion", "shift")


@dataclass(frozen=True)
class NgramMatches:
    """N-grams of a hypothesis that match its references, each clipped at its count in one reference.

    Parameters
    ----------
    tokens, references
        Both sides as compared.
    is_matched
        For each order from 1, whether the n-gram at each start position counts; of equal n-grams the earlier ones do.
    """

    tokens: Tokens
    references: tuple[Tokens, ...]
    is_matched: tuple[tuple[bool, ...], ...]

    @property
    def counts(self) -> tuple[int, ...]:
        """Number of matches of each order."""
        return tuple(sum(matched) for matched in self.is_matched)

    def matched(self, order: int) -> Counter[Tokens]:
        """Return the matched n-grams of an order with their counts."""
        starts = [start for start, is_matched in enumerate(self.is_matched[order - 1]) if is_matched]
        return Counter(self.tokens[start : start + order] for start in starts)

    def longest_at(self) -> tuple[int, ...]:
        """Return for each token the order of the longest matched n-gram that contains it, or 0."""
        longest = [0] * len(self.tokens)
        for order, is_matched_at in enumerate(self.is_matched, start=1):
            for start, is_matched in enumerate(is_matched_at):
                if is_matched:
                    longest[start : start + order] = [order] * order
        return tuple(longest)

    def beyond(self, other: "NgramMatches") -> tuple[tuple[Tokens, int], ...]:
        """Return n-grams that match more often here than in another hypothesis, and by how much, longest first."""
        ngrams: list[tuple[Tokens, int]] = []
        for order in range(len(self.is_matched), 0, -1):
            more_often = self.matched(order) - other.matched(order)
            ngrams += more_often.items()
        return tuple(ngrams)


@dataclass(frozen=True)
class Step:
    """One step from hypothesis to reference, after all shifts.

    Parameters
    ----------
    hypothesis, reference
        Positions of the words, the hypothesis's in its original order. None for the hypothesis of a deletion and the
        reference of an insertion.
    """

    kind: EditKind
    hypothesis: int | None
    reference: int | None


@dataclass(frozen=True)
class EditPath:
    """The edits between a hypothesis and its nearest reference.

    Parameters
    ----------
    words, reference
        Both sides as compared.
    shifts
        For each shift in order, the original positions of the words that it moved.
    steps
        Matches and edits in the order of the reference.
    """

    words: Tokens
    reference: Tokens
    shifts: tuple[tuple[int, ...], ...]
    steps: tuple[Step, ...]

    @property
    def counts(self) -> dict[EditKind, int]:
        """Number of matches, edits of each type, and shifts; all but the matches sum to the edits."""
        n_of_kind = Counter(step.kind for step in self.steps)
        n_of_kind["shift"] = len(self.shifts)
        return {kind: n_of_kind[kind] for kind in EDIT_KINDS}

    @property
    def edits(self) -> int:
        """Number of edits as the metric counts them."""
        return sum(count for kind, count in self.counts.items() if kind != "match")


@runtime_checkable
class CountsEdits(Protocol):
    """A scorer that counts edits of many hypotheses by kind, without their paths."""

    @property
    def edit_kinds(self) -> tuple[EditKind, ...]:
        """Kinds of edits that are counted."""

    def edit_counts(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> IntArray:
        """Return edits of n hypotheses to their nearest references, shape ``(n, kinds)``; rows sum to the edits."""


class Match(NamedTuple):
    """Reference words and hypothesis words that a metric matches, and the module that matched them."""

    reference_start: int
    reference_length: int
    hypothesis_start: int
    hypothesis_length: int
    module: str


@dataclass(frozen=True)
class Alignment:
    """Alignment of a hypothesis with the reference that gives the best score.

    Parameters
    ----------
    reference
        Index of that reference within the segment.
    reference_words, hypothesis_words
        Normalized words that matches index.
    matches
        In the order of the reference; no two share a word.
    """

    reference: int
    reference_words: Tokens
    hypothesis_words: Tokens
    matches: tuple[Match, ...]

    @property
    def unmatched_reference(self) -> Counter[str]:
        """Reference words that no match covers, with their counts."""
        return _uncovered(self.reference_words, [match[:2] for match in self.matches])

    @property
    def unmatched_hypothesis(self) -> Counter[str]:
        """Hypothesis words that no match covers, with their counts."""
        return _uncovered(self.hypothesis_words, [match[2:4] for match in self.matches])


def _uncovered(words: Tokens, spans: Iterable[tuple[int, int]]) -> Counter[str]:
    """Return the words outside spans, each given by start and length, with their counts."""
    covered: set[int] = set()
    for start, length in spans:
        covered.update(range(start, start + length))
    return Counter(word for position, word in enumerate(words) if position not in covered)


Explanation = NgramMatches | EditPath | Alignment


@runtime_checkable
class Explains(Protocol):
    """A scorer that can show what it finds in a segment."""

    def explain(self, segment_id: int, hypothesis: str) -> Explanation:
        """Return what counts in one hypothesis of segment ``segment_id`` (zero-based)."""


@runtime_checkable
class Aligns(Protocol):
    """A scorer that aligns words, so unmatched words can be listed."""

    def alignments(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> tuple[Alignment, ...]:
        """Return alignments of n hypotheses; the i-th belongs to segment ``segment_ids[i]`` (zero-based)."""
