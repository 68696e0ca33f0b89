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
    others = n_systems - 1
    return {
        "equal": (ratio,) * n_systems,
        "half noisy": (*(ratio if place % 2 else quiet for place in range(n_systems)),),
        "one noisy": (quiet,) * others + (ratio,),
        "one quiet": (ratio,) * others + (quiet,),
        "quiet baseline": (quiet,) + (ratio,) * others,
        "noisy baseline": (ratio,) + (quiet,) * others,
    }[shape]


def families(setting: Setting, n: int, generator: np.random.Generator) -> tuple[Array, Array]:
    """P-values of every comparison, plain and by the family's law, shape ``(2, n, systems - 1)`` and the truth."""
    counts, scores, squares, pairs = np.array(setting.n_runs), [], [], []
    for shift, count in zip(setting.shifts, setting.n_runs, strict=True):
        drawn = generator.standard_t(3, (n, count)) / np.sqrt(3) if setting.heavy else generator.normal(size=(n, count))
        runs = shift * drawn + generator.normal(size=(n, count))
        scores.append(runs.mean(axis=1) + setting.inter * generator.normal(size=n))
        squares.append(runs.var(axis=1, ddof=1) / count)
        pairs.append(generator.chisquare(LAST * (count - 1), n) / (LAST * (count - 1)) / count)
    runs, noise = np.array(squares), np.array(pairs)
    common = np.sqrt(runs * counts[:, np.newaxis]).mean(axis=0)
    last = counts[:, np.newaxis] - 1
    drawn = (FAMILY_DF * common**2 / counts[:, np.newaxis] + last * runs) / (FAMILY_DF + last)
    found: list[list[Array]] = [[], []]
    for place in range(1, len(counts)):
        sides, gain = [0, place], setting.gains[place - 1]
        segments = 2 * setting.inter**2 + (1 / counts[sides]).sum()
        units = segments * generator.chisquare(LAST, n) / LAST
        difference = scores[place] - scores[0] + gain
        plain = MeanSquares(runs[sides], units, noise[sides], counts[sides] - 1, LAST)
        found[0].append(plain.p_values(difference))
        found[1].append(family_p(plain, drawn[sides], difference))
    return np.stack(found[0], axis=1), np.stack(found[1], axis=1)


def family_p(plain: MeanSquares, drawn: Array, difference: Array) -> Array:
    """P-values with run variances drawn towards the family's."""
    last = plain.df_runs[:, np.newaxis]
    is_drawn = drawn > plain.runs
    df_runs = np.where(is_drawn, np.sqrt(last * (last + 2)), last)
    runs = np.where(is_drawn, drawn, plain.runs)
    terms = np.concatenate([beyond_noise(runs, plain.pairs, last), plain.segments[np.newaxis], plain.pairs])
    df = np.concatenate([df_runs, np.full_like(plain.segments, LAST)[np.newaxis], np.full_like(runs, LAST) * last])
    all_runs = runs.sum(axis=0)
    total = np.maximum(all_runs + plain.segments - plain.pairs.sum(axis=0), np.maximum(all_runs, plain.segments))
    return np.asarray(2 * stdtr(total**2 / (terms**2 / df).sum(axis=0), -np.abs(difference) / np.sqrt(total)))


def error_and_power(setting: Setting, n: int) -> dict[str, tuple[float, float]]:
    """Share of families with a false claim, and of true differences found, by way of adjusting."""
    generator = np.random.default_rng([SEED, n, len(setting.shifts), int(100 * sum(setting.shifts))])
    plain, by_family = families(setting, n, generator)
    pairs = [(setting.n_runs[0], count) for count in setting.n_runs[1:]]
    printed = np.stack([printed_p_values(plain[:, place], pair) for place, pair in enumerate(pairs)], axis=1)
    is_null = np.array(setting.gains) == 0
    adjusted = {
        "Holm over p": np.array([holm(row) for row in plain]),
        "Holm over p'": np.array([holm(row) for row in printed]),
        "family": np.array([holm_with_laws(*rows) for rows in zip(printed, by_family, strict=True)]),
    }
    return {
        way: (
            float((p[:, is_null] <= LEVEL).any(axis=1).mean()) if is_null.any() else float("nan"),
            float((p[:, ~is_null] <= LEVEL).mean()) if not is_null.all() else float("nan"),
        )
        for way, p in adjusted.items()
    }


def settings(n_systems: int, n_runs: int, truth: str) -> Iterator[tuple[str, float, Setting]]:
    """Settings of a family, with the name of the shape and the largest run shift."""
    others, counts = n_systems - 1, (10 if truth == "baseline of 10 runs" else n_runs, *(n_runs,) * (n_systems - 1))
    gains = tuple(50.0 if truth == "half differ" and place % 2 else 0.0 for place in range(others))
    for shape in SHAPES:
        for ratio in RATIOS:
            for inter in INTERS:
                shifts = shifts_of(shape, ratio, n_systems)
                yield shape, ratio, Setting(shifts, counts, inter, gains, truth == "heavy shifts")


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
        powers = [error_and_power(power_setting(n_systems, n_runs, ratio), n) for ratio in RATIOS]
        power = {way: float(np.mean([found[way][1] for found in powers])) for way in powers[0]}
        for truth in TRUTHS if n_runs == 3 else TRUTHS[:2]:
            errors = [error_and_power(setting, n) for _, _, setting in settings(n_systems, n_runs, truth)]
            for way in power:
                rows.append((n_systems, n_runs, truth, way, max(found[way][0] for found in errors), power[way]))
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
