"""What a metric sees in one segment that is opened: values to be shown, whose counts are those of the statistics."""

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
    """The n-grams of a hypothesis that its references have, each at most as often as one reference has it.

    Parameters
    ----------
    tokens, references
        Both sides as they are compared.
    is_matched
        For each order from 1 on, whether the n-gram at each start position counts; the earlier of equal ones do.
    """

    tokens: Tokens
    references: tuple[Tokens, ...]
    is_matched: tuple[tuple[bool, ...], ...]

    @property
    def counts(self) -> tuple[int, ...]:
        """Number of matches of each order."""
        return tuple(sum(matched) for matched in self.is_matched)

    def matched(self, order: int) -> Counter[Tokens]:
        """The matched n-grams of an order with how often they count."""
        starts = (start for start, counts in enumerate(self.is_matched[order - 1]) if counts)
        return Counter(self.tokens[start : start + order] for start in starts)

    def longest_at(self) -> tuple[int, ...]:
        """For each token the order of the longest matched n-gram that it is part of; 0 where it is in none."""
        longest = [0] * len(self.tokens)
        for order, matched in enumerate(self.is_matched, start=1):
            for start, counts in enumerate(matched):
                if counts:
                    longest[start : start + order] = [order] * order
        return tuple(longest)

    def beyond(self, other: "NgramMatches") -> tuple[tuple[Tokens, int], ...]:
        """N-grams that are matched here more often than in the other hypothesis, and how much; longest first."""
        orders = range(len(self.is_matched), 0, -1)
        return tuple(ngram for order in orders for ngram in (self.matched(order) - other.matched(order)).items())


@dataclass(frozen=True)
class Step:
    """One step from hypothesis to reference, after all shifts.

    Parameters
    ----------
    hypothesis, reference
        Positions of the words concerned, the hypothesis's in its original order; None where there is none (a deletion
        has no hypothesis word, an insertion no reference word).
    """

    kind: EditKind
    hypothesis: int | None
    reference: int | None


@dataclass(frozen=True)
class EditPath:
    """The edits between a hypothesis and the reference that needs fewest.

    Parameters
    ----------
    words, reference
        Both sides as they are compared.
    shifts
        For each shift, in the order they were taken, the original positions of the words that it moved.
    steps
        Matches and edits in the order of the reference.
    """

    words: Tokens
    reference: Tokens
    shifts: tuple[tuple[int, ...], ...]
    steps: tuple[Step, ...]

    @property
    def counts(self) -> dict[EditKind, int]:
        """Number of matches, of the edits of each type and of shifts; all but the matches add up to the edits."""
        counted = Counter(step.kind for step in self.steps)
        counted["shift"] = len(self.shifts)
        return {kind: counted[kind] for kind in EDIT_KINDS}

    @property
    def edits(self) -> int:
        """All edits, as the metric counts them."""
        return sum(count for kind, count in self.counts.items() if kind != "match")


@runtime_checkable
class CountsEdits(Protocol):
    """A scorer that tells the edits of many hypotheses by kind, without their paths."""

    @property
    def edit_kinds(self) -> tuple[EditKind, ...]:
        """What is counted."""

    def edit_counts(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> IntArray:
        """Edits of n hypotheses to their nearest references, shape ``(n, kinds)``; they add up to the edits."""


class Match(NamedTuple):
    """Words of the reference and words of the hypothesis that a metric takes for the same, and what found them so."""

    reference_start: int
    reference_length: int
    hypothesis_start: int
    hypothesis_length: int
    module: str


@dataclass(frozen=True)
class Alignment:
    """How a hypothesis is aligned with the reference that gives the best score.

    Parameters
    ----------
    reference
        Index of that reference among those of the segment.
    reference_words, hypothesis_words
        The normalised words that the matches count.
    matches
        In the order of the reference; no two share a word.
    """

    reference: int
    reference_words: Tokens
    hypothesis_words: Tokens
    matches: tuple[Match, ...]

    @property
    def unmatched_reference(self) -> Counter[str]:
        """Words of the reference that no match covers, with how often."""
        return _uncovered(self.reference_words, [match[:2] for match in self.matches])

    @property
    def unmatched_hypothesis(self) -> Counter[str]:
        """Words of the hypothesis that no match covers, with how often."""
        return _uncovered(self.hypothesis_words, [match[2:4] for match in self.matches])


def _uncovered(words: Tokens, spans: Iterable[tuple[int, int]]) -> Counter[str]:
    covered = {position for start, length in spans for position in range(start, start + length)}
    return Counter(word for position, word in enumerate(words) if position not in covered)


Explanation = NgramMatches | EditPath | Alignment


@runtime_checkable
class Explains(Protocol):
    """A scorer that can show what it sees in a segment; not every metric has something to show."""

    def explain(self, segment_id: int, hypothesis: str) -> Explanation:
        """What counts in one hypothesis of segment ``segment_id`` (zero-based)."""


@runtime_checkable
class Aligns(Protocol):
    """A scorer that aligns words, so that it can say which words find no match."""

    def alignments(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> tuple[Alignment, ...]:
        """The alignments of n hypotheses, the i-th one being of segment ``segment_ids[i]`` (zero-based)."""
