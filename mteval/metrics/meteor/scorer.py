"""METEOR on one test set: from hypotheses to statistics, scores and alignments."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from mteval.base.arrays import FloatArray, Int32Array, IntArray, StatArray
from mteval.metrics.explanation import Alignment, Match, Tokens
from mteval.metrics.meteor.beam_kernels import CHUNKS, FIRST_MODULE, HYPOTHESIS_MATCHES, REFERENCE_MATCHES, count_pairs
from mteval.metrics.meteor.data import MODULES, Parameters
from mteval.metrics.meteor.matches_kernels import Phrases
from mteval.metrics.meteor.paraphrases import ParaphraseIndex
from mteval.metrics.meteor.words import Lexicon, Normalizer
from mteval.metrics.options import OneFormula
from mteval.metrics.text.ngrams import Sequences, in_turn, starts_of


def parts_of(statistics: StatArray, parameters: Parameters) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return precision, recall and fragmentation penalty (Denkowski and Lavie 2014), ``(..., 23)`` to ``(...)`` each.

    They lie between 0 and 1; NaN if undefined.
    """
    counts = np.asarray(statistics, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = _weighted_matches(counts, 0, parameters) / _weighted_length(counts, 0, parameters)
        recall = _weighted_matches(counts, 1, parameters) / _weighted_length(counts, 1, parameters)
        fragments = counts[..., CHUNKS] / ((counts[..., HYPOTHESIS_MATCHES] + counts[..., REFERENCE_MATCHES]) / 2)
    return precision, recall, parameters.gamma * fragments**parameters.beta


def score_of(statistics: StatArray, parameters: Parameters) -> FloatArray:
    """Return METEOR, 0 to 100, of a segment or of summed statistics, shape ``(..., 23)`` to ``(...)``.

    METEOR uses 0 where the formula is undefined for lack of words or matches.
    """
    precision, recall, penalty = parts_of(statistics, parameters)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = 1 / ((1 - parameters.alpha) / precision + parameters.alpha / recall)
        score = mean * (1 - penalty)
    return 100 * np.maximum(np.where(np.isnan(score), 0, score), 0)


def _weighted_matches(counts: FloatArray, side: int, parameters: Parameters) -> FloatArray:
    """Return the matches of a side (0 hypothesis, 1 reference), weighted by module and kind of word.

    Summed in METEOR's order, content words of all modules first: precisions are often ties in the second digit, which
    another order would round the other way.
    """
    total = np.zeros(counts.shape[:-1])
    # Columns of a module, after FIRST_MODULE: content words of hypothesis and reference, then function words of both
    content_words = FIRST_MODULE + side
    function_words = FIRST_MODULE + side + 2
    for first, share in ((content_words, parameters.delta), (function_words, 1 - parameters.delta)):
        for module, weight in enumerate(parameters.slots):
            total = total + weight * counts[..., first + 4 * module] * share
    return total


def _weighted_length(counts: FloatArray, side: int, parameters: Parameters) -> FloatArray:
    """Return the words of a side (0 hypothesis, 1 reference), weighted by their kind."""
    n_words = counts[..., side]
    n_function_words = counts[..., side + 2]
    n_content_words = n_words - n_function_words
    return np.asarray(parameters.delta * n_content_words + (1 - parameters.delta) * n_function_words)


Align = Callable[[IntArray], tuple[IntArray, Int32Array]]


@dataclass(frozen=True)
class MeteorScorer(OneFormula):
    """METEOR against a test set's references.

    Parameters
    ----------
    parameters, beam_size
        Of the metric.
    normalizer, lexicon
        How lines become words, and what is known about words.
    references
        References of each segment.
    index
        The paraphrases, or None if they do not match.
    """

    parameters: Parameters
    beam_size: int
    normalizer: Normalizer
    lexicon: Lexicon
    references: tuple[tuple[Tokens, ...], ...]
    index: ParaphraseIndex | None

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> StatArray:
        """Return the statistics ``(hypotheses, 23)``, int64, against the reference with the highest segment score."""
        align, pairs, starts = self._pairs(segment_ids, hypotheses)
        counts, _ = align(pairs)
        return counts[self._best(counts, starts)]

    def score(self, statistics: StatArray) -> FloatArray:
        """Return corpus METEOR, 0 to 100, from sums ``(…, 23)``."""
        return score_of(statistics, self.parameters)

    def submetrics(self, statistics: StatArray) -> FloatArray:
        """Return precision, recall and fragmentation penalty, 0 to 1; NaN without words or matches."""
        return np.stack(parts_of(statistics, self.parameters), axis=-1)

    def explain(self, segment_id: int, hypothesis: str) -> Alignment:
        """Return the alignment of one hypothesis with the reference that gives it the highest score."""
        return self.alignments([segment_id], [hypothesis])[0]

    def alignments(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> tuple[Alignment, ...]:
        """As ``explain``, for n hypotheses."""
        align, pairs, starts = self._pairs(segment_ids, hypotheses)
        counts, _ = align(pairs)
        alignments = []
        for index, pair in enumerate(self._best(counts, starts)):
            _, rows = align(pairs[pair : pair + 1])
            matches = []
            for reference_start, reference_length, hypothesis_start, hypothesis_length, module, _ in rows.tolist():
                match = Match(reference_start, reference_length, hypothesis_start, hypothesis_length, MODULES[module])
                matches.append(match)
            reference = int(pair - starts[index])
            alignment = Alignment(
                reference,
                reference_words=self.references[segment_ids[index]][reference],
                hypothesis_words=tuple(self.normalizer.words(hypotheses[index])),
                matches=tuple(matches),
            )
            alignments.append(alignment)
        return tuple(alignments)

    @cached_property
    def _phrases(self) -> Phrases:
        """The paraphrases as compiled code takes them; empty if they do not match."""
        if self.index is None:
            nothing = np.empty(0, dtype=np.int32)
            nothing.flags.writeable = False  # like mapped arrays, so one compiled version serves both
            return Phrases(nothing, nothing, nothing, nothing)
        return Phrases(*self.index.table[1:])

    def _pairs(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> tuple[Align, IntArray, IntArray]:
        """Return all pairs of a hypothesis and one of its references.

        Returns
        -------
        align
            Function from pairs to their statistics, shape ``(pairs, 23)``, and the matches of the last one.
        pairs
            Those of hypothesis ``i`` are ``pairs[starts[i]:starts[i + 1]]``.
        starts
        """
        texts, words = self.lexicon.sequences([self.normalizer.words(text) for text in hypotheses])
        modules = np.array([module in self.parameters.weights for module in MODULES])
        references, first_of_segment = self._references

        def align(pairs: IntArray) -> tuple[IntArray, Int32Array]:
            return count_pairs(
                pairs,
                references.items,
                references.starts,
                texts.items,
                texts.starts,
                words,
                self._phrases,
                modules,
                self.beam_size,
            )

        segments = np.asarray(segment_ids, dtype=np.int64)
        n_references = first_of_segment[segments + 1] - first_of_segment[segments]
        starts = starts_of(n_references.tolist())
        # For each pair, the index of its hypothesis, and that of its reference among all
        hypothesis = np.repeat(np.arange(len(segments)), n_references)
        place_in_segment = np.arange(len(hypothesis)) - starts[hypothesis]
        reference = first_of_segment[segments[hypothesis]] + place_in_segment
        return align, np.stack([reference, hypothesis], axis=1), starts

    @cached_property
    def _references(self) -> tuple[Sequences, IntArray]:
        """All references, and the first of each segment."""
        texts, _ = self.lexicon.sequences(list(chain.from_iterable(self.references)))
        return texts, starts_of(map(len, self.references))

    def _best(self, counts: IntArray, starts: IntArray) -> IntArray:
        """Return for each hypothesis the pair with the highest score (ties: the first)."""
        scores = score_of(counts, self.parameters)
        # The first pair of each hypothesis, then the second of each, and so on
        best, *further_pairs = in_turn(starts, np.arange(starts.size - 1))
        for pairs in further_pairs:
            best = np.where(scores[pairs] > scores[best], pairs, best)
        return best
