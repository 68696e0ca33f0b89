"""What a test procedure is handed and answers, and Student's t."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeVar

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

T = TypeVar("T")
U = TypeVar("U")


class MapChunks(Protocol):
    """Apply a function to each item and give the results in the order of the items, perhaps from several threads."""

    def __call__(self, function: Callable[[T], U], items: Iterable[T], /) -> Iterator[U]: ...


class Checked(Protocol):
    """Give the items one by one, and raise before the next one where the work was told to stop."""

    def __call__(self, items: Iterable[T], /) -> Iterator[T]: ...


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


def map_in_order(function: Callable[[T], U], items: Iterable[T], /) -> Iterator[U]:
    """The plain ``MapChunks``: one item after the other, in this thread."""
    return map(function, items)


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
    map_chunks: MapChunks = map_in_order
    checked: Checked = iter
    unit_sizes: IntArray | None = None


class Procedure(Protocol):
    """A test of one system against the baseline.

    ``baseline`` and ``system`` have shape ``(runs, units, d)``; a unit is a segment, or a document whose segments were
    summed beforehand. Statistics hold no NaN.
    """

    def __call__(self, baseline: StatArray, system: StatArray, score: Score, how: How) -> PairedResult: ...


def is_less_extreme(null: FloatArray, observed: FloatArray | float, alternative: Alternative) -> BoolArray:
    """Whether draws under the null hypothesis are less extreme than what was observed; undefined ones are not."""
    if alternative == "two-sided":
        return np.asarray(np.abs(null) < np.abs(observed) - TOLERANCE)
    return np.asarray(null < observed - TOLERANCE if alternative == "greater" else null > observed + TOLERANCE)


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
