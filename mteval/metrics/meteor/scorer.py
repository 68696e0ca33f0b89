"""METEOR's score from its statistics.

METEOR on one test set: hypotheses to statistics, and one segment's alignment.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mteval.base.arrays import FloatArray, Int32Array, IntArray, StatArray
from mteval.metrics.explanation import Alignment, Match
from mteval.metrics.meteor.beam_kernels import CHUNKS, FIRST_MODULE, HYPOTHESIS_MATCHES, REFERENCE_MATCHES, count_pairs
from mteval.metrics.meteor.data import MODULES, Parameters
from mteval.metrics.meteor.matches_kernels import Phrases, Words
from mteval.metrics.meteor.paraphrases import ParaphraseIndex
from mteval.metrics.meteor.words import Lexicon, Normalizer
from mteval.metrics.options import OneFormula
from mteval.metrics.text.ngrams import Sequences, in_turn, starts_of


class Parts(NamedTuple):
    """Precision, recall and fragmentation penalty, between 0 and 1; NaN where undefined."""

    precision: FloatArray
    recall: FloatArray
    penalty: FloatArray


def parts_of(statistics: StatArray, parameters: Parameters) -> Parts:
    """The parts of the score (Denkowski and Lavie 2014), from shape ``(..., 23)`` to ``(...)`` each."""
    counts = np.asarray(statistics, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = _weighted_matches(counts, 0, parameters) / _weighted_length(counts, 0, parameters)
        recall = _weighted_matches(counts, 1, parameters) / _weighted_length(counts, 1, parameters)
        fragments = counts[..., CHUNKS] / ((counts[..., HYPOTHESIS_MATCHES] + counts[..., REFERENCE_MATCHES]) / 2)
    return Parts(precision, recall, parameters.gamma * fragments**parameters.beta)


def score_of(statistics: StatArray, parameters: Parameters) -> FloatArray:
    """METEOR, 0 to 100, of one segment or of summed statistics, shape ``(..., 23)`` to ``(...)``.

    METEOR takes 0 where the formula is undefined, for want of words or of matches.
    """
    precision, recall, penalty = parts_of(statistics, parameters)
    alpha = parameters.alpha
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = 1 / ((1 - alpha) / precision + alpha / recall)
        score = mean * (1 - penalty)
    return 100 * np.maximum(np.where(np.isnan(score), 0, score), 0)


def _weighted_matches(counts: FloatArray, side: int, parameters: Parameters) -> FloatArray:
    """Matches of a side (0 the hypothesis, 1 the reference), by module and by kind of word.

    Added up in METEOR's order, content words of all modules first: precisions are often ties of the second digit, which
    another order would round to the other side.
    """
    total = np.zeros(counts.shape[:-1])
    kinds = ((FIRST_MODULE + side, parameters.delta), (FIRST_MODULE + side + 2, 1 - parameters.delta))
    for first, share in kinds:
        for module, weight in enumerate(parameters.slots):
            total = total + weight * counts[..., first + 4 * module] * share
    return total


def _weighted_length(counts: FloatArray, side: int, parameters: Parameters) -> FloatArray:
    length, function = counts[..., side], counts[..., side + 2]
    return np.asarray(parameters.delta * (length - function) + (1 - parameters.delta) * function)


Text = tuple[str, ...]  # the words of a normalised line


@dataclass(frozen=True)
class _Batch:
    """Pairs of hypotheses and references as numbers, for compiled code.

    The pairs of hypothesis ``i`` are ``pairs[starts[i]:starts[i + 1]]``.
    """

    references: Sequences
    hypotheses: Sequences
    pairs: IntArray
    starts: IntArray
    words: Words


@dataclass(frozen=True)
class MeteorScorer(OneFormula):
    """METEOR against the references of a test set.

    Parameters
    ----------
    parameters, beam_size
        Of the metric.
    normalizer, lexicon
        How lines become words, and what is known of these.
    references
        For each segment its references.
    index
        The paraphrases, or None where these do not match.
    """

    parameters: Parameters
    beam_size: int
    normalizer: Normalizer
    lexicon: Lexicon
    references: tuple[tuple[Text, ...], ...]
    index: ParaphraseIndex | None

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> StatArray:
        """The 23 statistics, int64, each against the reference that gives the segment the highest score."""
        batch = self._batch(segment_ids, hypotheses)
        counts, _ = self._aligned(batch, batch.pairs)
        return counts[self._best(batch, counts)]

    def score(self, statistics: StatArray) -> FloatArray:
        """METEOR of the corpus, 0 to 100."""
        return score_of(statistics, self.parameters)

    def submetrics(self, statistics: StatArray) -> FloatArray:
        """Precision, recall and fragmentation penalty, 0 to 1; NaN where there are no words, or no matches."""
        return np.stack(parts_of(statistics, self.parameters), axis=-1)

    def explain(self, segment_id: int, hypothesis: str) -> Alignment:
        """How one hypothesis is aligned with the reference that gives it the highest score: all that METEOR sees."""
        return self.alignments([segment_id], [hypothesis])[0]

    def alignments(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> tuple[Alignment, ...]:
        """As ``explain``, for n hypotheses at once."""
        batch = self._batch(segment_ids, hypotheses)
        found = []
        for index, pair in enumerate(self._best(batch, self._aligned(batch, batch.pairs)[0])):
            reference = int(pair - batch.starts[index])
            _, rows = self._aligned(batch, batch.pairs[pair : pair + 1])
            words = self.references[segment_ids[index]][reference], tuple(self.normalizer.words(hypotheses[index]))
            matches = tuple(Match(a, b, c, d, MODULES[module]) for a, b, c, d, module, _ in rows.tolist())
            found.append(Alignment(reference, *words, matches))
        return tuple(found)

    @cached_property
    def _phrases(self) -> Phrases:
        if self.index is None:
            nothing = np.empty(0, dtype=np.int32)
            nothing.flags.writeable = False  # as mapped arrays are, so that there is one compiled version
            return Phrases(nothing, nothing, nothing, nothing)
        table = self.index.table
        return Phrases(table.last_words, table.first_children, table.starts, table.targets)

    def _batch(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> _Batch:
        numbers: dict[str, int] = {}
        firsts: dict[int, int] = {}  # where the references of each segment begin
        reference_texts: list[list[int]] = []
        for segment in dict.fromkeys(segment_ids):
            firsts[segment] = len(reference_texts)
            reference_texts += [_number(text, numbers) for text in self.references[segment]]
        hypothesis_texts = [_number(self.normalizer.words(text), numbers) for text in hypotheses]
        pairs = [
            (firsts[segment] + rank, index)
            for index, segment in enumerate(segment_ids)
            for rank in range(len(self.references[segment]))
        ]
        return _Batch(
            _sequences(reference_texts),
            _sequences(hypothesis_texts),
            np.array(pairs, dtype=np.int64).reshape(-1, 2),
            starts_of(len(self.references[segment]) for segment in segment_ids),
            self.lexicon.table(numbers),
        )

    def _aligned(self, batch: _Batch, pairs: IntArray) -> tuple[IntArray, Int32Array]:
        """Statistics of some pairs, shape ``(pairs, 23)``, and the matches of the last one."""
        return count_pairs(
            batch.references.items,
            batch.references.starts,
            batch.hypotheses.items,
            batch.hypotheses.starts,
            pairs,
            batch.words,
            self._phrases,
            np.array([module in self.parameters.weights for module in MODULES]),
            self.beam_size,
        )

    def _best(self, batch: _Batch, counts: IntArray) -> IntArray:
        """For each hypothesis the pair with the highest score, of equal ones the first."""
        scores = score_of(counts, self.parameters)
        best, *others = in_turn(batch.starts, np.arange(batch.starts.size - 1))
        for other in others:
            best = np.where(scores[other] > scores[best], other, best)
        return best


def _number(words: Sequence[str], numbers: dict[str, int]) -> list[int]:
    """Numbers of the words of a text; new words get the next ones."""
    return [numbers.setdefault(word, len(numbers)) for word in words]


def _sequences(texts: Sequence[Sequence[int]]) -> Sequences:
    flat = np.fromiter((number for text in texts for number in text), dtype=np.int32)
    return Sequences(flat, starts_of(map(len, texts)))
