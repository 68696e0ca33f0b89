"""Several comparisons at once: p-values adjusted for the size of their family.

A p-value that is NaN belongs to a test that could not answer; it is left out of the family and stays NaN.
"""

from collections.abc import Callable, Hashable, Sequence

import numpy as np
import numpy.typing as npt

from mteval.stats.base import TOLERANCE, FloatArray


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """Adjust by Holm (1979): bounds the chance of any false claim in the family, whatever the tests' dependence.

    Parameters
    ----------
    p_values
        Shape ``(family,)``, each in 0 to 1 or NaN.

    Returns
    -------
    Same shape and range.
    """
    return _adjusted(p_values, lambda p: np.maximum.accumulate(p * np.arange(len(p), 0, -1)))


def holm_within(families: Sequence[Hashable], p_values: npt.ArrayLike) -> FloatArray:
    """Adjust by Holm within each family, shape ``(tests,)``; ``families`` names that of each test."""
    adjusted = np.array(p_values, dtype=np.float64)
    places: dict[Hashable, list[int]] = {}
    for place, family in enumerate(families):
        places.setdefault(family, []).append(place)
    for together in places.values():
        adjusted[together] = holm(adjusted[together])
    return adjusted


def bonferroni(p_values: npt.ArrayLike) -> FloatArray:
    """Adjust by Bonferroni: as ``holm``, with less power; for reproducing published tables."""
    return _adjusted(p_values, lambda p: p * len(p))


def benjamini_hochberg(p_values: npt.ArrayLike) -> FloatArray:
    """Adjust by Benjamini and Hochberg (1995): bounds the expected share of false claims among the claims made.

    Holds for independent and for positively dependent tests.
    """
    return _adjusted(p_values, lambda p: np.minimum.accumulate((p * len(p) / np.arange(1, len(p) + 1))[::-1])[::-1])


def max_t(differences: npt.ArrayLike, nulls: npt.ArrayLike) -> FloatArray:
    """Adjust by the largest difference of each shuffle (Westfall and Young 1993, single step): two-sided.

    Takes the dependence of the comparisons into account, and assumes no normal scores.

    Parameters
    ----------
    differences
        Shape ``(family,)``.
    nulls
        Shape ``(family, n_resamples)``: draws under the null hypothesis, made by the same shuffles for all members.
        Each is divided by its own spread, so that comparisons of any scale count alike.

    Returns
    -------
    Shape ``(family,)``, from ``1 / (n_resamples + 1)`` to 1; 1 for a comparison of identical systems.
    """
    spreads, largest = _largest(nulls)
    observed = np.abs(np.asarray(differences, dtype=np.float64)) / spreads
    reached = largest >= observed[:, np.newaxis] - TOLERANCE
    return np.asarray((reached.sum(axis=1) + 1) / (len(largest) + 1))


def max_t_reach(nulls: npt.ArrayLike, level: float) -> FloatArray:
    """How far simultaneous intervals go to either side of the differences, by the same draws.

    They leave out zero where ``max_t`` is at most the level, and hold together with probability ``1 - level`` where a
    true difference moves the draws and does not change their spread.

    Returns
    -------
    Shape ``(family,)``; infinite where there are too few draws for the level.
    """
    spreads, largest = _largest(nulls)
    n_beyond = int(np.floor(level * (len(largest) + 1) + TOLERANCE)) - 1
    critical = float(np.sort(largest)[::-1][n_beyond]) if n_beyond >= 0 else float("inf")
    return np.asarray(critical * spreads)


def _largest(nulls: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """The spread of each member's draws, and the largest of each shuffle in such spreads."""
    draws = np.abs(np.asarray(nulls, dtype=np.float64))
    spreads = np.sqrt(np.mean(draws**2, axis=1))
    spreads[spreads == 0] = 1.0
    return spreads, np.asarray((draws / spreads[:, np.newaxis]).max(axis=0))


def tukey(t: npt.ArrayLike, df: npt.ArrayLike, n_systems: int) -> FloatArray:
    """Adjust two-sided tests of all pairs of systems by the range of Student's t (Tukey 1953; Games and Howell 1976).

    Each pair has its own standard error and degrees of freedom, so that systems may differ in how much they vary.

    Parameters
    ----------
    t, df
        Differences over their standard errors, and degrees of freedom, shape ``(pairs,)``; NaN stays.
    n_systems
        Whose pairs they are.
    """
    from scipy.stats import studentized_range  # here, because it takes most of a second to import

    return np.asarray(studentized_range.sf(np.sqrt(2) * np.abs(t), n_systems, df), dtype=np.float64)


def experiment_wise_error(level: float, n_comparisons: int) -> float:
    """Chance of at least one false claim among independent comparisons at a level (Riezler and Maxwell 2005, 4.4)."""
    return float(1 - (1 - level) ** n_comparisons)


def _adjusted(p_values: npt.ArrayLike, adjust: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Apply ``adjust`` to the known p-values in rising order, bounded by 1."""
    adjusted = np.array(p_values, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(adjusted))
    rising = known[np.argsort(adjusted[known], kind="stable")]
    adjusted[rising] = np.minimum(adjust(adjusted[rising]), 1.0)
    return adjusted
