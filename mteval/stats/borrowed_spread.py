"""Borrowing strength: how much runs differ, from all systems together, for a look at how much hangs on few runs.

A sensitivity analysis and never the verdict: it takes for granted that systems vary about alike. Where one of them
varies more, what it borrows is too little, and its differences are found too often.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mteval.counts import counted
from mteval.stats.base import FloatArray
from mteval.stats.crossed_layout import Components, components_of

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
