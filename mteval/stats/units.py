"""Contribution of each unit of the test set to a corpus score that is not an average of segment scores.

Segments enter by the delta method: their statistics times the gradient of the score (influence; Efron 1982, chapter 6).
Documents of unequal size enter as delete-one pseudo-values (Tukey 1958; Efron 1982, chapter 2), with the degrees of
freedom of as many equal units as have the same sum of squared shares.
"""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from mteval.base.arrays import FloatArray, IntArray, StatArray
from mteval.base.words import counted
from mteval.stats.base import Score
from mteval.values.notation import percent

LARGE_SHARE = 0.25  # of segments in one document; above, a note says so
LARGEST_SHARE = 0.5  # above, hardly any difference would be detected
TOO_LARGE = "One document has more than half of the segments, so documents cannot be the units. Use segments."
MOST_DF: Mapping[int, float] = MappingProxyType({2: 1.0, 3: 3.0, 4: 4.5})  # of a difference, by the number of units


def contributions(statistics: StatArray, score: Score) -> FloatArray:
    """Return the linearised contribution of each segment to the corpus score of its run.

    Parameters
    ----------
    statistics
        Shape ``(runs, segments, d)``.
    score
        Maps sums ``(..., d)`` to corpus scores; smooth near the sums of each run.

    Returns
    -------
    Shape ``(runs, segments)``, in score points. The mean over segments is the run's score. For a metric that averages
    segment scores, these are the segment scores.
    """
    sums = statistics.sum(axis=1).astype(np.float64)
    is_count = statistics.dtype.kind == "i" and int(statistics.min(initial=0)) == 0
    magnitudes = sums if is_count else np.abs(statistics).sum(axis=1)
    slopes = gradient(sums, magnitudes, score)
    n_segments = statistics.shape[1]
    influence = n_segments * (statistics @ slopes[:, :, np.newaxis])[:, :, 0]
    influence += (score(sums) - influence.mean(axis=1))[:, np.newaxis]
    return np.asarray(influence)


def gradient(sums: FloatArray, magnitudes: StatArray, score: Score) -> FloatArray:
    """Return the gradient of the score by central differences.

    Parameters
    ----------
    sums
        Point of evaluation, shape ``(runs, d)``.
    magnitudes
        Sums of absolute values, same shape; they set the step sizes. If one is zero, e.g. without any matching 4-gram,
        its slope has no effect and is returned as 0.

    Returns
    -------
    Shape ``(runs, d)``.
    """
    d = sums.shape[1]
    steps = 6e-6 * magnitudes  # cube root of the float64 epsilon: optimal for central differences
    moves = steps[np.newaxis] * np.eye(d)[:, np.newaxis, :]
    change = score(sums + moves) - score(sums - moves)
    return np.divide(change.T, 2 * steps, out=np.zeros_like(sums), where=steps > 0)


def unit_values(statistics: StatArray, score: Score, sizes: IntArray | None) -> FloatArray:
    """Return values per unit whose variance over units is that of the score.

    Parameters
    ----------
    statistics
        Shape ``(runs, units, d)``.
    sizes
        Segments per unit, shape ``(units,)``; None if each unit is a segment (then returns ``contributions``).

    Returns
    -------
    Shape ``(runs, units)``, in score points; NaN if the score is undefined without one of the units.
    """
    if sizes is None:
        return contributions(statistics, score)
    return pseudo_values(statistics, score)


def pseudo_values(statistics: StatArray, score: Score) -> FloatArray:
    """Return the jackknife pseudo-values ``G m - (G - 1) m_(without d)`` of G units, m being the run's score.

    Parameters
    ----------
    statistics
        Shape ``(runs, units, d)``.

    Returns
    -------
    Shape ``(runs, units)``, in score points.

    References
    ----------
    Tukey (1958); Efron (1982).
    """
    sums = statistics.sum(axis=1, keepdims=True).astype(np.float64)
    n_units = statistics.shape[1]
    return np.asarray(n_units * score(sums) - (n_units - 1) * score(sums - statistics))


def effective_units(sizes: IntArray) -> float:
    """Return the number of equal units with the same sum of squared shares of segments, from sizes ``(units,)``."""
    return float(sizes.sum() ** 2 / np.square(sizes, dtype=np.float64).sum())


def df_of_units(sizes: IntArray | None, n_units: int) -> float:
    """Return the degrees of freedom over units of sizes ``(units,)``; for segments (None) their number minus one."""
    if sizes is None:
        return n_units - 1.0
    return effective_units(sizes) - 1


def most_df(n_units: int) -> float:
    """Return the limit on degrees of freedom with few units; infinite from five units on.

    Few units may happen to look alike. Without the limit, two, three and four documents reject up to 11%, 7% and 6% of
    true null hypotheses at 5% (``docs/decisions/two-way-floor.md``).
    """
    return MOST_DF.get(n_units, float("inf"))


def uneven_refusal(sizes: IntArray | None) -> str:
    """Return why units of these sizes cannot be used; empty if they can."""
    if sizes is None or sizes.max() / sizes.sum() <= LARGEST_SHARE:
        return ""
    return TOO_LARGE


def uneven_note(sizes: IntArray | None) -> str:
    """Return a note if one document has a large part of the test set, else an empty text."""
    if sizes is None:
        return ""
    share = float(sizes.max() / sizes.sum())
    if not LARGE_SHARE < share <= LARGEST_SHARE:
        return ""
    return (
        f"One document has {percent(share, 0)} of the segments. The {counted(len(sizes), 'document')} count as"
        f" {effective_units(sizes):.1f} of equal size, which widens intervals."
    )


def few_note(sizes: IntArray | None) -> str:
    """Return a note if there are fewer than five documents, else an empty text."""
    if sizes is None or np.isinf(most_df(len(sizes))):
        return ""
    return (
        f"There are only {counted(len(sizes), 'document')}, so intervals are wide and only large differences are"
        " detected."
    )
