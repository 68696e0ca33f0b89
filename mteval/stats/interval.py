"""Interval of a difference over test-set units with the runs taken as given, and equivalence tests."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from mteval.base.arrays import FloatArray, IntArray, StatArray
from mteval.stats.base import ONE_UNIT, UNDEFINED, Alternative, PairedResult, Score, one_sided, student_result
from mteval.stats.runs import run_scores
from mteval.stats.units import df_of_units, most_df, pseudo_values, uneven_note, uneven_refusal, unit_values

MOST_EXACT = 3  # errors, up to which the interval of their number is exact


def difference_over_units(
    baseline: StatArray,
    system: StatArray,
    score: Score,
    confidence: float,
    sizes: IntArray | None = None,
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Test the difference of mean run scores by Student's t over the units of the test set.

    Unit values are averaged over runs and compared in pairs. Runs are taken as given, so one run per system is enough.

    Parameters
    ----------
    baseline, system
        Shape ``(runs, units, d)``.
    confidence
        Between 0 and 1, two-sided.
    sizes
        Segments per unit, as in ``How``.

    Returns
    -------
    In score points. p and interval are NaN for an undefined score, a single unit, or a unit with most of the test set.
    The interval is NaN if nothing varies over units.
    """
    return _over_units({1: system, -1: baseline}, score, confidence, sizes, alternative)


def mean_over_units(system: StatArray, score: Score, confidence: float, sizes: IntArray | None = None) -> PairedResult:
    """Return the mean run score of one system as ``statistic``, with its interval over units of the test set.

    Parameters and undefined cases are those of ``difference_over_units``; p means nothing here.
    """
    return _over_units({1: system}, score, confidence, sizes, "two-sided")


def accuracy_interval(mean: float, standard_error: float, n_units: int, confidence: float) -> tuple[float, float]:
    """Return the interval of a mean of scores of 0 and 1, by the Beta distribution of as many independent ones.

    The standard error over units tells how many independent scores would know the mean as well: more than there are
    units if several runs answer each, fewer if documents share answers. One run per item gives Clopper and Pearson's
    exact interval. Student's t covers 64 to 97% where 95% is meant with 20 to 300 items and 1 to 5 runs, this interval
    92 to 99% (``docs/method.md``).

    Parameters
    ----------
    standard_error
        Of the mean over units; 0 if all are alike.

    References
    ----------
    Korn and Graubard (1998), Confidence intervals for proportions with small expected number of positive counts.
    """
    n_scores = float(n_units)
    if standard_error > 0 and 0 < mean < 1:
        # The variance over units has one degree of freedom less than units
        n_scores = mean * (1 - mean) / (standard_error**2 * (n_units - 1) / n_units)
    n_right = n_scores * mean
    n_wrong = n_scores - n_right
    tail = (1 - confidence) / 2
    low = 0.0
    high = 1.0
    # The Beta distributions of the ends are undefined without right answers, and without wrong ones
    if n_right > 0:
        low = float(special.betaincinv(n_right, n_wrong + 1, tail))
    if n_wrong > 0:
        high = float(special.betaincinv(n_right + 1, n_wrong, 1 - tail))
    return low, high


def accuracy_difference_interval(gains: FloatArray, confidence: float) -> tuple[float, float]:
    """Return the interval of a difference of two accuracies on the same items, by the Beta distributions of its parts.

    The difference is the share of items won less the share lost. Each share has the interval of an accuracy, and the
    two are combined with their correlation (MOVER). The interval includes zero, since it is for items of which too few
    differ for a test: no exchange of five items reaches a p of 5%. It covers 95 to 100% where 95% is meant with 20 to
    300 items and 1 to 5 runs (``docs/method.md``).

    Parameters
    ----------
    gains
        Mean score of the system less that of the baseline per item, shape ``(items,)``; from -1 to 1.

    References
    ----------
    Newcombe (1998), Improved confidence intervals for the difference between binomial proportions based on paired data.
    """
    n_items = len(gains)
    won = np.maximum(gains, 0)
    lost = np.maximum(-gains, 0)
    ends = []
    for share in (won, lost):
        error = float(share.std(ddof=1)) / np.sqrt(n_items)
        ends.append(accuracy_interval(float(share.mean()), error, n_items, confidence))
    (won_low, won_high), (lost_low, lost_high) = ends
    covariance = np.cov(won, lost)
    product = float(covariance[0, 0] * covariance[1, 1])
    correlation = 0.0
    if product > 0:
        correlation = float(covariance[0, 1]) / np.sqrt(product)

    def distance(from_won: float, from_lost: float) -> float:
        squared = from_won**2 + from_lost**2 - 2 * correlation * from_won * from_lost
        return float(np.sqrt(max(0.0, squared)))

    difference = float(gains.mean())
    low = difference - distance(float(won.mean()) - won_low, lost_high - float(lost.mean()))
    high = difference + distance(won_high - float(won.mean()), float(lost.mean()) - lost_low)
    return min(low, 0.0), max(high, 0.0)


