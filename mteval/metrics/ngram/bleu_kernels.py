"""Compiled loop over the sums of many resamples: BLEU by its definition."""

import numpy as np

from mteval.base.arrays import FloatArray, StatArray
from mteval.base.exchange_kernels import exchange
from mteval.base.kernels import in_numpy, kernel


@kernel
def plain_scores(sums: FloatArray, roots: FloatArray, penalties: FloatArray) -> tuple[bool, bool]:
    """Fill in the fourth root of the product of precisions, and the logarithm of the brevity penalty.

    Parameters
    ----------
    sums
        Shape ``(groups, 10, n)``; the roots and penalties have shape ``(groups, n)``.

    Returns
    -------
    Whether every order of all sums has a match, and whether any hypothesis is shorter than its reference.
    """
    all_match = True
    any_short = False
    for group in range(sums.shape[0]):
        for i in range(sums.shape[2]):
            # One division for the product of the four precisions, which takes two thirds of the time of four
            matches = sums[group, 2, i] * sums[group, 3, i] * (sums[group, 4, i] * sums[group, 5, i])
            totals = sums[group, 6, i] * sums[group, 7, i] * (sums[group, 8, i] * sums[group, 9, i])
            product = matches / totals
            all_match &= product > 0
            roots[group, i] = np.sqrt(np.sqrt(product))
            penalty = 1 - sums[group, 1, i] / sums[group, 0, i]
            is_short = penalty < 0
            any_short |= is_short
            penalties[group, i] = penalty if is_short else 0.0  # with an empty reference, NaN becomes 0
    return all_match, any_short


@in_numpy(plain_scores)
def _plain_scores_in_numpy(sums: FloatArray, roots: FloatArray, penalties: FloatArray) -> tuple[bool, bool]:
    """Do the same operations in the same order for all groups at once."""
    with np.errstate(divide="ignore", invalid="ignore"):
        matches = sums[:, 2] * sums[:, 3] * (sums[:, 4] * sums[:, 5])
        totals = sums[:, 6] * sums[:, 7] * (sums[:, 8] * sums[:, 9])
        product = matches / totals
        penalty = 1 - sums[:, 1] / sums[:, 0]
    is_short = penalty < 0
    roots[...] = np.sqrt(np.sqrt(product))
    penalties[...] = np.where(is_short, penalty, 0.0)
    return bool((product > 0).all()), bool(is_short.any())


@kernel
def exchanged_plain_scores(
    baseline: StatArray,
    system: StatArray,
    of_system: FloatArray,
    of_both: FloatArray,
    scale: float,
    roots: FloatArray,
    penalties: FloatArray,
) -> tuple[bool, bool]:
    """Do the same after exchanges between two systems, chunk by chunk, so that sums stay in the processor's cache.

    ``baseline`` to ``scale`` are those of ``exchange``, with sums of the shape ``(chunks, 10, n)``; the roots and
    penalties have shape ``(chunks, 2, n)``.
    """
    all_match = True
    any_short = False
    n_chunks, n_fields, n = baseline.shape
    sides = np.empty((2, n_fields, n))
    for chunk in range(n_chunks):
        exchange(baseline[chunk], system[chunk], of_system, of_both, scale, sides)
        do_match, are_short = plain_scores(sides, roots[chunk], penalties[chunk])
        all_match &= do_match
        any_short |= are_short
    return all_match, any_short


@kernel
def plain_scores_of_any_order(sums: FloatArray, roots: FloatArray, penalties: FloatArray) -> tuple[bool, bool]:
    """Do the same for n-grams of other lengths: ``sums`` has shape ``(groups, 2 + 2 N, n)``, the root is the N-th.

    A loop over the orders would slow the usual four.
    """
    all_match = True
    any_short = False
    order = (sums.shape[1] - 2) // 2
    for group in range(sums.shape[0]):
        for i in range(sums.shape[2]):
            product = 1.0
            for n in range(2, 2 + order):
                product *= sums[group, n, i] / sums[group, n + order, i]
            all_match &= product > 0
            roots[group, i] = product ** (1 / order)
            penalty = 1 - sums[group, 1, i] / sums[group, 0, i]
            is_short = penalty < 0
            any_short |= is_short
            penalties[group, i] = penalty if is_short else 0.0
    return all_match, any_short
