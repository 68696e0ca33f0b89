"""Family-wise error and power of adjusted p-values, when several systems are compared with a baseline.

Usage: ``python -m benchmarks.families [--simulations 20000]`` from the root of the repository; some minutes on one core.
``benchmarks.calibration`` prints the same table.

Each system's score is a sum of what is peculiar to it on the segments (``inter``), the mean of the shifts of its runs,
and the noise of its outputs; the unit is the noise that single outputs bring to the score of one run. A family errs if
any adjusted p-value of a system that equals the baseline is at most 5%.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
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
        found[1].append(_family_p(plain, drawn[sides], difference))
    return np.stack(found[0], axis=1), np.stack(found[1], axis=1)


def _family_p(plain: MeanSquares, drawn: Array, difference: Array) -> Array:
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


def worst(n_systems: int, n_runs: int, n: int, part_null: bool = False, **more: bool) -> dict[str, float]:
    """The largest family-wise error of each way over the settings."""
    found: dict[str, float] = {}
    others = n_systems - 1
    gains = tuple(50.0 if part_null and place % 2 else 0.0 for place in range(others))
    for shape in SHAPES:
        for ratio in RATIOS:
            for inter in INTERS:
                setting = Setting(shifts_of(shape, ratio, n_systems), (n_runs,) * n_systems, inter, gains, **more)
                for way, (error, _) in error_and_power(setting, n).items():
                    found[way] = max(found.get(way, 0.0), error)
    return found


def rows(n: int, systems: Sequence[int] = (3, 7, 11), runs: Sequence[int] = (3, 5, 10)) -> Iterator[str]:
    """The table."""
    yield "| systems | runs | truth | Holm over p | Holm over p' | family |"
    yield "|---|---|---|---|---|---|"
    for n_systems in systems:
        for n_runs in runs:
            for part_null in (False, True):
                found = worst(n_systems, n_runs, n, part_null)
                cells = " | ".join(f"{100 * value:.1f}%" for value in found.values())
                yield f"| {n_systems} | {n_runs} | {'half differ' if part_null else 'none differs'} | {cells} |"


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=20_000, help="for each setting")
    for line in rows(parser.parse_args().simulations):
        print(line, flush=True)


if __name__ == "__main__":
    main()
