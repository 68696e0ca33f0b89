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
        deviations = np.array([1.0, self.ratio]) / np.hypot(1.0, self.ratio)
        for _ in range(n):
            baseline = generator.normal(0.0, deviations[0], self.n_baseline)
            system = generator.normal(self.separation, deviations[1], self.n_system)
            sign = 1 if system.mean() > baseline.mean() else -1
            stated, low, high = separation(baseline, system, CONFIDENCE).risk(1)
            yield stated, float(low <= ndtr(-sign * self.separation) <= high)


def main() -> None:
    """Simulate and print one row per pair of numbers of runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=2_000, help="for each setting")
    options = parser.parse_args()
    print("| runs | interval holds the true risk: smallest, largest | stated risk where the truth is 50%, median |")
    print("|---|---|---|")
    for n_baseline, n_system in RUNS:
        cells = [Cell(n_baseline, n_system, *rest) for rest in product(SEPARATIONS, RATIOS)]
        found = {cell: np.array(list(cell.simulated(options.simulations))) for cell in cells}
        holds = [100 * rows[:, 1].mean() for rows in found.values()]
        stated = np.median([np.median(rows[:, 0]) for cell, rows in found.items() if cell.separation == 0])
        runs = f"{n_baseline}" if n_baseline == n_system else f"{n_baseline} and {n_system}"
        print(f"| {runs} | {min(holds):.1f}%, {max(holds):.1f}% | {100 * stated:.0f}% |", flush=True)


if __name__ == "__main__":
    main()
