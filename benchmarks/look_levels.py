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
HARDEST_RATIO, SMALLEST_SHARE = 5.0, 0.2  # of the settings that the levels are made for
COLUMNS = ("looks", "spending", "level", "levels", "attained", "beyond", "unplanned")


def is_usual(truth: Truth) -> bool:
    """Return whether the levels are made for a setting: run shifts up to five times the noise, up to 5:1."""
    largest, smallest = max(truth.runs), min(truth.runs)
    return largest <= HARDEST_RATIO and smallest >= SMALLEST_SHARE * largest


def simulated(truth: Truth, n: int, seed: int) -> Array:
    """P-values without a true difference at every number of runs, shape ``(NUMBERS, n)``."""
    runs = (truth.runs[0] ** 2, truth.runs[1] ** 2)
    sources = Sources(runs, 2 * truth.inter**2 * N_SEGMENTS, (N_SEGMENTS, N_SEGMENTS))
    generator = np.random.default_rng([SEED, seed, *(int(100 * value) for value in (*truth.runs, truth.inter))])
    return p_values(*look_statistics(sources, N_SEGMENTS, NUMBERS, n, generator)).astype(np.float32)


def levels_of(p: list[Array], looks: tuple[int, ...], spending: Spending, level: float) -> tuple[float, ...]:
    """Return the level of each analysis from the p-values of the usual settings."""
    places = [NUMBERS.index(number) for number in looks]
    if spending == "constant":
        bound = min(float(np.quantile(one[places].min(axis=0), level)) for one in p)
        return (bound,) * len(looks)
    share = np.sqrt(np.array(looks) / looks[-1])
    reach = max(float(np.quantile(_furthest(one[places], share), 1 - level)) for one in p)
    return tuple((2 * ndtr(-reach / share)).tolist())


def _furthest(p: Array, share: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the analysis whose p, as a normal deviate, is furthest beyond the bounds' shape, shape ``(n,)``."""
    return np.asarray((-ndtri(np.maximum(p, 1e-30).astype(np.float64) / 2) * share[:, np.newaxis]).max(axis=0))


def rate(p: list[Array], looks: tuple[int, ...], levels: tuple[float, ...]) -> float:
    """The largest rate of claims over some settings."""
    places, bounds = [NUMBERS.index(number) for number in looks], np.array(levels)[:, np.newaxis]
    return max(float((one[places] <= bounds).any(axis=0).mean()) for one in p)


def rows(n: int) -> Iterator[tuple[str, ...]]:
    """The table, with the columns ``COLUMNS``."""
    grid = list(truths((3, 3)))
    made_on = [simulated(truth, n, 1) for truth in grid if is_usual(truth)]
    usual = [simulated(truth, n, 2) for truth in grid if is_usual(truth)]
    harder = [simulated(truth, n, 2) for truth in grid if not is_usual(truth)]
    for looks in LOOKS:
        for spending in SPENDINGS:
            for level in LEVELS:
                levels = levels_of(made_on, looks, spending, level)
                unplanned = rate(usual, looks, (level,) * len(looks))
                rates = (rate(usual, looks, levels), rate(harder, looks, levels), unplanned)
                shown = (" ".join(map(str, looks)), spending, f"{level:g}", " ".join(f"{one:.4g}" for one in levels))
                yield (*shown, *(f"{one:.4f}" for one in rates))


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
