"""Compiled loop over the sums of many resamples: BLEU by its definition."""

import numpy as np

from mteval.base.arrays import FloatArray, StatArray
from mteval.base.kernels import in_numpy, kernel

LOWEST_PENALTY = -0.5  # logarithm, down to which ``_exp`` is exact enough


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
def exchanged_differences(
    baseline: StatArray, system: StatArray, of_system: FloatArray, of_both: FloatArray, differences: FloatArray
) -> bool:
    """Fill in the differences of two systems' scores, in percent, after the exchange of some units.

    Writes nothing but the differences: sums and parts of scores in arrays would take twice the time, since they do not
    fit the processor's first cache.

    Parameters
    ----------
    baseline, system
        Sums over the units exchanged, shape ``(chunks, 10, n)``. The differences have shape ``(chunks, n)``.
    of_system, of_both
        Sums over all units, shape ``(10,)``.

    Returns
    -------
    Whether every order of all sums has a match, and no hypothesis is much shorter than its reference.
    """
    all_plain = True
    for chunk in range(baseline.shape[0]):
        for i in range(baseline.shape[2]):
            # Sums of the system; what is left of both is the baseline's
            hypothesis = np.float64(baseline[chunk, 0, i] - system[chunk, 0, i]) + of_system[0]
            reference = np.float64(baseline[chunk, 1, i] - system[chunk, 1, i]) + of_system[1]
            match1 = np.float64(baseline[chunk, 2, i] - system[chunk, 2, i]) + of_system[2]
            match2 = np.float64(baseline[chunk, 3, i] - system[chunk, 3, i]) + of_system[3]
            match3 = np.float64(baseline[chunk, 4, i] - system[chunk, 4, i]) + of_system[4]
            match4 = np.float64(baseline[chunk, 5, i] - system[chunk, 5, i]) + of_system[5]
            total1 = np.float64(baseline[chunk, 6, i] - system[chunk, 6, i]) + of_system[6]
            total2 = np.float64(baseline[chunk, 7, i] - system[chunk, 7, i]) + of_system[7]
            total3 = np.float64(baseline[chunk, 8, i] - system[chunk, 8, i]) + of_system[8]
            total4 = np.float64(baseline[chunk, 9, i] - system[chunk, 9, i]) + of_system[9]
            score, is_plain = _plain_score(
                hypothesis,
                reference,
                match1 * match2 * (match3 * match4),
                total1 * total2 * (total3 * total4),
            )
            other_score, other_is_plain = _plain_score(
                of_both[0] - hypothesis,
                of_both[1] - reference,
                (of_both[2] - match1) * (of_both[3] - match2) * ((of_both[4] - match3) * (of_both[5] - match4)),
                (of_both[6] - total1) * (of_both[7] - total2) * ((of_both[8] - total3) * (of_both[9] - total4)),
            )
            differences[chunk, i] = 100 * (score - other_score)
            all_plain &= is_plain & other_is_plain
    return all_plain


@kernel
def _plain_score(hypothesis: float, reference: float, matches: float, totals: float) -> tuple[float, bool]:
    """Return BLEU from lengths and from products over four orders, and whether it is not a special case."""
    product = matches / totals
    penalty = min(1 - reference / hypothesis, 0.0)
    score = np.sqrt(np.sqrt(product)) * _exp(penalty)
    return score, (product > 0) & (penalty >= LOWEST_PENALTY)


@kernel
def _exp(x: float) -> float:
    """Return the exponential of -0.5 to 0 with a relative error of 2e-15 at most, by Taylor's series of an eighth.

    NumPy's is one call per number in compiled code, which takes several times as long.
    """
    part = x / 8
    terms = 1 / 5_040 + part * (1 / 40_320 + part * (1 / 362_880))
    terms = 1 / 24 + part * (1 / 120 + part * (1 / 720 + part * terms))
    terms = 1 + part * (1 + part * (1 / 2 + part * (1 / 6 + part * terms)))
    square = terms * terms
    return (square * square) * (square * square)


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
