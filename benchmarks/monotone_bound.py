"""How much more power could a monotone test have that rejects no more often than two-way?

Usage: ``python -m benchmarks.monotone_bound`` from the root of the repository; one core, some minutes. Prints the
last table of ``docs/decisions/two-way-floor.md``.

``power_bound`` lets a test reject a smaller difference and keep a larger one. Here a test must be monotone: what it
rejects it rejects with a larger difference as well, and with smaller variances over runs. Among all such tests of these
three numbers a linear programme finds the one with the highest mean power over the truths that nowhere rejects more
often than two-way does at its worst. Systems differ by noise alone, whose size is known.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog
from scipy.sparse import coo_array
from scipy.special import stdtr

from benchmarks.power_bound import LESSER, RATIOS, chances_of
from benchmarks.simulation import EFFECT, N_SEGMENTS
from mteval.stats.runs import beyond_noise

Array = npt.NDArray[np.float64]
RUNS = (3, 4, 5)
LEVEL = 0.05
DIFFERENCES = np.array(
    [*np.linspace(0, 7, 57), 8, 10, 13, 17, 25, 40, 80, np.inf]
)  # in standard errors without run noise
VARIANCES = np.array([0, *np.geomspace(0.1, 120, 17), np.inf])  # in units of the noise of one run's score
N_DRAWS = 400_000
SEED = 19_330_216
TRUTHS = tuple(dict.fromkeys((ratio, share * ratio) for ratio in RATIOS for share in LESSER))


def best_mean_power(n_runs: int, size: float, effect: float, truths: Sequence[tuple[float, float]] = TRUTHS) -> float:
    """Of the monotone test that rejects with no truth more often than ``size``, averaged over the truths.

    ``effect`` is the true difference in true standard errors.
    """

    def chances(truth: tuple[float, float], effect: float) -> Array:
        return chances_of(n_runs, *truth, effect, DIFFERENCES, VARIANCES)

    null = np.array([chances(truth, 0.0) for truth in truths])
    power = np.mean([chances(truth, effect * _spread(truth)) for truth in truths], axis=0)
    order = _order(len(DIFFERENCES) - 1, len(VARIANCES) - 1)
    rows = np.arange(len(order))
    signs = coo_array(
        (np.tile([1.0, -1.0], len(order)), (np.repeat(rows, 2), order.ravel())), shape=(len(order), power.size)
    )
    null_rows = coo_array(null)
    matrix = coo_array(
        (
            np.concatenate([signs.data, null_rows.data]),
            (
                np.concatenate([signs.row, null_rows.row + len(order)]),
                np.concatenate([signs.col, null_rows.col]),
            ),
        ),
        shape=(len(order) + len(null), power.size),
    )
    limits = np.concatenate([np.zeros(len(order)), np.full(len(null), size)])
    best = linprog(-power, A_ub=matrix.tocsr(), b_ub=limits, bounds=(0, 1), method="highs-ipm")
    return -float(best.fun)


def two_way_rates(
    n_runs: int, effect: float, truths: Sequence[tuple[float, float]] = TRUTHS, n_draws: int = N_DRAWS
) -> Array:
    """How often two-way rejects with each truth, the noise known from as many segments as the calibration has."""
    generator = np.random.default_rng([SEED, n_runs])
    rates = []
    for truth in truths:
        spread = 1 + np.square(truth)[:, np.newaxis]
        runs = spread * generator.chisquare(n_runs - 1, (2, n_draws)) / (n_runs - 1)
        total = np.maximum(runs.sum(axis=0), 2.0)  # the noise of both is at once segments' and pairs' luck
        counted = np.square(beyond_noise(runs, 1.0, n_runs - 1)).sum(axis=0) / (n_runs - 1)
        last = N_SEGMENTS - 1
        df = total**2 / (counted + 4.0 / last + 2.0 / ((n_runs - 1) * last))
        difference = _spread(truth) * (
            generator.standard_normal(n_draws) + effect
        )  # in standard errors without run noise
        p = 2 * stdtr(df, -np.abs(difference) * np.sqrt(2.0 / total))
        rates.append(float(np.mean(p <= LEVEL)))
    return np.array(rates)


def _spread(truth: tuple[float, float]) -> float:
    """True standard error over that without run noise."""
    return float(np.sqrt(1 + np.mean(np.square(truth))))


def _order(n_differences: int, n_variances: int) -> npt.NDArray[np.int64]:
    """Pairs of cells of which the second must be rejected at least as often as the first, shape ``(pairs, 2)``."""
    lower, upper = np.triu_indices(n_variances)
    place = np.full((n_variances, n_variances), -1)
    place[lower, upper] = np.arange(len(lower))
    place = np.maximum(place, place.T)
    return np.array(list(_steps(n_differences, n_variances, place)), dtype=np.int64)


def _steps(n_differences: int, n_variances: int, place: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    n_pairs = int(place.max()) + 1
    for difference in range(n_differences):
        start = difference * n_pairs  # of the cells of this difference
        for lower in range(n_variances):
            for upper in range(lower, n_variances):
                cell = start + int(place[lower, upper])
                if difference + 1 < n_differences:
                    yield cell, cell + n_pairs
                if lower > 0:
                    yield cell, start + int(place[lower - 1, upper])
                if upper > 0:
                    yield cell, start + int(place[lower, upper - 1])


def main() -> None:
    """Compute and print."""
    print("| runs | largest size of two-way | its mean power | best of monotone tests with that size |")
    print("|---|---|---|---|")
    for n_runs in RUNS:
        size = float(two_way_rates(n_runs, 0.0).max())
        power = float(two_way_rates(n_runs, EFFECT).mean())
        best = best_mean_power(n_runs, size, EFFECT)
        print(f"| {n_runs} | {size:.1%} | {power:.1%} | {best:.1%} |", flush=True)


if __name__ == "__main__":
    main()
