"""chrF (Popović 2015) and chrF++ (Popović 2017) as sacreBLEU computes them: F-score of character and word n-grams."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from string import punctuation
from typing import Any

import numpy as np
import sacrebleu

from mteval.base.arrays import FloatArray, IntArray, StatArray
from mteval.base.errors import SettingsError
from mteval.metrics.base import Option, Scorer, ScoreRange, Usual
from mteval.metrics.options import LOWERCASE, OneFormula, described, ratio, sacrebleu_signature
from mteval.metrics.text import ngrams
from mteval.values.model import TestSet

_EPSILON = 1e-16  # smoothing constant of chrF++.py, NLTK and Moses
_OPTIONS = (
    Option("char_order", "integer", "Character order", "Longest character n-grams.", minimum=0),
    Option("word_order", "integer", "Word order", "Longest word n-grams: 0 for chrF, 2 for chrF++.", minimum=0),
    Option("beta", "number", "Beta", "Weight of recall relative to precision.", minimum=0),
    LOWERCASE,
    Option("whitespace", "flag", "White space", "Count white space as characters."),
    Option("eps_smoothing", "flag", "Epsilon smoothing", "Average over all orders, as chrF++.py, NLTK and Moses do."),
)


@dataclass(frozen=True)
class Chrf(Usual):
    """chrF(++) with sacreBLEU's statistics, scores, signature and options.

    ``chrf`` and ``chrf++`` are one metric with different defaults, so ``key`` is an option too.
    """

    key: str = "chrf"
    char_order: int = 6
    word_order: int = 0
    beta: float = 2
    lowercase: bool = False
    whitespace: bool = False
    eps_smoothing: bool = False

    @property
    def name(self) -> str:
        """``chrF``, with a plus for each word order."""
        return "chrF" + "+" * self.word_order

    @property
    def fields(self) -> tuple[str, ...]:
        """For each order, n-grams of the hypothesis, of the reference, and matches; characters first."""
        orders = [f"char{n}" for n in range(1, self.char_order + 1)]
        orders += [f"word{n}" for n in range(1, self.word_order + 1)]
        fields: list[str] = []
        for order in orders:
            fields += [f"{order}_hyp", f"{order}_ref", f"{order}_match"]
        return tuple(fields)

    def signature(self) -> str:
        """Return sacreBLEU's signature without the number of references, plus beta unless it is 2."""
        options = asdict(self)
        del options["key"], options["beta"]
        signature = sacrebleu_signature(sacrebleu.CHRF(**options))
        if self.beta != 2:
            signature = f"beta:{self.beta}|{signature}"
        return signature

    def prepare(self, test_set: TestSet) -> Scorer:
        """Read the references as characters and, for chrF++, as words."""
        references = []
        for texts in test_set.references:
            references.append([self.cased(text) for text in texts])
        characters = self.characters(list(chain.from_iterable(references)))
        words = None
        if self.word_order:
            tokenize = partial(ngrams.by_word, split=partial(map, split_off_punctuation))
            words = ngrams.TokenizedReferences.of(references, tokenize)
        return ChrfScorer(self, ngrams.starts_of(map(len, references)), characters, words)

    def cased(self, text: str) -> str:
        """Return the text in the case that is compared."""
        if self.lowercase:
            return text.lower()
        return text

    def characters(self, texts: Sequence[str]) -> ngrams.Sequences:
        """Return the characters that are compared."""
        codes = ngrams.Sequences.of_code_points(texts)
        if self.whitespace:
            return codes
        return codes.without(ngrams.python_spaces())

    def f_score(self, statistics: StatArray) -> FloatArray:
        """Return F in percent, shape ``(..., d)`` to ``(...)``, summed in sacreBLEU's order so that ties stay ties."""
        # Shape (..., orders) each
        hypothesis = statistics[..., 0::3].astype(float)
        reference = statistics[..., 1::3].astype(float)
        matches = statistics[..., 2::3].astype(float)
        has_both = (hypothesis > 0) & (reference > 0)
        precision = ratio(matches, hypothesis, _EPSILON)
        recall = ratio(matches, reference, _EPSILON)
        if self.eps_smoothing:  # the mean of F over all orders
            total = _sum_in_order(self._f(precision, recall, otherwise=_EPSILON))
            return 100 * total / (self.char_order + self.word_order)
        # F of mean precision and mean recall over the orders that both sides have
        n_orders = np.maximum(has_both.sum(axis=-1), 1)
        mean_precision = _sum_in_order(np.where(has_both, precision, 0.0)) / n_orders
        mean_recall = _sum_in_order(np.where(has_both, recall, 0.0)) / n_orders
        return 100 * self._f(mean_precision, mean_recall, otherwise=0.0)

    def _f(self, precision: FloatArray, recall: FloatArray, otherwise: float) -> FloatArray:
        """Return F-beta of precision and recall."""
        factor = self.beta**2
        return ratio((1 + factor) * precision * recall, factor * precision + recall, otherwise)


