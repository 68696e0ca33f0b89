"""How likely is a small experiment to show two systems in the other order than these runs do, and how well is it known?

A difference of the averages of k new runs each, on the same test set, has mean ``δ`` and variance
``(σ_A^2 + σ_B^2) / k``, so with normal scores the other order has probability ``Φ(-√k |δ| / √(σ_A^2 + σ_B^2))``. The
fraction in it, how far the systems are apart in units of the spread of one run each, is all that has to be estimated.
"""

from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from mteval.stats.base import FloatArray
from mteval.stats.runs import satterthwaite, variance

N_POINTS = 2_000  # of the chi-square distribution; errors of the interval's confidence below 0.0001
FARTHEST = 9.0  # standard errors beyond which a normal curve is empty


@dataclass(frozen=True)
class Separation:
    """How far two systems are apart in units of the spread of one run each, towards the order of the runs at hand.

    Parameters
    ----------
    estimate
        Never negative.
    low, high
        Confidence interval; where ``low`` is negative, the true order may be the other one. Luck with training alone.
    """

    estimate: float
    low: float
    high: float

    def risk(self, k: int) -> tuple[float, float, float]:
        """Probability that k new runs each show the other order: the estimate and the limits of its interval."""
        estimate, low, high = (float(special.ndtr(-(k**0.5) * size)) for size in (self.estimate, self.high, self.low))
        return estimate, low, high


def separation(baseline: FloatArray, system: FloatArray, confidence: float) -> Separation:
    """Estimate it from run scores, shapes ``(n_A,)`` and ``(n_B,)``, which are taken as normal.

    The interval turns around the noncentral t distribution, as for a standardised difference (Steiger and Fouladi
    1997): exact for equal variances known to be equal, and with Satterthwaite's degrees of freedom where they need not
    be.

    Returns
    -------
    NaN where a system has one run, where no run differs from another, or where the averages are equal.
    """
    variances = np.array([variance(scores) for scores in (baseline, system)])
    difference, total = abs(float(system.mean() - baseline.mean())), float(variances.sum())
    if not difference or not total > 0:  # or NaN
        return Separation(float("nan"), float("nan"), float("nan"))
    sizes = np.array([len(baseline), len(system)])
    df = satterthwaite(variances, sizes - 1)
    shrinkage = float(np.sqrt((variances / sizes).sum() / total))
    low, high = _noncentralities(difference / (shrinkage * total**0.5), df, confidence)
    return Separation(difference / total**0.5, low * shrinkage, high * shrinkage)


def _noncentralities(t: float, df: float, confidence: float) -> tuple[float, float]:
    """Those under which a value of at least, and of at most, ``t`` has half of what the confidence leaves."""
    uniform = (np.arange(N_POINTS) + 0.5) / N_POINTS
    reach = t * np.sqrt(special.chdtri(df, uniform) / df)

    def limit(share: float) -> float:
        low, high = float(reach.min()) - FARTHEST, float(reach.max()) + FARTHEST
        return float(
            optimize.brentq(lambda noncentrality: special.ndtr(reach - noncentrality).mean() - share, low, high)
        )

    tail = (1 - confidence) / 2
    return limit(1 - tail), limit(tail)
