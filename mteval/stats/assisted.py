"""Metric-assisted means: what people say on some segments, made more precise by what metrics say on all.

Metrics are control variates (Glynn and Szechtman 2002; PPI++, Angelopoulos et al. 2023): the mean of judged segments is
corrected by how metrics differ between judged and all segments. The weights of metrics are estimated on other units
(cross-fitting), so that they cannot flatter. With weights of zero it is the plain mean.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from mteval.base.arrays import FloatArray, IntArray
from mteval.stats.units import effective_units

FEWEST_UNITS = 3
MOST_FOLDS = 10
NAN = float("nan")


@dataclass(frozen=True)
class Assisted:
    """A mean assisted by metrics.

    Parameters
    ----------
    mean, low, high, p_value
        Of the assisted mean; the two-sided p-value that it is zero is from the same t statistic as the interval.
    plain
        The mean of the judgements alone.
    saved
        Share of the error variance that metrics remove: as many fewer judgements give the same precision. Never less
        than 0.
    """

    mean: float
    low: float
    high: float
    p_value: float
    plain: float
    saved: float


def assisted_mean(
    judged: FloatArray, metrics: FloatArray, places: IntArray, units: IntArray, confidence: float = 0.95
) -> Assisted:
    """Estimate the mean over all segments.

    Parameters
    ----------
    judged
        What people say of the judged segments, e.g. differences between two systems, shape ``(judged,)``.
    metrics
        What metrics say of all segments, shape ``(metrics, segments)``, without NaN.
    places
        The judged segments, drawn at random.
    units
        Unit of each segment: its document, or itself.

    Returns
    -------
    All NaN but ``plain`` with fewer than three judged units.
    """
    judged_units = np.unique(units[places], return_inverse=True)[1]  # numbers of the units, shape ``(judged,)``
    n_units = int(judged_units.max()) + 1
    sizes = np.bincount(judged_units)
    plain = float(judged.mean())
    if n_units < FEWEST_UNITS:
        return Assisted(mean=NAN, low=NAN, high=NAN, p_value=NAN, plain=plain, saved=NAN)

    # Cross-fitting: what metrics predict for a fold has weights from the other folds. A unit is in one fold.
    centred = metrics - metrics.mean(axis=1, keepdims=True)  # over all segments
    fold_of = judged_units % min(MOST_FOLDS, n_units)  # shape ``(judged,)``
    predicted = np.empty_like(judged)
    for fold in np.unique(fold_of):
        is_inside = fold_of == fold
        weights = _weights(judged[~is_inside], centred[:, places[~is_inside]])
        predicted[is_inside] = weights @ centred[:, places[is_inside]]
    residuals = judged - predicted

    # Judged segments are among all segments: on their share, what metrics predict cancels, and judgements alone count.
    # If metrics do not help, the mean of the judgements stays.
    share = len(judged) / metrics.shape[1]
    plain_variance = _variance(judged, judged_units, sizes)
    variance = _variance(residuals, judged_units, sizes) * (1 - share) + plain_variance * share
    mean = float(residuals.mean())
    if variance >= plain_variance:
        mean = plain

    error = np.sqrt(min(variance, plain_variance))
    df = effective_units(sizes) - 1
    reach = float(special.stdtrit(df, 0.5 + confidence / 2)) * error
    if error != 0:
        p_value = 2 * float(special.stdtr(df, -abs(mean) / error))
    else:
        p_value = float(mean == 0)
    saved = 0.0
    if plain_variance != 0:
        saved = max(0.0, 1 - variance / plain_variance)
    return Assisted(mean, mean - reach, mean + reach, p_value, plain, saved)


def _weights(judged: FloatArray, metrics: FloatArray) -> FloatArray:
    """Return the least-squares weights of metrics."""
    x = metrics - metrics.mean(axis=1, keepdims=True)
    return np.asarray(np.linalg.lstsq(x.T, judged - judged.mean(), rcond=None)[0])


def _variance(values: FloatArray, units: IntArray, sizes: IntArray) -> float:
    """Return the variance of a mean, with units as clusters."""
    sums = np.bincount(units, values - values.mean())
    return float((sums**2).sum() / sizes.sum() ** 2 * len(sizes) / (len(sizes) - 1))
