"""Power lost because p_run is never below p on the same units.

Usage: ``python -m benchmarks.both_answers [--simulations 4000]`` (a minute on one core). Prints the power at 5% with
and without the rule, for a difference of 2.5 standard errors; docs/method.md states the largest losses.
"""

import argparse
from itertools import product

import numpy as np

from benchmarks.batch_tests import Array, Batch, Draws, exchanged, two_way

LEVEL = 0.05
DIFFERENCE = 2.5  # in standard errors
N_UNITS = (6, 7, 8, 10, 12, 24, 200)
N_RUNS = (3, 5, 10)
RUN_NOISE = (0.0, 1.0, 5.0)  # over the noise of one output, as a score of a run has it
OF_SEGMENTS = (0.0, 1.5)  # what is peculiar to a system and a unit, over the noise of one output


def main() -> None:
    """Print the losses of each number of units."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=4_000, help="experiments per setting")
    size = parser.parse_args().simulations
    for n_units in N_UNITS:
        powers_alone = []
        losses = []
        for n_runs, run_noise, of_segments in product(N_RUNS, RUN_NOISE, OF_SEGMENTS):
            alone, limited = power(n_runs, n_units, run_noise, of_segments, size)
            powers_alone.append(100 * alone)
            losses.append(100 * (alone - limited))
        powers = f"{min(powers_alone):.0f} to {max(powers_alone):.0f}%"
        print(f"{n_units} units: power {powers}; lost {min(losses):.1f} to {max(losses):.1f} points")


def power(n_runs: int, n_units: int, run_noise: float, of_segments: float, size: int) -> tuple[float, float]:
    """Return the power of two-way alone, and of the larger of both p-values, from ``size`` experiments."""
    generator = np.random.default_rng([n_runs, n_units, int(10 * run_noise), int(10 * of_segments)])
    error = np.sqrt(2 * (of_segments**2 + (1 + run_noise**2) / n_runs) / n_units)

    def side(mean: float) -> Array:
        """Return statistics of a system, shape ``(size, n_runs, n_units, 1)``."""
        runs = run_noise / np.sqrt(n_units) * generator.normal(size=(size, n_runs, 1))
        segments = of_segments * generator.normal(size=(size, 1, n_units))
        outputs = generator.normal(size=(size, n_runs, n_units))
        values = mean + runs + segments + outputs
        return values[..., np.newaxis].astype(np.float32)

    batch = Batch(side(0.0), side(DIFFERENCE * error), lambda sums: sums[..., 0] / n_units, is_mean=True)
    alone = two_way(batch, lambda statistics: statistics[..., 0])
    exchanges = Draws(n_runs, n_runs, n_units, 1_999, 5).segments
    test_set = exchanged(*batch.pooled, exchanges, 1, batch.score)
    limited = np.maximum(alone, test_set)
    return float((alone <= LEVEL).mean()), float((limited <= LEVEL).mean())


if __name__ == "__main__":
    main()
