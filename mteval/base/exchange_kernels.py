"""Compiled loop that exchanges units of two systems; the tests exchange in it, and so do metrics that score at once."""

import numpy as np

from mteval.base.arrays import FloatArray, StatArray
from mteval.base.kernels import kernel


@kernel
def exchange(
    baseline: StatArray, system: StatArray, of_system: FloatArray, of_both: FloatArray, scale: float, sides: FloatArray
) -> None:
    """Fill sides ``(2, d, shuffles)``: mean sums of system and baseline after the exchange of some units.

    Parameters
    ----------
    baseline, system
        Sums over the units exchanged, shape ``(d, shuffles)``.
    of_system, of_both
        Sums over all units, shape ``(d,)``.
    scale
        All sums are ``scale`` times those of the mean over runs.
    """
    inverse = 1 / scale  # a product takes half the time of a division
    for k in range(len(baseline)):
        for i in range(baseline.shape[1]):
            exchanged = np.float64(baseline[k, i] - system[k, i]) + of_system[k]
            sides[0, k, i] = exchanged * inverse
            sides[1, k, i] = (of_both[k] - exchanged) * inverse
