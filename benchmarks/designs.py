"""Runs that are paired or nested, a fixed baseline, one candidate, trainings that fail: what the verdict does there.

Usage: ``python -m benchmarks.designs [--simulations 20000]`` from the root of the repository, a minute; writes
``designs.csv`` beside this file; ``python -m benchmarks.calibration --two-way`` makes its tables of it.

Scores are normal, so that differences and mean squares are drawn as such, as in ``benchmarks.degrees_of_freedom``, all
in units of the noise that single outputs bring to the score of one run.
"""

import argparse
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.mean_squares import Array, MeanSquares
from benchmarks.simulation import EFFECT, N_SEGMENTS

LEVEL = 0.05
N_SIMULATIONS = 20_000
LAST = N_SEGMENTS - 1
RUNS = (3, 5, 10)
RATIOS = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0)
INTERS = (0.0, 1.5)
SHARED = (0.0, 0.5, 0.9, 1.0)  # of the variance of run shifts, in both runs of a pair
HISTORIES = (3, 5, 8)
SPREADS = (1, 2)  # of the candidate's run shifts, over those of the baseline
NESTED = ((1, 5), (2, 3), (3, 3), (5, 2))  # trainings, and checkpoints of each
FAILING = 0.2  # share of failed trainings of one system
DEPTH = 20.0  # how far below the others they are
SEED = 19_570_303
RESULTS = Path(__file__).with_name("designs.csv")


def simulate(n: int) -> pd.DataFrame:
    """One row a design, setting and procedure: rejections at 5% without a true difference and with one."""
    rows = [*_paired(n), *_fixed(n), *_candidate(n), *_nested(n), *_failing(n)]
    return pd.DataFrame(rows).assign(n_simulations=n)


def _row(
    design: str, procedure: str, setting: dict[str, object], squares: MeanSquares, difference: Array, effect: float
) -> dict[str, object]:
    """Return how often a test rejects without a true difference, and with a difference of ``effect``.

    Parameters
    ----------
    difference
        Observed ones without a true difference, shape ``(experiments,)``.
    """
    rate = float(np.mean(squares.p_values(difference) <= LEVEL))
    power = float(np.mean(squares.p_values(difference + effect) <= LEVEL))
    return {"design": design, "procedure": procedure, **setting, "rate": rate, "power": power}


def _mean_square(expected: float, df: float, n: int, generator: np.random.Generator) -> Array:
    return np.asarray(expected * generator.chisquare(df, n) / df)


def _pairs_of_both(noise: float, n_runs: int, n: int, generator: np.random.Generator) -> Array:
    """Draw the interaction mean squares of two systems, shape ``(2, n)``."""
    df = (n_runs - 1) * LAST
    return np.stack([_mean_square(noise, df, n, generator) for _ in range(2)])


def _of_runs(scores: Array) -> Array:
    """Mean squares of run scores of shape ``(n, runs)``, over their number."""
    return scores.var(axis=1, ddof=1) / scores.shape[1]


def _paired(n: int) -> Iterator[dict[str, object]]:
    """Runs that share so much of their shifts, tested as pairs and as independent."""
    for place, (n_runs, ratio, inter, shared) in enumerate(product(RUNS, RATIOS, INTERS, SHARED)):
        if shared and not ratio:
            continue
        generator = np.random.default_rng([SEED, 1, place])
        common = ratio * np.sqrt(shared) * generator.standard_normal((n, n_runs))
        own = ratio * np.sqrt(1 - shared)
        baseline = common + np.hypot(own, 1) * generator.standard_normal((n, n_runs))
        system = common + np.hypot(own, 1) * generator.standard_normal((n, n_runs))
        gains = system - baseline
        peculiar = np.sqrt(2) * inter * generator.standard_normal(n)
        difference = gains.mean(axis=1) + peculiar
        effect = EFFECT * np.sqrt(2 * (own**2 + 1) / n_runs + 2 * inter**2)

        pairs = _pairs_of_both(1 / n_runs, n_runs, n, generator)
        segments = _mean_square(2 * inter**2 + 2 / n_runs, LAST, n, generator)
        df = np.full(2, n_runs - 1)
        of_gains = _of_runs(gains)[np.newaxis]
        of_both = np.stack([_of_runs(baseline), _of_runs(system)])
        as_pairs = MeanSquares(of_gains, segments, pairs.sum(axis=0)[np.newaxis], df[:1], LAST)
        as_independent = MeanSquares(of_both, segments, pairs, df, LAST)
        setting: dict[str, object] = {"n_runs": n_runs, "ratio": ratio, "inter": inter, "shared": shared}
        yield _row("paired", "paired", setting, as_pairs, difference, effect)
        yield _row("paired", "independent", setting, as_independent, difference, effect)


def _fixed(n: int) -> Iterator[dict[str, object]]:
    """One output of the baseline, against runs of the system: about that output, and wrongly about its training."""
    for place, (n_runs, ratio, inter) in enumerate(product(RUNS, RATIOS, INTERS)):
        generator = np.random.default_rng([SEED, 2, place])
        runs = np.hypot(ratio, 1) * generator.standard_normal((n, n_runs))
        pairs = _mean_square(1 / n_runs, (n_runs - 1) * LAST, n, generator)[np.newaxis]
        segments = _mean_square(2 * inter**2 + 1 / n_runs + 1, LAST, n, generator)
        squares = MeanSquares(_of_runs(runs)[np.newaxis], segments, pairs, np.array([n_runs - 1]), LAST)

        output = generator.standard_normal(n) - np.sqrt(2) * inter * generator.standard_normal(n)
        shift = ratio * generator.standard_normal(n)  # of the baseline's own run
        difference = runs.mean(axis=1) - output
        effect = EFFECT * np.sqrt((ratio**2 + 1) / n_runs + 1 + 2 * inter**2)
        setting: dict[str, object] = {"n_runs": n_runs, "ratio": ratio, "inter": inter}
        yield _row("fixed", "about this output", setting, squares, difference, effect)
        yield _row("fixed", "about its training", setting, squares, difference - shift, effect)


