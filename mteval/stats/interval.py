"""How far a difference could move with another choice of the test set, these runs taken as given."""

from dataclasses import replace

import numpy as np

from mteval.arrays import IntArray
from mteval.stats.base import ONE_UNIT, UNDEFINED, Alternative, PairedResult, Score, StatArray
from mteval.stats.runs import run_scores
from mteval.stats.student import student_result
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
    df = df_of_units(sizes)
    df = n_units - 1 if df is None else df
    variance = float(gains.var(ddof=1)) / n_units
    result = student_result(difference, variance, df, alternative, confidence, uneven_remark(sizes))
    return result if variance > 0 else replace(result, low=float("nan"), high=float("nan"))
