"""Minimum error rate training: exact line search along one weight at a time (Och 2003), from random starting points.

Along one weight the model scores of the candidates of a segment are straight lines, so that the best candidate changes
only where lines cross; between two crossings of any segment BLEU is constant. Weights and features are integers, hence
the sums are exact, and what wins inside an interval also wins at an integer inside it, on every machine.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from maker.bleu import FloatArray, IntArray, bleu
from maker.decoder import best, model_scores
from maker.stream import Stream

UNIT = 1_000_000  # a weight of 1
LIMIT = 10 * UNIT  # no weight goes beyond it


@dataclass(frozen=True)
class Tuned:
    """Weights, in millionths, and the BLEU they reach on the development set, in points."""

    weights: IntArray
    bleu: float


def corpus_bleu(features: IntArray, statistics: IntArray, weights: IntArray) -> float:
    """BLEU of what these weights choose; ``statistics`` has shape ``(segments, candidates, 10)``."""
    chosen = best(features, weights)
    return float(bleu(statistics[np.arange(len(chosen)), chosen].sum(axis=0)))


def tune(features: IntArray, statistics: IntArray, stream: Stream, restarts: int) -> Tuned:
    """The best of several local optima, each reached from a random starting point."""
    found = [_climb(features, statistics, stream) for _ in range(restarts)]
    return max(found, key=lambda tuned: tuned.bleu)


def line_search(features: IntArray, statistics: IntArray, weights: IntArray, axis: int) -> Tuned:
    """The best value of one weight, the others being kept; the weights as they were where nothing is better."""
    slopes = features[:, :, axis]
    offsets = model_scores(features, weights) - weights[axis] * slopes
    crossings, changes, total = _steps(offsets, slopes, statistics)
    order = np.argsort(crossings, kind="stable")
    edges = np.concatenate(([-LIMIT], crossings[order], [LIMIT]))
    # Weights are integers: the least and the greatest strictly inside each interval, where there are any.
    low, high = np.floor(edges[:-1]) + 1, np.ceil(edges[1:]) - 1
    scores = bleu(np.concatenate((total[None], total + np.cumsum(changes[order], axis=0))))
    scores = np.where(low <= high, scores, -1.0)
    winner = int(scores.argmax())
    current = corpus_bleu(features, statistics, weights)
    if scores[winner] <= current:
        return Tuned(weights, current)
    moved = weights.copy()
    moved[axis] = (int(low[winner]) + int(high[winner])) // 2
    return Tuned(moved, float(scores[winner]))


def _climb(features: IntArray, statistics: IntArray, stream: Stream) -> Tuned:
    """From a random point, one weight after the other in random order until a whole round brings nothing."""
    size = features.shape[2]
    weights = np.array([stream.integer(-UNIT // 4, UNIT) for _ in range(size)], dtype=np.int64)
    tuned = Tuned(weights, corpus_bleu(features, statistics, weights))
    while True:
        before = tuned.bleu
        for axis in stream.shuffled(range(size)):
            tuned = line_search(features, statistics, tuned.weights, axis)
        if tuned.bleu <= before:
            return tuned


def _steps(offsets: IntArray, slopes: IntArray, statistics: IntArray) -> tuple[FloatArray, IntArray, IntArray]:
    """Walk along the upper envelopes of all segments at once, from ``-LIMIT`` to ``LIMIT``.

    Returns where the best candidate of a segment changes, by how much the statistics change there, and their sum at
    the left end. Of equal candidates the first counts, as in decoding.
    """
    rows = np.arange(len(offsets))
    current = _steepest(offsets - LIMIT * slopes, slopes)
    total = statistics[rows, current].sum(axis=0)
    crossings, changes = [], []
    while rows.size:
        rise = slopes[rows] - slopes[rows, current][:, None]
        gap = offsets[rows, current][:, None] - offsets[rows]
        at = np.where(rise > 0, gap / np.where(rise > 0, rise, 1), np.inf)
        following = _steepest(-at, slopes[rows])
        where = at[np.arange(rows.size), following]
        alive = where < LIMIT
        crossings.append(where[alive])
        rows, old, current = rows[alive], current[alive], following[alive]
        changes.append(statistics[rows, current] - statistics[rows, old])
    return np.concatenate(crossings), np.concatenate(changes), total


def _steepest(values: npt.NDArray[np.generic], slopes: IntArray) -> IntArray:
    """Index of the largest value in each row; of equal ones the steepest, of these the first."""
    largest = values == values.max(axis=1, keepdims=True)
    first: IntArray = np.where(largest, slopes, np.iinfo(np.int64).min).argmax(axis=1)
    return first
