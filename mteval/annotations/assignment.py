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
    """Return the probability of each output to be among those drawn, shape ``(outputs,)``.

    Parameters
    ----------
    scores
        Number and mean of the scores of each output so far.
    n_drawn
        At most the number of outputs. The probabilities sum to it.
    """
    even = np.full(len(scores), n_drawn / len(scores))
    if any(n_scores < COLD_START for n_scores, _ in scores):
        return even
    # Weights fall with the rank by the mean score, from 0; the two best have the same.
    best_first = np.argsort([-mean for _, mean in scores], kind="stable")
    rank = np.argsort(best_first, kind="stable")
    weights = 1.0 / np.maximum(rank + 1, 2)

    # Probabilities are proportional to the weights. Those that would exceed 1 are 1, and the rest is shared anew.
    weighted = np.zeros(len(scores))
    while (weighted < 1).any() and weighted.sum() < n_drawn - 1e-12:
        below_one = weighted < 1
        n_certain = (~below_one).sum()
        share = weights[below_one] / weights[below_one].sum()
        weighted[below_one] = share * (n_drawn - n_certain)
        weighted = np.minimum(weighted, 1.0)
    return np.asarray(UNIFORM * even + (1 - UNIFORM) * weighted)


def draw(probabilities: npt.NDArray[np.float64], generator: np.random.Generator) -> list[int]:
    """Draw outputs with these probabilities, without replacement, in random order (systematic sampling, Madow 1949)."""
    # The outputs in random order, each with an interval as long as its probability, end to end from 0
    order = generator.permutation(len(probabilities))
    ends = np.cumsum(probabilities[order])
    # Ticks at distance 1 from a random start. No interval is longer than that, so none holds two ticks.
    n_drawn = round(float(ends[-1]))
    ticks = generator.random() + np.arange(n_drawn)
    places = np.searchsorted(ends, ticks, side="right")
    places = np.minimum(places, len(order) - 1)  # a tick may lie behind the last end, which was rounded
    return [int(output) for output in generator.permutation(order[places])]


def assigned(
    candidates: Sequence[int],
    scores: Mapping[int, tuple[int, float]],
    n_drawn: int,
    generator: np.random.Generator,
) -> list[tuple[int, float]]:
    """Return the drawn outputs of a segment with their probabilities.

    Parameters
    ----------
    candidates
        Outputs with different texts.
    scores
        Number and mean of the scores so far, of outputs that have any.
    """
    scores_of_candidates = [scores.get(output, (0, 0.0)) for output in candidates]
    probabilities = chances(scores_of_candidates, n_drawn)
    return [(candidates[place], float(probabilities[place])) for place in draw(probabilities, generator)]
