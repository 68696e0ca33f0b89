"""The alternative annotator test: may a judge replace one of several raters (Calderon, Reichart and Dror 2025)?

Each rater is left out in turn. On each output, rater and judge are compared by how near they are to the other raters.
The judge wins against a rater if it is the nearer one at least as often, less a margin epsilon that pays for cheaper
judgements. It may replace a person if it wins against at least half of them.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from mteval.base.arrays import FloatArray, IntArray
from mteval.stats.interval import jackknifed_ratio, ratio_over_units

# The paper's margins, by kind of rater
EXPERTS = 0.2
SKILLED = 0.15
CROWD = 0.1
PASSING = 0.5  # share of raters
FEWEST_SHARED = 30  # outputs of a rater that can be compared, as in the paper


@dataclass(frozen=True)
class Against:
    """A judge compared with one rater.

    Parameters
    ----------
    n_outputs, n_units
        Outputs of this rater that the judge and another rater judged, too, and their units.
    judge, rater
        Shares of outputs on which each is at least as near to the other raters.
    low, high
        Interval of the judge's share minus the rater's, over units.
    p_value
        One-sided, that the judge's share is below the rater's by epsilon or more; from the same units and method.
    """

    n_outputs: int
    n_units: int
    judge: float
    rater: float
    low: float
    high: float
    p_value: float


def nearness(values: FloatArray, others: FloatArray, is_categorical: bool) -> FloatArray:
    """Return how near values are to those of other raters, shape ``(outputs,)``; higher is nearer.

    Parameters
    ----------
    values
        Shape ``(outputs,)``.
    others
        Shape ``(raters, outputs)``; NaN for missing judgements.
    is_categorical
        Share of equal values instead of the negative root mean square distance.
    """
    if is_categorical:
        return np.asarray(np.nanmean(np.where(np.isnan(others), np.nan, others == values), axis=0))
    return np.asarray(-np.sqrt(np.nanmean((others - values) ** 2, axis=0)))


def against_raters(
    judge: FloatArray, raters: FloatArray, units: IntArray, epsilon: float, confidence: float, is_categorical: bool
) -> tuple[list[Against | None], FloatArray]:
    """Compare a judge with each rater.

    Parameters
    ----------
    judge
        Shape ``(outputs,)``; NaN where it gave no judgement.
    raters
        Shape ``(raters, outputs)``; NaN for missing judgements.
    units
        Unit of each output.
    confidence
        Of two-sided intervals. At ``1 - 2 * level`` an interval lies above ``-epsilon`` exactly when p is below the
        level.

    Returns
    -------
    One per rater, None below 30 outputs that can be compared; and whether the judge is at least as near as each of
    them on each output, shape ``(raters, outputs)``, NaN where it is not compared.
    """
    comparisons: list[Against | None] = []
    is_nearer = np.full(raters.shape, np.nan)
    for left_out, rater in enumerate(raters):
        others = np.delete(raters, left_out, axis=0)
        shared = ~np.isnan(rater) & ~np.isnan(judge) & ~np.isnan(others).all(axis=0)
        if np.count_nonzero(shared) < FEWEST_SHARED:
            comparisons.append(None)
            continue
        nearness_of_judge = nearness(judge[shared], others[:, shared], is_categorical)
        nearness_of_rater = nearness(rater[shared], others[:, shared], is_categorical)
        judge_wins = nearness_of_judge >= nearness_of_rater
        rater_wins = nearness_of_rater >= nearness_of_judge
        is_nearer[left_out, shared] = judge_wins

        # Per output: 1 if only the judge wins, -1 if only the rater does, 0 if both are equally near
        sums = sums_by_unit(judge_wins.astype(float) - rater_wins, units[shared])
        low, high = ratio_over_units(sums, confidence)
        comparison = Against(
            n_outputs=len(judge_wins),
            n_units=len(sums),
            judge=float(judge_wins.mean()),
            rater=float(rater_wins.mean()),
            low=low,
            high=high,
            p_value=p_above(sums, -epsilon),
        )
        comparisons.append(comparison)
    return comparisons, is_nearer


def sums_by_unit(values: FloatArray, units: IntArray) -> FloatArray:
    """Return the total and the number of values by unit, shape ``(units, 2)``."""
    places = np.unique(units, return_inverse=True)[1]
    return np.column_stack([np.bincount(places, values), np.bincount(places)]).astype(float)


def p_above(sums: FloatArray, bound: float) -> float:
    """Return the one-sided p-value that a ratio of totals is at most a bound, from sums by unit ``(units, 2)``.

    It agrees with the interval of ``ratio_over_units``, and is NaN if there is none.
    """
    ratio, error, df = jackknifed_ratio(sums)
    if error == 0:  # all units have the same ratio
        return float(ratio <= bound)
    return float(special.stdtr(df, (bound - ratio) / error))


def benjamini_yekutieli(p_values: FloatArray) -> FloatArray:
    """Adjust p-values ``(tests,)`` so that the false discovery rate is bounded under any dependence; NaN are no tests.

    References
    ----------
    Benjamini and Yekutieli (2001).
    """
    p_values = np.asarray(p_values, dtype=float)
    known = np.flatnonzero(~np.isnan(p_values))
    # From the largest p-value on, each is multiplied by n / rank and the harmonic sum, and is at most the one before
    falling = known[np.argsort(-p_values[known], kind="stable")]
    n = len(known)
    factors = n * (1 / np.arange(1, n + 1)).sum() / np.arange(n, 0, -1)
    adjusted = np.full(len(p_values), np.nan)
    adjusted[falling] = np.minimum(1, np.minimum.accumulate(p_values[falling] * factors))
    return adjusted