def _candidate(n: int) -> Iterator[dict[str, object]]:
    """One run of the system against several of the baseline; wrongly, by segments alone."""
    for place, (n_runs, ratio, inter, spread) in enumerate(product(HISTORIES, RATIOS, INTERS, SPREADS)):
        if spread > 1 and not ratio:
            continue
        generator = np.random.default_rng([SEED, 3, place])
        times = 1 + 1 / n_runs  # the variance of one run and of the mean of the others
        runs = np.hypot(ratio, 1) * generator.standard_normal((n, n_runs))
        own = np.hypot(spread * ratio, 1) * generator.standard_normal(n)
        peculiar = np.sqrt(2) * inter * generator.standard_normal(n)
        difference = own - runs.mean(axis=1) + peculiar
        effect = EFFECT * np.sqrt((ratio**2 + 1) * times + 2 * inter**2)

        pairs = _mean_square(times, (n_runs - 1) * LAST, n, generator)[np.newaxis]
        segments = _mean_square(2 * inter**2 + times, LAST, n, generator)
        df = np.array([n_runs - 1])
        nothing = np.zeros((1, n))
        of_history = runs.var(axis=1, ddof=1)[np.newaxis] * times
        by_history = MeanSquares(of_history, segments, pairs, df, LAST)
        by_segments = MeanSquares(nothing, segments, nothing, df, LAST)
        setting: dict[str, object] = {"n_runs": n_runs, "ratio": ratio, "inter": inter, "spread": spread}
        yield _row("candidate", "history", setting, by_history, difference, effect)
        yield _row("candidate", "segments alone", setting, by_segments, difference, effect)


def _nested(n: int) -> Iterator[dict[str, object]]:
    """Checkpoints that share the shift of their training: counted as runs, and averaged within their training."""
    for place, ((n_runs, inside), ratio, inter) in enumerate(product(NESTED, RATIOS, INTERS)):
        generator = np.random.default_rng([SEED, 4, place])
        shifts = ratio * generator.standard_normal((2, n, n_runs, 1))
        checkpoints = shifts + generator.standard_normal((2, n, n_runs, inside))
        peculiar = np.sqrt(2) * inter * generator.standard_normal(n)
        difference = np.diff(checkpoints.mean(axis=(2, 3)), axis=0)[0] + peculiar
        effect = EFFECT * np.sqrt(2 * (ratio**2 + 1 / inside) / n_runs + 2 * inter**2)

        noise = 1 / (n_runs * inside)  # of single outputs, in the mean over all
        segments = _mean_square(2 * inter**2 + 2 * noise, LAST, n, generator)
        scores = {"as runs": checkpoints.reshape(2, n, -1), "averaged": checkpoints.mean(axis=-1)}
        setting: dict[str, object] = {"n_runs": n_runs, "ratio": ratio, "inter": inter, "inside": inside}
        for procedure, sides in scores.items():
            n_counted = sides.shape[2]
            if n_counted < 2:
                continue
            pairs = _pairs_of_both(noise, n_counted, n, generator)
            runs = sides.var(axis=2, ddof=1) / n_counted
            squares = MeanSquares(runs, segments, pairs, np.full(2, n_counted - 1), LAST)
            yield _row("nested", procedure, setting, squares, difference, effect)


def _failing(n: int) -> Iterator[dict[str, object]]:
    """Trainings of the system that fail now and then; both systems are equally good on average."""
    for place, (n_runs, ratio, inter) in enumerate(product(RUNS, RATIOS, INTERS)):
        generator = np.random.default_rng([SEED, 5, place])
        baseline = np.hypot(ratio, 1) * generator.standard_normal((n, n_runs))
        system = np.hypot(ratio, 1) * generator.standard_normal((n, n_runs))
        is_failed = generator.random((n, n_runs)) < FAILING
        system += DEPTH * (FAILING - is_failed)
        runs = np.stack([_of_runs(baseline), _of_runs(system)])
        pairs = _pairs_of_both(1 / n_runs, n_runs, n, generator)
        segments = _mean_square(2 * inter**2 + 2 / n_runs, LAST, n, generator)
        squares = MeanSquares(runs, segments, pairs, np.full(2, n_runs - 1), LAST)

        peculiar = np.sqrt(2) * inter * generator.standard_normal(n)
        difference = system.mean(axis=1) - baseline.mean(axis=1) + peculiar
        failures = DEPTH**2 * FAILING * (1 - FAILING)  # their variance
        effect = EFFECT * np.sqrt((2 * (ratio**2 + 1) + failures) / n_runs + 2 * inter**2)
        setting: dict[str, object] = {"n_runs": n_runs, "ratio": ratio, "inter": inter}
        yield _row("failing", "two-way", setting, squares, difference, effect)


def write(n_simulations: int) -> None:
    """Simulate and write the numbers."""
    simulate(n_simulations).to_csv(RESULTS, index=False, float_format="%.5g", lineterminator="\n")


def main() -> None:
    """Take the number of experiments from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=N_SIMULATIONS, help="for each setting")
    write(parser.parse_args().simulations)


if __name__ == "__main__":
    main()
