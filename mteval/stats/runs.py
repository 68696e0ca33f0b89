"""What the scores of a system's runs say by themselves: average, spread, extremes, the median run.

Do runs spread more on one set than on another? The same runs, seen on both.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from mteval.base.arrays import FloatArray, StatArray
from mteval.stats.base import Score

NOISE_TAKEN_AWAY = 0.25  # of what single outputs bring to the variance over runs; less where there are two
NOISE_OF_ONE = 0.125  # for each degree of freedom


@dataclass(frozen=True)
class RunSummary:
    """Scores of the runs of one system on one test set, in points of the score.

    Parameters
    ----------
    s_run
        Standard deviation over runs with ``n - 1`` (s_dev on a tuning set, s_test elsewhere; Clark et al. 2011, section
        4.1): luck with training. NaN for one run.
    median_run
        Index of the run in the middle.
    """

    n_runs: int
    mean: float
    s_run: float
    minimum: float
    maximum: float
    median_run: int


def run_scores(statistics: StatArray, score: Score) -> FloatArray:
    """Corpus scores of the runs, shape ``(runs,)``, from their statistics ``(runs, units, d)``."""
    return score(statistics.sum(axis=1).astype(np.float64))


def summarize_runs(scores: npt.ArrayLike) -> RunSummary:
    """Summarise the corpus scores of one or more runs, shape ``(runs,)``."""
    values = np.asarray(scores, dtype=np.float64)
    lowest, mean, highest = float(values.min()), float(values.mean()), float(values.max())
    return RunSummary(len(values), mean, float(np.sqrt(variance(values))), lowest, highest, median_run(values))


def variance(scores: FloatArray) -> float:
    """Variance over runs with ``n - 1``; NaN for one run, whose spread is not zero but unknown."""
    return float(scores.var(ddof=1)) if len(scores) > 1 else float("nan")


def median_run(scores: FloatArray) -> int:
    """Index of the run whose score is the middle one.

    Of an even number the upper of the two in the middle; of runs with the same score the earliest.
    """
    middle = int(np.argsort(scores, kind="stable")[len(scores) // 2])
    equal = np.flatnonzero(scores == scores[middle])
    return int(equal[0]) if len(equal) else middle


def welch(baseline: FloatArray, system: FloatArray) -> tuple[float, float, float]:
    """The pieces of Welch's test from run scores, shapes ``(n_A,)`` and ``(n_B,)``; NaN below two runs in either.

    Returns
    -------
    The difference of the mean run scores, ``system - baseline``; its variance ``s_A^2 / n_A + s_B^2 / n_B``, which is
    luck with training and none with the choice of the test set; its degrees of freedom by Satterthwaite, NaN where
    neither system varies (Welch 1947).
    """
    parts = np.array([variance(scores) / len(scores) for scores in (baseline, system)])
    df = np.array([len(baseline) - 1, len(system) - 1])
    return float(system.mean() - baseline.mean()), float(parts.sum()), satterthwaite(parts, df)


def satterthwaite(variances: npt.ArrayLike, df: npt.ArrayLike, total: float | None = None) -> float:
    """Degrees of freedom of a sum of independent mean squares, ``total^2 / sum(variance_k^2 / df_k)``.

    Parameters
    ----------
    variances, df
        The terms, each already divided by its number of observations, and their degrees of freedom, all positive.
    total
        The estimate they make up, where it is not their plain sum (as where some are subtracted).

    Returns
    -------
    NaN where all terms are zero or undefined.
    """
    terms = np.asarray(variances, dtype=np.float64)
    if not (terms > 0).any():
        return float("nan")
    total = float(terms.sum()) if total is None else total
    return float(total**2 / np.sum(terms**2 / np.asarray(df, dtype=np.float64)))


def noise_share(df: npt.ArrayLike) -> FloatArray:
    """How much of the noise of single outputs does not count for few runs, by the runs' degrees of freedom.

    A quarter from three runs on, an eighth of two: what two runs show of the little that they differ is hardly known
    at all (``docs/decisions/two-way-floor.md``).
    """
    return np.asarray(np.minimum(NOISE_TAKEN_AWAY, NOISE_OF_ONE * np.asarray(df, dtype=np.float64)))


def beyond_noise(variances: npt.ArrayLike, noise: npt.ArrayLike, df: npt.ArrayLike) -> FloatArray:
    """What of the variance of a mean over runs is luck with training beyond the noise of single outputs, elementwise.

    Degrees of freedom count this alone: the noise is known from all segments, however few the runs. A part of it is
    taken away (``noise_share``); more would let tests reject too often where runs differ a little.

    Parameters
    ----------
    variances
        Of mean scores over runs, each divided by its number of runs; the same of raters.
    noise
        The share of them that single outputs bring, estimated from the interaction of runs and segments.
    df
        Of the variances: one less than the runs.
    """
    return np.asarray(np.maximum(0.0, np.asarray(variances) - noise_share(df) * np.asarray(noise)))


def copies_or_single_runs(baseline: StatArray, system: StatArray) -> str:
    """Why the runs cannot show how much runs differ, from arrays ``(runs, units, d)``, as a template.

    Empty where they can.
    """
    return copies_or_single_run("baseline", baseline) or copies_or_single_run("system", system)


def copies_or_single_run(name: str, runs: StatArray) -> str:
    """The same of one of the two."""
    if len(runs) < 2:
        needed = "Two are needed, three are advised."
        return f"The {name} has one {{run}}: how much {{runs}} differ cannot be known. {needed}"
    if (runs == runs[0]).all():
        return (
            f"All {len(runs):,} {{runs}} of the {name} have the same scores in every unit of the test set, as copies"
            " have: they do not show how much {runs} differ."
        )
    return ""


def equal_spread_p_value(one: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """Two-sided p-value of equal variances of paired scores (Pitman 1939; Morgan 1939).

    Scores of the same runs depend on one another, so their variances cannot be compared by F. Variances are equal where
    sums and differences of the pairs are not correlated, which Student's t tests. Assumes normal scores.

    Parameters
    ----------
    one, other
        Scores of the same runs, shape ``(runs,)``.

    Returns
    -------
    NaN for fewer than three runs, and where sums or differences do not vary.
    """
    first, second = (np.asarray(scores, dtype=np.float64) for scores in (one, other))
    n_runs = len(first)
    if n_runs < 3:
        return float("nan")
    sums, differences = (values - values.mean() for values in (first + second, first - second))
    scale = float(np.sqrt((sums @ sums) * (differences @ differences)))
    if not scale > 0:
        return float("nan")
    r = float(np.clip(sums @ differences / scale, -1, 1))
    t = np.inf if abs(r) == 1 else abs(r) * np.sqrt((n_runs - 2) / (1 - r**2))
    return float(2 * special.stdtr(n_runs - 2, -t))
