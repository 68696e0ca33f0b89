"""Intervals that Holm's verdict ends at zero: do all of a family hold together, and how often is a direction wrong?

Usage: ``python -m benchmarks.ended_at_zero [--simulations 200000]`` (a minute on one core). Prints the figures of
``docs/method.md``, "Several comparisons".

Each family compares systems with one baseline: differences are normal with standard error 1 and correlation 0.5. Some
true differences are large, the others near zero with either sign, where a wrong direction is likeliest. Verdicts are
Holm's at 5%, intervals Bonferroni's. If Holm decides and an interval contains zero, it ends at zero.
"""

import argparse
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy import special

from mteval.stats.multiplicity import holm

LEVEL = 0.05
SIZES = (2, 3, 6, 10)  # systems beside the baseline
SMALL = (0.0001, 0.1, 0.3, 1.0)  # the smaller true differences, in standard errors
LARGE = 12.0
SEED = 54
BATCH = 20_000

Array = npt.NDArray[np.float64]


def held_and_reversed(true: Array, n_simulations: int, generator: np.random.Generator) -> tuple[float, float, float]:
    """Return how often all intervals hold, how often they do without such ends, and how often a direction is wrong."""
    size = len(true)
    reach = -special.ndtri(LEVEL / 2 / size)
    n_held = 0
    n_held_whole = 0
    n_reversed = 0
    for start in range(0, n_simulations, BATCH):
        n = min(BATCH, n_simulations - start)
        of_baseline = generator.normal(size=(n, 1))
        estimates = true + np.sqrt(0.5) * (generator.normal(size=(n, size)) - of_baseline)
        p_values = 2 * special.ndtr(-np.abs(estimates))
        is_decided = np.array([holm(row) for row in p_values]) <= LEVEL
        low = estimates - reach
        high = estimates + reach
        is_inside = (low <= true) & (true <= high)
        low = np.where(is_decided & (estimates > 0), np.maximum(low, 0), low)
        high = np.where(is_decided & (estimates < 0), np.minimum(high, 0), high)
        n_held_whole += int(is_inside.all(axis=1).sum())
        n_held += int(((low <= true) & (true <= high)).all(axis=1).sum())
        n_reversed += int((is_decided & (estimates * true < 0)).any(axis=1).sum())
    return n_held / n_simulations, n_held_whole / n_simulations, n_reversed / n_simulations


def main() -> None:
    """Print each family and the worst of all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=200_000)
    n_simulations = parser.parse_args().simulations
    generator = np.random.default_rng(SEED)
    rows = []
    print("systems  large  small    all hold  without ends  wrong direction")
    for size, small in product(SIZES, SMALL):
        for n_large in sorted({0, size // 2, size - 1}):
            # Small differences of either sign in turn
            signs = np.where(np.arange(size - n_large) % 2 == 0, 1.0, -1.0)
            true = np.concatenate([np.full(n_large, LARGE), small * signs])
            rates = held_and_reversed(true, n_simulations, generator)
            rows.append(rates)
            held, held_whole, wrong = (f"{rate:.1%}" for rate in rates)
            print(f"{size:>7}  {n_large:>5}  {small:<7g}  {held:>8}  {held_whole:>12}  {wrong:>15}")
    worst = np.array(rows)
    print(f"worst: {worst[:, 0].min():.1%} hold, {worst[:, 2].max():.1%} of families have a wrong direction")


if __name__ == "__main__":
    main()
