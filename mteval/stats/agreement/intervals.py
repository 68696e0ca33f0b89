"""Intervals of agreement on an endless test set, whose noise makes the agreement observed too small on average."""

import numpy as np
from scipy import special

from mteval.base.arrays import FloatArray

MIRRORED = 25  # how many times smaller the mirrored tail is than the other (benchmarks/agreement.py)


def corrected_pearson_interval(
    human: FloatArray, metric: FloatArray, confidence: float, df: float
) -> tuple[float, float]:
    """Return the interval of the correlation that systems would have on an endless test set.

    Noise from the choice of units makes the observed correlation too small on average. Products of different units have
    no such bias. The interval holds every correlation ``r`` for which their covariance less ``r`` times the root of
    their variances is near zero (Fieller 1954), by the jackknife over units and Student's t.

    Parameters
    ----------
    human, metric
        Unit values whose mean is each system's score, shape ``(systems, units)``, at least three units.
    df
        Degrees of freedom over units.

    Returns
    -------
    All correlations if systems cannot be told from noise.
    """
    n_units = human.shape[1]
    centred_human = human - human.mean(axis=0)
    centred_metric = metric - metric.mean(axis=0)
    covariances = _moment_of_different_units(centred_human, centred_metric)
    human_variances = _moment_of_different_units(centred_human, centred_human)
    metric_variances = _moment_of_different_units(centred_metric, centred_metric)
    if (human_variances <= 0).any() or (metric_variances <= 0).any():
        return -1.0, 1.0

    # The numerator and the denominator of the correlation: of all units, and the jackknife over units
    roots = np.sqrt(human_variances * metric_variances)
    numerator = covariances[0]
    denominator = roots[0]
    # Covariance matrix of numerator and denominator, shape ``(2, 2)``
    covariance = np.cov(covariances[1:], roots[1:]) * (n_units - 1) ** 2 / n_units
    t_squared = float(special.stdtrit(df, (1 + confidence) / 2)) ** 2

    # The ends are the roots of a quadratic equation in r. If the denominator may be zero, they hold nothing between.
    coefficient = denominator**2 - t_squared * covariance[1, 1]
    if coefficient <= 0:
        return -1.0, 1.0
    middle = (numerator * denominator - t_squared * covariance[0, 1]) / coefficient
    width = np.sqrt(max(0.0, middle**2 - (numerator**2 - t_squared * covariance[0, 0]) / coefficient))
    low, high = np.clip([middle - width, middle + width], -1, 1).tolist()
    return low, high


def _moment_of_different_units(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the mean product of different units, summed over systems; then the same without each unit.

    Parameters
    ----------
    x, y
        Shape ``(systems, units)``.

    Returns
    -------
    Shape ``(1 + units,)``.
    """
    n_units = x.shape[1]
    x_sums = x.sum(axis=1)
    y_sums = y.sum(axis=1)
    same_unit = (x * y).sum(axis=0)
    products = x_sums @ y_sums - same_unit.sum()
    # The products in which a unit occurs: with all units, on either side, less those with itself
    products_of_unit = x_sums @ y + y_sums @ x - 2 * same_unit
    of_all = products / (n_units * (n_units - 1))
    without_unit = (products - products_of_unit) / ((n_units - 1) * (n_units - 2))
    return np.append(of_all, without_unit)


def corrected_share_interval(value: float, draws: FloatArray, confidence: float) -> tuple[float, float]:
    """Return the interval of a measure over pairs of systems that noise makes too small on average.

    Replicates have the noise twice, so their percentiles are too low. The low end is a percentile all the same. The
    high end lies as far above the value as a percentile of a smaller tail lies below it, if that is higher.

    Parameters
    ----------
    draws
        The measure on bootstrap replicates, shape ``(replicates,)``; at most 1.
    """
    tail = (1 - confidence) / 2
    low, high, far_below = np.nanquantile(draws, [tail, 1 - tail, tail / MIRRORED])
    mirrored = 2 * value - far_below
    return float(low), float(min(1.0, max(high, mirrored)))


def bca_interval(value: float, draws: FloatArray, without: FloatArray, confidence: float) -> tuple[float, float]:
    """Return the bias-corrected and accelerated bootstrap interval (Efron 1987).

    Parameters
    ----------
    draws
        The measure on bootstrap replicates, shape ``(replicates,)``; NaN is ignored.
    without
        The measure without each group of units, shape ``(groups,)``.
    """
    known = draws[~np.isnan(draws)]

    # Bias correction: the share of replicates below the value, in which ties count half
    share_below = (np.count_nonzero(known < value) + np.count_nonzero(known <= value)) / (2 * len(known))
    bias = special.ndtri(np.clip(share_below, 0.5 / len(known), 1 - 0.5 / len(known)))

    # Acceleration: the skewness of the jackknife
    deviations = without.mean() - without
    spread = np.sqrt((deviations**2).sum())
    acceleration = 0.0
    if spread > 0:
        acceleration = (deviations**3).sum() / (6 * spread**3)

    z = bias + special.ndtri([0.5 - confidence / 2, 0.5 + confidence / 2])
    low, high = np.quantile(known, special.ndtr(bias + z / (1 - acceleration * z)))
    return float(low), float(high)
