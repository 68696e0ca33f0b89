"""How often does the test over runs, raters and segments find a difference where there is none?

Usage: ``python -m benchmarks.rated_runs [--simulations 4000]`` from the root of the repository; a few minutes on one
core. Prints the table of ``docs/people.md``.

Judgements are sums of effects of runs, raters and segments, all peculiar to a system, their interactions in pairs, and
noise. The grid sets the standard deviation of each effect to nothing or to values from below to far above that of the
noise of a mean. *Raters only* averages over runs, as if the runs at hand were all there are; *runs only* averages over
raters.
"""

import argparse
from collections.abc import Iterator
from itertools import product

import numpy as np
import numpy.typing as npt

from mteval.stats.base import PairedResult
from mteval.stats.crossed_layout import components_of, components_of_gains, crossed_result
from mteval.stats.rated_runs import RatedRuns

Array = npt.NDArray[np.float64]
LEVELS = (0.05, 0.01)
SHAPES = ((3, 3), (3, 5), (5, 3), (5, 5), (10, 3), (3, 10))  # runs, raters
N_SEGMENTS = 50
WAYS = ("all three", "raters only", "runs only")
SEED = 24_114


def judgements(
    shape: tuple[int, int], sds: tuple[float, float, float, float], n: int, generator: np.random.Generator
) -> Iterator[tuple[Array, Array]]:
    """Yield judgements of two equal systems, shape ``(runs, raters, segments)`` each.

    Parameters
    ----------
    sds
        Of runs, raters and segments as effects on a mean, in units of its noise, and of interactions in those of the
        noise of one judgement.
    """
    n_runs, n_raters = shape
    run, rater, segment, pairs = sds
    noise = np.sqrt(1 / (n_runs * n_raters * N_SEGMENTS))  # of a mean
    for _ in range(n):
        sides = []
        for of_run in (run, run / 5):
            scores = generator.normal(size=(n_runs, n_raters, N_SEGMENTS))
            scores += of_run * noise * np.sqrt(n_runs) * generator.normal(size=(n_runs, 1, 1))
            scores += rater * noise * np.sqrt(n_raters) * generator.normal(size=(1, n_raters, 1))
            scores += segment * noise * np.sqrt(N_SEGMENTS) * generator.normal(size=(1, 1, N_SEGMENTS))
            scores += pairs * generator.normal(size=(1, n_raters, N_SEGMENTS))
            scores += pairs * generator.normal(size=(n_runs, 1, N_SEGMENTS))
            scores += pairs * generator.normal(size=(n_runs, n_raters, 1))
            sides.append(scores)
        yield sides[0], sides[1]


def results(sides: tuple[Array, Array]) -> Iterator[PairedResult]:
    """Yield the result of each way."""
    baseline, system = sides
    difference = float(system.mean() - baseline.mean())
    yield RatedRuns.of(sides, N_SEGMENTS - 1.0).result(difference, 0.95)
    raters_only = components_of_gains(system.mean(axis=0) - baseline.mean(axis=0))
    yield crossed_result(raters_only, difference, "two-sided", 0.95)
    runs_only = components_of(baseline.mean(axis=1), system.mean(axis=1))
    yield crossed_result(runs_only, difference, "two-sided", 0.95)


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=4_000, help="for each setting")
    n = parser.parse_args().simulations
    print("| runs | raters | " + " | ".join(f"{way}: 5% | 1%" for way in WAYS) + " |")
    print("|---" * 8 + "|")
    grid = list(product((0.0, 1.0, 5.0), (0.0, 1.0, 5.0), (0.5, 2.0), (0.0, 0.5)))
    for shape in SHAPES:
        rates = np.zeros((len(grid), len(WAYS), len(LEVELS)))
        for place, sds in enumerate(grid):
            generator = np.random.default_rng([SEED, *shape, place])
            for sides in judgements(shape, sds, n, generator):
                p = np.array([result.p_value for result in results(sides)])
                rates[place] += p[:, np.newaxis] <= LEVELS
        largest = rates.max(axis=0) / n
        n_runs, n_raters = shape
        cells = " | ".join(f"{rate:.1%}" for rate in largest.ravel())
        print(f"| {n_runs} | {n_raters} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