@dataclass(frozen=True)
class ChrfScorer(OneFormula):
    """Clipped matches of characters and words against a test set's references.

    Parameters
    ----------
    segment_starts
        Where each segment's references start, and the end of the last.
    characters, words
        The references; no words for plain chrF.
    """

    metric: Chrf
    segment_starts: IntArray
    characters: ngrams.Sequences
    words: ngrams.TokenizedReferences | None

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> IntArray:
        """Return counts of n hypotheses against the reference that gives the best F, shape ``(n, d)``."""
        segments = np.asarray(segment_ids, dtype=np.int64)
        texts = [self.metric.cased(text) for text in hypotheses]
        readings = [(self.metric.characters(texts), self.characters, self.metric.char_order)]
        if self.words is not None:
            readings.append((self.words.read(texts), self.words.tokens, self.metric.word_order))
        # The first reference of each segment, then the second of each, and so on
        first, *further_indices = ngrams.in_turn(self.segment_starts, segments)
        best = _counts(readings, first)
        for indices in further_indices:
            counts = _counts(readings, indices)
            is_better = self.metric.f_score(counts) > self.metric.f_score(best)
            best[is_better] = counts[is_better]
        return best

    def score(self, statistics: StatArray) -> FloatArray:
        """Return corpus chrF in percent, shape ``(..., d)`` to ``(...)``; 0 if nothing matches."""
        return self.metric.f_score(statistics)


def split_off_punctuation(word: str) -> Sequence[str]:
    """Split one ASCII punctuation mark off the end of a word, else off its beginning, as Popović's chrF++.py does."""
    if len(word) > 1:
        if word[-1] in punctuation:
            return word[:-1], word[-1]
        if word[0] in punctuation:
            return word[0], word[1:]
    return (word,)


def _counts(readings: Sequence[tuple[ngrams.Sequences, ngrams.Sequences, int]], indices: IntArray) -> IntArray:
    """Return n-grams of each hypothesis, of one reference for it, and matches, shape ``(n, d)``.

    Parameters
    ----------
    readings
        Each has the hypotheses, all references, and the longest n-grams to count.
    indices
        Of one reference for each hypothesis, shape ``(n,)``.
    """
    columns = []
    for hypotheses, references, order in readings:
        of_references = ngrams.ngram_counts(references.lengths[indices], order)
        # sacreBLEU ignores the hypothesis's n-grams if the reference is too short to have any
        of_hypotheses = np.where(of_references > 0, ngrams.ngram_counts(hypotheses.lengths, order), 0)
        one_per_group = np.arange(len(references.starts))
        matches = ngrams.clipped_matches(hypotheses, indices, references, one_per_group, order)
        # Hypothesis, reference and matches of the first order, then of the second, and so on
        counts = np.stack([of_hypotheses, of_references, matches], axis=-1)
        columns.append(counts.reshape(indices.size, 3 * order))
    return np.concatenate(columns, axis=1)


def _sum_in_order(values: FloatArray) -> FloatArray:
    """Return the sum over the last axis, added from its start; ``np.sum`` would add pairs."""
    return np.asarray(np.add.accumulate(values, axis=-1)[..., -1])


def _built(key: str, name: str, char_order: int, word_order: int, **options: Any) -> Chrf:
    """Return the metric of some options; raise SettingsError if it would count nothing."""
    if char_order + word_order == 0:
        raise SettingsError(f"{name}: character order and word order are both 0. Set one of them to 1 or more.")
    return Chrf(key, char_order, word_order, **options)


CHRF = described(
    Chrf,
    "Balance of precision and recall over sequences of one to six characters. It credits inflected forms and compounds"
    " in part, but sees little word order and no meaning.",
    ScoreRange(0, 100),
    "Popović 2015, WMT",
    _OPTIONS,
    build=partial(_built, "chrf", "chrF"),
    key="chrf",
    name="chrF",
)
CHRF_PLUS_PLUS = described(
    Chrf,
    "chrF plus single words and word pairs. It sees slightly more word order than chrF, but no meaning.",
    ScoreRange(0, 100),
    "Popović 2017, WMT",
    _OPTIONS,
    usual={"word_order": 2},
    build=partial(_built, "chrf++", "chrF++"),
    key="chrf++",
    name="chrF++",
)
