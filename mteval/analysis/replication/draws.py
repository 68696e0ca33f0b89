"""Draw smaller experiments from the runs: which p-values might have been published? (Clark et al.'s Table 2)"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pandas as pd

from mteval.analysis.comparison import how_of
from mteval.analysis.replication.pool import Pool
from mteval.analysis.scoring import Progress, Work
from mteval.base.arrays import FloatArray
from mteval.base.errors import SettingsError
from mteval.base.words import counted
from mteval.stats.procedures.registry import PROCEDURES, on_draws
from mteval.stats.resampling.draws import Draws
from mteval.stats.resampling.streams import Chunk, seeds_for, seeds_of
from mteval.stats.runs import median_run
from mteval.values.settings import Settings

USUAL = (3, 5, 10, 50)


def n_combinations(sizes: tuple[int, int], n: int) -> int:
    """Return the number of different draws of n runs per system."""
    return comb(sizes[0], n) * comb(sizes[1], n)


def numbers_to_draw(sizes: tuple[int, int]) -> list[int]:
    """Return the numbers of runs with more than one possible draw."""
    return [n for n in range(1, min(sizes) + 1) if n_combinations(sizes, n) > 1]


def usual_numbers(sizes: tuple[int, int]) -> list[int]:
    """Return the numbers of Table 2 that the runs allow, otherwise the largest that can be drawn."""
    numbers = numbers_to_draw(sizes)
    return [n for n in USUAL if n in numbers] or numbers[-1:]


def all_draws(sizes: tuple[int, int], k: int) -> Draws:
    """Return every combination of k runs of each system."""
    chosen = [np.array(list(combinations(range(size), k))) for size in sizes]
    baseline, system = np.meshgrid(*(np.arange(len(rows)) for rows in chosen), indexing="ij")
    return Draws(chosen[0][baseline.ravel()], chosen[1][system.ravel()])


def lucky_draws(pool: Pool, k: int, numbers: Sequence[int], settings: Settings) -> Draws:
    """Return the draws with the given numbers in an endless series; each has its own random stream."""
    seeds = seeds_for(settings.seed, f"luck with {k} runs")
    streams = (np.random.Generator(np.random.SFC64(seeds_of(seeds, Chunk(number, 0, 1)))) for number in numbers)
    drawn = [Draws.random(pool.sizes, k, 1, stream) for stream in streams]
    return Draws(np.concatenate([draw.baseline for draw in drawn]), np.concatenate([draw.system for draw in drawn]))


def extent_of(pool: Pool, k: int) -> tuple[float, float]:
    """Return the lowest and highest possible difference from k runs of each system."""
    one, other = (np.sort(scores) for scores in pool.scores)
    return float(other[:k].mean() - one[-k:].mean()), float(other[-k:].mean() - one[:k].mean())


BETTER, OPEN, WORSE = "better", "open", "worse"
RANDOM, ALL, ONLY = "random", "all", "only"
MOST_ENUMERATED = 1_000


PUBLISHED = (
    "n", "baseline_run", "system_run", "procedure", "p_low", "p_median", "p_high", "better", "open", "worse",
    "n_draws", "n_answered",
)  # fmt: skip
ODDS = ("procedure", "better", "open", "worse", "n_draws", "is_exact")


def trials(pool: Pool, draws: Draws, procedures: Sequence[str], settings: Settings, work: Work) -> pd.DataFrame:
    """Test each draw by each procedure.

    Returns
    -------
    Columns ``n``, ``draw``, ``baseline_runs``, ``system_runs``, ``procedure``, ``difference``, ``p_value`` and
    ``conclusion``; runs are tuples of run keys. ``conclusion`` is ``better`` or ``worse`` for a significant difference
    of the drawn runs, otherwise ``open``; None without an answer. The true answer is unknown.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    """
    differences = pool.scores[1][draws.system].mean(axis=1) - pool.scores[0][draws.baseline].mean(axis=1)
    keys, chosen = (pool.run_keys(0), pool.run_keys(1)), (draws.baseline.tolist(), draws.system.tolist())
    names = [[tuple(own[i] for i in row) for row in rows] for own, rows in zip(keys, chosen, strict=True)]
    frames = []
    for index, procedure in enumerate(procedures):
        p = _p_values(pool, draws, procedure, settings, work, (index, len(procedures)))
        shown = np.where(pool.direction * differences > 0, BETTER, WORSE)
        conclusions = pd.Series(np.where(p > 1 - settings.confidence, OPEN, shown), dtype=object)
        columns = {
            "n": draws.n_runs, "draw": range(len(draws)), "baseline_runs": names[0], "system_runs": names[1],
            "procedure": procedure, "difference": differences, "p_value": p,
            "conclusion": conclusions.where(~np.isnan(p), None).tolist(),
        }  # fmt: skip
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def _p_values(pool: Pool, draws: Draws, key: str, settings: Settings, work: Work, place: tuple[int, int]) -> FloatArray:
    """Return the p-value of each draw, shape ``(draws,)``; tests of outputs use segments as units."""
    task = f"Testing {counted(len(draws), 'draw')} of {counted(draws.n_runs, settings.runs.noun)} per system"

    def map_chunks(function: Callable[[Any], Any], items: Iterable[Any], /) -> Iterator[Any]:
        waiting = list(items)
        for done, result in enumerate(work.engine.map(function, waiting), start=1):
            work.report(Progress(task, place[0] + done / len(waiting), place[1]))
            yield result

    spec = PROCEDURES[key]
    if spec.on_draws is None:
        raise SettingsError(f"{spec.name} cannot test draws of runs. Choose one of: {', '.join(on_draws())}.")
    work.report(Progress(task, *place))
    baseline, system = pool.statistics if spec.pairs_outputs else pool.units
    how = replace(how_of(spec, settings, work, "two-sided", pool.unit_sizes), map_chunks=map_chunks)
    return spec.on_draws(baseline, system, pool.scored.scorer.score, draws, how)


def single_runs(pool: Pool) -> dict[tuple[str, str], Draws]:
    """Return the first rows of Table 2: one run each, from high against low to low against high.

    With a single run per system, only these.
    """
    if max(pool.sizes) == 1:
        return {(ONLY, ONLY): all_draws(pool.sizes, 1)}
    by_quality = [np.argsort(pool.direction * scores, kind="stable") for scores in pool.scores]
    high, low = [int(order[-1]) for order in by_quality], [int(order[0]) for order in by_quality]
    middle = [median_run(scores) for scores in pool.scores]
    cases = {("high", "low"): (high[0], low[1]), ("median", "median"): middle, ("low", "high"): (low[0], high[1])}
    return {names: Draws(np.array([[runs[0]]]), np.array([[runs[1]]])) for names, runs in cases.items()}


def published(
    pool: Pool, numbers: Sequence[int], n_draws: int, procedures: Sequence[str], settings: Settings, work: Work
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return Table 2: single runs, then ``n_draws`` random draws for each number of runs.

    If there are at most ``n_draws`` combinations, each occurs once.

    Returns
    -------
    published
        One row per case and procedure, with the columns ``PUBLISHED``. Runs are ``high``, ``median``, ``low``, the
        ``only`` one, ``random`` ones or ``all`` combinations. p-values are the median and the central 95%; NaN without
        an answer. ``better``, ``open`` and ``worse`` are shares of the answered draws.
    trials
        Every draw, with the columns of ``trials`` and ``case``.
    """
    cases = list(single_runs(pool).items())
    for n in numbers:
        if n_combinations(pool.sizes, n) <= n_draws:
            cases.append(((ALL, ALL), all_draws(pool.sizes, n)))
        else:
            generator = np.random.Generator(np.random.SFC64(seeds_for(settings.seed, f"draws of {n} runs")))
            cases.append(((RANDOM, RANDOM), Draws.random(pool.sizes, n, n_draws, generator)))
    rows, all_trials = [], []
    costs = np.cumsum([0, *(draws.n_runs * (1 + len(draws) / 50) for _, draws in cases)])
    for index, (names, draws) in enumerate(cases):
        start, stop = costs[index] / costs[-1], costs[index + 1] / costs[-1]

        def report(part: Progress, start: float = start, share: float = stop - start) -> None:
            work.report(Progress(part.task, start + part.fraction * share, 1.0))

        tested = trials(pool, draws, procedures, settings, Work(work.engine, work.store, report))
        all_trials.append(tested.assign(case=names[0]))
        for key, by in tested.groupby("procedure", sort=False):
            p = by["p_value"].dropna().to_numpy()
            low, median, high = np.quantile(p, (0.025, 0.5, 0.975)).tolist() if len(p) else [np.nan] * 3
            rows.append((draws.n_runs, *names, key, low, median, high, *shares(by), len(by), len(p)))
    return pd.DataFrame(rows, columns=list(PUBLISHED)), pd.concat(all_trials, ignore_index=True)


