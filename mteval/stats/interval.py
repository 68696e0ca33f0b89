"""How far a difference could move with another choice of the test set, these runs taken as given.

Shown equal, rather than no difference shown: two one-sided tests against a margin (Schuirmann 1987).
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from mteval.base.arrays import IntArray, StatArray
from mteval.stats.base import ONE_UNIT, UNDEFINED, Alternative, PairedResult, Score, student_result
from mteval.stats.runs import run_scores
from mteval.stats.units import df_of_units, uneven_refusal, uneven_remark, unit_values


def difference_over_units(
    baseline: StatArray,
    system: StatArray,
    score: Score,
    confidence: float,
    sizes: IntArray | None = None,
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """The difference of the mean run scores with its standard error, p and interval, by Student's t over the units.

    What the units contribute is averaged over runs, and compared in pairs: the part of ``two_way`` that is about the
    test set. Runs are taken as given, so one run of each is enough.

    Parameters
    ----------
    baseline, system
        Shape ``(runs, units, d)``.
    confidence
        Between 0 and 1, two-sided.
    sizes
        Segments of each unit, as in ``How``.

    Returns
    -------
    In points of the score; p and interval are NaN for an undefined score, for one unit, and where one unit holds most
    of the test set. Where nothing varies over units there is no interval, rather than one of no width.
    """
    difference = float(run_scores(system, score).mean() - run_scores(baseline, score).mean())
    n_units = baseline.shape[1]
    refusal = UNDEFINED if np.isnan(difference) else ONE_UNIT if n_units < 2 else uneven_refusal(sizes)
    if refusal:
        return PairedResult(difference, note=refusal)
    gains = unit_values(system, score, sizes).mean(axis=0) - unit_values(baseline, score, sizes).mean(axis=0)
    variance, df = float(gains.var(ddof=1)) / n_units, df_of_units(sizes, n_units)
    result = student_result(difference, variance, df, alternative, confidence, uneven_remark(sizes))
    return result if variance > 0 else replace(result, low=float("nan"), high=float("nan"))


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

    Works on the replicates of the paired bootstrap (the larger share of them at or beyond the margin on either side,
    counted as ``(c + 1) / (R + 1)``), else on a standard error with Student's t. Which luck the claim covers is that
    of the procedure.

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
    if not margin > 0:
        raise ValueError(f"The margin of equivalence is {margin}; expected a positive number of points.")
    draws, difference, error = result.draws, result.statistic, result.standard_error
    if draws is not None:
        beyond = max(np.count_nonzero(draws >= margin), np.count_nonzero(draws <= -margin))
        low, high = np.quantile(draws, [level, 1 - level])
        return Equivalence(float(low), float(high), float(beyond + 1) / (len(draws) + 1))
    if error == 0:
        return Equivalence(difference, difference, 0.0 if abs(difference) < margin else 1.0)
    p_value = max(special.stdtr(result.df, [-(difference + margin) / error, (difference - margin) / error]).tolist())
    reach = float(special.stdtrit(result.df, 1 - level)) * error
    return Equivalence(difference - reach, difference + reach, p_value)
