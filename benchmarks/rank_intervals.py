"""How often do the rank ranges of all systems contain the true ranks, and how wide are they?

Usage: ``python -m benchmarks.rank_intervals [--simulations 2000]`` from the root of the repository; ten minutes on one
core. Writes ``rank_intervals.csv`` beside this file; ``python -m benchmarks.calibration`` makes a table of it.

Systems are made as in ``benchmarks.families``, but all pairs are tested. Their true means are equal, in three groups,
or evenly spaced by three true standard errors. Ranges fail if any of them lacks a true rank; equal systems share all
ranks from the first to the last of them.
"""

import argparse
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.families import LAST, Array, family_p, shifts_of
from benchmarks.mean_squares import MeanSquares
from mteval.analysis.pairs import implied
from mteval.base.arrays import BoolArray, IntArray
from mteval.stats.crossed_layout import FAMILY_DF
from mteval.stats.multiplicity import holm_with_laws
from mteval.stats.tail import printed_p_values

LEVEL = 0.05
RATIOS = (0.5, 2.0, 10.0)
INTERS = (0.5, 1.5)
SHAPES = ("equal", "half noisy", "one noisy")
TRUTHS = ("equal", "groups", "spaced")
SEED = 24_113
N_SIMULATIONS = 2_000
RESULTS = Path(__file__).with_name("rank_intervals.csv")


def means_of(truth: str, n_systems: int, error: float) -> Array:
    """Return the true means, in which the largest standard error of a difference is ``error``."""
    places = np.arange(n_systems)
    steps = {"equal": 0 * places, "groups": places * 3 // n_systems, "spaced": places}[truth]
    return np.asarray(3.0 * error * steps)


def drawn(
    means: Array, shifts: tuple[float, ...], n_runs: int, inter: float, n: int, generator: np.random.Generator
) -> tuple[Array, Array, Array]:
    """Return differences of all pairs, their printed p-values and those by the family's law, ``(n, pairs)`` each."""
    # Of each system, shape (n,): its score, and the mean square of its runs.
    scores = []
    run_squares = []
    for mean, shift in zip(means, shifts, strict=True):
        run_scores = shift * generator.normal(size=(n, n_runs)) + generator.normal(size=(n, n_runs))
        scores.append(mean + run_scores.mean(axis=1) + inter * generator.normal(size=n))
        run_squares.append(run_scores.var(axis=1, ddof=1) / n_runs)
    runs = np.array(run_squares)  # shape (systems, n), as noise and drawn_runs
    df_runs = n_runs - 1
    noise = generator.chisquare(LAST * df_runs, runs.shape) / (LAST * df_runs) / n_runs

    # The family's law draws each variance over runs towards the mean of all systems.
    common = np.sqrt(runs * n_runs).mean(axis=0)
    drawn_runs = (FAMILY_DF * common**2 / n_runs + df_runs * runs) / (FAMILY_DF + df_runs)

    differences = []
    plain_p = []
    family_law_p = []
    for pair in combinations(range(len(means)), 2):
        left, right = pair
        sides = list(pair)
        segments = (2 * inter**2 + 2 / n_runs) * generator.chisquare(LAST, n) / LAST
        squares = MeanSquares(runs[sides], segments, noise[sides], np.array([df_runs, df_runs]), LAST)
        difference = scores[left] - scores[right]
        differences.append(difference)
        plain_p.append(squares.p_values(difference))
        family_law_p.append(family_p(squares, drawn_runs[sides], difference))
    printed_p = printed_p_values(np.stack(plain_p, axis=1), (n_runs, n_runs))
    return np.stack(differences, axis=1), printed_p, np.stack(family_law_p, axis=1)


def ranges(better: BoolArray) -> tuple[IntArray, IntArray]:
    """Return first and last ranks from who is better than whom, shape ``(systems, systems)``."""
    n_systems = len(better)
    wins = better.sum(axis=1)
    losses = better.sum(axis=0)
    return np.asarray(1 + losses), np.asarray(n_systems - wins)


def failures(truth: str, n_systems: int, n_runs: int, n: int) -> Iterator[tuple[float, float]]:
    """Yield the share of failures and the mean number of ranks in a range, per setting."""
    pairs = list(combinations(range(n_systems), 2))
    for place, (shape, ratio, inter) in enumerate(product(SHAPES, RATIOS, INTERS)):
        generator = np.random.default_rng([SEED, TRUTHS.index(truth), n_systems, n_runs, place])
        shifts = shifts_of(shape, ratio, n_systems)
        largest_error = float(np.sqrt(2 * (max(shifts) ** 2 + 1) / n_runs + 2 * inter**2))
        means = means_of(truth, n_systems, largest_error)
        true_first, true_last = ranges(means[:, np.newaxis] > means)
        n_failed = 0
        width = 0.0
        experiments = zip(*drawn(means, shifts, n_runs, inter, n, generator), strict=True)
        for differences, printed_p, family_law_p in experiments:
            adjusted = holm_with_laws(printed_p / 2, family_law_p / 2, len(pairs))  # one-sided, in both directions
            better = np.zeros((n_systems, n_systems), dtype=bool)
            for (left, right), difference, p in zip(pairs, differences, adjusted, strict=True):
                if p > LEVEL:
                    continue
                if difference > 0:
                    better[left, right] = True
                else:
                    better[right, left] = True
            first, last = ranges(implied(better))
            n_failed += bool((first > true_first).any() or (last < true_last).any())
            width += float((last - first + 1).mean())
        yield n_failed / n, width / n


def simulate(n: int) -> pd.DataFrame:
    """One row a number of systems, of runs, and truth: the largest share of failures, and the mean number of ranks."""
    rows = []
    for n_systems, n_runs, truth in product((4, 7, 11), (3, 5, 10), TRUTHS):
        of_settings = np.array(list(failures(truth, n_systems, n_runs, n)))
        failed = of_settings[:, 0]
        widths = of_settings[:, 1]
        rows.append((n_systems, n_runs, truth, failed.max(), widths.mean(), n))
        print(n_systems, n_runs, truth, flush=True)
    return pd.DataFrame(rows, columns=["n_systems", "n_runs", "truth", "fails", "ranks", "n_simulations"])


def write(n: int) -> None:
    """Simulate and write the numbers."""
    simulate(n).to_csv(RESULTS, index=False, float_format="%.4g", lineterminator="\n")


def main() -> None:
    """Take the number of experiments from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=N_SIMULATIONS, help="for each setting")
    write(parser.parse_args().simulations)


if __name__ == "__main__":
    main()
