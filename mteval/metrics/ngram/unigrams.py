"""Metrics of single words: precision, recall and F of what both sides share, PER, and the length in percent.

Beside them the n-grams of one hypothesis that count as matches: what compiled counting does for thousands.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mteval._version import __version__
from mteval.base.arrays import IntArray
from mteval.metrics.base import Scorer, ScoreRange
from mteval.metrics.explanation import NgramMatches, Tokens
from mteval.metrics.options import TOKENIZE, FMeasure, RatioScorer, Tokenized, TokenMetric, described, percent
from mteval.metrics.text.ngrams import Sequences, TokenizedReferences, clipped_matches, in_turn
from mteval.values.model import TestSet
from mteval.values.notation import Notation


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
    for chosen in in_turn(references.segment_starts, segments):
        others, other_lengths = references.matched_tokens(tokens, chosen), references.tokens.lengths[chosen]
        share = percent(others, other_lengths + added, otherwise=-1.0)
        is_better = (share > best) | ((share == best) & (other_lengths > lengths))
        best = np.where(is_better, share, best)
        matches, lengths = np.where(is_better, others, matches), np.where(is_better, other_lengths, lengths)
    return matches, lengths


class PerScorer(RatioScorer):
    """Words without a partner, and mean reference lengths; both times the references' ``scale``."""

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> IntArray:
        """Errors of n hypotheses and mean lengths of their references, shape ``(n, 2)``."""
        segments = np.asarray(segment_ids, dtype=np.int64)
        tokens = self.references.read(hypotheses)
        errors = np.full(segments.size, np.iinfo(np.int64).max)
        for chosen in in_turn(self.references.segment_starts, segments):
            longer = np.maximum(tokens.lengths, self.references.tokens.lengths[chosen])
            errors = np.minimum(errors, longer - self.references.matched_tokens(tokens, chosen))
        return np.column_stack([errors * self.references.scale, self.references.mean_lengths(segments)])


class LengthScorer(RatioScorer):
    """Token counts beside those of the references of a test set; NaN where the reference is empty."""

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> IntArray:
        """Lengths of n hypotheses and of their closest references, shape ``(n, 2)``."""
        lengths = self.references.read(hypotheses).lengths
        closest = self.references.closest_lengths(np.asarray(segment_ids, dtype=np.int64), lengths)
        return np.column_stack([lengths, closest])


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


@dataclass(frozen=True)
class Per(TokenMetric):
    """Position-independent error rate: words of the longer side that the other lacks, in percent of the reference's.

    Of several references the one with fewest errors counts, and the mean of their lengths, as in WER.
    """

    key: ClassVar[str] = "per"
    name: ClassVar[str] = "PER"
    higher_is_better: ClassVar[bool] = False
    fields: ClassVar[tuple[str, ...]] = ("errors", "ref_len")
    rules: ClassVar[str] = "ref:fewest-errors|len:mean"
    scorer = PerScorer


@dataclass(frozen=True)
class Length(Tokenized):
    """Tokens of the hypothesis in percent of those of the reference that comes closest, of two the shorter.

    On a test set without references they are percent of the source's, as ``nrefs:0`` says in the signature.

    Neither direction is better, 100 is as long as the references. ``higher_is_better`` is true as in MultEval, so that
    differences keep their sign.
    """

    key: ClassVar[str] = "length"
    name: ClassVar[str] = "Length"
    fields: ClassVar[tuple[str, ...]] = ("hyp_len", "ref_len")
    reads: ClassVar[tuple[str, ...]] = ("references", "source")

    def signature(self) -> str:
        """The tokenizer and the choice of the reference, in the form of sacreBLEU's signatures."""
        return f"tok:{self.tokenizer_name}|ref:closest|version:mteval-{__version__}"

    def lacks(self, test_set: TestSet) -> str:
        """That there is neither a reference nor a source to compare with; empty where there is one of them."""
        if test_set.has_references or test_set.source is not None:
            return ""
        return (
            f"Length compares outputs with references, or with sources where there are none, and test set"
            f" '{test_set.name}' has neither. Add one of the two, or leave Length out."
        )

    def prepare(self, test_set: TestSet) -> Scorer:
        """Tokenize the references, or the sources where there are none; raises as ``tokenizer``."""
        texts = test_set.references if test_set.has_references else [(text,) for text in test_set.source or ()]
        return LengthScorer(TokenizedReferences.of(texts, self.tokenizer(lowercase=False)))


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
PER = described(
    Per,
    "Words that a hypothesis and its nearest reference do not share, wherever they stand, in percent of the reference's"
    " words. It sees the choice of words and the length; it misses order, synonyms and meaning.",
    ScoreRange(0, None, "100 is as many errors as the reference has words"),
    "Tillmann, Vogel, Ney, Zubiaga and Sawaf 1997, Eurospeech",
)
LENGTH = described(
    Length,
    "The hypotheses' number of tokens in percent of their references', or of their sources' where there are no"
    " references. It sees whether a system says too much"
    " or too little, and nothing of what it says; neither direction is better.",
    ScoreRange(0, None, "100 is as long as the references"),
    "Clark, Dyer, Lavie and Smith 2011, ACL (MultEval)",
    (TOKENIZE,),
    notation=Notation("", unit="%"),
)
