"""Family-wise error and power of claims over several test sets, when several systems are compared with a baseline.

Usage: ``python -m benchmarks.claim_families [--simulations 2000]`` from the root of the repository; some minutes on one
core. Writes ``claim_families.csv`` beside this file, the table of ``docs/claims.md``. With ``--like-these`` it
simulates claims about test sets like these instead, and writes ``claim_families_like_these.csv``.

As in ``benchmarks.families``, whose shapes of run shifts are used: the unit is the noise that single outputs bring to
the score of one run on one test set. Runs are shared by all test sets, or each test set has runs of its own. A family
errs if any adjusted p-value of a system that equals the baseline is at most 5%.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import stdtr

from benchmarks.families import INTERS, LAST, LEVEL, RATIOS, SHAPES, shifts_of
from mteval.stats.crossed_layout import FAMILY_DF
from mteval.stats.runs import beyond_noise
from mteval.stats.several_test_sets import FEWEST_TEST_SETS, MOST_DF, MOST_DF_OF_THREE
from mteval.stats.tail import printed_p_values

Array = npt.NDArray[np.float64]
TEST_SETS = (2, 4, 10)
CELLS_LIKE_THESE = ((3, 3), (7, 3), (11, 3), (7, 5))
TEST_SETS_LIKE_THESE = (3, 4, 10)  # of the claim about test sets like these
TAUS = (0.0, 1.0, 5.0)  # of the true score of a system on a test set, for that claim
CELLS = ((3, 3), (7, 3), (11, 3), (7, 5), (11, 5))  # systems, and runs of each
CROSSED = 0.5  # of the run shift, peculiar to a run and a test set, in every other setting
LARGEST = 4  # so many of the largest rates of a cell are estimated anew, from five times as many experiments
SEED = 20_111
N_SIMULATIONS = 2_000
N_SIMULATIONS_LIKE_THESE = 1_000
RESULTS = Path(__file__).with_name("claim_families.csv")
RESULTS_LIKE_THESE = Path(__file__).with_name("claim_families_like_these.csv")
WAYS = ("Holm over p'", "family")


@dataclass(frozen=True)
class Setting:
    """The truth about a family on several test sets.

    Parameters
    ----------
    shifts
        Standard deviation of the run shifts of each system, the baseline first.
    crossed
        Of what is peculiar to a run and a test set, as a share of the run shift.
    inter
        What is peculiar to a system and a segment.
    is_shared
        Whether the same runs translated all test sets.
    gains
        True differences from the baseline; shape ``(systems - 1,)``.
    tau
        What is peculiar to a system and a test set, which counts as luck if the claim is about test sets like these.
    is_like_these
        Whether the claim is about test sets like these instead of these.
    """

    n_test_sets: int
    n_runs: int
    shifts: tuple[float, ...]
    crossed: float
    inter: float
    is_shared: bool
    gains: tuple[float, ...]
    tau: float = 0.0
    is_like_these: bool = False


def families(setting: Setting, n: int, generator: np.random.Generator) -> tuple[Array, Array]:
    """P-values of every claim, plain and by the family's law, shape ``(n, systems - 1)`` each."""
    n_systems = len(setting.shifts)
    n_test_sets = setting.n_test_sets
    weight = 1 / n_test_sets
    df = setting.n_runs - 1
    shape = (n_systems, n, setting.n_runs, n_test_sets)
    shifts = np.array(setting.shifts).reshape(-1, 1, 1, 1)

    # Run scores: shifts of whole runs, shifts on one test set, and the noise of outputs
    n_shifts = 1 if setting.is_shared else n_test_sets
    runs = shifts * generator.standard_normal((*shape[:3], n_shifts))
    runs = runs + setting.crossed * shifts * generator.standard_normal(shape) + generator.standard_normal(shape)
    inter = setting.inter * generator.standard_normal((n_systems, n, n_test_sets))
    means = runs.mean(axis=2) + inter  # shape (systems, n, test sets)
    if setting.tau > 0:
        means = means + setting.tau * generator.standard_normal(means.shape)

    # Interaction of runs and segments, of each test set, as a variance of the mean over test sets
    df_pairs = LAST * df
    pairs = weight**2 * generator.chisquare(df_pairs, means.shape) / df_pairs / setting.n_runs

    # Variance over runs, of each system in each group of test sets: shape (systems, n, groups)
    if setting.is_shared:
        run_squares = (runs.mean(axis=3).var(axis=2, ddof=1) / setting.n_runs)[..., np.newaxis]
        noise = pairs.sum(axis=2, keepdims=True)
        crossed = _interaction(runs)[..., np.newaxis]
    else:
        run_squares = weight**2 * runs.var(axis=2, ddof=1) / setting.n_runs
        noise = pairs
        crossed = run_squares

    # The family's law draws each variance towards that of all systems in the group, and never downwards
    common = np.sqrt(run_squares).mean(axis=0)
    drawn = (FAMILY_DF * common**2 + df * run_squares) / (FAMILY_DF + df)
    is_drawn = drawn > run_squares
    drawn = np.where(is_drawn, drawn, run_squares)
    df_drawn = np.where(is_drawn, np.sqrt(df * (df + 2)), df)

    plain = []
    by_family = []
    for place in range(1, n_systems):
        sides = [0, place]
        differences = means[place] - means[0] + setting.gains[place - 1]  # shape (n, test sets)
        true_segments = weight**2 * (2 * setting.inter**2 + 2 / setting.n_runs)
        segments = true_segments * generator.chisquare(LAST, (n, n_test_sets)) / LAST
        for found, squares, df_runs in (
            (plain, run_squares, np.full_like(run_squares, df)),
            (by_family, drawn, df_drawn),
        ):
            total, df_total = _law(squares[sides], df_runs[sides], segments, noise[sides], pairs[sides], df)
            if setting.is_like_these:
                of_runs = (squares[sides], df_runs[sides], crossed[sides])
                total, df_total = _law_like_these(differences, of_runs, segments, total, df_total, df, setting)
            found.append(_p_values(differences, total, df_total))
    return np.stack(plain, axis=1), np.stack(by_family, axis=1)


