"""What a test procedure is handed and answers, and Student's t."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy import special

from mteval.base.arrays import BoolArray, FloatArray, IntArray, StatArray
from mteval.values.run_words import RunWord

Score = Callable[[StatArray], FloatArray]  # (..., d) -> (...); statistics are (runs, segments, d) or sums of it
Alternative = Literal["two-sided", "greater", "less"]

TOLERANCE = 1e-9  # between equal differences of scores; a noise of 2e-15 once turned p = 0.503 into 0.0001

# Notes of procedures that cannot answer.
UNDEFINED = "The score is undefined for one of the systems."
ONE_UNIT = "There is one unit of the test set only; how much units differ cannot be known."

# Applies a function to each item and gives the results in the order of the items, perhaps from several threads.
MapChunks = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
# Gives the items one by one, and raises before the next one where the work was told to stop.
Checked = Callable[[Iterable[Any]], Iterator[Any]]


@dataclass(frozen=True)
class PairedResult:
    """What a procedure says of one system against the baseline.

    Parameters
    ----------
    statistic
        The raw difference that was tested, ``system - baseline``, in points of the score.
    standard_error, df
        Of the difference, where the procedure has them; else NaN.
    low, high
        Confidence interval of the difference; NaN where the procedure has none.
    p_value
        Between 0 and 1; NaN where the procedure cannot answer (``note`` says why).
    null
        Draws of the difference under the null hypothesis, or None where the procedure makes no such draws.
    note
        A remark for the reader, a template that ``RunWord.filled`` takes; empty where there is nothing to say.
    draws
        Differences on replicates of the test set, spread around the observed one; None where none were made.
    """

    statistic: float
    standard_error: float = float("nan")
    df: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")
    p_value: float = float("nan")
    null: FloatArray | None = None
    note: str = ""
    draws: FloatArray | None = None

    def in_words(self, runs: RunWord) -> "PairedResult":
        """The same with its note in the word for a run."""
        return replace(self, note=runs.filled(self.note))


@dataclass(frozen=True)
class Estimate:
    """A value with its confidence interval, NaN where there is none."""

    value: float
    low: float = float("nan")
    high: float = float("nan")


@dataclass(frozen=True)
class How:
    """How a procedure is to work; what one of them has no use for it leaves alone.

    Parameters
    ----------
    n_resamples
        Shuffles, replicates or divisions that are drawn.
    seeds
        Root of the procedure's random streams: each chunk of fixed size has a child of its own, so that the number of
        workers never changes a result.
    alternative
        About the raw difference, ``system - baseline``.
    confidence
        Of intervals, two-sided whatever the alternative; between 0 and 1.
    map_chunks
        How chunks of the work are spread. What it is handed takes well below a second, or is interrupted by
        ``checked`` as often.
    checked
        For longer loops within a chunk.
    unit_sizes
        Segments of each unit, shape ``(units,)``, where units are documents; None where each unit is a segment.
    """

    n_resamples: int
    seeds: np.random.SeedSequence
    alternative: Alternative
    confidence: float
    map_chunks: MapChunks = map
    checked: Checked = iter
    unit_sizes: IntArray | None = None


# A test of baseline and system, both of shape ``(runs, units, d)``; a unit is a segment, or a document whose segments
# were summed beforehand. Statistics hold no NaN.
Procedure = Callable[[StatArray, StatArray, Score, How], PairedResult]


def is_less_extreme(null: FloatArray, observed: FloatArray | float, alternative: Alternative) -> BoolArray:
    """Whether draws under the null hypothesis are less extreme than what was observed; undefined ones are not."""
    if alternative == "two-sided":
        return np.asarray(np.abs(null) < np.abs(observed) - TOLERANCE)
    return np.asarray(null < observed - TOLERANCE if alternative == "greater" else null > observed + TOLERANCE)


def sided(greater: float, less: float, alternative: Alternative) -> float:
    """The p-value of an alternative from the one-sided ones; two-sidedly twice the smaller of them, at most 1."""
    return {"greater": greater, "less": less, "two-sided": min(1.0, 2 * min(greater, less))}[alternative]


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
