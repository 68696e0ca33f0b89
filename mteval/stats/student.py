"""Student's t: from a difference and its variance to a p-value, an interval, and a claim of equivalence."""

import numpy as np
from scipy import special

from mteval.stats.base import Alternative, PairedResult


def student_result(
    difference: float, variance: float, df: float, alternative: Alternative, confidence: float, note: str = ""
) -> PairedResult:
    """Test a difference against zero.

    Parameters
    ----------
    variance, df
        Of the difference, in squared points of the score, and its degrees of freedom.

    Returns
    -------
    The interval is two-sided, whatever the alternative. Where nothing varies, equal systems have p = 1 and others p =
    NaN.
    """
    if variance == 0:
        if difference == 0:
            return PairedResult(0.0, 0.0, low=0.0, high=0.0, p_value=1.0, note=note)
        return PairedResult(difference, 0.0, note="Nothing varies, so there is no luck to measure the difference by.")
    error = float(np.sqrt(variance))
    p_value = student_p_value(difference, variance, df, alternative)
    reach = float(special.stdtrit(df, 0.5 + confidence / 2)) * error
    return PairedResult(difference, error, df, difference - reach, difference + reach, p_value=p_value, note=note)


def student_p_value(difference: float, variance: float, df: float, alternative: Alternative) -> float:
    """The p-value of ``student_result`` alone."""
    if variance == 0:
        return 1.0 if difference == 0 else float("nan")
    t = difference / float(np.sqrt(variance))
    tail = {"two-sided": -abs(t), "greater": -t, "less": t}[alternative]
    return float(special.stdtr(df, tail)) * (2 if alternative == "two-sided" else 1)


def equivalence_p_value(result: PairedResult, margin: float) -> float:
    """Two one-sided tests (Schuirmann 1987): could the systems after all differ by the margin or more?

    Parameters
    ----------
    result
        Of a procedure that gives ``standard_error`` and ``df``.
    margin
        Largest difference that would not matter, in points of the score; chosen before the numbers are seen.

    Returns
    -------
    A small value shows the systems equal within the margin. NaN where the procedure gave no standard error.

    Raises
    ------
    ValueError
        If the margin is not positive.
    """
    if not margin > 0:
        raise ValueError(f"The margin of equivalence is {margin}; expected a positive number of points.")
    if result.standard_error == 0:
        return 0.0 if abs(result.statistic) < margin else 1.0
    above = special.stdtr(result.df, -(result.statistic + margin) / result.standard_error)
    below = special.stdtr(result.df, (result.statistic - margin) / result.standard_error)
    return float(max(above, below))
