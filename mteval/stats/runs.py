"""Run scores of a system: mean, standard deviation, extremes, median run; Welch's test and degrees of freedom."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from mteval.base.arrays import FloatArray, StatArray
from mteval.stats.base import Score

# Share of the output noise that is subtracted from the variance over runs, per degree of freedom and at most
NOISE_PER_DF = 0.125
NOISE_TAKEN_AWAY = 0.25


@dataclass(frozen=True)
class RunSummary:
    """Summary of the run scores of one system on one test set, in score points.

    Parameters
    ----------
    s_opt
        Standard deviation over runs with ``n - 1`` (s_dev on a tuning set, s_opt elsewhere; Clark et al. 2011, section
        4.1). NaN for one run.
    median_run
        Index of the median run.
    """

    n_runs: int
    mean: float
    s_opt: float
    minimum: float
    maximum: float
    median_run: int


def run_scores(statistics: StatArray, score: Score) -> FloatArray:
    """Return corpus scores ``(runs,)`` from statistics ``(runs, units, d)``."""
    return score(statistics.sum(axis=1).astype(np.float64))


def summarize_runs(scores: npt.ArrayLike) -> RunSummary:
    """Summarise the corpus scores of at least one run, shape ``(runs,)``."""
    values = np.asarray(scores, dtype=np.float64)
    return RunSummary(
        n_runs=len(values),
        mean=float(values.mean()),
        s_opt=float(np.sqrt(variance(values))),
        minimum=float(values.min()),
        maximum=float(values.max()),
        median_run=median_run(values),
    )


def variance(scores: FloatArray) -> float:
    """Return the variance over runs with ``n - 1``, from scores ``(runs,)``; NaN for one run."""
    if len(scores) < 2:
        return float("nan")
    return float(scores.var(ddof=1))


def median_run(scores: FloatArray) -> int:
    """Return the index of the median run, from scores ``(runs,)``.

    The upper median of an even number of runs; the first of runs with equal scores.
    """
    middle = int(np.argsort(scores, kind="stable")[len(scores) // 2])
    equal = np.flatnonzero(scores == scores[middle])
    if len(equal) == 0:  # the middle one is NaN, which equals nothing
        return middle
    return int(equal[0])


def welch(baseline: FloatArray, system: FloatArray) -> tuple[float, float, float]:
    """Return difference, variance and degrees of freedom of Welch's test; variance and df are NaN below two runs.

    Parameters
    ----------
    baseline, system
        Run scores, shape ``(runs,)``.

    Returns
    -------
    ``system - baseline``; its variance ``s_A^2 / n_A + s_B^2 / n_B`` (training luck only); Satterthwaite degrees of
    freedom, NaN if neither system varies (Welch 1947).
    """
    difference = float(system.mean() - baseline.mean())
    variances = np.array([variance(baseline) / len(baseline), variance(system) / len(system)])
    df = np.array([len(baseline) - 1, len(system) - 1])
    return difference, float(variances.sum()), satterthwaite(variances, df)


def satterthwaite(variances: npt.ArrayLike, df: npt.ArrayLike, total: float | None = None) -> float:
    """Return the Satterthwaite degrees of freedom ``total^2 / sum(variance_k^2 / df_k)``.

    Parameters
    ----------
    variances, df
        Independent mean squares, each divided by its number of observations, and their degrees of freedom.
    total
        The estimate, if it is not the sum of the terms.

    Returns
    -------
    NaN if all terms are zero or NaN.
    """
    terms = np.asarray(variances, dtype=np.float64)
    if not (terms > 0).any():
        return float("nan")
    if total is None:
        total = float(terms.sum())
    return float(total**2 / np.sum(terms**2 / np.asarray(df, dtype=np.float64)))


def noise_share(df: npt.ArrayLike) -> FloatArray:
    """Return the share of output noise subtracted from the variance over runs, by its degrees of freedom.

    A quarter from three runs on, an eighth for two runs (``docs/decisions/two-way-floor.md``).
    """
    return np.asarray(np.minimum(NOISE_TAKEN_AWAY, NOISE_PER_DF * np.asarray(df, dtype=np.float64)))


def beyond_noise(variances: npt.ArrayLike, noise: npt.ArrayLike, df: npt.ArrayLike) -> FloatArray:
    """Return the variance of a mean over runs minus part of the output noise, elementwise.

    Used for degrees of freedom only: output noise is known from all segments, however few the runs. Subtracting more
    than ``noise_share`` would make tests too liberal if runs differ a little.

    Parameters
    ----------
    variances
        Variances over runs (or raters), each divided by its number of runs.
    noise
        Their part due to single outputs, estimated from the interaction of runs and segments.
    df
        Degrees of freedom of the variances: number of runs minus one.
    """
    return np.asarray(np.maximum(0.0, np.asarray(variances) - noise_share(df) * np.asarray(noise)))


def copies_or_single_runs(baseline: StatArray, system: StatArray) -> str:
    """Return why runs ``(runs, units, d)`` cannot show training luck, as a template; empty if they can.

    Checks both systems.
    """
    return copies_or_single_run("baseline", baseline) or copies_or_single_run("system", system)


def copies_or_single_run(name: str, runs: StatArray) -> str:
    """Check one system, as ``copies_or_single_runs``."""
    if len(runs) < 2:
        return f"The {name} has only one {{run}}. At least two are needed; three are recommended."
    if all(np.array_equal(run, runs[0]) for run in runs[1:]):  # mostly, the second differs already
        return (
            f"All {len(runs):,} {{runs}} of the {name} have the same scores everywhere. Copies do not show how much"
            " {runs} differ."
        )
    return ""


def equal_spread_p_value(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Return the two-sided p-value of equal variances of paired scores (Pitman 1939; Morgan 1939).

    Paired scores are dependent, so an F test does not apply. Variances are equal exactly if sums and differences of the
    pairs are uncorrelated, which Student's t tests. Assumes normal scores.

    Parameters
    ----------
    first, second
        Scores of the same runs on two test sets, shape ``(runs,)``.

    Returns
    -------
    NaN for fewer than three runs, and if sums or differences do not vary.
    """
    first = np.asarray(first, dtype=np.float64)
    second = np.asarray(second, dtype=np.float64)
    n_runs = len(first)
    if n_runs < 3:
        return float("nan")

    # Pearson's r of sums and differences of the pairs, from their deviations of the mean
    sums = first + second
    sums -= sums.mean()
    differences = first - second
    differences -= differences.mean()
    scale = float(np.sqrt((sums @ sums) * (differences @ differences)))
    if not scale > 0:
        return float("nan")
    r = float(np.clip(sums @ differences / scale, -1, 1))
    if abs(r) == 1:
        return 0.0
    t = abs(r) * np.sqrt((n_runs - 2) / (1 - r**2))
    return float(2 * special.stdtr(n_runs - 2, -t))