def _interaction(runs: Array) -> Array:
    """Variance of the mean over test sets due to runs that differ between test sets, shape ``(systems, n)``."""
    n_runs, n_test_sets = runs.shape[2:]
    residuals = runs - runs.mean(axis=2, keepdims=True) - runs.mean(axis=3, keepdims=True)
    residuals += runs.mean(axis=(2, 3), keepdims=True)
    mean_square = (residuals**2).sum(axis=(2, 3)) / ((n_runs - 1) * (n_test_sets - 1))
    return np.asarray(mean_square / n_runs / n_test_sets)


def _law(runs: Array, df_runs: Array, segments: Array, noise: Array, pairs: Array, df: int) -> tuple[Array, Array]:
    """Variances and degrees of freedom of claims on these test sets, as ``SeveralTestSets.these_test_sets``."""
    all_runs = runs.sum(axis=(0, 2))
    all_segments = segments.sum(axis=1)
    total = np.maximum(all_runs + all_segments - pairs.sum(axis=(0, 2)), np.maximum(all_runs, all_segments))
    # Satterthwaite's degrees of freedom: the terms of the variance, each with its own
    parts = (beyond_noise(runs, noise, df) ** 2 / df_runs).sum(axis=(0, 2))
    parts += (segments**2).sum(axis=1) / LAST + (pairs**2).sum(axis=(0, 2)) / (LAST * df)
    df_of_units = all_segments**2 / ((segments**2).sum(axis=1) / LAST)
    return total, np.minimum(total**2 / parts, df_of_units)


def _law_like_these(
    differences: Array,
    of_runs: tuple[Array, Array, Array],
    segments: Array,
    narrower: Array,
    df_narrower: Array,
    df: int,
    setting: Setting,
) -> tuple[Array, Array]:
    """Variances and degrees of freedom of claims on test sets like these, as ``SeveralTestSets.like_these``.

    Parameters
    ----------
    of_runs
        Variance over runs, its degrees of freedom, and the interaction of runs with test sets.
    narrower, df_narrower
        Of the claim on these test sets.
    """
    runs, df_runs, crossed = of_runs
    n_test_sets = setting.n_test_sets
    between = np.maximum(differences.var(axis=1, ddof=1) / n_test_sets, segments.sum(axis=1))
    total = np.maximum(between, narrower)
    total = np.maximum(total, runs.sum(axis=(0, 2)))
    parts = between**2 / (n_test_sets - 1)
    if setting.is_shared:  # with runs of their own, all that they shift shows between test sets
        common = (runs - crossed).sum(axis=(0, 2))
        total = np.maximum(total, between + common)
        parts = parts + (beyond_noise(runs, crossed, df) ** 2 / df_runs).sum(axis=(0, 2))
        parts = parts + (crossed**2).sum(axis=(0, 2)) / (df * (n_test_sets - 1))
    df_per_df = MOST_DF_OF_THREE if n_test_sets == FEWEST_TEST_SETS else MOST_DF
    most = df_per_df * (n_test_sets - 1)
    return total, np.minimum(np.minimum(total**2 / parts, df_narrower), most)


