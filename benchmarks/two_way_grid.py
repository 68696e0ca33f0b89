"""The two-way test in every cell of the calibration's grid and where run shifts are skewed, 60,000 experiments each.

Usage: ``python -m benchmarks.two_way_grid [--simulations 60000]`` from the root of the repository; one core, some
minutes. Writes ``two_way.csv`` beside this file; ``python -m benchmarks.calibration --two-way`` makes its page of it.

What runs shift is the same for all segments, so that it moves run scores alone and no other mean square: the segments
of an experiment are drawn once and serve all run shifts, and both kinds of systems. Cells that differ in nothing else
therefore share the luck of the draw.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.mean_squares import Array, MeanSquares, pair_squares
from benchmarks.simulation import EFFECT, N_SEGMENTS, Cell, mean_cells, noise

LEVELS = {"rate": 0.05, "rate_1": 0.01, "rate_01": 0.001}
RATES = (*LEVELS, "power", "rate_plain", "power_plain")  # plain: by Satterthwaite's degrees of freedom
N_SIMULATIONS = 60_000
BATCH = 2_000
SKEWS = (0, -1, -2)  # of the shifts of whole runs: a run that fails falls far below the others
SEED = 20_110_619
RESULTS = Path(__file__).with_name("two_way.csv")
KEYS = ("kind", "n_baseline", "n_system", "ratio", "spread", "inter", "skew")


@dataclass(frozen=True)
class Segments:
    """Contributions of segments to some experiments: noise of outputs, and differences between systems.

    Parameters
    ----------
    noise
        Of the outputs of either system, shapes ``(experiments, runs, segments)``.
    peculiar
        To system and segment, the system less the baseline, shape ``(experiments, segments)``.
    """

    noise: tuple[Array, Array]
    peculiar: Array

    @cached_property
    def run_means(self) -> tuple[Array, Array]:
        """Shapes ``(experiments, runs)``."""
        baseline, system = self.noise
        return baseline.mean(axis=2), system.mean(axis=2)

    @cached_property
    def pairs(self) -> Array:
        """Shape ``(2, experiments)``."""
        return np.stack([pair_squares(side) for side in self.noise])

    @cached_property
    def _gains(self) -> Array:
        """Of means over runs, the system less the baseline, shape ``(experiments, segments)``."""
        baseline, system = self.noise
        return np.asarray(system.mean(axis=1) - baseline.mean(axis=1))

    def squares(self, shifts: tuple[Array, Array], inter: float) -> tuple[Array, MeanSquares]:
        """Return differences and mean squares for such run shifts, shapes ``(experiments, runs)``."""
        scores = [means + shift for means, shift in zip(self.run_means, shifts, strict=True)]
        gains = self._gains + inter * self.peculiar
        difference = scores[1].mean(axis=1) - scores[0].mean(axis=1) + inter * self.peculiar.mean(axis=1)
        counts = np.array([side.shape[1] for side in scores])
        runs = np.stack([side.var(axis=1, ddof=1) / side.shape[1] for side in scores])
        segments = gains.var(axis=1, ddof=1) / N_SEGMENTS
        return difference, MeanSquares(runs, segments, self.pairs, counts - 1, N_SEGMENTS - 1)


def cells() -> Iterator[tuple[Cell, float]]:
    """The calibration's cells that the procedure answers in, and those of normal segments with skewed run shifts."""
    for cell in mean_cells():
        if min(cell.n_baseline, cell.n_system) < 2:
            continue
        skews = (0,)
        if cell.kind == "normal" and cell.ratio:
            skews = SKEWS
        for skew in skews:
            yield cell, skew


def run_shifts(deviation: float, skew: float, shape: tuple[int, int], generator: np.random.Generator) -> Array:
    """Of mean zero and such a standard deviation; skewed ones are of a gamma distribution."""
    if not skew:
        return deviation * generator.standard_normal(shape)
    form = 4 / skew**2  # of a gamma distribution with this skewness; its mean and variance are the form too
    centred = generator.standard_gamma(form, shape) - form
    return np.sign(skew) * deviation * centred / np.sqrt(form)


