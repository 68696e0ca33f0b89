"""How often does each procedure find a difference if there is none, and if there is one?

Usage: ``python -m benchmarks.calibration [--simulations 2000] [--quick]`` in the root of the repository (an hour on one
core). It writes ``calibration.csv``, ``two_way.csv``, ``documents.csv``, ``designs.csv``, ``families.csv`` and
``tails.csv`` beside this file, ``docs/calibration.md`` and its picture. ``--two-way`` computes only that procedure, in
a third of the time; ``--documents`` only documents of unequal size.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import calibration_page, designs, documents, families, simulation, tails, two_way_grid
from benchmarks.batch_tests import Batch, Draws, p_values, two_way
from benchmarks.simulation import EFFECT, Cell, bleu_cells, mean_cells

LEVEL = 0.05
BLEU_SIMULATIONS = 1_000
BATCH = 250
BLEU_BATCH = 50
N_DRAWS = 999
SEED = 20_050_629
RESULTS = Path(__file__).with_name("calibration.csv")


def main() -> None:
    """Simulate, then write the numbers and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=2_000, help="experiments per cell of a mean metric")
    parser.add_argument("--quick", action="store_true", help="a tenth of the simulations; write no files")
    parser.add_argument("--page", action="store_true", help="only rewrite the page from calibration.csv")
    parser.add_argument("--two-way", action="store_true", help="only compute two-way; keep the other numbers")
    parser.add_argument("--documents", action="store_true", help="only compute documents of unequal size")
    options = parser.parse_args()
    if options.quick:
        print(simulate(options.simulations // 10, BLEU_SIMULATIONS // 10).to_string())
        return
    if options.documents:
        documents.write(documents.N_SIMULATIONS)
    elif not options.page:
        _compute(options)
    calibration_page.write(pd.read_csv(RESULTS))


def _compute(options: argparse.Namespace) -> None:
    """Simulate and write the numbers."""
    two_way_grid.write(two_way_grid.N_SIMULATIONS)
    documents.write(documents.N_SIMULATIONS)
    designs.write(designs.N_SIMULATIONS)
    families.write(families.N_SIMULATIONS)
    tails.write(tails.N_DRAWS)
    if options.two_way:
        all_tests = with_bleu_anew(pd.read_csv(RESULTS), BLEU_SIMULATIONS)
    else:
        all_tests = simulate(options.simulations, BLEU_SIMULATIONS)
    frame = two_way_grid.in_calibration(all_tests, pd.read_csv(two_way_grid.RESULTS))
    frame.to_csv(RESULTS, index=False, float_format="%.4g", lineterminator="\n")


def simulate(n_mean: int, n_bleu: int) -> pd.DataFrame:
    """Return one row per cell and procedure: rejection rates without and with a true difference."""
    rows: list[dict[str, object]] = []
    start = time.perf_counter()
    for index, cell in enumerate(_cells()):
        n_simulations = n_bleu if cell.kind == "BLEU" else n_mean
        null, power = (_rates(cell, n_simulations, index, is_null=is_null) for is_null in (True, False))
        for procedure, rate in null.items():
            rates = {"procedure": procedure, "rate": rate, "power": power[procedure], "n_simulations": n_simulations}
            rows.append(asdict(cell) | rates)
        print(f"{time.perf_counter() - start:6.0f} s  {cell}", flush=True)
    return pd.DataFrame(rows)


def with_bleu_anew(recorded: pd.DataFrame, n_simulations: int) -> pd.DataFrame:
    """Return the recorded rows with those of two-way on BLEU recomputed from the same experiments."""
    for index, cell in enumerate(_cells()):
        if cell.kind != "BLEU" or min(cell.n_baseline, cell.n_system) < 2:
            continue
        of_cell = (recorded["procedure"] == "two-way") & (recorded["kind"] == "BLEU")
        for name in ("n_baseline", "n_system", "inter"):
            of_cell &= recorded[name] == getattr(cell, name)
        for column, is_null in (("rate", True), ("power", False)):
            batches = _batches(cell, n_simulations, index, is_null=is_null)
            p = np.concatenate([two_way(batch, simulation.bleu_contributions) for batch in batches])
            recorded.loc[of_cell, column] = float((p <= LEVEL).mean())
    return recorded


def _cells() -> list[Cell]:
    """Return the grid in the order of the seeds."""
    return [*mean_cells(), *bleu_cells()]


def _rates(cell: Cell, n_simulations: int, index: int, *, is_null: bool) -> dict[str, float]:
    """Return the share of experiments that each procedure rejects."""
    rejected: dict[str, list[np.ndarray]] = defaultdict(list)
    contributions = simulation.bleu_contributions if cell.kind == "BLEU" else simulation.mean_contributions
    for batch in _batches(cell, n_simulations, index, is_null=is_null):
        draws = _draws(cell.n_baseline, cell.n_system, batch.baseline.shape[2])
        for procedure, p in p_values(batch, draws, contributions):
            rejected[procedure].append(p <= LEVEL)
    return {procedure: float(np.concatenate(parts).mean()) for procedure, parts in rejected.items()}


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
