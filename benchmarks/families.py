"""Family-wise error and power of adjusted p-values, when several systems are compared with a baseline.

Usage: ``python -m benchmarks.families [--simulations 10000]`` from the root of the repository; half an hour on one
core. Writes ``families.csv`` beside this file; ``python -m benchmarks.calibration`` makes a table of it.

Each system's score is a sum of what is peculiar to it on the segments (``inter``), the mean of the shifts of its runs,
and the noise of its outputs; the unit is the noise that single outputs bring to the score of one run. A family errs if
any adjusted p-value of a system that equals the baseline is at most 5%.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import stdtr

from benchmarks.mean_squares import MeanSquares
from mteval.stats.crossed_layout import FAMILY_DF
from mteval.stats.multiplicity import holm, holm_with_laws
from mteval.stats.runs import beyond_noise
from mteval.stats.tail import printed_p_values

Array = npt.NDArray[np.float64]
LEVEL = 0.05
LAST = 199  # degrees of freedom over segments
RATIOS = (0.5, 1.0, 2.0, 5.0, 10.0)  # largest run shift of a family
INTERS = (0.5, 1.5)
SHAPES = ("equal", "half noisy", "one noisy", "one quiet", "quiet baseline", "noisy baseline")
SEED = 20_111
N_SIMULATIONS = 10_000
RESULTS = Path(__file__).with_name("families.csv")


@dataclass(frozen=True)
class Setting:
    """The truth about a family.

    Parameters
    ----------
    shifts
        Standard deviation of the run shifts of each system, the baseline first.
    n_runs
        Of each system.
    inter
        What is peculiar to a system and a segment.
    gains
        True differences from the baseline, in units of the noise of one run; shape ``(systems - 1,)``.
    heavy
        Whether run shifts follow Student's t with 3 degrees of freedom.
    """

    shifts: tuple[float, ...]
    n_runs: tuple[int, ...]
    inter: float
    gains: tuple[float, ...]
    heavy: bool = False


def shifts_of(shape: str, ratio: float, n_systems: int) -> tuple[float, ...]:
    """Run shifts of a family by its shape: noisy systems have ``ratio``, quiet ones a tenth of it."""
    quiet = ratio / 10
    n_compared = n_systems - 1
    in_turn = [ratio if place % 2 else quiet for place in range(n_systems)]
    return {
        "equal": (ratio,) * n_systems,
        "half noisy": tuple(in_turn),
        "one noisy": (quiet,) * n_compared + (ratio,),
        "one quiet": (ratio,) * n_compared + (quiet,),
        "quiet baseline": (quiet,) + (ratio,) * n_compared,
        "noisy baseline": (ratio,) + (quiet,) * n_compared,
    }[shape]


def families(setting: Setting, n: int, generator: np.random.Generator) -> tuple[Array, Array]:
    """P-values of every comparison, plain and by the family's law, shape ``(n, systems - 1)`` each."""
    counts = np.array(setting.n_runs)

    # Of each system, shape (n,): its score, the mean square of its runs, and that of runs and segments.
    scores = []
    run_squares = []
    pair_squares = []
    for shift, count in zip(setting.shifts, setting.n_runs, strict=True):
        if setting.heavy:
            shifts = generator.standard_t(3, (n, count)) / np.sqrt(3)
        else:
            shifts = generator.normal(size=(n, count))
        runs = shift * shifts + generator.normal(size=(n, count))
        scores.append(runs.mean(axis=1) + setting.inter * generator.normal(size=n))
        run_squares.append(runs.var(axis=1, ddof=1) / count)
        df_pairs = LAST * (count - 1)
        pair_squares.append(generator.chisquare(df_pairs, n) / df_pairs / count)
    runs = np.array(run_squares)  # shape (systems, n), as all below
    noise = np.array(pair_squares)

    # The family's law draws each variance over runs towards the mean of all systems.
    common = np.sqrt(runs * counts[:, np.newaxis]).mean(axis=0)
    df_runs = counts[:, np.newaxis] - 1
    drawn_runs = (FAMILY_DF * common**2 / counts[:, np.newaxis] + df_runs * runs) / (FAMILY_DF + df_runs)

    plain_p = []
    family_law_p = []
    for place in range(1, len(counts)):
        sides = [0, place]
        segments = 2 * setting.inter**2 + (1 / counts[sides]).sum()
        segment_squares = segments * generator.chisquare(LAST, n) / LAST
        difference = scores[place] - scores[0] + setting.gains[place - 1]
        squares = MeanSquares(runs[sides], segment_squares, noise[sides], counts[sides] - 1, LAST)
        plain_p.append(squares.p_values(difference))
        family_law_p.append(family_p(squares, drawn_runs[sides], difference))
    return np.stack(plain_p, axis=1), np.stack(family_law_p, axis=1)


