"""Which n-grams of one hypothesis count as matches: the plain form of what the compiled counting does for thousands.

Precision, recall and F of single words: what both sides share, clipped, over the length of either or of both.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mteval.base.arrays import IntArray
from mteval.metrics.base import ScoreRange
from mteval.metrics.explanation import NgramMatches, Tokens
from mteval.metrics.means import FMeasure, RatioScorer, percent
from mteval.metrics.options import TokenMetric, described
from mteval.metrics.text.ngrams import Sequences, clipped_matches
from mteval.metrics.text.references import TokenizedReferences


def matched_ngrams(tokens: Tokens, references: Sequence[Tokens], order: int) -> NgramMatches:
    """Matches up to an order; an n-gram counts as often as that reference has it which has it most often."""
    matched = tuple(_matched(tokens, references, n) for n in range(1, order + 1))
    return NgramMatches(tokens, tuple(references), matched)


def _matched(tokens: Tokens, references: Sequence[Tokens], order: int) -> tuple[bool, ...]:
    left = Counter[Tokens]()
    for reference in references:
        left |= Counter(_ngrams(reference, order))
    matched = []
    for ngram in _ngrams(tokens, order):
        matched.append(left[ngram] > 0)
        left[ngram] -= 1
    return tuple(matched)


def _ngrams(tokens: Tokens, order: int) -> list[Tokens]:
    return [tokens[start : start + order] for start in range(len(tokens) - order + 1)]


class PrecisionScorer(RatioScorer):
    """Words matched in any reference, and hypothesis lengths; 0 where a hypothesis is empty."""

    otherwise: ClassVar[float] = 0.0

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> IntArray:
        """Clipped matches and lengths of n hypotheses, shape ``(n, 2)``."""
        segments = np.asarray(segment_ids, dtype=np.int64)
        tokens, references = self.references.read(hypotheses), self.references
        matches = clipped_matches(tokens, segments, references.tokens, references.segment_starts, 1)
        return np.column_stack([matches, tokens.lengths])

    def explain(self, segment_id: int, hypothesis: str) -> NgramMatches:
        """The words of one hypothesis that count; their number is that of ``statistics``."""
        return matched_ngrams(self.references.cut(hypothesis), self.references.of_segment(segment_id), 1)


class RecallScorer(RatioScorer):
    """Words matched in the best reference, and its length; NaN where all references are empty."""

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> IntArray:
        """Matches of n hypotheses and lengths of their references, shape ``(n, 2)``."""
        tokens = self.references.read(hypotheses)
        return np.column_stack(_best_matches(self.references, segment_ids, tokens, np.zeros_like(tokens.lengths)))


class FScorer(FMeasure, RatioScorer):
    """Words matched in the best reference, and both lengths; NaN where both sides are empty."""

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> IntArray:
        """Matches of n hypotheses, their lengths and those of their references, shape ``(n, 3)``."""
        tokens = self.references.read(hypotheses)
        matches, lengths = _best_matches(self.references, segment_ids, tokens, tokens.lengths)
        return np.column_stack([matches, tokens.lengths, lengths])


def _best_matches(
    references: TokenizedReferences, segment_ids: Sequence[int], tokens: Sequences, added: IntArray
) -> tuple[IntArray, IntArray]:
    """Matches with the reference that has most of them for its length plus ``added``, and its length.

    Of references that are equally good the longest is taken, so that their order does not matter.
    """
    segments = np.asarray(segment_ids, dtype=np.int64)
    matches, lengths = np.zeros_like(segments), np.zeros_like(segments)
    best = np.full(segments.shape, -np.inf)
    for chosen in references.in_turn(segments):
        others, other_lengths = references.matched_tokens(tokens, chosen), references.tokens.lengths[chosen]
        share = percent(others, other_lengths + added, otherwise=-1.0)
        is_better = (share > best) | ((share == best) & (other_lengths > lengths))
        best = np.where(is_better, share, best)
        matches, lengths = np.where(is_better, others, matches), np.where(is_better, other_lengths, lengths)
    return matches, lengths


@dataclass(frozen=True)
class UnigramPrecision(TokenMetric):
    """Words of the hypothesis that stand in a reference, in percent of the hypothesis's words.

    A word counts at most as often as that reference has it which has it most often, as in BLEU.
    """

    key: ClassVar[str] = "unigram-p"
    name: ClassVar[str] = "Unigram P"
    fields: ClassVar[tuple[str, ...]] = ("correct", "hyp_len")
    rules: ClassVar[str] = "ref:all"
    scorer = PrecisionScorer


@dataclass(frozen=True)
class UnigramRecall(TokenMetric):
    """Words of a reference that the hypothesis has, in percent of the reference's words.

    Of several references the one with the highest recall counts. All references taken together would reward a
    hypothesis that says everything that any of them says.
    """

    key: ClassVar[str] = "unigram-r"
    name: ClassVar[str] = "Unigram R"
    fields: ClassVar[tuple[str, ...]] = ("correct", "ref_len")
    rules: ClassVar[str] = "ref:best"
    scorer = RecallScorer


@dataclass(frozen=True)
class UnigramF(TokenMetric):
    """Harmonic mean of precision and recall, both against that reference of several which gives the highest.

    So with several references its parts differ from the precision and the recall that are metrics of their own.
    """

    key: ClassVar[str] = "unigram-f"
    name: ClassVar[str] = "Unigram F"
    fields: ClassVar[tuple[str, ...]] = ("correct", "hyp_len", "ref_len")
    submetric_names: ClassVar[tuple[str, ...]] = ("precision", "recall")
    rules: ClassVar[str] = "beta:1|ref:best"
    scorer = FScorer


_RANGE = ScoreRange(0, 100)
_SOURCE = "van Rijsbergen 1979; in translation Melamed, Green and Turian 2003, NAACL"

PRECISION = described(
    UnigramPrecision,
    "The share of the hypotheses' words that stand in a reference. It sees words that are wrong or too many; it misses"
    " what was left out, order, synonyms and meaning.",
    _RANGE,
    "Papineni, Roukos, Ward and Zhu 2002, ACL (the first order of BLEU)",
)
RECALL = described(
    UnigramRecall,
    "The share of the references' words that the hypotheses have. It sees what was left out; it misses words too many,"
    " order, synonyms and meaning.",
    _RANGE,
    _SOURCE,
)
F_MEASURE = described(
    UnigramF,
    "The harmonic mean of precision and recall of single words. It sees the choice of words and the length; it misses"
    " order, synonyms and meaning.",
    _RANGE,
    _SOURCE,
)
