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

USUAL = (3, 5, 10, 50)  # the numbers of runs in Table 2

# What a test of a draw concludes
BETTER = "better"
OPEN = "open"
WORSE = "worse"

# Which runs a row of Table 2 is about, besides "high", "median" and "low"
RANDOM = "random"
ALL = "all"
ONLY = "only"

MOST_ENUMERATED = 1_000  # combinations of runs that ``odds`` tests one by one

PUBLISHED = (
    "n",
    "baseline_run",
    "system_run",
    "procedure",
    "p_low",
    "p_median",
    "p_high",
    "better",
    "open",
    "worse",
    "n_draws",
    "n_answered",
)
ODDS = ("procedure", "better", "open", "worse", "n_draws", "is_exact")


def n_combinations(sizes: tuple[int, int], n: int) -> int:
    """Return the number of different draws of n runs per system."""
    return comb(sizes[0], n) * comb(sizes[1], n)


def numbers_to_draw(sizes: tuple[int, int]) -> list[int]:
    """Return the numbers of runs with more than one possible draw."""
    return [n for n in range(1, min(sizes) + 1) if n_combinations(sizes, n) > 1]


def usual_numbers(sizes: tuple[int, int]) -> list[int]:
    """Return the numbers of Table 2 that the runs allow, otherwise the largest that can be drawn."""
    numbers = numbers_to_draw(sizes)
    usual = [n for n in USUAL if n in numbers]
    if usual:
        return usual
    return numbers[-1:]


def numbers_in_talk(sizes: tuple[int, int]) -> tuple[int, ...]:
    """Return one run per system, and the usual numbers after it."""
    return tuple(dict.fromkeys((1, *usual_numbers(sizes))))  # of few runs, one is the usual number


def all_draws(sizes: tuple[int, int], k: int) -> Draws:
    """Return every combination of k runs of each system."""
    baseline_subsets = np.array(list(combinations(range(sizes[0]), k)))
    system_subsets = np.array(list(combinations(range(sizes[1]), k)))
    # Every subset of the baseline with every subset of the system, the system's varying fastest
    baseline_rows = np.repeat(np.arange(len(baseline_subsets)), len(system_subsets))
    system_rows = np.tile(np.arange(len(system_subsets)), len(baseline_subsets))
    return Draws(baseline_subsets[baseline_rows], system_subsets[system_rows])


def lucky_draws(pool: Pool, k: int, numbers: Sequence[int], settings: Settings) -> Draws:
    """Return the draws with the given numbers in an endless series; each has its own random stream."""
    seeds = seeds_for(settings.seed, f"luck with {k} runs")
    drawn = []
    for number in numbers:
        stream = np.random.Generator(np.random.SFC64(seeds_of(seeds, Chunk(number, 0, 1))))
        drawn.append(Draws.random(pool.sizes, k, 1, stream))
    baseline = np.concatenate([draw.baseline for draw in drawn])
    system = np.concatenate([draw.system for draw in drawn])
    return Draws(baseline, system)


def extent_of(pool: Pool, k: int) -> tuple[float, float]:
    """Return the lowest and highest possible difference from k runs of each system."""
    baseline = np.sort(pool.scores[0])
    system = np.sort(pool.scores[1])
    lowest = system[:k].mean() - baseline[-k:].mean()
    highest = system[-k:].mean() - baseline[:k].mean()
    return float(lowest), float(highest)


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
    baseline_means = pool.scores[0][draws.baseline].mean(axis=1)
    system_means = pool.scores[1][draws.system].mean(axis=1)
    differences = system_means - baseline_means
    baseline_runs = _named_runs(pool.run_keys(0), draws.baseline.tolist())
    system_runs = _named_runs(pool.run_keys(1), draws.system.tolist())
    level = settings.level

    frames = []
    for index, procedure in enumerate(procedures):
        p = _p_values(pool, draws, procedure, settings, work, (index, len(procedures)))
        direction = np.where(pool.direction * differences > 0, BETTER, WORSE)
        conclusions = pd.Series(np.where(p > level, OPEN, direction), dtype=object)
        columns = {
            "n": draws.n_runs,
            "draw": range(len(draws)),
            "baseline_runs": baseline_runs,
            "system_runs": system_runs,
            "procedure": procedure,
            "difference": differences,
            "p_value": p,
            "conclusion": conclusions.where(~np.isnan(p), None).tolist(),
        }
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def _named_runs(keys: Sequence[str], drawn: list[list[int]]) -> list[tuple[str, ...]]:
    """Return the run keys of each draw."""
    return [tuple(keys[run] for run in runs) for runs in drawn]


