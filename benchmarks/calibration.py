"""How often does each procedure find a difference where there is none, and where there is one?

Usage: ``python -m benchmarks.calibration [--simulations 2000] [--quick]`` from the root of the repository; one core,
about a quarter of an hour. Writes ``calibration.csv`` beside this file, ``docs/calibration.md`` and its picture.
``--two-way`` computes the numbers of that procedure alone anew, from the same experiments, in a few minutes.
"""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # before numpy is loaded

import argparse  # noqa: E402
import time  # noqa: E402
from collections import defaultdict  # noqa: E402
from collections.abc import Callable, Iterator  # noqa: E402
from dataclasses import asdict, fields  # noqa: E402
from functools import cache  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

from benchmarks import calibration_page, simulation  # noqa: E402
from benchmarks.batch_tests import Array, Batch, Draws, p_values, two_way  # noqa: E402
from benchmarks.simulation import EFFECT, Cell, bleu_cells, mean_cells  # noqa: E402

LEVEL = 0.05
BLEU_SIMULATIONS = 1_000
BATCH = 250
BLEU_BATCH = 50
N_DRAWS = 999
FEWEST_RUNS, LARGE = 3, 0.075  # from how many runs on, and above which size, a cell of two-way is simulated again
AGAIN, AFRESH = 10, 10_000  # with so many times the experiments, their random numbers others
SEED = 20_050_629
Tests = Callable[[Batch, Draws, Callable[[Array], Array]], Iterator[tuple[str, Array]]]
RESULTS = Path(__file__).with_name("calibration.csv")


def main() -> None:
    """Simulate, write the numbers, write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=2_000, help="a cell of a mean metric")
    parser.add_argument("--quick", action="store_true", help="a tenth of the simulations; writes no files")
    parser.add_argument("--page", action="store_true", help="only write the page anew, from calibration.csv")
    parser.add_argument("--again", action="store_true", help="only the largest sizes of two-way, with more experiments")
    parser.add_argument("--two-way", action="store_true", help="only its numbers, beside those of calibration.csv")
    options = parser.parse_args()
    if not options.page:
        frame = _computed(options)
        if options.quick:
            print(frame.to_string())
            return
        frame.to_csv(RESULTS, index=False, float_format="%.4g", lineterminator="\n")
    calibration_page.write(pd.read_csv(RESULTS))


def _computed(options: argparse.Namespace) -> pd.DataFrame:
    """All numbers, or those asked for in place of the recorded ones."""
    if options.again:
        frame = pd.read_csv(RESULTS)
    else:
        share = 0.1 if options.quick else 1.0
        tests = _two_way_alone if options.two_way else p_values
        frame = simulate(int(options.simulations * share), int(BLEU_SIMULATIONS * share), tests)
        if options.two_way:
            frame = _in_place(pd.read_csv(RESULTS), frame)
    return frame if options.quick else _largest_again(frame, AGAIN * options.simulations)


def simulate(n_mean: int, n_bleu: int, tests: Tests = p_values) -> pd.DataFrame:
    """One row a cell and procedure: rejection rates without and with a true difference, and the time it all took."""
    rows: list[dict[str, object]] = []
    start = time.perf_counter()
    for index, (cell, n_simulations) in enumerate(
        [(cell, n_mean) for cell in mean_cells()] + [(cell, n_bleu) for cell in bleu_cells()]
    ):
        null, power = (_rates(cell, n_simulations, index, tests, is_null=is_null) for is_null in (True, False))
        for procedure, rate in null.items():
            rates = {"procedure": procedure, "rate": rate, "power": power[procedure], "n_simulations": n_simulations}
            rows.append(asdict(cell) | rates)
        print(f"{time.perf_counter() - start:6.0f} s  {cell}", flush=True)
    return pd.DataFrame(rows)


def _two_way_alone(batch: Batch, _: Draws, contributions: Callable[[Array], Array]) -> Iterator[tuple[str, Array]]:
    if min(batch.n_runs) > 1:
        yield "two-way", two_way(batch, contributions)


def _in_place(recorded: pd.DataFrame, anew: pd.DataFrame) -> pd.DataFrame:
    """What was recorded, with the new numbers of the cells and procedures that were computed anew."""
    keys = [*(field.name for field in fields(Cell)), "procedure"]
    both = recorded.merge(anew, on=keys, how="left", suffixes=("", " anew"), validate="one_to_one")
    for name in ("rate", "power", "n_simulations"):
        recorded[name] = both[f"{name} anew"].fillna(both[name]).astype(recorded[name].dtype)
    return recorded


def _largest_again(frame: pd.DataFrame, n_simulations: int) -> pd.DataFrame:
    """With the larger sizes of two-way from three runs on as more and fresh experiments have them.

    The largest of many estimates is too large; those that chose it are not used again.
    """
    for index, cell in enumerate(mean_cells()):
        row = (frame["procedure"] == "two-way") & (frame[list(asdict(cell))] == asdict(cell)).all(axis=1)
        if min(cell.n_baseline, cell.n_system) >= FEWEST_RUNS and float(frame.loc[row, "rate"].iloc[0]) > LARGE:
            frame.loc[row, "rate"] = _rates(cell, n_simulations, AFRESH + index, _two_way_alone, is_null=True)[
                "two-way"
            ]
    return frame


def _rates(cell: Cell, n_simulations: int, index: int, tests: Tests, *, is_null: bool) -> dict[str, float]:
    """Share of the simulations that each procedure rejects."""
    rejected: dict[str, list[np.ndarray]] = defaultdict(list)
    contributions = simulation.bleu_contributions if cell.kind == "BLEU" else simulation.mean_contributions
    for batch in _batches(cell, n_simulations, index, is_null=is_null):
        draws = _draws(cell.n_baseline, cell.n_system, batch.baseline.shape[2])
        for procedure, p in tests(batch, draws, contributions):
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
