"""The two-way test of many experiments at once, from mean squares.

``mteval.stats.crossed_layout`` does one experiment; ``tests/test_calibration.py`` compares the two.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from mteval.stats.runs import noise_share
from mteval.stats.tail import printed_p_values
from mteval.stats.units import most_df

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class MeanSquares:
    """Of so many experiments, each over what it is averaged over, as in ``mteval.stats.crossed_layout.Components``.

    Parameters
    ----------
    runs, pairs
        One row a side whose runs count, shape ``(sides, experiments)``.
    segments
        Shape ``(experiments,)``.
    df_runs
        Of each side, shape ``(sides,)``.
    df_segments
        Over segments or documents.
    df_own
        Of each side by its own runs alone, where ``df_runs`` has more.
    most_df
        A bound on the degrees of freedom of the difference, as few units set one.
    """

    runs: Array
    segments: Array
    pairs: Array
    df_runs: Array
    df_segments: float
    df_own: Array | None = None
    most_df: float = float("inf")

    def total_and_df(self, share: float | None = None) -> tuple[Array, Array]:
        """Variance of the difference and its degrees of freedom, shape ``(experiments,)``.

        ``share`` of the noise does not count for few runs, None as it is.
        """
        runs = self.runs.sum(axis=0)
        pairs = self.pairs.sum(axis=0)
        total = np.maximum(runs + self.segments - pairs, np.maximum(runs, self.segments))

        # Shape (sides, 1), beside mean squares of shape (sides, experiments).
        df_runs = self.df_runs[:, np.newaxis]
        df_own = self._df_own[:, np.newaxis]
        df_pairs = self.df_segments * df_own
        if share is None:
            share = noise_share(df_own)

        # Satterthwaite's degrees of freedom; each part is a variance squared over its own.
        beyond_noise = np.maximum(0, self.runs - share * self.pairs)
        parts = (beyond_noise**2 / df_runs).sum(axis=0)
        parts += self.segments**2 / self.df_segments + (self.pairs**2 / df_pairs).sum(axis=0)
        return total, np.minimum(total**2 / parts, self.most_df)

    def p_values(self, difference: Array, share: float | None = None) -> Array:
        """Two-sided p-values, shape ``(experiments,)``; ``share`` as in ``total_and_df``."""
        total, df = self.total_and_df(share)
        return np.asarray(2 * stdtr(df, -np.abs(difference) / np.sqrt(total)))

    def printed_p_values(self, difference: Array) -> Array:
        """P-values as mteval prints them."""
        n_runs = tuple(int(df) + 1 for df in self._df_own)
        return printed_p_values(self.p_values(difference), n_runs)

    @property
    def _df_own(self) -> Array:
        """Degrees of freedom of each side by its own runs alone, shape ``(sides,)``."""
        return self.df_runs if self.df_own is None else self.df_own


def mean_squares(sides: Sequence[Array], df_segments: float | None = None) -> MeanSquares:
    """From what units bring to run scores of both systems, or of gains, shapes ``(experiments, runs, units)``."""
    n_units = sides[0].shape[2]
    gains = sides[-1].mean(axis=1)  # shape (experiments, units)
    if len(sides) > 1:
        gains = gains - sides[0].mean(axis=1)
    if df_segments is None:
        df_segments = n_units - 1
    return MeanSquares(
        runs=np.stack([side.mean(axis=2).var(axis=1, ddof=1) / side.shape[1] for side in sides]),
        segments=gains.var(axis=1, ddof=1) / n_units,
        pairs=np.stack([pair_squares(side) for side in sides]),
        df_runs=np.array([side.shape[1] - 1 for side in sides]),
        df_segments=df_segments,
        most_df=most_df(n_units),
    )


def pair_squares(side: Array) -> Array:
    """Interaction mean square over the number of cells, shape ``(experiments,)``."""
    n_runs, n_units = side.shape[1:]
    rest = side - side.mean(axis=2, keepdims=True) - side.mean(axis=1, keepdims=True)
    rest += side.mean(axis=(1, 2), keepdims=True)
    df = (n_runs - 1) * (n_units - 1)
    return np.asarray(np.square(rest).sum(axis=(1, 2)) / (df * n_runs * n_units))
