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
    scores, squares = [], []
    for mean, shift in zip(means, shifts, strict=True):
        runs = shift * generator.normal(size=(n, n_runs)) + generator.normal(size=(n, n_runs))
        scores.append(mean + runs.mean(axis=1) + inter * generator.normal(size=n))
        squares.append(runs.var(axis=1, ddof=1) / n_runs)
    runs, last = np.array(squares), n_runs - 1
    noise = generator.chisquare(LAST * last, runs.shape) / (LAST * last) / n_runs
    common = np.sqrt(runs * n_runs).mean(axis=0)
    towards = (FAMILY_DF * common**2 / n_runs + last * runs) / (FAMILY_DF + last)
    differences, plain, family = [], [], []
    for one, other in combinations(range(len(means)), 2):
        sides = [one, other]
        units = (2 * inter**2 + 2 / n_runs) * generator.chisquare(LAST, n) / LAST
        squares_of_pair = MeanSquares(runs[sides], units, noise[sides], np.array([last, last]), LAST)
        differences.append(scores[one] - scores[other])
        plain.append(squares_of_pair.p_values(differences[-1]))
        family.append(family_p(squares_of_pair, towards[sides], differences[-1]))
    printed = printed_p_values(np.stack(plain, axis=1), (n_runs, n_runs))
    return np.stack(differences, axis=1), printed, np.stack(family, axis=1)


def ranges(better: BoolArray) -> tuple[IntArray, IntArray]:
    """Return first and last ranks from who is better than whom, shape ``(systems, systems)``."""
    wins, losses = better.sum(axis=1), better.sum(axis=0)
    return np.asarray(1 + losses), np.asarray(len(better) - wins)


def failures(truth: str, n_systems: int, n_runs: int, n: int) -> Iterator[tuple[float, float]]:
    """Yield the share of failures and the mean number of ranks in a range, per setting."""
    pairs = list(combinations(range(n_systems), 2))
    for place, (shape, ratio, inter) in enumerate((s, r, i) for s in SHAPES for r in RATIOS for i in INTERS):
        generator = np.random.default_rng([SEED, TRUTHS.index(truth), n_systems, n_runs, place])
        shifts = shifts_of(shape, ratio, n_systems)
        means = means_of(truth, n_systems, float(np.sqrt(2 * (max(shifts) ** 2 + 1) / n_runs + 2 * inter**2)))
        first, last = ranges(means[:, np.newaxis] > means)
        failed, width = 0, 0.0
        for difference, printed, family in zip(*drawn(means, shifts, n_runs, inter, n, generator), strict=True):
            adjusted = holm_with_laws(printed / 2, family / 2, len(pairs))  # one-sided, in both directions
            better = np.zeros((n_systems, n_systems), dtype=bool)
            for (one, other), gain, p in zip(pairs, difference, adjusted, strict=True):
                if p <= LEVEL:
                    better[(one, other) if gain > 0 else (other, one)] = True
            low, high = ranges(implied(better))
            failed += bool((low > first).any() or (high < last).any())
            width += float((high - low + 1).mean())
        yield failed / n, width / n


def simulate(n: int) -> pd.DataFrame:
    """One row a number of systems, of runs, and truth: the largest share of failures, and the mean number of ranks."""
    rows = []
    for n_systems, n_runs, truth in product((4, 7, 11), (3, 5, 10), TRUTHS):
        found = np.array(list(failures(truth, n_systems, n_runs, n)))
        rows.append((n_systems, n_runs, truth, found[:, 0].max(), found[:, 1].mean(), n))
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
