"""Accuracy on pairs of outputs of the same segment, with the threshold below which the metric's scores tie."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mteval.base.arrays import BoolArray, FloatArray, IntArray
from mteval.stats.stats_kernels import most_gained


@dataclass(frozen=True)
class RankedPairs:
    """Pairs of outputs of the same segment, sorted by absolute difference of their metric scores.

    Their accuracy with calibrated ties is ``acc_eq`` of Deutsch et al. (2023). Sorting lets one sweep over rising
    thresholds find the best.

    Parameters
    ----------
    segment
        Segment of each pair, shape ``(pairs,)``.
    weight
        One over the number of pairs of its segment.
    start
        Contribution to its segment's accuracy if only equal scores are ties.
    change
        Change of that contribution once the tie threshold reaches its difference.
    difference
        Absolute difference of metric scores, sorted.
    n_segments
        Number of segments, including those without a pair.
    """

    segment: IntArray
    weight: FloatArray
    start: FloatArray
    change: FloatArray
    difference: FloatArray
    n_segments: int

    @classmethod
    def of(cls, human: FloatArray, metric: FloatArray) -> "RankedPairs":
        """Make pairs from scores ``(systems, segments)``; outputs with NaN in either are skipped."""
        is_unknown = np.isnan(human + metric)
        human = np.where(is_unknown, np.nan, human)
        metric = np.where(is_unknown, np.nan, metric)

        # Differences of all pairs of systems, shape ``(pairs of systems, segments)``; then the known ones in a row
        first, second = np.triu_indices(len(human), 1)
        human_table = human[first] - human[second]
        metric_table = metric[first] - metric[second]
        pair, segment = np.nonzero(~np.isnan(human_table))
        human_difference = human_table[pair, segment]
        metric_difference = metric_table[pair, segment]

        # A pair is right if metric and people order it alike; once the threshold ties it, if people tie it too
        n_segments = human.shape[1]
        n_pairs = np.bincount(segment, minlength=n_segments)
        weight = 1 / n_pairs[segment]
        is_right_at_first = np.sign(human_difference) == np.sign(metric_difference)
        is_right_as_tie = human_difference == 0
        start = weight * is_right_at_first
        change = weight * (is_right_as_tie.astype(np.float64) - is_right_at_first)

        distance = np.abs(metric_difference)
        order = np.argsort(distance, kind="stable")
        return cls(segment[order], weight[order], start[order], change[order], distance[order], n_segments)

    @cached_property
    def _is_last(self) -> BoolArray:
        """Whether the next pair has another difference, so that the threshold can lie there."""
        if len(self.difference) == 0:
            return np.zeros(0, dtype=bool)
        return np.append(np.diff(self.difference) > 0, True)

    def calibrated(self) -> tuple[float, float]:
        """Return the best accuracy and its tie threshold; NaN if no segment has a pair."""
        accuracies, last_tied = self._best(np.ones((1, self.n_segments)))
        accuracy = float(accuracies[0])
        if math.isnan(accuracy):
            return math.nan, math.nan
        if last_tied[0] < 0:
            return accuracy, 0.0
        return accuracy, float(self.difference[last_tied[0]])

    def calibrated_on(self, counts: FloatArray) -> FloatArray:
        """Return the best accuracy per replicate with its own threshold, from counts ``(replicates, segments)``."""
        return self._best(counts)[0]

    def _best(self, counts: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return the best accuracy per replicate, and the last pair that its threshold ties; -1 without a threshold."""
        # Of each segment: 1 if it has pairs, and its accuracy if only equal scores are ties
        has_pairs = np.bincount(self.segment, self.weight, self.n_segments)
        accuracy = np.bincount(self.segment, self.start, self.n_segments)
        # The kernel sweeps the pairs once: it ties one after the other, and keeps the largest gain
        gains, last_tied = most_gained(self.segment, self.change, self._is_last, counts)
        with np.errstate(invalid="ignore"):
            return np.asarray((counts @ accuracy + gains) / (counts @ has_pairs)), last_tied