def shares(tested: pd.DataFrame) -> tuple[float, float, float]:
    """Return the shares of ``better``, ``open`` and ``worse`` in a column ``conclusion``; NaN without draws."""
    conclusions = tested["conclusion"].dropna()
    better, open_, worse = (float((conclusions == kind).mean()) for kind in (BETTER, OPEN, WORSE))
    return better, open_, worse


def no_trials() -> pd.DataFrame:
    """Return an empty frame of trials."""
    return pd.DataFrame({"difference": [], "conclusion": []})


def odds(pool: Pool, k: int, procedures: Sequence[str], settings: Settings, work: Work) -> pd.DataFrame:
    """Return how often each procedure concludes better, open or worse from k runs per system; columns ``ODDS``.

    Exact for at most 1,000 combinations, otherwise from 1,000 random draws.
    """
    is_exact = n_combinations(pool.sizes, k) <= MOST_ENUMERATED
    generator = np.random.Generator(np.random.SFC64(seeds_for(settings.seed, f"odds of {k} runs")))
    draws = all_draws(pool.sizes, k) if is_exact else Draws.random(pool.sizes, k, MOST_ENUMERATED, generator)
    tested = trials(pool, draws, procedures, settings, work)
    rows = [(key, *shares(by), len(draws), is_exact) for key, by in tested.groupby("procedure", sort=False)]
    return pd.DataFrame(rows, columns=list(ODDS))
