"""Which smaller experiments can be drawn from the runs at hand."""

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np

from mteval.analysis.replication.pool import Pool
from mteval.settings import Settings
from mteval.stats.resampling.draws import Draws
from mteval.stats.resampling.streams import Chunk, seeds_for, seeds_of

USUAL = (3, 5, 10, 50)


def n_combinations(sizes: tuple[int, int], n: int) -> int:
    """How many different draws of n runs there are."""
    return comb(sizes[0], n) * comb(sizes[1], n)


def numbers_to_draw(sizes: tuple[int, int]) -> list[int]:
    """The numbers of runs of which draws can differ: of three runs each one or two, of one run each none."""
    return [n for n in range(1, min(sizes) + 1) if n_combinations(sizes, n) > 1]


def usual_numbers(sizes: tuple[int, int]) -> list[int]:
    """Those that Table 2 has, as far as the runs reach; the largest that can be drawn where they do not."""
    numbers = numbers_to_draw(sizes)
    return [n for n in USUAL if n in numbers] or numbers[-1:]


def all_draws(sizes: tuple[int, int], k: int) -> Draws:
    """Every combination of k runs of either system."""
    chosen = [np.array(list(combinations(range(size), k))) for size in sizes]
    baseline, system = np.meshgrid(*(np.arange(len(rows)) for rows in chosen), indexing="ij")
    return Draws(chosen[0][baseline.ravel()], chosen[1][system.ravel()])


def lucky_draws(pool: Pool, k: int, numbers: Sequence[int], settings: Settings) -> Draws:
    """The draws of those numbers in an endless series; each has a random stream of its own."""
    seeds = seeds_for(settings.seed, f"luck with {k} runs")
    drawn = [
        Draws.random(pool.sizes, k, 1, np.random.Generator(np.random.SFC64(seeds_of(seeds, Chunk(number, 0, 1)))))
        for number in numbers
    ]
    return Draws(np.concatenate([draw.baseline for draw in drawn]), np.concatenate([draw.system for draw in drawn]))


def extent_of(pool: Pool, k: int) -> tuple[float, float]:
    """The lowest and highest difference that k runs of each system can show."""
    one, other = (np.sort(scores) for scores in pool.scores)
    return float(other[:k].mean() - one[-k:].mean()), float(other[-k:].mean() - one[:k].mean())
