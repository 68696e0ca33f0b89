"""What p-value would one have published? Many draws of n runs a system from a larger pool, each tested.

Clark et al. (2011), Table 2. What does not depend on the draw is computed once, and a p-value is the one that the
procedure itself gives for the runs drawn.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mteval.base.arrays import FloatArray, StatArray
from mteval.base.words import counted
from mteval.stats.base import How

IndexArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Draws:
    """The runs that each draw takes, as indices into a pool of runs.

    Parameters
    ----------
    baseline, system
        Shape ``(draws, n)``; the runs of a row are distinct. The exchange of outputs pairs them column by column.
    """

    baseline: IndexArray
    system: IndexArray

    def __post_init__(self) -> None:
        if self.baseline.shape != self.system.shape or self.baseline.ndim != 2 or not self.baseline.size:
            raise ValueError(
                f"Draws of shapes {self.baseline.shape} and {self.system.shape}; expected one shape (draws, runs)."
            )

    @classmethod
    def random(cls, pool: tuple[int, int], n_runs: int, n_draws: int, generator: np.random.Generator) -> "Draws":
        """Draw ``n_runs`` of either system without replacement, ``n_draws`` times.

        Parameters
        ----------
        pool
            How many runs the baseline and the system have.

        Raises
        ------
        ValueError
            If a system has fewer than ``n_runs``.
        """
        if not 1 <= n_runs <= min(pool):
            raise ValueError(
                f"{counted(n_runs, 'run')} to be drawn from {pool[0]} and {pool[1]}; expected 1 to {min(pool)}."
            )
        baseline, system = (generator.random((n_draws, size)).argsort(axis=1)[:, :n_runs] for size in pool)
        return cls(baseline, system)

    @property
    def n_runs(self) -> int:
        """Runs of either system in a draw."""
        return int(self.baseline.shape[1])

    def __len__(self) -> int:
        return len(self.baseline)

    def show_spread(self, baseline: StatArray, system: StatArray) -> npt.NDArray[np.bool_]:
        """Which draws hold, of either system, two runs that are no copies of each other, shape ``(draws,)``.

        Parameters
        ----------
        baseline, system
            The pools, shape ``(runs, units, d)``.
        """
        shows = np.ones(len(self), dtype=bool)
        for pool, chosen in ((baseline, self.baseline), (system, self.system)):
            contents = [run.tobytes() for run in pool]
            identity = np.array([contents.index(content) for content in contents])[chosen]
            shows &= (identity != identity[:, :1]).any(axis=1)
        return shows


def p_values_of_runs(
    test: Callable[[IndexArray], Sequence[float]],
    baseline: StatArray,
    system: StatArray,
    draws: Draws,
    how: How,
    at_once: int = 1,
) -> FloatArray:
    """P-value of each draw by a test that looks at runs, shape ``(draws,)``; NaN where a draw cannot show their spread.

    Parameters
    ----------
    test
        From some draws, shape ``(at_once,)`` or less, to their p-values.
    baseline, system
        The pools, shape ``(runs, units, d)``.
    """
    answered = np.flatnonzero(draws.show_spread(baseline, system))
    parts = [answered[start : start + at_once] for start in range(0, len(answered), at_once)]
    p_values = np.full(len(draws), np.nan)
    p_values[answered] = [p for many in how.map_chunks(test, parts) for p in many]
    return p_values
