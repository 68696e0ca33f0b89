"""How much of the runs' variance should count for few runs, in the degrees of freedom of the two-way procedure?

Usage: ``python -m benchmarks.degrees_of_freedom [--simulations 20000]`` from the root of the repository; one core, some
minutes. Prints the table of shares of ``docs/decisions/two-way-floor.md``.

Scores are normal, so that the difference and the mean squares of the two-way layout are independent, the mean squares
multiples of chi-squares: they are drawn as such, without texts or segments.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from benchmarks.mean_squares import MeanSquares
from mteval.stats.runs import noise_share

Array = npt.NDArray[np.float64]
LEVEL = 0.05
EFFECT = 2.5  # of the true standard error: an oracle that knows it finds such a difference 71% of the time
N_SEGMENTS = 200
RUNS = ((2, 2), (3, 3), (4, 4), (5, 5), (10, 10), (2, 5), (2, 10), (3, 6), (3, 10))
RATIOS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 20.0, 50.0)
SPREADS = ((1.0, 1.0), (1.0, 0.5), (1.0, 0.2), (1.0, 0.0), (0.5, 1.0), (0.2, 1.0), (0.0, 1.0))
INTERS = (0.0, 0.5, 1.5, 3.0)
SHARES = (0.0, 0.25, 0.5, 1.0)  # of the noise taken away from the variance over runs; 0 is plain Satterthwaite
SEED = 19_460_601


@dataclass(frozen=True)
class Truth:
    """True values, in units of the noise that single outputs add to the score of one run.

    Parameters
    ----------
    runs
        Standard deviations of the shifts of whole runs, of baseline and system.
    inter
        Of what is peculiar to a system and a segment, over the noise of one output.
    """

    runs: tuple[float, float]
    inter: float


@dataclass(frozen=True)
class Drawn:
    """Experiments: the true standard error, the difference without a true one, and the mean squares."""

    error: float
    difference: Array
    squares: MeanSquares


def truths(n_runs: tuple[int, int]) -> Iterator[Truth]:
    """All settings of the grid; for equal numbers of runs those that differ by which system is which are one."""
    for ratio, (baseline, system), inter in product(RATIOS, SPREADS, INTERS):
        if not ratio and baseline != system:
            continue  # where runs do not shift, the spreads are one
        if baseline < system and n_runs[0] == n_runs[1]:
            continue  # the mirror image of another setting
        yield Truth((ratio * baseline, ratio * system), inter)


def drawn(truth: Truth, n_runs: tuple[int, int], n: int, generator: np.random.Generator) -> Drawn:
    """So many experiments."""
    counts = np.array(n_runs)
    df_runs = counts - 1
    df_segments = N_SEGMENTS - 1
    noise = 1 / counts
    runs = (np.square(truth.runs) + 1) / counts
    segments = 2 * truth.inter**2 + noise.sum()
    error = float(np.sqrt(runs.sum() + 2 * truth.inter**2))

    def mean_squares(expected: Array, df: Array) -> Array:
        """Draw mean squares, shape ``(len(expected), n)``."""
        return np.asarray(expected * generator.chisquare(df, (n, len(df))) / df).T

    run_squares = mean_squares(runs, df_runs)
    (segment_squares,) = mean_squares(np.array([segments]), np.array([df_segments]))
    pair_squares = mean_squares(noise, df_runs * df_segments)
    squares = MeanSquares(run_squares, segment_squares, pair_squares, df_runs, df_segments)
    return Drawn(error, error * generator.standard_normal(n), squares)


def shares_for(n_runs: tuple[int, int]) -> dict[str, float | None]:
    """What may be taken away, by what it is called; None is what the procedure takes, an eighth of two runs."""
    shares: dict[str, float | None] = {f"{share:g}": share for share in SHARES}
    if min(n_runs) > 2:
        return shares
    taken = dict.fromkeys(f"{share:g}" for share in noise_share(np.array(n_runs) - 1))
    return {"0": 0.0, " and ".join(taken): None} | shares


def rejected(experiments: Drawn, share: float | None, effect: float) -> float:
    """How often p is at most the level where the true difference is ``effect`` true standard errors."""
    difference = experiments.difference + effect * experiments.error
    p_values = experiments.squares.p_values(difference, share)
    return float(np.mean(p_values <= LEVEL))


def table_rows(n_runs: tuple[int, int], n: int) -> Iterator[str]:
    """A row for each share that may be taken away, for two numbers of runs.

    The largest size is that of as many experiments again, ten times as many, where it was largest: the largest of many
    estimates is too large.
    """
    grid = list(truths(n_runs))
    shares = shares_for(n_runs)
    generator = np.random.default_rng([SEED, *n_runs])
    sizes = np.empty((len(shares), len(grid)))
    powers = np.empty((len(shares), len(grid)))
    for place, truth in enumerate(grid):
        experiments = drawn(truth, n_runs, n, generator)
        for row, share in enumerate(shares.values()):
            sizes[row, place] = rejected(experiments, share, 0.0)
            powers[row, place] = rejected(experiments, share, EFFECT)
    alike = grid.index(Truth((0.0, 0.0), 0.0))
    for row, (name, share) in enumerate(shares.items()):
        worst = grid[int(sizes[row].argmax())]
        size = np.mean([rejected(drawn(worst, n_runs, n, generator), share, 0.0) for _ in range(10)])
        shifts = " and ".join(f"{shift:g}" for shift in worst.runs)
        yield (
            f"| {n_runs[0]} and {n_runs[1]} | {name} | {size:.1%} (runs {shifts}, systems {worst.inter:g}) |"
            f" {powers[row, alike]:.1%} | {powers[row].mean():.1%} |"
        )


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=20_000, help="for each setting")
    n = parser.parse_args().simulations
    print("| runs | share of noise taken away | largest size, and where | power without run luck | mean power |")
    print("|---|---|---|---|---|")
    for n_runs in RUNS:
        for row in table_rows(n_runs, n):
            print(row, flush=True)


if __name__ == "__main__":
    main()