def _p_values(differences: Array, total: Array, df_total: Array) -> Array:
    """Two-sided p-values of mean differences by Student's t."""
    return np.asarray(2 * stdtr(df_total, -np.abs(differences.mean(axis=1)) / np.sqrt(total)))


def holm(p_values: Array) -> Array:
    """Adjusted p-values of many families at once, shape ``(n, family)``."""
    order = np.argsort(p_values, axis=1, kind="stable")
    factors = np.arange(p_values.shape[1], 0, -1)
    rising = np.maximum.accumulate(np.take_along_axis(p_values, order, axis=1) * factors, axis=1)
    adjusted = np.empty_like(p_values)
    np.put_along_axis(adjusted, order, np.minimum(rising, 1.0), axis=1)
    return adjusted


def holm_with_laws(p_values: Array, by_family: Array) -> Array:
    """The same over p-values by the law of the family, none below its own p-value."""
    adjusted = np.maximum(holm(by_family), p_values)
    order = np.argsort(by_family, axis=1, kind="stable")
    rising = np.maximum.accumulate(np.take_along_axis(adjusted, order, axis=1), axis=1)
    np.put_along_axis(adjusted, order, rising, axis=1)
    return adjusted


def error_and_power(setting: Setting, n: int, seed: Sequence[int]) -> dict[str, tuple[float, float]]:
    """Share of families with a false claim, and of true differences found, by way of adjusting."""
    plain, by_family = families(setting, n, np.random.default_rng([SEED, n, *seed]))
    printed = printed_p_values(plain, (setting.n_runs, setting.n_runs))
    adjusted = {"Holm over p'": holm(printed), "family": holm_with_laws(printed, by_family)}
    is_null = np.array(setting.gains) == 0
    rates = {}
    for way, p in adjusted.items():
        error = float((p[:, is_null] <= LEVEL).any(axis=1).mean()) if is_null.any() else float("nan")
        power = float((p[:, ~is_null] <= LEVEL).mean()) if not is_null.all() else float("nan")
        rates[way] = (error, power)
    return rates


def settings(n_systems: int, n_runs: int, n_test_sets: int, truth: str, *, is_shared: bool) -> Iterator[Setting]:
    """The grid of a cell."""
    gains = [0.0] * (n_systems - 1)
    if truth == "half differ":
        gains[1::2] = [50.0] * len(gains[1::2])  # far more than any noise
    crossed_shares = (0.0, CROSSED) if is_shared else (0.0,)  # without shared runs it is part of the run shift
    for shape, ratio, inter, crossed in product(SHAPES, RATIOS, INTERS, crossed_shares):
        shifts = shifts_of(shape, ratio, n_systems)
        yield Setting(n_test_sets, n_runs, shifts, crossed, inter, is_shared, tuple(gains))


def power_setting(n_systems: int, n_runs: int, n_test_sets: int, ratio: float, *, is_shared: bool) -> Setting:
    """Half of the systems differ by three true standard errors; runs of all systems shift alike."""
    inter = INTERS[-1]
    own = (2 / n_runs + 2 * inter**2) / n_test_sets
    n_independent = 1 if is_shared else n_test_sets
    error = float(np.sqrt(2 * ratio**2 / n_runs / n_independent + own))
    gains = tuple(3 * error if place % 2 else 0.0 for place in range(n_systems - 1))
    return Setting(n_test_sets, n_runs, (ratio,) * n_systems, 0.0, inter, is_shared, gains)


