"""Tabulate how often the two-way test errs at each level, for every pair of run counts.

Usage: ``python -m benchmarks.tail_sizes [--workers 2] [--check]`` from the root of the repository; about half an hour
on two cores. Writes ``mteval/stats/tail_sizes.csv``, which ``mteval.stats.tail`` reads. ``--check`` writes nothing: it
compares the table with levels between its columns and with a simulation.

Scores are normal, so the difference is independent of the mean squares of the two-way layout, and these are multiples
of chi-squares. Given the mean squares, the probability of a rejection is a normal tail. Its mean is integrated
numerically, so a level of 1e-10 is as exact as one of 5%. The size at a level is the largest over the nuisance
parameters: a grid, and a search from its worst points. Designs with one set of runs (paired runs, a fixed baseline, one
candidate against a history) have the same distribution up to its scale, so one row serves them all.
"""

import argparse
import csv
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import combinations_with_replacement, product
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import optimize, special, stats

from benchmarks.mean_squares import MeanSquares

Array = npt.NDArray[np.float64]
TABLE = Path(__file__).parents[1] / "mteval" / "stats" / "tail_sizes.csv"
MOST_RUNS = 30
N_SEGMENTS = 200
LEVELS = (5e-2, 3e-2, 2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12)
REFINED = (5e-2, 1e-2, 1e-3, 1e-5)  # levels whose worst settings are searched for
MOST_STEPS = 40
BETWEEN = (4e-2, 7e-3, 3e-4, 3e-6)  # for the check
RATIOS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 20.0, 50.0)  # run shift / noise of one run
SPREADS = ((1.0, 1.0), (1.0, 0.5), (1.0, 0.2), (1.0, 0.0), (0.5, 1.0), (0.2, 1.0), (0.0, 1.0))
INTERS = (0.0, 0.5, 1.5, 3.0)  # what is peculiar to a system and a segment, over the noise of one output
WIDEST = 8.5  # of the normal deviates that stand for chi-squares
# Nodes for variances of few and of many runs: with few, kinks of the variance matter.
FEW = 80
MANY = 40
INVERSE_DF = np.linspace(1e-4, 1.2, 6_000)


@cache
def chi_square_nodes(df: int) -> tuple[Array, Array]:
    """Values of ``chi2 / df`` and their weights; equally spaced normal deviates, mapped by probability."""
    if df >= N_SEGMENTS - 1:  # nearly constant
        z, weights = np.polynomial.hermite_e.hermegauss(4)
    else:
        z = np.linspace(-WIDEST, WIDEST, FEW if df < 9 else MANY)
        weights = np.exp(-np.square(z) / 2)
    lower_tail = stats.chi2.ppf(special.ndtr(z), df)  # each tail from its own side
    upper_tail = stats.chi2.isf(special.ndtr(-z), df)
    values = np.where(z < 0, lower_tail, upper_tail)
    return np.asarray(values / df), np.asarray(weights / weights.sum())


@cache
def log_quantiles(levels: tuple[float, ...]) -> Array:
    """Logarithm of Student's two-sided quantile, shape ``(levels, len(INVERSE_DF))``."""
    return np.log([np.abs(special.stdtrit(1 / INVERSE_DF, level / 2)) for level in levels])


def quantiles(df: Array, levels: tuple[float, ...]) -> Array:
    """Student's two-sided quantiles, shape ``(levels, len(df))``, interpolated in ``1 / df`` (relative error 1e-6)."""
    place = (1 / df - INVERSE_DF[0]) / (INVERSE_DF[1] - INVERSE_DF[0])
    left = np.clip(place.astype(int), 0, len(INVERSE_DF) - 2)
    share = place - left
    table = log_quantiles(levels)
    return np.asarray(np.exp(table[:, left] * (1 - share) + table[:, left + 1] * share))


def reaches(
    counts: tuple[int, ...], shifts: tuple[float, ...], inter: float, levels: tuple[float, ...]
) -> tuple[Array, Array]:
    """Differences from which the two-way p-value is at most each level, and the weights of the mean squares.

    Differences are in true standard errors, shape ``(levels, nodes)``; weights have shape ``(nodes,)``.

    Parameters
    ----------
    counts
        Runs of each side whose training luck counts: two sides, or one.
    shifts
        Standard deviation of the shifts of whole runs of each side, in units of the noise that single outputs bring to
        the score of one run.
    inter
        What is peculiar to a system and a segment, in the same units.
    """
    n_runs = np.array(counts)
    df_runs = n_runs - 1
    df_segments = N_SEGMENTS - 1
    noise = 1 / n_runs
    runs = (np.square(shifts) + 1) / n_runs
    segments = len(n_runs) * inter**2

    # A grid of chi-squares over their degrees of freedom: an axis for the runs of each side, the last for segments.
    nodes = [chi_square_nodes(int(df)) for df in (*df_runs, df_segments)]
    *of_sides, of_segments = np.meshgrid(*(values for values, _ in nodes), indexing="ij")
    weights = np.prod(np.meshgrid(*(weight for _, weight in nodes), indexing="ij"), axis=0).ravel()
    squares = MeanSquares(
        runs=np.array([values.ravel() * expected for values, expected in zip(of_sides, runs, strict=True)]),
        segments=of_segments.ravel() * (segments + noise.sum()),
        pairs=np.broadcast_to(noise[:, np.newaxis], (len(n_runs), weights.size)),
        df_runs=df_runs,
        df_segments=df_segments,
    )
    total, df = squares.total_and_df()
    return quantiles(df, levels) * np.sqrt(total / (runs.sum() + segments)), weights


