"""Components of variance of many draws of runs at once, as ``stats.crossed_layout`` has them of one.

Thousands of draws from one pool hold the same runs again and again. The mean squares of a draw are sums of products
over units, of pairs of its runs, and those of all pairs are computed once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mteval.arrays import IntArray
from mteval.stats.base import FloatArray
from mteval.stats.crossed_layout import Components


@dataclass(frozen=True)
class DrawnLayouts:
    """A pool of runs, of which many crossed layouts are drawn.

    Parameters
    ----------
    values
        What units bring to the score of each run, shape ``(runs, units)``, two units or more. A draw with a run that
        holds NaN has a total of NaN.
    df_units
        Degrees of freedom over units where these are of unequal size.
    """

    values: FloatArray
    df_units: float | None = None

    def components(self, baseline: IntArray, system: IntArray) -> Iterator[Components]:
        """Those of ``components_of`` for each draw, from places in the pool of shapes ``(draws, n)``, n at least 2."""
        sides, n_units = (baseline, system), self.values.shape[1]
        weights = [self._weights(side) for side in sides]
        products = [each @ self._products for each in weights]
        gains = np.sum((weights[1] - weights[0]) * (products[1] - products[0]), axis=1)
        squares = [np.sum(weight * product, axis=1) for weight, product in zip(weights, products, strict=True)]
        columns = (
            *(self._means[side].var(axis=1, ddof=1) / side.shape[1] for side in sides),
            gains / ((n_units - 1) * n_units),
            *(self._pairs(side, square) for side, square in zip(sides, squares, strict=True)),
        )
        shape = baseline.shape[1], system.shape[1], n_units
        for one, other, segments, *pairs in np.column_stack(columns).tolist():
            yield Components((one, other), segments, tuple(pairs), shape, self.df_units)

    @cached_property
    def _means(self) -> FloatArray:
        return np.asarray(self.values.mean(axis=1))

    @cached_property
    def _products(self) -> FloatArray:
        """Sums over units of products of what two runs bring beyond their means, shape ``(runs, runs)``."""
        rest = np.where(np.isfinite(self._means)[:, np.newaxis], self.values - self._means[:, np.newaxis], 0.0)
        rest -= rest.mean(axis=0)  # common to all runs: no mean square has it, but digits would be lost to it
        return np.asarray(rest @ rest.T)

    def _weights(self, chosen: IntArray) -> FloatArray:
        """Of each run of the pool in the mean over the runs of each draw, shape ``(draws, runs)``."""
        weights = np.zeros((len(chosen), len(self.values)))
        np.put_along_axis(weights, chosen, 1 / chosen.shape[1], axis=1)
        return weights

    def _pairs(self, chosen: IntArray, squares: FloatArray) -> FloatArray:
        """Interaction mean squares over the number of cells; ``squares`` are those of the means over the runs."""
        n_runs, n_units = chosen.shape[1], self.values.shape[1]
        rest = np.maximum(0.0, self._products.diagonal()[chosen].sum(axis=1) - n_runs * squares)
        return np.asarray(rest / ((n_runs - 1) * (n_units - 1) * n_runs * n_units))