def simulate(n: int) -> pd.DataFrame:
    """One row per family, truth and way of adjusting: the largest family-wise error, and the mean power."""
    rows = []
    for (n_systems, n_runs), n_test_sets, is_shared in product(CELLS, TEST_SETS, (True, False)):
        cell = (n_systems, n_runs, n_test_sets, int(is_shared))
        powers = []
        for place, ratio in enumerate(RATIOS):
            power = power_setting(n_systems, n_runs, n_test_sets, ratio, is_shared=is_shared)
            powers.append(error_and_power(power, n, (*cell, 2, place)))
        for number, truth in enumerate(("none differs", "half differ")):
            grid = list(settings(n_systems, n_runs, n_test_sets, truth, is_shared=is_shared))
            first = [error_and_power(setting, n, (*cell, number, place)) for place, setting in enumerate(grid)]
            for way in WAYS:
                largest = sorted(range(len(grid)), key=lambda place: -first[place][way][0])[:LARGEST]
                anew = [error_and_power(grid[place], 5 * n, (*cell, number, place))[way][0] for place in largest]
                power_of_way = float(np.mean([rates[way][1] for rates in powers]))
                rows.append((*cell[:3], is_shared, truth, way, max(anew), power_of_way))
        print(*cell, flush=True)
    names = ["n_systems", "n_runs", "n_test_sets", "is_shared", "truth", "way", "error", "power"]
    return pd.DataFrame(rows, columns=names).assign(n_simulations=n)


def settings_like_these(
    n_systems: int, n_runs: int, n_test_sets: int, truth: str, *, is_shared: bool
) -> Iterator[Setting]:
    """The grid of a cell for claims about test sets like these; what a run shifts on one test set adds to ``tau``."""
    for setting in settings(n_systems, n_runs, n_test_sets, truth, is_shared=is_shared):
        for tau in TAUS:
            if not (setting.crossed and tau):
                yield replace(setting, tau=tau, is_like_these=True)


def power_settings_like_these(n_systems: int, n_runs: int, n_test_sets: int, *, is_shared: bool) -> Iterator[Setting]:
    """Half of the systems differ by three true standard errors of a mean over other test sets."""
    inter = INTERS[-1]
    n_independent = 1 if is_shared else n_test_sets
    for ratio, tau in product(RATIOS, TAUS[:2]):
        own = (2 / n_runs + 2 * inter**2 + 2 * tau**2) / n_test_sets
        error = float(np.sqrt(2 * ratio**2 / n_runs / n_independent + own))
        gains = tuple(3 * error if place % 2 else 0.0 for place in range(n_systems - 1))
        yield Setting(n_test_sets, n_runs, (ratio,) * n_systems, 0.0, inter, is_shared, gains, tau, is_like_these=True)


def simulate_like_these(n: int) -> pd.DataFrame:
    """The same for claims about test sets like these."""
    rows = []
    for (n_systems, n_runs), n_test_sets, is_shared in product(CELLS_LIKE_THESE, TEST_SETS_LIKE_THESE, (True, False)):
        cell = (n_systems, n_runs, n_test_sets, int(is_shared))
        powers = []
        for place, power in enumerate(power_settings_like_these(*cell[:3], is_shared=is_shared)):
            powers.append(error_and_power(power, n, (*cell, 3, place)))
        for number, truth in enumerate(("none differs", "half differ")):
            grid = list(settings_like_these(*cell[:3], truth, is_shared=is_shared))
            first = [error_and_power(setting, n, (*cell, number, 4, place)) for place, setting in enumerate(grid)]
            for way in WAYS:
                largest = sorted(range(len(grid)), key=lambda place: -first[place][way][0])[:LARGEST]
                anew = [error_and_power(grid[place], 5 * n, (*cell, number, 4, place))[way][0] for place in largest]
                power_of_way = float(np.mean([rates[way][1] for rates in powers]))
                rows.append((*cell[:3], is_shared, truth, way, max(anew), power_of_way))
        print(*cell, flush=True)
    names = ["n_systems", "n_runs", "n_test_sets", "is_shared", "truth", "way", "error", "power"]
    return pd.DataFrame(rows, columns=names).assign(n_simulations=n)


def main() -> None:
    """Take the claim and the number of experiments from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, help="for each setting")
    parser.add_argument("--like-these", action="store_true", help="claims about test sets like these")
    options = parser.parse_args()
    if options.like_these:
        frame = simulate_like_these(options.simulations or N_SIMULATIONS_LIKE_THESE)
        path = RESULTS_LIKE_THESE
    else:
        frame = simulate(options.simulations or N_SIMULATIONS)
        path = RESULTS
    frame.to_csv(path, index=False, float_format="%.4g", lineterminator="\n")


if __name__ == "__main__":
    main()
