"""Compute the level of each interim analysis that keeps the overall level. Writes ``look_plans.csv``.

Usage: ``python -m benchmarks.look_levels [--simulations 20000]`` from the root of the repository; one core, some
minutes.

The nuisance grid is that of ``degrees_of_freedom``. A constant level is the largest that keeps the rate of false claims
in every setting that it is made for; levels that spend little early have the shape of O'Brien and Fleming's, the number
of runs taken for the information. Attained rates are those of as many experiments again.
"""

import argparse
import csv
from collections.abc import Iterator
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from benchmarks.degrees_of_freedom import N_SEGMENTS, SEED, Truth, truths
from mteval.stats.planning import Sources, look_statistics, p_values
from mteval.values.settings import SPENDINGS, TABLE, Spending

Array = npt.NDArray[np.float32]
LEVELS = (0.1, 0.05, 0.01)
EVERY = tuple(range(3, 11))
LOOKS = ((3, 5), (3, 6), (3, 10), (5, 10), (3, 4, 5), (3, 5, 8), (3, 5, 10), (3, 6, 10), (5, 10, 20), EVERY)
NUMBERS = tuple(sorted({n for looks in LOOKS for n in looks}))
# Of the settings that the levels are made for:
HARDEST_RATIO = 5.0  # the largest run shift, in units of the noise
SMALLEST_SHARE = 0.2  # of the larger run shift, the smaller one
COLUMNS = ("looks", "spending", "level", "levels", "attained", "beyond", "unplanned")


def is_usual(truth: Truth) -> bool:
    """Return whether the levels are made for a setting: run shifts up to five times the noise, up to 5:1."""
    largest, smallest = max(truth.runs), min(truth.runs)
    return largest <= HARDEST_RATIO and smallest >= SMALLEST_SHARE * largest


def simulated(truth: Truth, n: int, seed: int) -> Array:
    """P-values without a true difference at every number of runs, shape ``(NUMBERS, n)``."""
    baseline, system = truth.runs
    sources = Sources((baseline**2, system**2), 2 * truth.inter**2 * N_SEGMENTS, (N_SEGMENTS, N_SEGMENTS))
    key = [int(100 * value) for value in (baseline, system, truth.inter)]
    generator = np.random.default_rng([SEED, seed, *key])
    statistics = look_statistics(sources, N_SEGMENTS, NUMBERS, n, generator)
    return p_values(*statistics, NUMBERS).astype(np.float32)


def levels_of(
    p_of_settings: list[Array], looks: tuple[int, ...], spending: Spending, level: float
) -> tuple[float, ...]:
    """Return the level of each analysis from the p-values of the usual settings."""
    places = [NUMBERS.index(number) for number in looks]
    if spending == "constant":
        # In each setting, a share of `level` of the experiments has a smallest p below this quantile.
        bounds = [float(np.quantile(p[places].min(axis=0), level)) for p in p_of_settings]
        return (min(bounds),) * len(looks)

    # O'Brien and Fleming: the bound on the normal deviate falls as the square root of the information grows.
    shape = np.sqrt(np.array(looks) / looks[-1])
    reaches = [float(np.quantile(_furthest(p[places], shape), 1 - level)) for p in p_of_settings]
    return tuple((2 * ndtr(-max(reaches) / shape)).tolist())


def _furthest(p: Array, shape: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the analysis whose p, as a normal deviate, is furthest beyond the bounds' shape, shape ``(n,)``."""
    deviates = -ndtri(np.maximum(p, 1e-30).astype(np.float64) / 2)
    return np.asarray((deviates * shape[:, np.newaxis]).max(axis=0))


def rate(p_of_settings: list[Array], looks: tuple[int, ...], levels: tuple[float, ...]) -> float:
    """The largest rate of claims over some settings."""
    places = [NUMBERS.index(number) for number in looks]
    bounds = np.array(levels)[:, np.newaxis]
    rates = [float((p[places] <= bounds).any(axis=0).mean()) for p in p_of_settings]
    return max(rates)


def rows(n: int) -> Iterator[tuple[str, ...]]:
    """The table, with the columns ``COLUMNS``."""
    grid = list(truths((3, 3)))
    usual = [truth for truth in grid if is_usual(truth)]
    harder = [truth for truth in grid if not is_usual(truth)]
    p_made_on = [simulated(truth, n, 1) for truth in usual]
    p_usual = [simulated(truth, n, 2) for truth in usual]
    p_harder = [simulated(truth, n, 2) for truth in harder]
    for looks, spending, level in product(LOOKS, SPENDINGS, LEVELS):
        levels = levels_of(p_made_on, looks, spending, level)
        attained = rate(p_usual, looks, levels)
        beyond = rate(p_harder, looks, levels)
        unplanned = rate(p_usual, looks, (level,) * len(looks))
        yield (
            " ".join(map(str, looks)),
            spending,
            f"{level:g}",
            " ".join(f"{bound:.4g}" for bound in levels),
            f"{attained:.4f}",
            f"{beyond:.4f}",
            f"{unplanned:.4f}",
        )


def main() -> None:
    """Simulate and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=20_000, help="for each setting")
    n = parser.parse_args().simulations
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows(n):
            print(*row, sep="  ", flush=True)
            writer.writerow(row)


if __name__ == "__main__":
    main()
