"""chrF (Popović 2015) and chrF++ (Popović 2017) as sacreBLEU computes them: F-score of character and word n-grams."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
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
        longest = {"char": self.char_order, "word": self.word_order}
        orders = [f"{unit}{n}" for unit, order in longest.items() for n in range(1, order + 1)]
        return tuple(f"{order}_{count}" for order in orders for count in ("hyp", "ref", "match"))

    def signature(self) -> str:
        """Return sacreBLEU's signature without the number of references, plus beta unless it is 2."""
        named = {name: value for name, value in asdict(self).items() if name not in ("key", "beta")}
        beta = "" if self.beta == 2 else f"beta:{self.beta}|"
        return beta + sacrebleu_signature(sacrebleu.CHRF(**named))

    def prepare(self, test_set: TestSet) -> Scorer:
        """Read the references as characters and, for chrF++, as words."""
        references = [[self.cased(text) for text in of_segment] for of_segment in test_set.references]
        characters = self.characters([text for of_segment in references for text in of_segment])
        split = partial(ngrams.by_word, split=split_off_punctuation)
        words = ngrams.TokenizedReferences.of(references, split) if self.word_order else None
        return ChrfScorer(self, ngrams.starts_of(map(len, references)), characters, words)

    def cased(self, text: str) -> str:
        """Return the text in the case that is compared."""
        return text.lower() if self.lowercase else text

    def characters(self, texts: Sequence[str]) -> ngrams.Sequences:
        """Return the characters that are compared."""
        codes = ngrams.Sequences.of_code_points(texts)
        return codes if self.whitespace else codes.without(ngrams.python_spaces())

    def f_score(self, statistics: StatArray) -> FloatArray:
        """Return F in percent, shape ``(..., d)`` to ``(...)``, summed in sacreBLEU's order so that ties stay ties."""
        hypothesis, reference, matches = (statistics[..., part::3].astype(float) for part in range(3))
        has_both = (hypothesis > 0) & (reference > 0)
        precision, recall = ratio(matches, hypothesis, _EPSILON), ratio(matches, reference, _EPSILON)
        if self.eps_smoothing:
            total = _sum_in_order(self._f(precision, recall, otherwise=_EPSILON))
            return 100 * total / (self.char_order + self.word_order)
        n_orders = np.maximum(has_both.sum(axis=-1), 1)
        mean_precision = _sum_in_order(np.where(has_both, precision, 0.0)) / n_orders
        mean_recall = _sum_in_order(np.where(has_both, recall, 0.0)) / n_orders
        return 100 * self._f(mean_precision, mean_recall, otherwise=0.0)

    def _f(self, precision: FloatArray, recall: FloatArray, otherwise: float) -> FloatArray:
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
        first, *others = ngrams.in_turn(self.segment_starts, segments)
        best = _counts(readings, first)
        for chosen in others:
            other = _counts(readings, chosen)
            is_better = self.metric.f_score(other) > self.metric.f_score(best)
            best[is_better] = other[is_better]
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


def _counts(readings: Sequence[tuple[ngrams.Sequences, ngrams.Sequences, int]], chosen: IntArray) -> IntArray:
    """Return n-grams of each hypothesis, of the reference chosen for it, and matches, shape ``(n, d)``.

    A reading is the hypotheses, all references, and the longest n-grams to count.
    """
    columns = []
    for hypotheses, references, order in readings:
        of_references = ngrams.ngram_counts(references.lengths[chosen], order)
        # sacreBLEU ignores the hypothesis's n-grams if the reference is too short to have any
        of_hypotheses = np.where(of_references > 0, ngrams.ngram_counts(hypotheses.lengths, order), 0)
        matches = ngrams.clipped_matches(hypotheses, chosen, references, np.arange(len(references.starts)), order)
        columns.append(np.stack([of_hypotheses, of_references, matches], axis=-1).reshape(chosen.size, 3 * order))
    return np.concatenate(columns, axis=1)


def _sum_in_order(values: FloatArray) -> FloatArray:
    return np.asarray(np.add.accumulate(values, axis=-1)[..., -1])


def _built(key: str, name: str, char_order: int, word_order: int, **options: Any) -> Chrf:
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
