"""Adaptive assignment: which outputs of a segment are judged depends on the scores so far, with known probabilities.

As in Pearmut's *dynamic* assignment (Zouhar et al.), every output is drawn alike until all have a few scores; then
weights fall with the rank, so that the best ones are told apart. Here the probability of each output is recorded, and
never small, so that means can be weighted by it.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

COLD_START = 5  # scores of each output, before which all are drawn alike
UNIFORM = 0.25  # share of the probability that does not depend on scores


def chances(scores: Sequence[tuple[int, float]], n_drawn: int) -> npt.NDArray[np.float64]:
    """Return the probability of each output to be among those drawn.

    Parameters
    ----------
    scores
        Number and mean of the scores of each output so far.
    n_drawn
        At most the number of outputs. The probabilities sum to it.
    """
    even = np.full(len(scores), n_drawn / len(scores))
    if min(n for n, _ in scores) < COLD_START:
        return even
    rank = np.argsort(np.argsort([-mean for _, mean in scores], kind="stable"), kind="stable")
    weights = 1.0 / np.maximum(rank + 1, 2)  # the two best have the same
    drawn = np.zeros(len(scores))
    while (drawn < 1).any() and drawn.sum() < n_drawn - 1e-12:
        rest = drawn < 1
        drawn[rest] = weights[rest] / weights[rest].sum() * (n_drawn - (~rest).sum())
        drawn = np.minimum(drawn, 1.0)
    return np.asarray(UNIFORM * even + (1 - UNIFORM) * drawn)


def draw(probabilities: npt.NDArray[np.float64], generator: np.random.Generator) -> list[int]:
    """Draw outputs with these probabilities, without replacement, in random order (systematic sampling, Madow 1949)."""
    order = generator.permutation(len(probabilities))
    ends = np.cumsum(probabilities[order])
    ticks = generator.random() + np.arange(round(float(ends[-1])))
    drawn = order[np.minimum(np.searchsorted(ends, ticks, side="right"), len(order) - 1)]
    return [int(output) for output in generator.permutation(drawn)]


def assigned(
    candidates: Sequence[int], scores: Mapping[int, tuple[int, float]], n_drawn: int, generator: np.random.Generator
) -> list[tuple[int, float]]:
    """Return the drawn outputs of a segment with their probabilities.

    Parameters
    ----------
    candidates
        Outputs with different texts.
    scores
        Number and mean of the scores so far, of outputs that have any.
    """
    known = chances([scores.get(output, (0, 0.0)) for output in candidates], n_drawn)
    return [(candidates[place], float(known[place])) for place in draw(known, generator)]
