"""Luck with raters together with luck with segments: gains of one system over another, each rater on each segment.

The layout is that of runs crossed with segments, with one table of gains in place of two tables of scores. The same
serves runs that are paired, as by their seed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mteval.stats.base import Alternative, FloatArray, PairedResult
from mteval.stats.runs import beyond_noise, satterthwaite
from mteval.stats.student import student_result

PROVISIONAL = "Provisional: two raters say little about how much raters differ; three or more are needed."
ONE_RATER = "One rater judged the outputs of both: how much raters differ cannot be known. Three are needed."
ONE_UNIT = "Fewer than two segments or documents were judged by all raters: how much they differ cannot be known."
TOO_LARGE = "One document holds half of the segments or more: these documents cannot answer; segments can."
LARGEST_SHARE = 0.5
NONE_SHARED = "No segment was judged in the outputs of both."


@dataclass(frozen=True)
class GainComponents:
    """Variance of a mean gain by where it comes from, in squared points of the scale.

    Parameters
    ----------
    raters
        Variance of the raters' mean gains over their number, each seen on the segments at hand.
    segments
        Variance of the segments' mean gains over their number, each seen by the raters at hand.
    pairs
        The interaction's share, which both of the others contain.
    df_raters, df_segments
        Degrees of freedom of the first two.
    """

    raters: float
    segments: float
    pairs: float
    df_raters: float
    df_segments: float

    @property
    def total(self) -> float:
        """``raters + segments - pairs``, at least either of the first two."""
        return max(self.raters + self.segments - self.pairs, self.raters, self.segments)

    @property
    def df(self) -> float:
        """Degrees of freedom of the total; only what is raters' luck beyond noise counts for few raters."""
        return satterthwaite(
            (float(beyond_noise(self.raters, self.pairs)), self.segments, self.pairs),
            (self.df_raters, self.df_segments, self.df_raters * self.df_segments),
            self.total,
        )


@dataclass(frozen=True)
class CrossedGains:
    """By how much each rater puts one system above another on each unit of the test set.

    Parameters
    ----------
    values
        Shape ``(raters, units)``. Repeated judgements of one rater are averaged beforehand: asking the same judge again
        makes no second judge.
    difference
        The mean gain.
    df_units
        Degrees of freedom over units.
    largest_share
        Of all segments, in one unit.
    """

    values: FloatArray
    difference: float
    df_units: float
    largest_share: float = 0.0

    @classmethod
    def of(cls, gains: FloatArray, units: Sequence[object] | None = None) -> "CrossedGains":
        """From gains of shape ``(raters, segments)`` without NaN.

        Parameters
        ----------
        units
            The unit of each segment, as its document. Units of unequal size are represented by delete-one pseudo-values
            of the raters' mean gains, with the degrees of freedom of as many equal units as their shares are worth,
            ``1 / sum(share^2) - 1``.
        """
        if not gains.size:
            return cls(gains, float("nan"), float("nan"))
        if units is None:
            return cls(gains, float(gains.mean()), gains.shape[1] - 1)
        names, place = np.unique(np.array(units, dtype=object), return_inverse=True)
        member = (place[:, np.newaxis] == np.arange(len(names))).astype(np.float64)
        sums, sizes, n = gains @ member, member.sum(axis=0), gains.shape[1]
        values = sums / n  # of one unit
        if len(names) > 1:
            without = (sums.sum(axis=1, keepdims=True) - sums) / (n - sizes)
            values = len(names) * gains.mean(axis=1, keepdims=True) - (len(names) - 1) * without
        return cls(values, float(gains.mean()), float(1 / np.square(sizes / n).sum() - 1), float(sizes.max() / n))

    @property
    def refusal(self) -> str:
        """Why the third question cannot be answered; empty where it can."""
        if not self.values.size:
            return NONE_SHARED
        if len(self.values) < 2:
            return ONE_RATER
        if self.values.shape[1] < 2:
            return ONE_UNIT
        return TOO_LARGE if self.largest_share >= LARGEST_SHARE else ""

    @cached_property
    def components(self) -> GainComponents:
        """The usual mean squares of the two-way crossed layout; needs two raters and two units."""
        n_raters, n_units = self.values.shape
        by_rater, by_unit = self.values.mean(axis=1), self.values.mean(axis=0)
        rest = self.values - by_rater[:, np.newaxis] - by_unit + self.values.mean()
        mean_square = float(np.square(rest).sum()) / ((n_raters - 1) * (n_units - 1))
        return GainComponents(
            float(by_rater.var(ddof=1)) / n_raters,
            float(by_unit.var(ddof=1)) / n_units,
            mean_square / (n_raters * n_units),
            n_raters - 1,
            self.df_units,
        )

    def other_raters(self, alternative: Alternative, confidence: float) -> PairedResult:
        """Would other raters, on other segments, say so too?

        Refused, with a note and p = NaN, for one rater or one unit; provisional for two raters, which the note says.
        """
        if self.refusal:
            return PairedResult(self.difference, note=self.refusal)
        note = PROVISIONAL if len(self.values) == 2 else ""
        parts = self.components
        return student_result(self.difference, parts.total, parts.df, alternative, confidence, note)

    def these_raters(self, alternative: Alternative, confidence: float) -> PairedResult:
        """Would these raters say so on other segments? Refused as the other, but for the number of raters."""
        if self.refusal not in ("", ONE_RATER) or self.values.shape[1] < 2:
            return PairedResult(self.difference, note=self.refusal if self.refusal != ONE_RATER else ONE_UNIT)
        variance = float(self.values.mean(axis=0).var(ddof=1)) / self.values.shape[1]
        return student_result(self.difference, variance, self.df_units, alternative, confidence)
