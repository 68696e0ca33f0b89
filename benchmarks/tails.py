"""Sizes at 5, 1 and 0.1% and power of the two-way verdict as printed, as computed, and in its strict form.

Usage: ``python -m benchmarks.tails [--draws 256]`` from the root of the repository; a quarter of an hour on one core.
Writes ``tails.csv`` beside this file; ``python -m benchmarks.calibration`` makes a table of it.

Scores are normal: given the mean squares, the probability of a rejection is a normal tail, which is averaged over drawn
mean squares (Sobol's points). So far fewer draws are needed than if rejections were counted.
"""

import argparse
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import ndtr
from scipy.stats import chi2, qmc

from mteval.stats.base import StudentLaw
from mteval.stats.crossed_layout import Components

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
N_DRAWS = 256  # a power of two, as Sobol's points want it
SEED = 19_461_002
RESULTS = Path(__file__).with_name("tails.csv")


def settings(counts: tuple[int, ...]) -> Iterator[tuple[tuple[float, ...], float]]:
    """Run shifts of each side and the interaction."""
    for ratio, spread, inter in product(RATIOS, SPREADS, INTERS):
        if (len(counts) == 1 and spread != SPREADS[0]) or (not ratio and spread != SPREADS[0]):
            continue
        yield tuple(ratio * share for share in spread[: len(counts)]), inter


def drawn(counts: tuple[int, ...], shifts: tuple[float, ...], inter: float, n: int) -> tuple[float, list[Components]]:
    """The true standard error of the difference, and so many drawn sets of variance components."""
    numbers, last = np.array(counts), N_UNITS - 1
    runs, noise = (np.square(shifts) + 1) / numbers, 1 / numbers
    own, sides = len(counts) * inter**2, len(counts)
    df = np.array([*(numbers - 1), last, *((numbers - 1) * last)])
    points = qmc.Sobol(len(df), seed=SEED).random(n)
    squares = chi2.ppf(points, df) / df * np.array([*runs, own + noise.sum(), *noise])
    parts = [
        Components(tuple(row[:sides]), row[sides], tuple(row[sides + 1 :]), (*counts, N_UNITS))
        for row in squares.tolist()
    ]
    return float(np.sqrt(runs.sum() + own)), parts


def simulate(n: int) -> pd.DataFrame:
    """One row a design, setting, form of the test and level: rejections without and with a true difference."""
    rows = []
    for design, counts in DESIGNS:
        for shifts, inter in settings(counts):
            error, parts = drawn(counts, shifts, inter, n)
            laws = {
                "computed": [StudentLaw(part.standard_error, part.df) for part in parts],
                "printed": parts,
                "strict": [part.strict for part in parts],
            }
            for (form, those), level in product(laws.items(), LEVELS):
                reach = np.array([law.reach(level) for law in those]) / error
                size, power = 2 * ndtr(-reach).mean(), ndtr(EFFECT - reach).mean()
                rows.append((design, " and ".join(map(str, counts)), str(shifts), inter, form, level, size, power))
        print(design, counts, flush=True)
    names = ["design", "runs", "shifts", "inter", "form", "level", "size", "power"]
    return pd.DataFrame(rows, columns=names)


def write(n: int) -> None:
    """Simulate and write the numbers."""
    simulate(n).to_csv(RESULTS, index=False, float_format="%.4g", lineterminator="\n")


def main() -> None:
    """Take the number of draws from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=N_DRAWS, help="of mean squares for each setting")
    write(parser.parse_args().draws)


if __name__ == "__main__":
    main()