def simulate(n_simulations: int) -> pd.DataFrame:
    """Return one row per cell: rejections without and with a difference, with these or plain degrees of freedom."""
    groups: dict[tuple[str, int, int], list[tuple[Cell, float]]] = defaultdict(list)
    for cell, skew in cells():
        groups[cell.kind, cell.n_baseline, cell.n_system].append((cell, skew))
    rows: list[dict[str, object]] = []
    for place, ((kind, *counts), group) in enumerate(groups.items()):
        rejections_of_group = [np.zeros(len(RATES)) for _ in group]
        for start in range(0, n_simulations, BATCH):
            generator = np.random.default_rng([SEED, place, start])
            n = min(BATCH, n_simulations - start)
            sides = [noise(kind, (n, count, N_SEGMENTS), generator).astype(np.float64) for count in counts]
            peculiar_of_sides = [noise(kind, (n, N_SEGMENTS), generator) for _ in counts]
            peculiar = (peculiar_of_sides[1] - peculiar_of_sides[0]).astype(np.float64)
            segments = Segments((sides[0], sides[1]), peculiar)
            for rejections, (cell, skew) in zip(rejections_of_group, group, strict=True):
                rejections += _rejections(segments, cell, skew, generator)
        for rejections, (cell, skew) in zip(rejections_of_group, group, strict=True):
            rates = dict(zip(RATES, rejections / n_simulations, strict=True))
            rows.append({**asdict(cell), "skew": skew, **rates, "n_simulations": n_simulations})
        print(kind, *counts, flush=True)
    return pd.DataFrame(rows)


def _rejections(segments: Segments, cell: Cell, skew: float, generator: np.random.Generator) -> Array:
    """How many experiments are rejected, in the order of ``RATES``."""
    baseline_deviation, system_deviation = cell.run_deviations
    baseline_means, system_means = segments.run_means
    shifts = (
        run_shifts(baseline_deviation, skew, baseline_means.shape, generator),
        run_shifts(system_deviation, skew, system_means.shape, generator),
    )
    difference, squares = segments.squares(shifts, cell.inter)
    effect = EFFECT * cell.standard_error
    level = LEVELS["rate"]

    p_printed = squares.printed_p_values(difference)
    counts = [np.count_nonzero(p_printed <= printed_level) for printed_level in LEVELS.values()]
    # P-values of 5% are printed as they are computed. A share of 0 is plain Satterthwaite.
    for shift, share in ((effect, None), (0.0, 0.0), (effect, 0.0)):
        p_values = squares.p_values(difference + shift, share)
        counts.append(np.count_nonzero(p_values <= level))
    return np.array(counts)


def in_calibration(recorded: pd.DataFrame, grid: pd.DataFrame) -> pd.DataFrame:
    """The calibration's rows with the rates of the grid in place of fewer experiments; others stay as they are."""
    keys = [key for key in KEYS if key != "skew"]
    plain = grid[grid["skew"] == 0].assign(procedure="two-way")
    keys.append("procedure")
    merged = recorded.merge(plain, on=keys, how="left", suffixes=("", " anew"), validate="one_to_one")
    for name in (*LEVELS, "power", "n_simulations"):
        recorded[name] = merged[f"{name} anew"].fillna(merged[name]).astype(recorded[name].dtype)
    return recorded


def write(n_simulations: int) -> None:
    """Simulate and write the numbers."""
    simulate(n_simulations).to_csv(RESULTS, index=False, float_format="%.5g", lineterminator="\n")


def main() -> None:
    """Take the number of experiments from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=N_SIMULATIONS, help="for each cell")
    write(parser.parse_args().simulations)


if __name__ == "__main__":
    main()
