"""Input and output of test procedures, and Student's t."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from scipy import special

from mteval.base.arrays import BoolArray, FloatArray, IntArray, StatArray
from mteval.stats.tail import nominal_level, printed_p_values
from mteval.values.run_words import RunWord

Score = Callable[[StatArray], FloatArray]  # (..., d) -> (...); statistics are (runs, segments, d) or sums of it


class HasScore(Protocol):
    """What computes corpus scores, e.g. the scorer of a metric."""

    def score(self, statistics: StatArray) -> FloatArray:
        """Return scores of sums, shape ``(..., d)`` to ``(...)``."""


@runtime_checkable
class ScoresExchanges(Protocol):
    """What scores two systems after many exchanges in one call, which takes a fraction of the time of many calls."""

    def exchanged_differences(
        self, baseline: StatArray, system: StatArray, of_system: FloatArray, of_both: FloatArray
    ) -> FloatArray | None:
        """Return score differences, ``system - baseline``, shape ``(chunks, shuffles)``; None for special cases.

        The parameters are those of ``exchange``, with sums of the shape ``(chunks, d, shuffles)``. The score must not
        depend on their scale.
        """


Alternative = Literal["two-sided", "greater", "less"]

TOLERANCE = 1e-9  # of comparisons of score differences: rounding noise of 2e-15 once turned p = 0.503 into 0.0001

# Notes of refused tests.
UNDEFINED = "The score is undefined for one of the systems."
ONE_SCORE_PER_RUN = "There is one score per {run}, not one per segment."
ONE_UNIT = "The test set has only one unit. At least two segments or documents are needed."

# Applies a function to each item and yields results in order, possibly from several threads.
MapChunks = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
# Yields the items, and raises before the next one if the work was cancelled.
Checked = Callable[[Iterable[Any]], Iterator[Any]]


class Law(Protocol):
    """Symmetric distribution of a difference around its true value."""

    @property
    def standard_error(self) -> float:
        """Standard error of the difference."""

    def p_value(self, difference: float) -> float:
        """Return the two-sided p-value."""

    def reach(self, level: float) -> float:
        """Return half the width of the interval of all differences not rejected at a level."""


@dataclass(frozen=True)
class PairedResult:
    """Result of a test of one system against the baseline.

    Parameters
    ----------
    statistic
        Raw difference tested, ``system - baseline``, in score points.
    standard_error, df
        Of the difference; NaN if the procedure has none.
    low, high
        Confidence interval of the difference; NaN if the procedure has none.
    p_value
        Between 0 and 1; NaN if the test is refused (``note`` gives the reason).
    null
        Draws of the difference under the null hypothesis, or None.
    note
        Note for the reader, a template for ``RunWord.filled``; may be empty.
    own_share
        Share of the variance of ``null`` that is not due to the observed difference; 1 for the bootstrap. NaN if too
        few units are exchanged for an interval.
    draws
        Differences on bootstrap replicates of the test set, or None.
    law
        Distribution of the difference, or None if the procedure has none.
    n_higher, n_lower
        Units on which the system scores higher and lower, if the test counts them; otherwise None.
    smallest_p
        Smallest possible two-sided p with these units, whatever the number of draws.
    """

    statistic: float
    standard_error: float = float("nan")
    df: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")
    p_value: float = float("nan")
    null: FloatArray | None = None
    note: str = ""
    own_share: float = float("nan")
    draws: FloatArray | None = None
    law: Law | None = None
    n_higher: int | None = None
    n_lower: int | None = None
    smallest_p: float = 0.0

    def in_words(self, runs: RunWord) -> PairedResult:
        """Return the result with a note that uses the word for a run."""
        if not self.note:
            return self
        return replace(self, note=runs.filled(self.note))


@dataclass(frozen=True)
class Estimate:
    """A value with its confidence interval (NaN if there is none)."""

    value: float
    low: float = float("nan")
    high: float = float("nan")


@dataclass(frozen=True)
class How:
    """Options of test procedures; each uses those it needs.

    Parameters
    ----------
    n_resamples
        Number of shuffles, replicates or permutations to draw.
    seeds
        Root of the random streams. Each chunk of fixed size has its own child, so that results do not depend on the
        number of workers.
    alternative
        For the raw difference, ``system - baseline``.
    confidence
        Level of intervals, between 0 and 1; intervals are always two-sided.
    map_chunks
        Distributes chunks of work. Each chunk takes well below a second, or calls ``checked`` that often.
    checked
        Checks for cancellation in longer loops within a chunk.
    unit_sizes
        Segments per unit, shape ``(units,)``, if units are documents; None if they are segments.
    """

    n_resamples: int
    seeds: np.random.SeedSequence
    alternative: Alternative
    confidence: float
    map_chunks: MapChunks = map
    checked: Checked = iter
    unit_sizes: IntArray | None = None


# A test of baseline and system, both of shape ``(runs, units, d)`` without NaN. A unit is a segment, or a document with
# the sums of its segments.
Procedure = Callable[[StatArray, StatArray, Score, How], PairedResult]


def is_less_extreme(null: FloatArray, observed: FloatArray | float, alternative: Alternative) -> BoolArray:
    """Return which null draws are less extreme than the observed difference, in the shape of ``null``; NaN are not."""
    if alternative == "two-sided":
        return np.asarray(np.abs(null) < np.abs(observed) - TOLERANCE)
    if alternative == "greater":
        return np.asarray(null < observed - TOLERANCE)
    return np.asarray(null > observed + TOLERANCE)


def sided(greater: float, less: float, alternative: Alternative) -> float:
    """Return the p-value of an alternative; two-sided is twice the smaller one-sided p-value, at most 1."""
    if alternative == "two-sided":
        return min(1.0, 2 * min(greater, less))
    return greater if alternative == "greater" else less


@dataclass(frozen=True)
class StudentLaw:
    """Student's t of a difference over its standard error.

    Parameters
    ----------
    standard_error, df
        Of the difference; the standard error is positive.
    n_runs
        For the two-way test, the number of runs of each side whose training luck counts: p-values below 5% are
        corrected by ``stats.tail``.
    """

    standard_error: float
    df: float
    n_runs: tuple[int, ...] = ()

    def p_value(self, difference: float) -> float:
        """Return the two-sided p-value."""
        plain = 2 * float(special.stdtr(self.df, -abs(difference) / self.standard_error))
        if not self.n_runs:
            return plain
        return float(printed_p_values(plain, self.n_runs))

    def reach(self, level: float) -> float:
        """Return half the width of the interval of all differences not rejected at a level."""
        nominal = nominal_level(level, self.n_runs) if self.n_runs else level
        if not nominal > 0:
            return float("inf")
        return -float(special.stdtrit(self.df, nominal / 2)) * self.standard_error


def result_by(
    law: Law, difference: float, alternative: Alternative, confidence: float, note: str = "", df: float = float("nan")
) -> PairedResult:
    """Test a difference against zero by a law; the interval is always two-sided.

    If nothing varies, p is 1 for equal systems and NaN otherwise.
    """
    if law.standard_error == 0:
        return no_variance(difference, note)
    reach = law.reach(1 - confidence)
    return PairedResult(
        difference,
        law.standard_error,
        df,
        low=difference - reach,
        high=difference + reach,
        p_value=one_sided(law.p_value(difference), difference, alternative),
        note=note,
        law=law,
    )


def one_sided(two_sided: float, difference: float, alternative: Alternative) -> float:
    """Return the p-value of an alternative from a symmetric two-sided one."""
    if alternative == "two-sided":
        return two_sided
    is_in_direction = (difference > 0) == (alternative == "greater")
    return two_sided / 2 if is_in_direction else 1 - two_sided / 2


def at_least(result: PairedResult, other: PairedResult) -> PairedResult:
    """Return a result whose p is not below another's, with an interval that contains both; NaN if either has none.

    The result stays as it is if the other has no p; its interval if the other compared identical units.
    """
    if np.isnan(other.p_value):
        return result
    if np.isnan(other.low) and not other.smallest_p:
        other = replace(other, low=result.low, high=result.high)
    return replace(
        result,
        low=float(np.minimum(result.low, other.low)),
        high=float(np.maximum(result.high, other.high)),
        p_value=float(np.maximum(result.p_value, other.p_value)),
    )


def student_result(
    difference: float,
    variance: float,
    df: float,
    alternative: Alternative,
    confidence: float,
    note: str = "",
    n_runs: tuple[int, ...] = (),
) -> PairedResult:
    """Test a difference against zero by Student's t.

    Parameters
    ----------
    variance, df
        Of the difference, in squared score points, and its degrees of freedom.
    n_runs
        As in ``StudentLaw``.

    Returns
    -------
    As ``result_by``.
    """
    return result_by(StudentLaw(float(np.sqrt(variance)), df, n_runs), difference, alternative, confidence, note, df)


def no_variance(difference: float, note: str = "") -> PairedResult:
    """Return the result where nothing varies: p is 1 for equal systems, otherwise there is none."""
    if difference == 0:
        return PairedResult(0.0, 0.0, low=0.0, high=0.0, p_value=1.0, note=note)
    return PairedResult(difference, 0.0, note="The scores do not vary, so the difference cannot be tested.")
