"""How likely is a run of one system to beat a run of the other?"""

from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from mteval.stats.base import FloatArray

ASIDE = 1e-9


@dataclass(frozen=True)
class Superiority:
    """Probability that a run of the system scores above one of the baseline, ties counting half, with its interval."""

    probability: float
    low: float
    high: float


def probability_of_superiority(baseline: FloatArray, system: FloatArray, confidence: float) -> Superiority:
    """Estimate it from run scores, shapes ``(n_A,)`` and ``(n_B,)``: luck with training, on the test set at hand.

    The interval is Newcombe's (2006, part 2, method 5), which stays sensible for few runs and where all runs of one
    system beat all of the other, but with Student's quantile in place of the normal one: with three runs a system the
    normal one leaves out one half whenever the runs are separate, which happens to equal systems one time in ten.
    Assumes independent runs.

    Returns
    -------
    NaN bounds where a system has one run.
    """
    beats = (system[:, np.newaxis] > baseline) + 0.5 * (system[:, np.newaxis] == baseline)
    observed = float(beats.mean())
    n_baseline, n_system = len(baseline), len(system)
    if min(n_baseline, n_system) < 2:
        return Superiority(observed, float("nan"), float("nan"))
    t = float(special.stdtrit(n_baseline + n_system - 2, 0.5 + confidence / 2))

    def excess(probability: float) -> float:
        """Positive where the probability is too far from the observed one."""
        return (probability - observed) ** 2 - t**2 * _variance(probability, n_baseline, n_system)

    # At 0 and 1 the variance is 0 and both ends would count as limits, hence the step aside.
    low = optimize.brentq(excess, 0.0, min(observed, 1 - ASIDE)) if observed > 0 else 0.0
    high = optimize.brentq(excess, max(observed, ASIDE), 1.0) if observed < 1 else 1.0
    return Superiority(observed, float(low), float(high))


def _variance(probability: float, n_baseline: int, n_system: int) -> float:
    """Hanley and McNeil's variance of the Mann-Whitney share, with both numbers replaced by their mean."""
    others = (n_baseline + n_system) / 2 - 1
    spread = (1 - probability) / (2 - probability) + probability / (1 + probability)
    return probability * (1 - probability) * (1 + others * spread) / (n_baseline * n_system)
