"""Metrics of single words: precision, recall, F, PER and length.

Also finds the matching n-grams of one hypothesis, which compiled code only counts.
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
    """Return matches up to an order; each n-gram is clipped at its highest count in a single reference."""
    is_matched = tuple(_is_matched(tokens, references, n) for n in range(1, order + 1))
    return NgramMatches(tokens, tuple(references), is_matched)


def _is_matched(tokens: Tokens, references: Sequence[Tokens], order: int) -> tuple[bool, ...]:
    """Return for each n-gram of one order whether it counts."""
    # How often each n-gram may still match: at first its highest count in a reference
    n_left = Counter[Tokens]()
    for reference in references:
        n_left |= Counter(_ngrams(reference, order))
    is_matched = []
    for ngram in _ngrams(tokens, order):
        is_matched.append(n_left[ngram] > 0)
        n_left[ngram] -= 1
    return tuple(is_matched)


def _ngrams(tokens: Tokens, order: int) -> list[Tokens]:
    """Return the n-grams of one order, by where they start."""
    return [tokens[start : start + order] for start in range(len(tokens) - order + 1)]


class PrecisionScorer(RatioScorer):
    """Words matched in any reference, and hypothesis lengths; 0 for an empty hypothesis."""

    otherwise: ClassVar[float] = 0.0

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> IntArray:
        """Return clipped matches and lengths of n hypotheses, shape ``(n, 2)``."""
        segments = np.asarray(segment_ids, dtype=np.int64)
        tokens = self.references.read(hypotheses)
        matches = clipped_matches(tokens, segments, self.references.tokens, self.references.segment_starts, order=1)
        return np.column_stack([matches, tokens.lengths])

    def explain(self, segment_id: int, hypothesis: str) -> NgramMatches:
        """Return the words of one hypothesis that count; their number equals that of ``statistics``."""
        return matched_ngrams(self.references.cut(hypothesis), self.references.of_segment(segment_id), 1)


class RecallScorer(RatioScorer):
    """Words matched in the best reference, and its length; NaN if all references are empty."""

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> IntArray:
        """Return matches of n hypotheses and lengths of their references, shape ``(n, 2)``."""
        tokens = self.references.read(hypotheses)
        nothing_added = np.zeros_like(tokens.lengths)
        matches, lengths = _best_matches(self.references, segment_ids, tokens, nothing_added)
        return np.column_stack([matches, lengths])


class FScorer(FMeasure, RatioScorer):
    """Words matched in the best reference, and both lengths; NaN if both sides are empty."""

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> IntArray:
        """Return matches, lengths of n hypotheses and lengths of their references, shape ``(n, 3)``."""
        tokens = self.references.read(hypotheses)
        matches, lengths = _best_matches(self.references, segment_ids, tokens, tokens.lengths)
        return np.column_stack([matches, tokens.lengths, lengths])


def _best_matches(
    references: TokenizedReferences, segment_ids: Sequence[int], tokens: Sequences, added: IntArray
) -> tuple[IntArray, IntArray]:
    """Return matches with the reference that has most of them relative to its length plus ``added``, and its length.

    Ties go to the longest reference, so that the order of references does not matter.
    """
    segments = np.asarray(segment_ids, dtype=np.int64)
    # Of the best reference of each hypothesis so far, shape (n,)
    best_matches = np.zeros_like(segments)
    best_lengths = np.zeros_like(segments)
    best_shares = np.full(segments.shape, -np.inf)
    for indices in in_turn(references.segment_starts, segments):
        matches = references.matched_tokens(tokens, indices)
        lengths = references.tokens.lengths[indices]
        shares = percent(matches, lengths + added, otherwise=-1.0)
        is_better = (shares > best_shares) | ((shares == best_shares) & (lengths > best_lengths))
        best_shares = np.where(is_better, shares, best_shares)
        best_matches = np.where(is_better, matches, best_matches)
        best_lengths = np.where(is_better, lengths, best_lengths)
    return best_matches, best_lengths


class PerScorer(RatioScorer):
    """Words without a partner, and mean reference lengths; both times the references' ``scale``."""

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> IntArray:
        """Return errors of n hypotheses and mean lengths of their references, shape ``(n, 2)``."""
        segments = np.asarray(segment_ids, dtype=np.int64)
        tokens = self.references.read(hypotheses)
        errors = np.full(segments.size, np.iinfo(np.int64).max)
        for indices in in_turn(self.references.segment_starts, segments):
            longer = np.maximum(tokens.lengths, self.references.tokens.lengths[indices])
            errors = np.minimum(errors, longer - self.references.matched_tokens(tokens, indices))
        return np.column_stack([errors * self.references.scale, self.references.mean_lengths(segments)])


class LengthScorer(RatioScorer):
    """Token counts of hypotheses and references; NaN if the reference is empty."""

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> IntArray:
        """Return lengths of n hypotheses and of their closest references, shape ``(n, 2)``."""
        lengths = self.references.read(hypotheses).lengths
        closest = self.references.closest_lengths(np.asarray(segment_ids, dtype=np.int64), lengths)
        return np.column_stack([lengths, closest])


