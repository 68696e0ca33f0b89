"""What each segment contributes to a corpus score that is no mean of segment scores (the delta method).

A corpus score is a function of sums. Close to them it is as good as linear, so a segment's statistics times the
gradient say how the score moves with the segment (its influence; Efron 1982, chapter 6). Variances of scores become
variances of means of such contributions.

Units of the test set that hold several segments, as documents: what each contributes, and how much they can tell.

Documents are of unequal size. One that holds much of the test set moves the score by much, and the spread of the others
does not say by how much. So units are represented by delete-one pseudo-values (Tukey 1958; Efron 1982, chapter 2), and
count as many as units of equal size with the same sum of squared shares.
"""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from mteval.base.arrays import FloatArray, IntArray, StatArray
from mteval.base.words import counted
from mteval.stats.base import Score
from mteval.values.notation import percent

RELATIVE_STEP = 6e-6  # cube root of the float64 epsilon: least error of a central difference


def contributions(statistics: StatArray, score: Score) -> FloatArray:
    """Linearised contribution of every segment to the corpus score of its run.

    Parameters
    ----------
    statistics
        Shape ``(runs, segments, d)``.
    score
        From sums ``(..., d)`` to corpus scores; smooth near the sums of each run.

    Returns
    -------
    Shape ``(runs, segments)``, in points of the score; the mean over a run's segments is the run's score. For a metric
    that is a mean of segment scores they are the segment scores.
    """
    sums = statistics.sum(axis=1).astype(np.float64)
    slopes = gradient(sums, np.abs(statistics).sum(axis=1), score)
    n_segments = statistics.shape[1]
    influence = n_segments * (statistics @ slopes[:, :, np.newaxis])[:, :, 0]
    influence += (score(sums) - influence.mean(axis=1))[:, np.newaxis]
    return np.asarray(influence)


def gradient(sums: FloatArray, magnitudes: StatArray, score: Score) -> FloatArray:
    """Gradient of the score by central differences.

    Parameters
    ----------
    sums
        Shape ``(runs, d)``: where it is taken.
    magnitudes
        Sums of absolute values, same shape. They set the steps, since a sum itself may be small by cancellation. Where
        one is zero no segment has anything in that statistic (no matching 4-gram, say): its slope can have no effect, a
        smoothed score is not even continuous there, and it is given as 0.

    Returns
    -------
    Shape ``(runs, d)``.
    """
    d = sums.shape[1]
    steps = RELATIVE_STEP * magnitudes
    moves = steps[np.newaxis] * np.eye(d)[:, np.newaxis, :]
    change = score(sums + moves) - score(sums - moves)
    return np.divide(change.T, 2 * steps, out=np.zeros_like(sums), where=steps > 0)


LARGEST_SHARE = 0.5  # of the segments in one document: above it hardly any difference would be found
LARGE_SHARE = 0.25
MOST_DF: Mapping[int, float] = MappingProxyType({2: 1.0, 3: 3.0, 4: 4.5})  # of a difference, by the number of units
TOO_LARGE = "One document holds more than half of the segments: these documents cannot answer; segments can."


def unit_values(statistics: StatArray, score: Score, sizes: IntArray | None) -> FloatArray:
    """What every unit brings to the score of its run: values whose spread over units is that of the score.

    Parameters
    ----------
    statistics
        Shape ``(runs, units, d)``.
    sizes
        Segments of each unit, shape ``(units,)``; None where each unit is a segment, and then these are the
        contributions.

    Returns
    -------
    Shape ``(runs, units)``, in points of the score; NaN where the score is undefined without one of the units.
    """
    return contributions(statistics, score) if sizes is None else pseudo_values(statistics, score)


def pseudo_values(statistics: StatArray, score: Score) -> FloatArray:
    """``G m - (G - 1) m_(without d)`` of each of G units, m being the run's score; as ``unit_values``."""
    sums = statistics.sum(axis=1, keepdims=True).astype(np.float64)
    n_units = statistics.shape[1]
    return np.asarray(n_units * score(sums) - (n_units - 1) * score(sums - statistics))


def effective_units(sizes: IntArray) -> float:
    """How many units of equal size have the same sum of squared shares of the segments."""
    return float(sizes.sum() ** 2 / np.square(sizes, dtype=np.float64).sum())


def df_of_units(sizes: IntArray | None, n_units: int) -> float:
    """Degrees of freedom over units: one less than their number where these are segments."""
    return n_units - 1.0 if sizes is None else effective_units(sizes) - 1


def most_df(n_units: int) -> float:
    """The most degrees of freedom that a difference can have over so few units; no bound from five on.

    Few units may happen to look alike, and what runs and single outputs bring must not stand for how little is known of
    them: without the bound two, three and four documents lead up to 11%, 7% and 6% of tests at 5% astray
    (``docs/decisions/two-way-floor.md``).
    """
    return MOST_DF.get(n_units, float("inf"))


def uneven_refusal(sizes: IntArray | None) -> str:
    """Why units of such sizes cannot answer; empty where they can."""
    return "" if sizes is None or sizes.max() / sizes.sum() <= LARGEST_SHARE else TOO_LARGE


def uneven_remark(sizes: IntArray | None) -> str:
    """What it means that one document holds much of the test set; empty where none does."""
    if sizes is None or not LARGE_SHARE < (share := float(sizes.max() / sizes.sum())) <= LARGEST_SHARE:
        return ""
    return (
        f"One document holds {percent(share, 0)} of the segments: {counted(len(sizes), 'document')} tell as much as"
        f" {effective_units(sizes):.1f} of equal size, and intervals are as wide as that takes."
    )


def few_remark(sizes: IntArray | None) -> str:
    """What so few documents cost; empty of five or more."""
    if sizes is None or np.isinf(most_df(len(sizes))):
        return ""
    return (
        f"{counted(len(sizes), 'document')} are few: how much documents differ is hardly known from them, so intervals"
        " are wide and only large differences are found."
    )
