"""Coverage of the interval of a difference of accuracies, in all experiments and if few items differ.

Usage: ``python -m benchmarks.accuracy_differences [--simulations 1000]`` from the root of the repository; a minute on
one core. Prints the table of ``docs/method.md``.

An item is as hard for both systems in part (``shared``), for one system in part, and each run answers with noise of its
own. Runs do not differ otherwise.
"""

import argparse
from collections import defaultdict
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy import special

from mteval.stats.interval import accuracy_difference_interval

Array = npt.NDArray[np.float64]
CONFIDENCE = 0.95
N_ITEMS = (20, 50, 100, 300)
N_RUNS = (1, 3, 5)
ACCURACIES = ((0.5, 0.0), (0.5, 0.1), (0.9, 0.0), (0.9, 0.05), (0.97, 0.0))  # of the baseline, and the difference
SHARED = (0.3, 0.8)
OF_RUN = 0.3  # of what is not shared
MOST_DIFFERING = 5  # items, of which no exchange reaches 5%
FEWEST_EXPERIMENTS = 100  # with so few differing items, for a rate
SEED = 53


def gains(
    n_items: int, n_runs: int, accuracy: float, difference: float, shared: float, generator: np.random.Generator
) -> Array:
    """Return the mean score of the system less that of the baseline, per item."""
    hardness = np.sqrt(shared) * generator.standard_normal(n_items)
    means = []
    for accuracy_of_system in (accuracy, accuracy + difference):
        of_system = np.sqrt(1 - OF_RUN) * generator.standard_normal(n_items)
        of_runs = np.sqrt(OF_RUN) * generator.standard_normal((n_runs, n_items))
        all_hardness = hardness + np.sqrt(1 - shared) * (of_system + of_runs)
        means.append((all_hardness < special.ndtri(accuracy_of_system)).mean(axis=0))
    return np.asarray(means[1] - means[0])


def main() -> None:
    """Print the smallest and largest coverage over the settings, by number of items."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=1_000, help="for each setting")
    n_simulations = parser.parse_args().simulations
    rates: dict[tuple[int, str], list[float]] = defaultdict(list)
    for n_items, n_runs, (accuracy, difference), shared in product(N_ITEMS, N_RUNS, ACCURACIES, SHARED):
        generator = np.random.default_rng([SEED, n_items, n_runs, int(100 * accuracy), int(100 * difference)])
        covered: dict[str, list[bool]] = defaultdict(list)
        for _ in range(n_simulations):
            values = gains(n_items, n_runs, accuracy, difference, shared, generator)
            low, high = accuracy_difference_interval(values, CONFIDENCE)
            is_covered = bool(low - 1e-9 <= difference <= high + 1e-9)
            covered["all"].append(is_covered)
            if np.count_nonzero(values) <= MOST_DIFFERING:
                covered["few differ"].append(is_covered)
            reach = special.stdtrit(n_items - 1, (1 + CONFIDENCE) / 2) * values.std(ddof=1) / np.sqrt(n_items)
            covered["Student's t"].append(bool(abs(values.mean() - difference) <= reach + 1e-9))
        for name, of_experiments in covered.items():
            if len(of_experiments) >= FEWEST_EXPERIMENTS:
                rates[n_items, name].append(float(np.mean(of_experiments)))
    names = ("all", "few differ", "Student's t")
    print(f"| items | {' | '.join(names)} |\n|---|---|---|---|")
    for n_items in N_ITEMS:
        cells = []
        for name in names:
            of_settings = rates[n_items, name]
            cells.append(f"{min(of_settings):.1%} to {max(of_settings):.1%}" if of_settings else "–")
        print(f"| {n_items} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
