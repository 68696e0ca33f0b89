"""How tightly must a few documents bound the degrees of freedom of the two-way procedure?

Usage: ``python -m benchmarks.few_documents [--simulations 20000]`` from the root of the repository; one core, a few
minutes. Prints the table of bounds of ``docs/decisions/two-way-floor.md``, from layouts of ``benchmarks.documents``.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from benchmarks.documents import LEVEL, Layout, layouts, pseudo_values
from benchmarks.mean_squares import Array, mean_squares
from benchmarks.simulation import EFFECT

FACTORS = (float("inf"), 1.0, 1.5, 2.0)  # of the documents less one
N_DOCUMENTS = (2, 3, 4, 5)
LARGEST = 3  # so many of the largest rates are estimated anew,
AFRESH = 5  # each from so many times as many experiments
SEED = 19_720_101


def rates(layout: Layout, n: int, generator: np.random.Generator) -> Array:
    """Return rejection rates without and with a true difference per bound, shape ``(2, bounds)``."""
    sides = layout.drawn(n, generator) + layout.run_shifts(n, generator)
    baseline_means, system_means = [(side * layout.shares).sum(axis=2).mean(axis=1) for side in sides]
    difference = system_means - baseline_means

    squares = mean_squares([pseudo_values(side, layout.shares) for side in sides], layout.df)
    tests = [replace(squares, most_df=factor * (layout.n_documents - 1)) for factor in FACTORS]
    rates_of_effects = []
    for effect in (0.0, EFFECT * layout.standard_error):
        rates_of_bounds = [np.mean(test.p_values(difference + effect) <= LEVEL) for test in tests]
        rates_of_effects.append(rates_of_bounds)
    return np.array(rates_of_effects)


def rows(n: int) -> Iterator[str]:
    """Yield a row per number of documents: largest size and mean power per bound."""
    for n_documents in N_DOCUMENTS:
        alike = [layout for layout in layouts() if layout.n_documents == n_documents]
        generator = np.random.default_rng([SEED, n_documents])
        rates_of_layouts = np.array([rates(layout, n, generator) for layout in alike])
        sizes = rates_of_layouts[:, 0]
        powers = rates_of_layouts[:, 1]
        cells = []
        for bound in range(len(FACTORS)):
            # The largest of many rates is above its expectation: only rates estimated anew count.
            worst = [alike[place] for place in np.argsort(sizes[:, bound])[-LARGEST:]]
            size = max(rates(layout, AFRESH * n, generator)[0, bound] for layout in worst)
            cells.append(f"{size:.1%} | {powers[:, bound].mean():.1%}")
        yield f"| {n_documents} | {' | '.join(cells)} |"


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=20_000, help="for each layout")
    n = parser.parse_args().simulations
    print("| documents | none: size | power | G − 1 | power | 3/2 (G − 1) | power | 2 (G − 1) | power |")
    print("|---|---|---|---|---|---|---|---|---|")
    for row in rows(n):
        print(row, flush=True)


if __name__ == "__main__":
    main()
