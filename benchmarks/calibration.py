"""How often does each procedure find a difference if there is none, and if there is one?

Usage: ``python -m benchmarks.calibration [--simulations 2000] [--quick]`` in the root of the repository (two hours on
one core). It writes ``calibration.csv`` and a file of each part (``PARTS``) beside this file, ``docs/calibration.md``
and its picture, and prints the largest sizes. ``--part NAME`` computes only that part, ``--page`` only writes the page.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import (
    assumptions,
    calibration_page,
    designs,
    documents,
    exchange_intervals,
    families,
    rank_intervals,
    simulation,
    tails,
    two_way_grid,
)
from benchmarks.batch_tests import Batch, Draws, p_values
from benchmarks.simulation import EFFECT, Cell, bleu_cells, mean_cells

BLEU_SIMULATIONS = 1_000
BATCH = 250
BLEU_BATCH = 50
N_DRAWS = 999
SEED = 20_050_629
RESULTS = Path(__file__).with_name("calibration.csv")
PARTS: dict[str, tuple[Callable[[int], None], int]] = {
    "two-way": (two_way_grid.write, two_way_grid.N_SIMULATIONS),
    "documents": (documents.write, documents.N_SIMULATIONS),
    "exchange": (exchange_intervals.write, exchange_intervals.N_SIMULATIONS),
    "designs": (designs.write, designs.N_SIMULATIONS),
    "families": (families.write, families.N_SIMULATIONS),
    "ranks": (rank_intervals.write, rank_intervals.N_SIMULATIONS),
    "tails": (tails.write, tails.N_DRAWS),
    "assumptions": (assumptions.write, assumptions.N_SIMULATIONS),
}


def main() -> None:
    """Simulate, then write the numbers and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=2_000, help="experiments per cell of a mean metric")
    parser.add_argument("--quick", action="store_true", help="a tenth of the simulations; write no files")
    parser.add_argument("--page", action="store_true", help="only rewrite the page from the recorded numbers")
    parser.add_argument("--part", choices=(*PARTS, "tests"), help="compute only this; keep the other numbers")
    parser.add_argument("--workers", type=int, default=1, help="processes for all tests (part 'tests')")
    options = parser.parse_args()
    if options.quick:
        print(simulate(options.simulations // 10, BLEU_SIMULATIONS // 10).to_string())
        return
    if not options.page:
        _compute(options)
    recorded = pd.read_csv(RESULTS)
    calibration_page.write(recorded)
    print(*calibration_page.largest_sizes(recorded), sep="\n")


def _compute(options: argparse.Namespace) -> None:
    """Simulate and write the numbers."""
    for name, (write, n) in PARTS.items():
        if options.part in (None, name):
            start = time.perf_counter()
            write(n)
            print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
    if options.part in (None, "two-way", "tests"):
        if options.part == "two-way":
            all_tests = pd.read_csv(RESULTS)
        else:
            all_tests = simulate(options.simulations, BLEU_SIMULATIONS, options.workers)
        frame = two_way_grid.in_calibration(all_tests, pd.read_csv(two_way_grid.RESULTS))
        frame.to_csv(RESULTS, index=False, float_format="%.4g", lineterminator="\n")


def simulate(n_mean: int, n_bleu: int, workers: int = 1) -> pd.DataFrame:
    """Return one row per cell and procedure: rejection rates without and with a true difference."""
    rows: list[dict[str, object]] = []
    start = time.perf_counter()
    cells = _cells()
    numbers = [n_bleu if cell.kind == "BLEU" else n_mean for cell in cells]
    with ProcessPoolExecutor(workers) as pool:
        rates_of_cells = pool.map(_null_and_power, cells, numbers, range(len(cells)))
        for cell, n_simulations, (null, power) in zip(cells, numbers, rates_of_cells, strict=True):
            rows += _rows_of(cell, n_simulations, null, power)
            print(f"{time.perf_counter() - start:6.0f} s  {cell}", flush=True)
    return pd.DataFrame(rows)


def _rows_of(
    cell: Cell, n_simulations: int, null: dict[str, dict[str, float]], power: dict[str, dict[str, float]]
) -> Iterator[dict[str, object]]:
    """Yield a row per procedure."""
    for procedure, rates in null.items():
        yield {
            **asdict(cell),
            "procedure": procedure,
            **rates,
            "power": power[procedure]["rate"],
            "n_simulations": n_simulations,
        }


def _null_and_power(
    cell: Cell, n_simulations: int, index: int
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Return the rates of each procedure without a true difference, and with one."""
    null = _rates(cell, n_simulations, index, is_null=True)
    power = _rates(cell, n_simulations, index, is_null=False)
    return null, power


def _cells() -> list[Cell]:
    """Return the grid in the order of the seeds."""
    return [*mean_cells(), *bleu_cells()]


def _rates(cell: Cell, n_simulations: int, index: int, *, is_null: bool) -> dict[str, dict[str, float]]:
    """Return the share of experiments that each procedure rejects at each level."""
    contributions = simulation.mean_contributions
    if cell.kind == "BLEU":
        contributions = simulation.bleu_contributions
    p_of_procedure: dict[str, list[np.ndarray]] = defaultdict(list)
    for batch in _batches(cell, n_simulations, index, is_null=is_null):
        draws = _draws(cell.n_baseline, cell.n_system, batch.baseline.shape[2])
        for procedure, p in p_values(batch, draws, contributions):
            p_of_procedure[procedure].append(p)
    rates_of_procedure = {}
    for procedure, p_of_batches in p_of_procedure.items():
        p = np.concatenate(p_of_batches)
        rates_of_procedure[procedure] = {key: float((p <= level).mean()) for key, level in two_way_grid.LEVELS.items()}
    return rates_of_procedure


@cache
def _draws(n_baseline: int, n_system: int, n_segments: int) -> Draws:
    return Draws(n_baseline, n_system, n_segments, N_DRAWS, SEED)


def _batches(cell: Cell, n_simulations: int, index: int, *, is_null: bool) -> Iterator[Batch]:
    generator = np.random.default_rng([SEED, index, int(is_null)])
    size = BLEU_BATCH if cell.kind == "BLEU" else BATCH
    for start in range(0, n_simulations, size):
        n = min(size, n_simulations - start)
        if cell.kind == "BLEU":
            yield simulation.bleu_batch(cell, n, generator, is_null=is_null)
        else:
            yield simulation.mean_batch(cell, n, generator, 0.0 if is_null else EFFECT)


if __name__ == "__main__":
    main()
