"""How often do the checks of assumptions warn, rightly and wrongly, and what happens to the verdict?

Usage: ``python -m benchmarks.assumptions [--simulations 1000]`` (four minutes on one core). Writes ``assumptions.csv``
beside this file; docs/method.md states the numbers.
"""

import argparse
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from mteval.base.arrays import FloatArray, IntArray
from mteval.stats.assumptions import informative_sizes, run_apart
from mteval.stats.base import How
from mteval.stats.procedures.two_way import two_way
from mteval.stats.resampling.streams import seeds_for

LEVEL = 0.05
N_SIMULATIONS = 1_000
RESULTS = Path(__file__).with_name("assumptions.csv")


def main() -> None:
    """Take the number of experiments from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=N_SIMULATIONS, help="experiments per setting")
    write(parser.parse_args().simulations)


def write(n: int) -> None:
    """Simulate and write the rates."""
    rows = [*_apart(n), *_lengths(n)]
    frame = pd.DataFrame(rows, columns=["check", "setting", "warned", "verdict_wrong"])
    frame.to_csv(RESULTS, index=False, float_format="%.4g", lineterminator="\n")


def _apart(n: int) -> Iterator[tuple[str, str, float, float]]:
    """Yield how often a run is called far from the others that is ``depth`` standard deviations below them."""
    generator = np.random.default_rng(1)
    for n_runs, depth in product((3, 5, 10), (0, 5, 20)):
        scores = generator.normal(size=(n, n_runs))
        scores[:, 0] -= depth
        warned = np.mean([run_apart(scores_of_runs).p_value <= LEVEL for scores_of_runs in scores])
        yield "run-apart", f"{n_runs} runs, one {depth} SDs below", float(warned), float("nan")


def _lengths(n: int) -> Iterator[tuple[str, str, float, float]]:
    """Yield how often gains depend on document length, which are zero over all segments, and two-way errs."""
    generator = np.random.default_rng(3)
    for n_documents, spread, slope in product((8, 20, 60), (0.5, 1.0), (0.0, 0.3, 1.0)):
        warned = 0
        wrong = 0
        for _ in range(n):
            logs = generator.normal(size=n_documents) * spread
            sizes = np.maximum(1, np.round(10 * np.exp(logs))).astype(np.int64)
            gain = slope * (logs - spread**2) + 0.3 * generator.normal(size=n_documents)
            baseline, noise_of_system = generator.normal(size=(2, 3, n_documents)) / np.sqrt(sizes)
            system = noise_of_system + gain
            how = How(1, seeds_for(0, ""), "two-sided", 1 - LEVEL, unit_sizes=sizes)
            result = two_way(_sums_and_sizes(baseline, sizes), _sums_and_sizes(system, sizes), _mean, how)
            wrong += result.p_value <= LEVEL
            warned += informative_sizes((system - baseline).mean(axis=0), sizes).p_value <= LEVEL
        setting = f"{n_documents} documents, SD of log length {spread}, gain per log length {slope}"
        yield "informative-length", setting, warned / n, wrong / n


def _sums_and_sizes(means: FloatArray, sizes: IntArray) -> FloatArray:
    """Return statistics of documents, shape ``(runs, documents, 2)``, from their mean scores."""
    return np.stack([means * sizes, np.broadcast_to(sizes, means.shape)], -1)


def _mean(sums: FloatArray) -> FloatArray:
    return np.asarray(sums[..., 0] / sums[..., 1])


if __name__ == "__main__":
    main()