def _over_units(
    signed: Mapping[int, StatArray], score: Score, confidence: float, sizes: IntArray | None, alternative: Alternative
) -> PairedResult:
    """Return the sum of mean run scores with their signs, with its interval; ``signed`` has 1, or 1 and -1."""
    estimate = float(sum(sign * run_scores(runs, score).mean() for sign, runs in signed.items()))
    n_units = signed[1].shape[1]
    if np.isnan(estimate):
        return PairedResult(estimate, note=UNDEFINED)
    if n_units < 2:
        return PairedResult(estimate, note=ONE_UNIT)
    refusal = uneven_refusal(sizes)
    if refusal:
        return PairedResult(estimate, note=refusal)

    # Averaged over runs, shape ``(units,)``
    values = sum(sign * unit_values(runs, score, sizes).mean(axis=0) for sign, runs in signed.items())
    variance = float(np.var(values, ddof=1)) / n_units
    df = df_of_units(sizes, n_units)
    result = student_result(estimate, variance, df, alternative, confidence, uneven_note(sizes))
    if not variance > 0:
        return replace(result, low=float("nan"), high=float("nan"))
    return result


def jackknifed_ratio(sums: StatArray) -> tuple[float, float, float]:
    """Return a ratio of two totals, its standard error and its degrees of freedom, by the jackknife's pseudo-values.

    Parameters and NaN are those of ``ratio_over_units``.
    """
    n_units = len(sums)
    sizes = sums[:, 1]
    if n_units < 2 or uneven_refusal(sizes):
        return float("nan"), float("nan"), float("nan")
    values = pseudo_values(sums[np.newaxis], lambda totals: np.asarray(totals[..., 0] / totals[..., 1]))
    ratio = float(sums[:, 0].sum() / sizes.sum())
    error = float(np.sqrt(values.var(ddof=1) / n_units))
    df = min(df_of_units(sizes, n_units), most_df(n_units))
    return ratio, error, df


def ratio_over_units(sums: StatArray, confidence: float) -> tuple[float, float]:
    """Return the interval of a ratio of two totals by Student's t on the jackknife's pseudo-values.

    Parameters
    ----------
    sums
        Both totals of each unit, shape ``(units, 2)``; the second is its size.

    Returns
    -------
    NaN for a single unit, and if one unit has most of the second total.
    """
    middle, error, df = jackknifed_ratio(sums)
    reach = -float(special.stdtrit(df, (1 - confidence) / 2)) * error
    return middle - reach, middle + reach


def ratio_intervals(sums: StatArray, confidence: float, per: float = 0.0) -> list[tuple[float, float]]:
    """Return the interval of the ratio of two totals for each row of sums, shape ``(rows, units, 2)``.

    Student's t on the jackknife's pseudo-values. The second total of a unit is its size.

    Parameters
    ----------
    per
        If the first total is a count, what it was multiplied by. At most three are also given the exact interval of a
        Poisson count (Garwood 1936), since units without errors do not vary.

    Returns
    -------
    NaN for a single unit, and if one unit has most of the second total. Ends of counts are not negative.
    """
    tail = (1 - confidence) / 2
    intervals = []
    for sums_of_row in sums:
        low, high = ratio_over_units(sums_of_row, confidence)
        if per and len(sums_of_row) > 1:
            low = max(0.0, low)
            total, readings = sums_of_row.sum(axis=0).tolist()
            count = round(total / per)
            if count <= MOST_EXACT:
                exact_low = 0.0
                if count:
                    exact_low = float(special.gammaincinv(count, tail))
                exact_high = special.gammainccinv(count + 1, tail)
                low = float(np.fmin(low, exact_low * per / readings))
                high = float(np.fmax(high, exact_high * per / readings))
        intervals.append((low, high))
    return intervals


@dataclass(frozen=True)
class Equivalence:
    """Result of a test against a margin.

    Parameters
    ----------
    low, high
        Interval of the difference at ``1 - 2 * level``; if it lies within the margin, the claim holds at the level.
    p_value
        Of the one-sided test, or the larger one of two; NaN without replicates and standard error.
    """

    low: float
    high: float
    p_value: float


def equivalence(result: PairedResult, margin: float, level: float) -> Equivalence:
    """Test whether the absolute difference is smaller than a margin (two one-sided tests; Schuirmann 1987).

    Covers the same luck as the procedure.

    Parameters
    ----------
    margin
        Largest difference that would not matter, in score points, positive; choose it before looking at results.
    level
        Significance level, e.g. 0.05.
    """
    above = beyond(result, -margin, "greater", level)
    below = beyond(result, margin, "less", level)
    return replace(above, p_value=max(above.p_value, below.p_value))


def beyond(result: PairedResult, bound: float, alternative: Alternative, level: float) -> Equivalence:
    """Test whether the difference is greater (or less) than a bound, e.g. minus a margin of non-inferiority.

    Uses bootstrap replicates if there are any: the share at or beyond the bound, counted as ``(c + 1) / (R + 1)``.
    Otherwise uses the law of the difference.

    Returns
    -------
    The interval at ``1 - 2 * level`` excludes the bound exactly when one of the two one-sided p-values is at or below
    the level.
    """
    difference = result.statistic
    sign = 1 if alternative == "greater" else -1
    draws = result.draws
    if draws is not None:
        low, high = np.quantile(draws, [level, 1 - level])
        n_beyond = np.count_nonzero(sign * draws <= sign * bound)
        return Equivalence(float(low), float(high), float(n_beyond + 1) / (len(draws) + 1))

    gap = difference - bound
    if result.standard_error == 0:
        is_beyond = sign * gap > 0
        return Equivalence(difference, difference, 0.0 if is_beyond else 1.0)
    law = result.law
    if law is None:
        return Equivalence(float("nan"), float("nan"), float("nan"))
    reach = law.reach(2 * level)
    return Equivalence(difference - reach, difference + reach, one_sided(law.p_value(gap), gap, alternative))
