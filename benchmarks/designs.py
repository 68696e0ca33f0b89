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
FAILING, DEPTH = 0.2, 20.0  # share of failed trainings of one system, and how far below the others they are
SEED = 19_570_303
RESULTS = Path(__file__).with_name("designs.csv")


def simulate(n: int) -> pd.DataFrame:
    """One row a design, setting and procedure: rejections at 5% without a true difference and with one."""
    rows = [*_paired(n), *_fixed(n), *_candidate(n), *_nested(n), *_failing(n)]
    return pd.DataFrame(rows).assign(n_simulations=n)


def _row(design: str, procedure: str, setting: dict[str, object], p_values: tuple[Array, Array]) -> dict[str, object]:
    rates = {name: float(np.mean(p <= LEVEL)) for name, p in zip(("rate", "power"), p_values, strict=True)}
    return {"design": design, "procedure": procedure, **setting, **rates}


def _mean_square(expected: float, df: float, n: int, generator: np.random.Generator) -> Array:
    return np.asarray(expected * generator.chisquare(df, n) / df)


def _paired(n: int) -> Iterator[dict[str, object]]:
    """Runs that share so much of their shifts, tested as pairs and as independent."""
    for place, (n_runs, ratio, inter, shared) in enumerate(product(RUNS, RATIOS, INTERS, SHARED)):
        if shared and not ratio:
            continue
        generator = np.random.default_rng([SEED, 1, place])
        common = ratio * np.sqrt(shared) * generator.standard_normal((n, n_runs))
        own = ratio * np.sqrt(1 - shared)
        sides = [common + np.hypot(own, 1) * generator.standard_normal((n, n_runs)) for _ in range(2)]
        gains, peculiar = sides[1] - sides[0], np.sqrt(2) * inter * generator.standard_normal(n)
        pairs = np.stack([_mean_square(1 / n_runs, (n_runs - 1) * LAST, n, generator) for _ in range(2)])
        segments = _mean_square(2 * inter**2 + 2 / n_runs, LAST, n, generator)
        df = np.full(2, n_runs - 1)
        runs = np.stack([side.var(axis=1, ddof=1) / n_runs for side in sides])
        squares = {
            "paired": MeanSquares(
                gains.var(axis=1, ddof=1)[np.newaxis] / n_runs, segments, pairs.sum(axis=0)[np.newaxis], df[:1], LAST
            ),
            "independent": MeanSquares(runs, segments, pairs, df, LAST),
        }
        difference = gains.mean(axis=1) + peculiar
        effect = EFFECT * np.sqrt(2 * (own**2 + 1) / n_runs + 2 * inter**2)
        setting: dict[str, object] = {"n_runs": n_runs, "ratio": ratio, "inter": inter, "shared": shared}
        for procedure, found in squares.items():
            yield _row("paired", procedure, setting, (found.p_values(difference), found.p_values(difference + effect)))


def _fixed(n: int) -> Iterator[dict[str, object]]:
    """One output of the baseline, against runs of the system: about that output, and wrongly about its training."""
    for place, (n_runs, ratio, inter) in enumerate(product(RUNS, RATIOS, INTERS)):
        generator = np.random.default_rng([SEED, 2, place])
        runs = np.hypot(ratio, 1) * generator.standard_normal((n, n_runs))
        pairs = _mean_square(1 / n_runs, (n_runs - 1) * LAST, n, generator)[np.newaxis]
        segments = _mean_square(2 * inter**2 + 1 / n_runs + 1, LAST, n, generator)
        squares = MeanSquares(
            runs.var(axis=1, ddof=1)[np.newaxis] / n_runs, segments, pairs, np.array([n_runs - 1]), LAST
        )
        output = generator.standard_normal(n) - np.sqrt(2) * inter * generator.standard_normal(n)
        shift = ratio * generator.standard_normal(n)  # of the baseline's own run
        effect = EFFECT * np.sqrt((ratio**2 + 1) / n_runs + 1 + 2 * inter**2)
        setting: dict[str, object] = {"n_runs": n_runs, "ratio": ratio, "inter": inter}
        difference = runs.mean(axis=1) - output
        both = squares.p_values(difference), squares.p_values(difference + effect)
        yield _row("fixed", "about this output", setting, both)
        retrained = squares.p_values(difference - shift), squares.p_values(difference - shift + effect)
        yield _row("fixed", "about its training", setting, retrained)


