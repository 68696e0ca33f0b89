"""Shown equal, rather than no difference shown: two one-sided tests against a margin (Schuirmann 1987)."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from mteval.stats.base import FloatArray, PairedResult
from mteval.stats.student import equivalence_p_value


@dataclass(frozen=True)
class Equivalence:
    """What can be said of a claim that two systems differ by less than a margin.

    Parameters
    ----------
    low, high
        Interval of the difference at ``1 - 2 * level``: the claim stands at the level where it lies within the margin.
    p_value
        Of the claim; NaN, as the bounds, where the procedure gave neither replicates nor a standard error.
    """

    low: float
    high: float
    p_value: float


def equivalence(result: PairedResult, margin: float, level: float) -> Equivalence:
    """Test whether the difference is smaller than the margin, either way.

    Works on the replicates of the paired bootstrap (shares of them at or beyond the margin), else on a standard error
    with Student's t. Which luck the claim covers is that of the procedure.

    Parameters
    ----------
    margin
        Largest difference that would not matter, in points of the score; chosen before the numbers are seen.
    level
        Of the claim, as 0.05.

    Raises
    ------
    ValueError
        If the margin is not positive.
    """
    if result.draws is not None and margin > 0:
        low, high = np.quantile(result.draws, [level, 1 - level])
        return Equivalence(float(low), float(high), _share_beyond(result.draws, margin))
    p_value = equivalence_p_value(result, margin)
    reach = float(special.stdtrit(result.df, 1 - level)) * result.standard_error if result.standard_error > 0 else 0.0
    if np.isnan(p_value):
        return Equivalence(float("nan"), float("nan"), p_value)
    return Equivalence(result.statistic - reach, result.statistic + reach, p_value)


def _share_beyond(draws: FloatArray, margin: float) -> float:
    """The larger of the shares of replicates that reach the margin on either side, counted as ``(c + 1) / (R + 1)``."""
    beyond = max(np.count_nonzero(draws >= margin), np.count_nonzero(draws <= -margin))
    return float(beyond + 1) / (len(draws) + 1)
