"""Corpus scores that are means or ratios of sums over segments, and signatures in sacreBLEU's form."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import sacrebleu

from mteval.base.arrays import FloatArray, StatArray
from mteval.metrics.text.references import TokenizedReferences

FIELDS = ("score", "segments")


class OneFormula(ABC):
    """A scorer with the same formula for a corpus and for a segment, and no parts of the score."""

    @abstractmethod
    def score(self, statistics: StatArray) -> FloatArray:
        """Scores of summed statistics, shape ``(..., d)`` to ``(...)``."""

    def segment_score(self, statistics: StatArray) -> FloatArray:
        """The same formula."""
        return self.score(statistics)

    def submetrics(self, statistics: StatArray) -> FloatArray:
        """None, shape ``(..., 0)``."""
        return np.zeros((*statistics.shape[:-1], 0))


class MeanScorer(OneFormula):
    """A scorer whose statistics are the score of a segment and 1; what is left to do is to find the scores."""

    def score(self, statistics: StatArray) -> FloatArray:
        """The mean, shape ``(..., 2)`` to ``(...)``; NaN where there is no score."""
        total, count = statistics[..., 0].astype(float), statistics[..., 1].astype(float)
        mean: FloatArray = np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)
        return mean


class NoScores(MeanScorer):
    """The scorer of a metric on a test set that lacks what the metric needs: nothing has a score there."""

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> FloatArray:
        """All NaN, shape ``(n, 2)``."""
        return np.full((len(segment_ids), len(FIELDS)), np.nan)


def percent(numerator: StatArray, denominator: StatArray, otherwise: float = np.nan) -> FloatArray:
    """100 times the ratio of arrays of one shape; ``otherwise`` where the denominator is 0."""
    below = denominator.astype(float)
    empty = np.full_like(below, otherwise)
    ratio: FloatArray = 100 * np.divide(numerator.astype(float), below, out=empty, where=below > 0)
    return ratio


class FMeasure(OneFormula):
    """Harmonic mean of precision and recall, from what both sides share and the sizes of hypothesis and reference."""

    def score(self, statistics: StatArray) -> FloatArray:
        """F in percent, shape ``(..., 3)`` to ``(...)``; NaN where both sides are empty."""
        return percent(2 * statistics[..., 0], statistics[..., 1] + statistics[..., 2])

    def submetrics(self, statistics: StatArray) -> FloatArray:
        """Precision (0 of an empty hypothesis) and recall in percent, shape ``(..., 3)`` to ``(..., 2)``."""
        precision = percent(statistics[..., 0], statistics[..., 1], otherwise=0.0)
        return np.stack([precision, percent(statistics[..., 0], statistics[..., 2])], axis=-1)


@dataclass(frozen=True)
class TokenScorer(OneFormula):
    """A scorer that compares tokens with those of the references of a test set."""

    references: TokenizedReferences

    @abstractmethod
    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> StatArray:
        """Statistics of n hypotheses, shape ``(n, d)``."""


class RatioScorer(TokenScorer):
    """A scorer whose two statistics are numerator and denominator; what is left to do is to count them."""

    otherwise: ClassVar[float] = np.nan  # the score where there is nothing to divide by

    def score(self, statistics: StatArray) -> FloatArray:
        """Percent, shape ``(..., 2)`` to ``(...)``."""
        return percent(statistics[..., 0], statistics[..., 1], self.otherwise)


def signature_without_references(peer: sacrebleu.BLEU | sacrebleu.CHRF | sacrebleu.TER) -> str:
    """Signature of a sacreBLEU metric that has seen no references."""
    peer.num_refs = 1
    signature = peer.get_signature()
    signature.update("nrefs", None)
    return str(signature)
