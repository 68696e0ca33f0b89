"""How often does the interval of the risk of a wrong order cover the true risk?

Usage: ``python -m benchmarks.order_risk [--simulations 2000]`` from the root of the repository; one core, some minutes.
Prints the table that stands in ``docs/method.md``.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import ndtr

from mteval.stats.replication import separation

CONFIDENCE = 0.95
RUNS = ((2, 2), (3, 3), (5, 5), (10, 10), (30, 30), (2, 10), (3, 10), (10, 3))
SEPARATIONS = (0.0, 0.5, 1.0, 2.0, 4.0)  # true difference over the standard deviation of a difference of one run each
RATIOS = (1.0, 5.0)  # of the standard deviation of the system's runs to that of the baseline's
SEED = 20_110_619


@dataclass(frozen=True)
class Cell:
    """One setting."""

    n_baseline: int
    n_system: int
    separation: float
    ratio: float

    def simulated(self, n: int) -> Iterator[tuple[float, float]]:
        """Return each simulation's risk with one run each, and 1 if its interval covers the true risk, else 0."""
        generator = np.random.default_rng([SEED, self.n_baseline, self.n_system, int(10 * self.separation)])
        of_baseline, of_system = np.array([1.0, self.ratio]) / np.hypot(1.0, self.ratio)  # standard deviations
        for _ in range(n):
            baseline = generator.normal(0.0, of_baseline, self.n_baseline)
            system = generator.normal(self.separation, of_system, self.n_system)
            sign = 1 if system.mean() > baseline.mean() else -1
            true_risk = ndtr(-sign * self.separation)
            stated, low, high = separation(baseline, system, CONFIDENCE).risk(1)
            yield stated, float(low <= true_risk <= high)


def main() -> None:
    """Simulate and print one row per pair of numbers of runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=2_000, help="for each setting")
    options = parser.parse_args()
    print("| runs | interval holds the true risk: smallest, largest | stated risk where the truth is 50%, median |")
    print("|---|---|---|")
    for n_baseline, n_system in RUNS:
        coverages = []  # of each cell, in percent
        stated_at_half = []  # median stated risk of each cell whose true risk is 50%
        for separation_of_cell, ratio in product(SEPARATIONS, RATIOS):
            cell = Cell(n_baseline, n_system, separation_of_cell, ratio)
            stated, is_covered = np.array(list(cell.simulated(options.simulations))).T
            coverages.append(100 * is_covered.mean())
            if separation_of_cell == 0:
                stated_at_half.append(np.median(stated))
        runs = f"{n_baseline}"
        if n_system != n_baseline:
            runs = f"{n_baseline} and {n_system}"
        coverage = f"{min(coverages):.1f}%, {max(coverages):.1f}%"
        print(f"| {runs} | {coverage} | {100 * np.median(stated_at_half):.0f}% |", flush=True)


if __name__ == "__main__":
    main()
