"""Several comparisons at once: p-values adjusted for the size of their family.

A p-value that is NaN belongs to a test that could not answer; it is left out of the family and stays NaN.

Borrowing strength: how much runs differ, from all systems together, for a look at how much hangs on few runs.

A sensitivity analysis and never the verdict: it takes for granted that systems vary about alike. Where one of them
varies more, what it borrows is too little, and its differences are found too often.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mteval.base.arrays import FloatArray
from mteval.base.words import counted
from mteval.stats.base import TOLERANCE
from mteval.stats.crossed_layout import Components, components_of


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


FEWEST_SYSTEMS = 4
PRIOR_DF = 2.0  # degrees of freedom that the other systems are worth


@dataclass(frozen=True)
class BorrowedSpread:
    """Variances over runs, each drawn towards the mean of all, from below alone.

    Parameters
    ----------
    variances
        ``max(M_k, (d s_0^2 + nu_k M_k) / (d + nu_k))`` of each system, in squared points of the score, with ``M_k`` its
        own, ``nu_k`` one less than its runs, ``s_0^2`` the mean of all, and ``d`` of 2.
    df
        ``d + nu_k``.
    """

    variances: tuple[float, ...]
    df: tuple[float, ...]

    @classmethod
    def of(cls, own: Sequence[float], n_runs: Sequence[int]) -> "BorrowedSpread":
        """From the variances over runs of four or more systems, and their numbers of runs, two or more each.

        Raises
        ------
        ValueError
            For fewer systems.
        """
        if len(own) < FEWEST_SYSTEMS:
            raise ValueError(f"Run variances of {counted(len(own), 'system')}; expected {FEWEST_SYSTEMS} or more.")
        variances, last = np.asarray(own, dtype=np.float64), np.asarray(n_runs) - 1
        drawn = (PRIOR_DF * variances.mean() + last * variances) / (PRIOR_DF + last)
        return cls(tuple(np.maximum(variances, drawn).tolist()), tuple((PRIOR_DF + last).tolist()))

    def components(
        self, baseline: FloatArray, system: FloatArray, places: tuple[int, int], df_units: float | None = None
    ) -> Components:
        """Those of a difference with the borrowed variances in place of the two systems' own.

        Parameters
        ----------
        baseline, system
            Contributions of shape ``(runs, units)``.
        places
            Of the two among the systems.
        """
        own = components_of(baseline, system, df_units)
        one, other = places
        runs = (self.variances[one] / len(baseline), self.variances[other] / len(system))
        return Components(runs, own.segments, own.pairs, own.shape, df_units, (self.df[one], self.df[other]))
