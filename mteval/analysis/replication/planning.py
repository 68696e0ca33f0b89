"""Where the variance comes from, and what it means for the next experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mteval.analysis.replication.pool import Pool, Runs
from mteval.analysis.replication.wish import Wish
from mteval.analysis.rows import frame_of
from mteval.counts import counted
from mteval.errors import DataError
from mteval.look_plans import LookPlan
from mteval.metrics.base import FloatArray
from mteval.stats.crossed_layout import Components, components_of
from mteval.stats.look_power import LookPower, look_power
from mteval.stats.planning import Design, Sources, detectable, power, runs_needed, segments_needed, variance_factors
from mteval.stats.runs import copies_or_single_runs, satterthwaite
from mteval.stats.units import df_of_units, uneven_refusal, unit_values

RUNS_PLANNED = (2, 3, 4, 5, 6, 8, 10, 14, 20, 30, 50)
RUNS, SEGMENTS, PAIRS = "runs", "test set", "runs × test set"


@dataclass(frozen=True)
class VarianceRow:
    """The part of a variance that one source brings, in squared points, and its share."""

    what: str
    source: str
    variance: float
    share: float


@dataclass(frozen=True)
class UncertaintyRow:
    """A standard deviation from so many degrees of freedom, with its 95% chi-square interval."""

    source: str
    standard_deviation: float
    df: float
    low: float
    high: float


@dataclass(frozen=True)
class PowerRow:
    """Power at the target and smallest detectable difference for runs a system and a size of the test set."""

    n_runs: int
    n_units: int
    power: float
    detectable: float


@dataclass(frozen=True)
class SplitRow:
    """The same where runs are divided unequally."""

    n_baseline: int
    n_system: int
    power: float
    detectable: float


@dataclass(frozen=True)
class Variation:
    """Variance of a pool, by where it comes from.

    Parameters
    ----------
    components
        Of the difference of the mean scores of all runs.
    sources
        The same for one run and one unit.
    alone
        For baseline and system the variance of units, for one unit: that of the score, not of the difference.
    """

    components: Components
    sources: Sources
    alone: tuple[float, float]

    @property
    def run_factors(self) -> tuple[float, float]:
        """By what factors the variance between runs may lie below and above its estimate, at 95%."""
        n_a, n_b, _ = self.components.shape
        df = satterthwaite(self.components.runs, (n_a - 1, n_b - 1))
        return variance_factors(df, 0.95) if np.isfinite(df) else (1.0, 1.0)


def variation_of(pool: Pool) -> Variation:
    """Estimate the components from linearised scores.

    Raises
    ------
    DataError
        Where there are too few runs or units, or only copies of a run.
    """
    refusal = copies_or_single_runs(*pool.units)
    if pool.n_units < 2:
        refusal = f"The test set has one {pool.unit}; how much they differ cannot be known."
    refusal = refusal or uneven_refusal(pool.unit_sizes)
    if refusal:
        raise DataError(refusal)
    parts = [unit_values(units, pool.scored.scorer.score, pool.unit_sizes) for units in pool.units]
    components = components_of(parts[0], parts[1], df_of_units(pool.unit_sizes))
    sources = Sources.estimated(components)
    alone = [_units_alone(part, pair) for part, pair in zip(parts, sources.pairs, strict=True)]
    return Variation(components, sources, (alone[0], alone[1]))


def _units_alone(contribution: FloatArray, pair: float) -> float:
    """Variance of the units of one system in endless runs."""
    return max(0.0, float(contribution.mean(axis=0).var(ddof=1)) - pair / len(contribution))


def variance_frame(pool: Runs, variation: Variation) -> pd.DataFrame:
    """Variance of a score and of a difference by source, and shares, with the columns of ``VarianceRow``."""
    sources, n = variation.sources, pool.n_units
    rows: list[VarianceRow] = []
    for side, system in enumerate((pool.baseline, pool.system)):
        parts = (sources.runs[side], variation.alone[side] / n, sources.pairs[side] / n)
        rows += _shares(f"score of one run of {system}", parts)
    for label, counts in (("difference of one run each", (1, 1)), (_counted(pool.sizes), pool.sizes)):
        runs = sum(run / count for run, count in zip(sources.runs, counts, strict=True))
        pairs = sum(pair / count for pair, count in zip(sources.pairs, counts, strict=True))
        rows += _shares(label, (runs, sources.segments / n, pairs / n))
    return frame_of(rows, VarianceRow)


def _counted(sizes: tuple[int, int]) -> str:
    return f"difference of the averages of {sizes[0]} and {counted(sizes[1], 'run')}"


def _shares(what: str, parts: Sequence[float]) -> list[VarianceRow]:
    total = sum(parts)
    named = zip((RUNS, SEGMENTS, PAIRS), parts, strict=True)
    return [VarianceRow(what, name, part, part / total if total else np.nan) for name, part in named]


def uncertainty_frame(pool: Pool, variation: Variation) -> pd.DataFrame:
    """How well the standard deviations are known: one row each, with the columns of ``UncertaintyRow``."""
    n_a, n_b, n_units = variation.components.shape
    segments_error = np.sqrt(variation.components.segments)
    spreads = [float(np.sqrt(part * n)) for part, n in zip(variation.components.runs, (n_a, n_b), strict=True)]
    cases = (
        (f"{pool.baseline}, between runs", spreads[0], n_a - 1),
        (f"{pool.system}, between runs", spreads[1], n_b - 1),
        ("difference, from the test set", float(segments_error), variation.sources.df_of(n_units)),
    )
    rows = []
    for name, deviation, df in cases:
        low, high = variance_factors(df, 0.95)
        rows.append(UncertaintyRow(name, deviation, df, deviation * low**0.5, deviation * high**0.5))
    return frame_of(rows, UncertaintyRow)


@dataclass(frozen=True)
class Plan:
    """What the wish takes.

    Parameters
    ----------
    runs, runs_if_less, runs_if_more
        Runs a system on a test set of this size; the latter two where runs vary as little or as much as the runs at
        hand leave possible. None where no number suffices.
    detectable_at_best
        Smallest difference found with that power by endless runs on this test set.
    units
        Size of the test set on which ``n_runs`` suffice; None where none is large enough.
    """

    wish: Wish
    n_units: int
    n_runs: int
    runs: int | None
    runs_if_less: int | None
    runs_if_more: int | None
    detectable_at_best: float
    units: int | None


def plan(sources: Sources, factors: tuple[float, float], n_units: int, n_runs: int, wish: Wish) -> Plan:
    """Runs and units needed; ``factors`` bound the variance between runs below and above."""
    estimate, less, more = (
        runs_needed(sources.with_run_variance(factor), n_units, wish.target, wish.level, wish.power)
        for factor in (1.0, *factors)
    )
    endless = Design(10**12, 10**12, n_units)
    units = segments_needed(sources, (n_runs, n_runs), wish.target, wish.level, wish.power)
    best = detectable(sources, endless, wish.level, wish.power)
    return Plan(wish, n_units, n_runs, estimate, less, more, best, units)


def planned_sizes(n_units: int) -> list[int]:
    """Sizes of the test set that a plan is made for: half of this one, this one, two and four times it."""
    return sorted({max(2, round(times * n_units)) for times in (0.5, 1, 2, 4)})


def power_frame(sources: Sources, numbers: Sequence[int], sizes: Sequence[int], wish: Wish) -> pd.DataFrame:
    """Power and smallest detectable difference by runs and size, with the columns of ``PowerRow``."""
    rows = [PowerRow(n, size, *_found(sources, Design(n, n, size), wish)) for size in sizes for n in numbers]
    return frame_of(rows, PowerRow)


def runs_that_lose_power(power: pd.DataFrame) -> int | None:
    """The largest number of runs with which some larger test set has less power; None where there is no such number.

    ``power`` is from ``power_frame``; a thousandth of power counts for nothing.
    """
    least_change = power.sort_values("n_units").groupby("n_runs")["power"].apply(lambda column: column.diff().min())
    falling = least_change.index[least_change < -0.001]
    return int(falling.max()) if len(falling) else None


def splits_frame(sources: Sources, n_total: int, n_units: int, wish: Wish) -> pd.DataFrame:
    """What dividing so many runs unequally costs, with the columns of ``SplitRow``."""
    designs = [Design(n, n_total - n, n_units) for n in range(2, n_total - 1)]
    rows = [SplitRow(one.n_baseline, one.n_system, *_found(sources, one, wish)) for one in designs]
    return frame_of(rows, SplitRow)


def plan_of_looks(sources: Sources, n_units: int, wish: Wish, looks: LookPlan, n_compared: int) -> LookPower:
    """What planned looks find of the wish's target, at the levels that Holm's first step over the systems leaves."""
    levels = [one / max(1, n_compared) for one in looks.levels]
    return look_power(sources, n_units, wish.target, looks.looks, levels)


def _found(sources: Sources, design: Design, wish: Wish) -> tuple[float, float]:
    """Power at the target, and the smallest difference found with the wanted power."""
    return (
        power(sources, design, wish.target, wish.level),
        detectable(sources, design, wish.level, wish.power),
    )