def _p_values(
    pool: Pool, draws: Draws, procedure: str, settings: Settings, work: Work, progress: tuple[int, int]
) -> FloatArray:
    """Return the p-value of each draw, shape ``(draws,)``; tests of outputs use segments as units.

    ``progress`` is how many procedures are done, of how many.
    """
    task = f"Testing {counted(len(draws), 'draw')} of {counted(draws.n_runs, settings.runs.noun)} per system"
    n_done, n_procedures = progress

    def map_chunks(function: Callable[[Any], Any], items: Iterable[Any], /) -> Iterator[Any]:
        chunks = list(items)
        for n_chunks, result in enumerate(work.engine.map(function, chunks), start=1):
            work.report(Progress(task, n_done + n_chunks / len(chunks), n_procedures))
            yield result

    spec = PROCEDURES[procedure]
    if spec.on_draws is None:
        raise SettingsError(f"{spec.name} cannot test draws of runs. Choose one of: {', '.join(on_draws())}.")
    work.report(Progress(task, n_done, n_procedures))
    if spec.pairs_outputs:
        baseline, system = pool.statistics
    else:
        baseline, system = pool.units
    how = replace(how_of(spec, settings, work, "two-sided", pool.unit_sizes), map_chunks=map_chunks)
    return spec.on_draws(baseline, system, pool.scored.scorer.score, draws, how)


def single_runs(pool: Pool) -> dict[tuple[str, str], Draws]:
    """Return the first rows of Table 2: one run each, from high against low to low against high.

    With a single run per system, only these.
    """
    if max(pool.sizes) == 1:
        return {(ONLY, ONLY): all_draws(pool.sizes, 1)}
    baseline_order = np.argsort(pool.direction * pool.scores[0], kind="stable")  # the worst run first
    system_order = np.argsort(pool.direction * pool.scores[1], kind="stable")
    baseline_median = median_run(pool.scores[0])
    system_median = median_run(pool.scores[1])
    return {
        ("high", "low"): _draw_of_two(baseline_order[-1], system_order[0]),
        ("median", "median"): _draw_of_two(baseline_median, system_median),
        ("low", "high"): _draw_of_two(baseline_order[0], system_order[-1]),
    }


def _draw_of_two(baseline_run: int, system_run: int) -> Draws:
    return Draws(np.array([[baseline_run]]), np.array([[system_run]]))


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

    # The time of a case grows with its runs and, more slowly, with its draws; progress goes by these costs
    costs = [draws.n_runs * (1 + len(draws) / 50) for _, draws in cases]
    ends = np.cumsum([0, *costs]) / sum(costs)

    rows = []
    tested_cases = []
    for index, ((baseline_run, system_run), draws) in enumerate(cases):
        part = _part_of(work, ends[index], ends[index + 1])
        tested = trials(pool, draws, procedures, settings, part)
        tested_cases.append(tested.assign(case=baseline_run))
        for procedure, of_procedure in tested.groupby("procedure", sort=False):
            p = of_procedure["p_value"].dropna().to_numpy()
            quantiles = [np.nan] * 3
            if len(p):
                quantiles = np.quantile(p, (0.025, 0.5, 0.975)).tolist()
            better, unclear, worse = shares(of_procedure)
            row = (
                draws.n_runs,
                baseline_run,
                system_run,
                procedure,
                *quantiles,
                better,
                unclear,
                worse,
                len(of_procedure),
                len(p),
            )
            rows.append(row)
    return pd.DataFrame(rows, columns=list(PUBLISHED)), pd.concat(tested_cases, ignore_index=True)


def _part_of(work: Work, start: float, end: float) -> Work:
    """Return the same resources, whose progress goes from ``start`` to ``end`` of the whole."""

    def report(progress: Progress) -> None:
        work.report(Progress(progress.task, start + progress.fraction * (end - start), 1.0))

    return Work(work.engine, work.store, report)


def shares(tested: pd.DataFrame) -> tuple[float, float, float]:
    """Return the shares of ``better``, ``open`` and ``worse`` in a column ``conclusion``; NaN without draws."""
    conclusions = tested["conclusion"].dropna()
    better = float((conclusions == BETTER).mean())
    unclear = float((conclusions == OPEN).mean())
    worse = float((conclusions == WORSE).mean())
    return better, unclear, worse


def no_trials() -> pd.DataFrame:
    """Return an empty frame of trials."""
    return pd.DataFrame({"difference": [], "conclusion": []})


def odds(pool: Pool, k: int, procedures: Sequence[str], settings: Settings, work: Work) -> pd.DataFrame:
    """Return how often each procedure concludes better, open or worse from k runs per system; columns ``ODDS``.

    Exact for at most 1,000 combinations, otherwise from 1,000 random draws.
    """
    is_exact = n_combinations(pool.sizes, k) <= MOST_ENUMERATED
    if is_exact:
        draws = all_draws(pool.sizes, k)
    else:
        generator = np.random.Generator(np.random.SFC64(seeds_for(settings.seed, f"odds of {k} runs")))
        draws = Draws.random(pool.sizes, k, MOST_ENUMERATED, generator)
    tested = trials(pool, draws, procedures, settings, work)
    rows = []
    for procedure, of_procedure in tested.groupby("procedure", sort=False):
        rows.append((procedure, *shares(of_procedure), len(draws), is_exact))
    return pd.DataFrame(rows, columns=list(ODDS))
