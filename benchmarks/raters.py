"""How often does the test for other raters reject, without and with a true difference?

Usage: ``python -m benchmarks.raters [--simulations 2000]`` from the root of the repository; one core, some minutes.
Prints the table that stands in ``docs/people.md``.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from mteval.stats.base import student_result
from mteval.stats.crossed_layout import CrossedGains

LEVEL = 0.05
CONFIDENCE = 1 - LEVEL
EFFECT = 2.5  # of the true standard error: an oracle that knows it finds such a difference 71% of the time
RATERS = (2, 3, 4, 5, 8)
RATIOS = (0.0, 0.5, 1.0, 2.0, 5.0)
SEGMENTS = (6, 18, 200)
SPREADS = (0.0, 1.0)  # of the true gains over segments, in units of the noise of one judgement
KINDS = ("normal", "heavy", "scales")
SEED = 20_141_026
Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Cell:
    """One setting.

    Parameters
    ----------
    kind
        ``normal``, ``heavy`` tails of single judgements (Student's t with 3 degrees of freedom), or ``scales``: each
        rater stretches the scale by a factor of his own, between one half and two.
    ratio
        Standard deviation of the raters' shifts over the standard error that noise alone brings to one rater's mean.
    spread
        Standard deviation of the true gains over segments, in units of that noise.
    """

    kind: str
    n_raters: int
    n_segments: int
    ratio: float
    spread: float

    @property
    def standard_error(self) -> float:
        """Of the mean gain."""
        raters = self.ratio**2 / (self.n_segments * self.n_raters)
        return float(np.sqrt(raters + self.spread**2 / self.n_segments + 1 / (self.n_segments * self.n_raters)))

    def gains(self, generator: np.random.Generator, effect: float) -> Array:
        """Shape ``(raters, segments)``, with a true mean of ``effect`` standard errors."""
        shape = (self.n_raters, self.n_segments)
        noise = generator.standard_normal(shape)
        if self.kind == "heavy":
            noise = generator.standard_t(3, shape) / np.sqrt(3)
        raters = generator.standard_normal((self.n_raters, 1)) * self.ratio / np.sqrt(self.n_segments)
        gains = raters + self.spread * generator.standard_normal(self.n_segments) + noise + effect * self.standard_error
        if self.kind == "scales":
            return gains * 2 ** generator.uniform(-1, 1, (self.n_raters, 1))
        return gains


def cells() -> Iterator[Cell]:
    """All settings."""
    for values in product(KINDS, RATERS, SEGMENTS, RATIOS, SPREADS):
        yield Cell(*values)


def rates(cell: Cell, n: int, seed: int, effect: float) -> Array:
    """Share of simulations with p at or below the level: other raters, these raters, all judgements as independent."""
    generator = np.random.default_rng([seed, hash_of(cell), int(10 * effect)])
    n_rejected = np.zeros(3)
    for _ in range(n):
        gains = cell.gains(generator, effect)
        crossed = CrossedGains.of(gains)
        pooled = student_result(gains.mean(), gains.var(ddof=1) / gains.size, gains.size - 1, "two-sided", CONFIDENCE)
        p_values = [
            crossed.other_raters("two-sided", CONFIDENCE).p_value,
            crossed.these_raters("two-sided", CONFIDENCE).p_value,
            pooled.p_value,
        ]
        n_rejected += np.array(p_values) <= LEVEL
    return n_rejected / n


def hash_of(cell: Cell) -> int:
    """A number of the setting, the same in every process."""
    parts = (KINDS.index(cell.kind), cell.n_raters, cell.n_segments, int(10 * cell.ratio), int(cell.spread))
    return int("".join(f"{part:03d}" for part in parts))


def main() -> None:
    """Simulate and print one row per number of raters."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=2_000, help="for each setting")
    options = parser.parse_args()
    print("| raters | kind | other raters: smallest, median, largest | these raters | independent | power |")
    print("|---|---|---|---|---|---|")
    for n_raters, kind in product(RATERS, KINDS):
        alike = [cell for cell in cells() if cell.n_raters == n_raters and cell.kind == kind]
        sizes = np.array([rates(cell, options.simulations, SEED, 0.0) for cell in alike])
        power = np.median([rates(cell, options.simulations, SEED, EFFECT)[0] for cell in alike])
        other_raters, these_raters, independent = sizes.T
        worst = alike[int(other_raters.argmax())]
        smallest = _percent(other_raters.min())
        median = _percent(np.median(other_raters))
        largest = _percent(other_raters.max())
        print(
            f"| {n_raters} | {kind} | {smallest}, {median}, {largest}"
            f" (ratio {worst.ratio:g}, {worst.n_segments} segments) | {_percent(these_raters.max())} |"
            f" {_percent(independent.max())} | {_percent(power)} |",
            flush=True,
        )


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


if __name__ == "__main__":
    main()
