"""Power lost because p (both) is never below p (test set) on the same units.

Usage: ``python -m benchmarks.both_answers [--simulations 4000]`` (a minute on one core). Prints the power at 5% with
and without the rule, for a difference of 2.5 standard errors; docs/method.md states the largest losses.
"""

import argparse
from itertools import product

import numpy as np

from benchmarks.batch_tests import Array, Batch, Draws, exchanged, two_way

LEVEL, DIFFERENCE = 0.05, 2.5
N_UNITS, N_RUNS, RUN_NOISE, OF_SEGMENTS = (6, 7, 8, 10, 12, 24, 200), (3, 5, 10), (0.0, 1.0, 5.0), (0.0, 1.5)


def main() -> None:
    """Print the losses of each number of units."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=4_000, help="experiments per setting")
    size = parser.parse_args().simulations
    for n_units in N_UNITS:
        found = [power((n, n_units, *rest), size) for n, *rest in product(N_RUNS, RUN_NOISE, OF_SEGMENTS)]
        lost = [100 * (alone - limited) for alone, limited in found]
        powers = f"{100 * min(alone for alone, _ in found):.0f} to {100 * max(alone for alone, _ in found):.0f}%"
        print(f"{n_units} units: power {powers}; lost {min(lost):.1f} to {max(lost):.1f} points")


def power(setting: tuple[int, int, float, float], size: int) -> tuple[float, float]:
    """Return the power of two-way alone, and of the larger of both p-values."""
    n_runs, n_units, run_noise, of_segments = setting
    generator = np.random.default_rng([n_runs, n_units, int(10 * run_noise), int(10 * of_segments)])
    error = np.sqrt(2 * (of_segments**2 + (1 + run_noise**2) / n_runs) / n_units)

    def side(mean: float) -> Array:
        shape = size, n_runs, n_units
        runs = run_noise / np.sqrt(n_units) * generator.normal(size=(size, n_runs, 1))
        segments = of_segments * generator.normal(size=(size, 1, n_units))
        values = mean + runs + segments + generator.normal(size=shape)
        return values[..., np.newaxis].astype(np.float32)

    batch = Batch(side(0.0), side(DIFFERENCE * error), lambda sums: sums[..., 0] / n_units, is_mean=True)
    alone = two_way(batch, lambda statistics: statistics[..., 0])
    test_set = exchanged(*batch.pooled, Draws(n_runs, n_runs, n_units, 1_999, 5).segments, 1, batch.score)
    return float((alone <= LEVEL).mean()), float((np.maximum(alone, test_set) <= LEVEL).mean())


if __name__ == "__main__":
    main()