def _candidate(n: int) -> Iterator[dict[str, object]]:
    """One run of the system against several of the baseline; wrongly, by segments alone."""
    for place, (n_runs, ratio, inter, spread) in enumerate(product(HISTORIES, RATIOS, INTERS, SPREADS)):
        if spread > 1 and not ratio:
            continue
        generator, times = np.random.default_rng([SEED, 3, place]), 1 + 1 / n_runs
        runs = np.hypot(ratio, 1) * generator.standard_normal((n, n_runs))
        own = np.hypot(spread * ratio, 1) * generator.standard_normal(n)
        peculiar = np.sqrt(2) * inter * generator.standard_normal(n)
        pairs = _mean_square(times, (n_runs - 1) * LAST, n, generator)[np.newaxis]
        segments, df = _mean_square(2 * inter**2 + times, LAST, n, generator), np.array([n_runs - 1])
        squares = {
            "history": MeanSquares(runs.var(axis=1, ddof=1)[np.newaxis] * times, segments, pairs, df, LAST),
            "segments alone": MeanSquares(np.zeros((1, n)), segments, np.zeros((1, n)), df, LAST),
        }
        difference = own - runs.mean(axis=1) + peculiar
        effect = EFFECT * np.sqrt((ratio**2 + 1) * times + 2 * inter**2)
        setting: dict[str, object] = {"n_runs": n_runs, "ratio": ratio, "inter": inter, "spread": spread}
        for procedure, found in squares.items():
            both = found.p_values(difference), found.p_values(difference + effect)
            yield _row("candidate", procedure, setting, both)


def _nested(n: int) -> Iterator[dict[str, object]]:
    """Checkpoints that share the shift of their training: counted as runs, and averaged within their training."""
    for place, ((n_runs, inside), ratio, inter) in enumerate(product(NESTED, RATIOS, INTERS)):
        generator = np.random.default_rng([SEED, 4, place])
        shifts = ratio * generator.standard_normal((2, n, n_runs, 1))
        checkpoints = shifts + generator.standard_normal((2, n, n_runs, inside))
        scores = {"as runs": checkpoints.reshape(2, n, -1), "averaged": checkpoints.mean(axis=-1)}
        difference = np.diff(checkpoints.mean(axis=(2, 3)), axis=0)[0] + np.sqrt(2) * inter * generator.standard_normal(
            n
        )
        effect = EFFECT * np.sqrt(2 * (ratio**2 + 1 / inside) / n_runs + 2 * inter**2)
        noise = 1 / (n_runs * inside)  # of single outputs, in the mean over all
        segments = _mean_square(2 * inter**2 + 2 * noise, LAST, n, generator)
        setting: dict[str, object] = {"n_runs": n_runs, "ratio": ratio, "inter": inter, "inside": inside}
        for procedure, sides in scores.items():
            n_counted = sides.shape[2]
            if n_counted < 2:
                continue
            pairs = np.stack([_mean_square(noise, (n_counted - 1) * LAST, n, generator) for _ in range(2)])
            runs, df = sides.var(axis=2, ddof=1) / n_counted, np.full(2, n_counted - 1)
            found = MeanSquares(runs, segments, pairs, df, LAST)
            yield _row("nested", procedure, setting, (found.p_values(difference), found.p_values(difference + effect)))


def _failing(n: int) -> Iterator[dict[str, object]]:
    """Trainings of the system that fail now and then; both systems are equally good on average."""
    for place, (n_runs, ratio, inter) in enumerate(product(RUNS, RATIOS, INTERS)):
        generator = np.random.default_rng([SEED, 5, place])
        sides = [np.hypot(ratio, 1) * generator.standard_normal((n, n_runs)) for _ in range(2)]
        sides[1] += DEPTH * (FAILING - (generator.random((n, n_runs)) < FAILING))
        runs = np.stack([side.var(axis=1, ddof=1) / n_runs for side in sides])
        pairs = np.stack([_mean_square(1 / n_runs, (n_runs - 1) * LAST, n, generator) for _ in range(2)])
        segments = _mean_square(2 * inter**2 + 2 / n_runs, LAST, n, generator)
        squares = MeanSquares(runs, segments, pairs, np.full(2, n_runs - 1), LAST)
        peculiar = np.sqrt(2) * inter * generator.standard_normal(n)
        difference = sides[1].mean(axis=1) - sides[0].mean(axis=1) + peculiar
        effect = EFFECT * np.sqrt((2 * (ratio**2 + 1) + DEPTH**2 * FAILING * (1 - FAILING)) / n_runs + 2 * inter**2)
        setting: dict[str, object] = {"n_runs": n_runs, "ratio": ratio, "inter": inter}
        yield _row("failing", "two-way", setting, (squares.p_values(difference), squares.p_values(difference + effect)))


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