def family_p(plain: MeanSquares, drawn: Array, difference: Array) -> Array:
    """P-values with run variances drawn towards the family's."""
    df_plain = plain.df_runs[:, np.newaxis]
    is_drawn = drawn > plain.runs  # a variance is never drawn downwards
    runs = np.where(is_drawn, drawn, plain.runs)
    df_runs = np.where(is_drawn, np.sqrt(df_plain * (df_plain + 2)), df_plain)
    all_runs = runs.sum(axis=0)
    total = np.maximum(all_runs + plain.segments - plain.pairs.sum(axis=0), np.maximum(all_runs, plain.segments))

    # Satterthwaite's degrees of freedom: the terms of the variance, each with its own; shape (terms, n).
    terms = np.concatenate([beyond_noise(runs, plain.pairs, df_plain), plain.segments[np.newaxis], plain.pairs])
    df_segments = np.full_like(plain.segments, LAST)[np.newaxis]
    df_pairs = np.full_like(runs, LAST) * df_plain
    df_terms = np.concatenate([df_runs, df_segments, df_pairs])
    df = total**2 / (terms**2 / df_terms).sum(axis=0)
    return np.asarray(2 * stdtr(df, -np.abs(difference) / np.sqrt(total)))


def error_and_power(setting: Setting, n: int) -> dict[str, tuple[float, float]]:
    """Share of families with a false claim, and of true differences found, by way of adjusting."""
    generator = np.random.default_rng([SEED, n, len(setting.shifts), int(100 * sum(setting.shifts))])
    plain, by_family = families(setting, n, generator)
    n_runs_baseline = setting.n_runs[0]
    printed_of_systems = []
    for place, n_runs in enumerate(setting.n_runs[1:]):
        printed_of_systems.append(printed_p_values(plain[:, place], (n_runs_baseline, n_runs)))
    printed = np.stack(printed_of_systems, axis=1)
    adjusted = {
        "Holm over p": np.array([holm(row) for row in plain]),
        "Holm over p'": np.array([holm(row) for row in printed]),
        "family": np.array([holm_with_laws(*rows) for rows in zip(printed, by_family, strict=True)]),
    }

    is_null = np.array(setting.gains) == 0
    error_and_power_of = {}
    for way, p in adjusted.items():
        error = float("nan")
        if is_null.any():
            error = float((p[:, is_null] <= LEVEL).any(axis=1).mean())
        power = float("nan")
        if not is_null.all():
            power = float((p[:, ~is_null] <= LEVEL).mean())
        error_and_power_of[way] = (error, power)
    return error_and_power_of


def settings(n_systems: int, n_runs: int, truth: str) -> Iterator[tuple[str, float, Setting]]:
    """Settings of a family, with the name of the shape and the largest run shift."""
    n_compared = n_systems - 1
    n_runs_baseline = 10 if truth == "baseline of 10 runs" else n_runs
    counts = (n_runs_baseline, *(n_runs,) * n_compared)
    gains = [0.0] * n_compared
    if truth == "half differ":
        gains[1::2] = [50.0] * len(gains[1::2])  # far more than any noise
    for shape, ratio, inter in product(SHAPES, RATIOS, INTERS):
        shifts = shifts_of(shape, ratio, n_systems)
        yield shape, ratio, Setting(shifts, counts, inter, tuple(gains), heavy=truth == "heavy shifts")


def power_setting(n_systems: int, n_runs: int, ratio: float) -> Setting:
    """Half of the systems differ by three true standard errors; runs of all systems shift alike."""
    inter = INTERS[-1]
    error = float(np.sqrt(2 * (ratio**2 + 1) / n_runs + 2 * inter**2))
    gains = tuple(3 * error if place % 2 else 0.0 for place in range(n_systems - 1))
    return Setting((ratio,) * n_systems, (n_runs,) * n_systems, inter, gains)


TRUTHS = ("none differs", "half differ", "baseline of 10 runs", "heavy shifts")
CELLS = ((3, 3), (7, 3), (11, 3), (3, 5), (7, 5), (11, 5), (3, 10), (7, 10), (11, 10), (31, 3))


def simulate(n: int) -> pd.DataFrame:
    """One row a family, truth and way of adjusting: the largest family-wise error, and the mean power."""
    rows = []
    for n_systems, n_runs in CELLS:
        of_ratios = [error_and_power(power_setting(n_systems, n_runs, ratio), n) for ratio in RATIOS]
        truths = TRUTHS if n_runs == 3 else TRUTHS[:2]
        for truth in truths:
            of_settings = [error_and_power(setting, n) for _, _, setting in settings(n_systems, n_runs, truth)]
            for way in of_ratios[0]:
                errors = [error_and_power_of[way][0] for error_and_power_of in of_settings]
                powers = [error_and_power_of[way][1] for error_and_power_of in of_ratios]
                rows.append((n_systems, n_runs, truth, way, max(errors), float(np.mean(powers))))
        print(n_systems, n_runs, flush=True)
    names = ["n_systems", "n_runs", "truth", "way", "error", "power"]
    return pd.DataFrame(rows, columns=names).assign(n_simulations=n)


def write(n: int) -> None:
    """Simulate and write the numbers."""
    simulate(n).to_csv(RESULTS, index=False, float_format="%.4g", lineterminator="\n")


def main() -> None:
    """Take the number of experiments from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=N_SIMULATIONS, help="for each setting")
    write(parser.parse_args().simulations)


if __name__ == "__main__":
    main()
