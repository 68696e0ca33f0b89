"""Scores of a corpus that are the mean of its segments' scores."""

from collections.abc import Sequence

import numpy as np

from mteval.metrics.base import FloatArray, StatArray

FIELDS = ("score", "segments")


class MeanScorer:
    """A scorer whose statistics are the score of a segment and 1; what is left to do is to find the scores."""

    def score(self, statistics: StatArray) -> FloatArray:
        """The mean, shape ``(..., 2)`` to ``(...)``; NaN where there is no score."""
        total, count = statistics[..., 0].astype(float), statistics[..., 1].astype(float)
        mean: FloatArray = np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)
        return mean

    def segment_score(self, statistics: StatArray) -> FloatArray:
        """The same mean."""
        return self.score(statistics)

    def submetrics(self, statistics: StatArray) -> FloatArray:
        """None, shape ``(..., 0)``."""
        return np.zeros((*statistics.shape[:-1], 0))


class NoScores(MeanScorer):
    """The scorer of a metric on a test set that lacks what the metric needs: nothing has a score there."""

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> FloatArray:
        """All NaN, shape ``(n, 2)``."""
        return np.full((len(segment_ids), len(FIELDS)), np.nan)
