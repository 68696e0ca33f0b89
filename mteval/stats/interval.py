"""How far a difference could move with another choice of the test set, these runs taken as given."""

import numpy as np

from mteval.stats.base import ONE_UNIT, UNDEFINED, PairedResult, Score, StatArray
from mteval.stats.linearize import contributions
from mteval.stats.runs import run_scores
from mteval.stats.student import student_result


def difference_over_units(baseline: StatArray, system: StatArray, score: Score, confidence: float) -> PairedResult:
    """The difference of the mean run scores with its standard error and interval, by Student's t over the units.

    The linearised contributions of the runs are averaged unit by unit, and those of the two systems compared in pairs:
    the part of ``two_way`` that is about the test set. Runs are taken as given, so one run of each is enough.

    Parameters
    ----------
    baseline, system
        Shape ``(runs, units, d)``.
    confidence
        Between 0 and 1, two-sided.

    Returns
    -------
    In points of the score; error and interval are NaN for an undefined score, for one unit, and where nothing varies
    over units.
    """
    difference = float(run_scores(system, score).mean() - run_scores(baseline, score).mean())
    n_units = baseline.shape[1]
    if np.isnan(difference) or n_units < 2:
        return PairedResult(difference, note=UNDEFINED if np.isnan(difference) else ONE_UNIT)
    gains = contributions(system, score).mean(axis=0) - contributions(baseline, score).mean(axis=0)
    variance = float(gains.var(ddof=1)) / n_units
    if variance == 0:  # copies: no interval, rather than one of no width
        return PairedResult(difference)
    return student_result(difference, variance, n_units - 1, "two-sided", confidence)
