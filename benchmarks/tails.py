"""Sizes at 5, 1 and 0.1% and power of the two-way verdict as printed, as computed, and in its strict form.

Usage: ``python -m benchmarks.tails [--draws 1024]`` from the root of the repository; half an hour on one core. Writes
``tails.csv`` beside this file; ``python -m benchmarks.calibration`` makes a table of it.

Scores are normal: given the mean squares, the probability of a rejection is a normal tail. As computed and as printed
it is integrated over the mean squares; the strict test averages it over drawn ones (Sobol's points).
"""

import argparse
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import ndtr, ndtri
from scipy.stats import chi2, qmc

from benchmarks.tail_sizes import Array, reaches
from mteval.stats.crossed_layout import Components
from mteval.stats.tail import nominal_level

LEVELS = (0.05, 0.01, 0.001)
DESIGNS = (
    ("independent", (2, 2)), ("independent", (3, 3)), ("independent", (5, 5)), ("independent", (10, 10)),
    ("independent", (2, 10)), ("independent", (3, 10)), ("paired or fixed", (3,)), ("paired or fixed", (5,)),
    ("paired or fixed", (10,)),
)  # fmt: skip
RATIOS = (0.0, 0.5, 1.0, 2.0, 4.0, 7.0, 10.0, 20.0)  # run shift / noise that single outputs bring to a run's score
SPREADS = ((1.0, 1.0), (1.0, 0.2), (1.0, 0.0), (0.2, 1.0), (0.0, 1.0))
INTERS = (0.0, 0.5, 1.5)  # what is peculiar to a system and a segment
N_UNITS = 200
EFFECT = 3.0  # true standard errors
N_DRAWS = 1024  # a power of two, as Sobol's points want it
WIDER = 1.5  # than the normal deviates of run variances
SEED = 19_461_002
RESULTS = Path(__file__).with_name("tails.csv")


def settings(counts: tuple[int, ...]) -> Iterator[tuple[tuple[float, ...], float]]:
    """Run shifts of each side and the interaction."""
    for ratio, spread, inter in product(RATIOS, SPREADS, INTERS):
        is_same = len(counts) == 1 or not ratio or (spread[0] < spread[1] and counts[0] == counts[1])
        if is_same and spread != SPREADS[0]:
            continue
        yield tuple(ratio * share for share in spread[: len(counts)]), inter


def strict_reaches(
    counts: tuple[int, ...], shifts: tuple[float, ...], inter: float, n: int
) -> tuple[list[list[float]], Array]:
    """Differences from which the strict p-value is at most each level, as ``tail_sizes.reaches``, at ``n`` points.

    Low variances over runs decide the tail, so variances over runs are drawn wider than they are, and weighted.
    """
    n_sides = len(counts)
    n_runs = np.array(counts)
    df_runs = n_runs - 1
    df_units = N_UNITS - 1
    noise = 1 / n_runs
    runs = (np.square(shifts) + 1) / n_runs
    own = n_sides * inter**2
    error = float(np.sqrt(runs.sum() + own))

    # Mean squares of runs (a column per side), of units, and of both (a column per side); a row per point.
    df = np.array([*df_runs, df_units, *(df_runs * df_units)])
    expected = np.array([*runs, own + noise.sum(), *noise])
    deviates = ndtri(qmc.Sobol(len(df), seed=SEED).random(n))
    deviates[:, :n_sides] *= WIDER
    weights = np.exp(-np.square(deviates[:, :n_sides]).sum(axis=1) * (1 - WIDER**-2) / 2)
    lower_tail = chi2.ppf(ndtr(deviates), df)  # each tail from its own side
    upper_tail = chi2.isf(ndtr(-deviates), df)
    squares = np.where(deviates < 0, lower_tail, upper_tail) / df * expected

    reaches_of_points = []
    for row in squares.tolist():
        components = Components(tuple(row[:n_sides]), row[n_sides], tuple(row[n_sides + 1 :]), (*counts, N_UNITS))
        law = components.strict
        reaches_of_points.append([law.reach(level) / error for level in LEVELS])
    reaches_of_levels = [list(of_level) for of_level in zip(*reaches_of_points, strict=True)]
    return reaches_of_levels, weights / weights.sum()


def simulate(n: int) -> pd.DataFrame:
    """One row a design, setting, form of the test and level: rejections without and with a true difference.

    The strict test, whose integration takes a hundred times as long, has a sixteenth of the points in settings where
    it is far from its largest size.
    """
    rows: list[tuple[object, ...]] = []
    for design, counts in DESIGNS:
        nominal_levels = tuple(nominal_level(level, counts) for level in LEVELS)
        for (shifts, inter), strict in _strict_rates(counts, n).items():
            forms = {
                "computed": _rates(*reaches(counts, shifts, inter, LEVELS)),
                "printed": _rates(*reaches(counts, shifts, inter, nominal_levels)),
                "strict": strict,
            }
            for form, (sizes, powers) in forms.items():
                setting = (design, " and ".join(map(str, counts)), str(shifts), inter, form)
                for level, size, power in zip(LEVELS, sizes, powers, strict=True):
                    rows.append((*setting, level, size, power))
        print(design, counts, flush=True)
    names = ["design", "runs", "shifts", "inter", "form", "level", "size", "power"]
    return pd.DataFrame(rows, columns=names)


def _strict_rates(
    counts: tuple[int, ...], n: int
) -> dict[tuple[tuple[float, ...], float], tuple[list[float], list[float]]]:
    """Return sizes and powers of the strict test in each setting: with all points where a size is the largest."""
    rates_of = {setting: _rates(*strict_reaches(counts, *setting, n // 16)) for setting in settings(counts)}
    sizes_of = {setting: sizes for setting, (sizes, _) in rates_of.items()}
    worst = {max(sizes_of, key=lambda setting: sizes_of[setting][place]) for place in range(len(LEVELS))}
    for setting in worst:
        rates_of[setting] = _rates(*strict_reaches(counts, *setting, n))
    return rates_of


def _rates(reach: npt.ArrayLike, weights: Array) -> tuple[list[float], list[float]]:
    """Size and power at each level."""
    reach = np.asarray(reach)
    sizes = 2 * ndtr(-reach) @ weights
    powers = ndtr(EFFECT - reach) @ weights
    return sizes.tolist(), powers.tolist()


def write(n: int) -> None:
    """Simulate and write the numbers."""
    simulate(n).to_csv(RESULTS, index=False, float_format="%.4g", lineterminator="\n")


def main() -> None:
    """Take the number of draws from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=N_DRAWS, help="for the strict test, in its worst settings")
    write(parser.parse_args().draws)


if __name__ == "__main__":
    main()