class UnigramPrecision(TokenMetric):
    """Words of the hypothesis that occur in a reference, in percent of the hypothesis's words.

    Counts are clipped at a word's highest count in a single reference, as in BLEU.
    """

    key = "unigram-p"
    name = "Unigram P"
    fields = ("correct", "hyp_len")
    rules = "ref:all"
    scorer = PrecisionScorer


class UnigramRecall(TokenMetric):
    """Words of a reference that occur in the hypothesis, in percent of the reference's words.

    Of several references, the one with the highest recall counts. Merging them would reward a hypothesis that says
    everything any of them says.
    """

    key = "unigram-r"
    name = "Unigram R"
    fields = ("correct", "ref_len")
    rules = "ref:best"
    scorer = RecallScorer


class UnigramF(TokenMetric):
    """Harmonic mean of precision and recall, both against the reference that gives the highest F.

    With several references, its components differ from the separate precision and recall metrics.
    """

    key = "unigram-f"
    name = "Unigram F"
    fields = ("correct", "hyp_len", "ref_len")
    rules = "beta:1|ref:best"
    submetric_names = ("precision", "recall")
    scorer = FScorer


class Per(TokenMetric):
    """Position-independent error rate: words of the longer side that the other lacks, in percent of the reference's.

    Of several references, the one with fewest errors counts; the denominator is their mean length, as in WER.
    """

    key = "per"
    name = "PER"
    higher_is_better = False
    fields = ("errors", "ref_len")
    rules = "ref:fewest-errors|len:mean"
    scorer = PerScorer


@dataclass(frozen=True)
class Length(Tokenized):
    """Tokens of the hypothesis in percent of those of the reference closest in length (ties: the shorter).

    Without references, the denominator is the source's tokens, and the signature says ``nrefs:0``. Neither direction is
    better; 100 is as long as the references. ``higher_is_better`` is true as in MultEval, so differences keep their
    sign.
    """

    key: ClassVar[str] = "length"
    name: ClassVar[str] = "Length"
    fields: ClassVar[tuple[str, ...]] = ("hyp_len", "ref_len")
    reads: ClassVar[tuple[str, ...]] = ("references", "source")

    def signature(self) -> str:
        """Return the tokenizer and the choice of reference, in sacreBLEU's format."""
        return f"tok:{self.tokenizer_name}|ref:closest|version:mteval-{__version__}"

    def lacks(self, test_set: TestSet) -> str:
        """Return that both references and sources are missing; empty if the test set has either."""
        if test_set.has_references or test_set.source is not None:
            return ""
        remedy = "Add either or remove Length."
        return f"Length needs references or sources, and test set '{test_set.name}' has neither. {remedy}"

    def prepare(self, test_set: TestSet) -> Scorer:
        """Tokenize the references, or the sources if there are none. Raises as ``tokenizer``."""
        references: Sequence[Sequence[str]] = test_set.references
        if not test_set.has_references:
            references = [(text,) for text in test_set.source or ()]
        return LengthScorer(TokenizedReferences.of(references, self.tokenizer(lowercase=False)))


_RANGE = ScoreRange(0, 100)
_SOURCE = "van Rijsbergen 1979; in translation Melamed, Green and Turian 2003, NAACL"

PRECISION = described(
    UnigramPrecision,
    "Share of the output's words that occur in a reference. It sees wrong and extra words, but no omissions, order,"
    " synonyms or meaning.",
    _RANGE,
    "Papineni, Roukos, Ward and Zhu 2002, ACL (the first order of BLEU)",
)
RECALL = described(
    UnigramRecall,
    "Share of a reference's words that occur in the output. It sees omissions, but no extra words, order, synonyms or"
    " meaning.",
    _RANGE,
    _SOURCE,
)
F_MEASURE = described(
    UnigramF,
    "Harmonic mean of single-word precision and recall. It sees word choice and length, but no order, synonyms or"
    " meaning.",
    _RANGE,
    _SOURCE,
)
PER = described(
    Per,
    "Words that an output and its nearest reference do not share, in any order, as a percentage of the reference's"
    " words. It sees word choice and length, but no order, synonyms or meaning.",
    ScoreRange(0, None, "100: as many errors as the reference has words"),
    "Tillmann, Vogel, Ney, Zubiaga and Sawaf 1997, Eurospeech",
)
LENGTH = described(
    Length,
    "Tokens in the output as a percentage of those in the reference, or in the source if there is no reference. It"
    " sees outputs that are too long or too short, but not what they say; neither direction is better.",
    ScoreRange(0, None, "100: as long as the reference"),
    "Clark, Dyer, Lavie and Smith 2011, ACL (MultEval)",
    (TOKENIZE,),
    notation=Notation("", unit="%"),
)
