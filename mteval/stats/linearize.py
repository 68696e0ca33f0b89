"""What each segment contributes to a corpus score that is no mean of segment scores (the delta method).

A corpus score is a function of sums. Close to them it is as good as linear, so a segment's statistics times the
gradient say how the score moves with the segment (its influence; Efron 1982, chapter 6). Variances of scores become
variances of means of such contributions.
"""

import numpy as np

from mteval.stats.base import FloatArray, Score, StatArray

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
