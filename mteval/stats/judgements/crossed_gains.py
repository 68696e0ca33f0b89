"""Luck with raters together with luck with segments: gains of one system over another, each rater on each segment.

The layout is that of runs crossed with segments, with one table of gains in place of two tables of scores.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mteval.base.arrays import FloatArray, IntArray
from mteval.stats.base import Alternative, PairedResult, student_result
from mteval.stats.crossed_layout import Components, components_of_gains
from mteval.stats.resampling.streams import sum_by_unit
from mteval.stats.units import df_of_units, pseudo_values, uneven_refusal, uneven_remark

PROVISIONAL = "Provisional: two raters say little about how much raters differ; three or more are needed."
ONE_RATER = "One rater judged the outputs of both: how much raters differ cannot be known. Three are needed."
ONE_UNIT = "Fewer than two segments or documents were judged by all raters: how much they differ cannot be known."
NONE_SHARED = "No segment was judged in the outputs of both."


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
    sizes
        Segments of each unit, shape ``(units,)``; None where each unit is a segment.
    """

    values: FloatArray
    difference: float
    sizes: IntArray | None = None

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
            return cls(gains, float("nan"))
        if units is None:
            return cls(gains, float(gains.mean()))
        names, place = np.unique(np.array(units, dtype=object), return_inverse=True)
        sums = sum_by_unit(np.stack([gains, np.ones_like(gains)], axis=-1), place)
        values = pseudo_values(sums, _mean) if len(names) > 1 else sums[..., 0] / gains.shape[1]
        return cls(values, float(gains.mean()), sums[0, :, 1].astype(np.int64))

    @property
    def refusal(self) -> str:
        """Why the third question cannot be answered; empty where it can."""
        if not self.values.size:
            return NONE_SHARED
        if len(self.values) < 2:
            return ONE_RATER
        if self.values.shape[1] < 2:
            return ONE_UNIT
        return uneven_refusal(self.sizes)

    @property
    def df_units(self) -> float:
        """Degrees of freedom over units."""
        df = df_of_units(self.sizes)
        return self.values.shape[1] - 1 if df is None else df

    @cached_property
    def components(self) -> Components:
        """Where the variance of the mean gain comes from; needs two raters and two units."""
        return components_of_gains(self.values, self.df_units)

    def other_raters(self, alternative: Alternative, confidence: float) -> PairedResult:
        """Would other raters, on other segments, say so too?

        Refused, with a note and p = NaN, for one rater or one unit; provisional for two raters, which the note says.
        """
        if self.refusal:
            return PairedResult(self.difference, note=self.refusal)
        note = " ".join(filter(None, (PROVISIONAL if len(self.values) == 2 else "", uneven_remark(self.sizes))))
        parts = self.components
        return student_result(self.difference, parts.total, parts.df, alternative, confidence, note)

    def these_raters(self, alternative: Alternative, confidence: float) -> PairedResult:
        """Would these raters say so on other segments? Refused as the other, but for the number of raters."""
        if self.refusal not in ("", ONE_RATER) or self.values.shape[1] < 2:
            return PairedResult(self.difference, note=self.refusal if self.refusal != ONE_RATER else ONE_UNIT)
        variance = float(self.values.mean(axis=0).var(ddof=1)) / self.values.shape[1]
        return student_result(
            self.difference, variance, self.df_units, alternative, confidence, uneven_remark(self.sizes)
        )


def _mean(sums: FloatArray) -> FloatArray:
    return np.asarray(sums[..., 0] / sums[..., 1])