def sizes_at(counts: tuple[int, ...], shifts: tuple[float, ...], inter: float, levels: tuple[float, ...]) -> Array:
    """Probability that the two-way p-value is at most each level, without a true difference; see ``reaches``."""
    reach, weights = reaches(counts, shifts, inter, levels)
    return np.asarray(2 * special.ndtr(-reach) @ weights)


def settings(counts: tuple[int, ...]) -> Iterator[tuple[tuple[float, ...], float]]:
    """Shifts of runs and the interaction, for all settings of the grid."""
    if len(counts) == 1:
        for ratio, inter in product(RATIOS, INTERS):
            yield (ratio,), inter
        return
    for ratio, (left, right), inter in product(RATIOS, SPREADS, INTERS):
        if not ratio and left != right:
            continue  # where runs do not shift, the spreads are one
        if left < right and counts[0] == counts[1]:
            continue  # the mirror image of another setting
        yield (ratio * left, ratio * right), inter


def largest_sizes(counts: tuple[int, ...], levels: tuple[float, ...] = LEVELS) -> Array:
    """The largest size at each level: over the grid, and near its worst settings, which are searched for."""
    grid = list(settings(counts))
    sizes = [sizes_at(counts, *setting, levels) for setting in grid]

    def size_near(point: Array, place: int) -> float:
        *shifts, inter = np.exp(point).tolist()
        sizes.append(sizes_at(counts, tuple(shifts), inter, levels))
        return -float(sizes[-1][place])

    for place in np.searchsorted(-np.array(levels), -np.array(REFINED)):
        shifts, inter = grid[int(np.argmax([size[place] for size in sizes[: len(grid)]]))]
        start = np.log(np.maximum([*shifts, inter], 0.1))
        optimize.minimize(size_near, start, (int(place),), method="Nelder-Mead", options={"maxfev": MOST_STEPS})
    return np.max(sizes, axis=0)


def designs() -> list[tuple[int, ...]]:
    """Every number of runs of a single set, then every pair of numbers, the smaller first."""
    numbers = range(2, MOST_RUNS + 1)
    return [*((n,) for n in numbers), *combinations_with_replacement(numbers, 2)]


def write_table(workers: int) -> None:
    """Tabulate all designs."""
    with ProcessPoolExecutor(workers) as pool, TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["runs", "other_runs", *(f"{level:g}" for level in LEVELS)])
        for counts, sizes in zip(designs(), pool.map(largest_sizes, designs(), chunksize=4), strict=True):
            n_runs, n_other_runs = counts if len(counts) == 2 else (*counts, 0)
            writer.writerow([n_runs, n_other_runs, *(f"{size:.4g}" for size in sizes)])
            file.flush()


def simulated(counts: tuple[int, int], n: int, levels: Sequence[float]) -> list[float]:
    """Sizes by simulation where runs shift by five times their noise, the other side's by a fifth of that."""
    generator = np.random.default_rng([N_SEGMENTS, *counts])
    n_runs = np.array(counts)
    df_runs = n_runs - 1
    df_segments = N_SEGMENTS - 1
    noise = 1 / n_runs
    runs = (np.square([5.0, 1.0]) + 1) / n_runs
    segments = 2 * 1.5**2

    def mean_squares(expected: Array, df: Array) -> Array:
        """Draw mean squares, shape ``(len(expected), n)``."""
        return np.asarray(expected * generator.chisquare(df, (n, len(df))) / df).T

    run_squares = mean_squares(runs, df_runs)
    (segment_squares,) = mean_squares(np.array([segments + noise.sum()]), np.array([df_segments]))
    pair_squares = mean_squares(noise, df_runs * df_segments)
    squares = MeanSquares(run_squares, segment_squares, pair_squares, df_runs, df_segments)
    p_values = squares.p_values(np.sqrt(runs.sum() + segments) * generator.standard_normal(n))
    return [float(np.mean(p_values <= level)) for level in levels]


def check() -> None:
    """Print the table's interpolation beside direct integration, and integration beside simulation."""
    from mteval.stats.tail import largest_size

    print("| runs | level | interpolated | integrated |\n|---|---|---|---|")
    for counts in ((3,), (10,), (2, 10), (3, 3), (3, 10), (5, 5), (30, 30)):
        for level, direct in zip(BETWEEN, largest_sizes(counts, BETWEEN), strict=True):
            print(f"| {counts} | {level:g} | {largest_size(level, counts):.3g} | {direct:.3g} |", flush=True)
    print("\n| runs | level | integrated | simulated |\n|---|---|---|---|")
    levels = (0.05, 0.01, 0.001, 0.0001)
    for pair in ((2, 10), (3, 3), (5, 5)):
        integrated = sizes_at(pair, (5.0, 1.0), 1.5, levels)
        by_simulation = simulated(pair, 4_000_000, levels)
        for level, size, simulated_size in zip(levels, integrated, by_simulation, strict=True):
            print(f"| {pair} | {level:g} | {size:.4g} | {simulated_size:.4g} |", flush=True)


def main() -> None:
    """Tabulate, or check the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--check", action="store_true", help="compare the table with integration and simulation")
    options = parser.parse_args()
    if options.check:
        check()
    else:
        write_table(options.workers)


if __name__ == "__main__":
    main()
