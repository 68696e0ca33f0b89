"""What the next experiment would find: runs, test set and power."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from mteval.analysis.replication.pool import Runs
from mteval.analysis.replication.variation import Variation
from mteval.analysis.replication.wish import Wish
from mteval.analysis.rows import frame_of
from mteval.look_plans import LookPlan
from mteval.settings import Design as Declared
from mteval.stats.look_power import LookPower, look_power
from mteval.stats.planning import FEWEST_RUNS, Design, Sources, detectable, power, runs_needed, segments_needed
from mteval.stats.procedures.registry import answering

RUNS_PLANNED = (2, 3, 4, 5, 6, 8, 10, 14, 20, 30, 50)


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
    design
        How runs were declared: runs are then pairs of runs, or runs of the system alone.
    """

    wish: Wish
    n_units: int
    n_runs: int
    runs: int | None
    runs_if_less: int | None
    runs_if_more: int | None
    detectable_at_best: float
    units: int | None
    design: Declared = "independent"


def plan(
    sources: Sources,
    factors: tuple[float, float],
    n_units: int,
    n_runs: int,
    wish: Wish,
    design: Declared = "independent",
) -> Plan:
    """Runs and units needed; ``factors`` bound the variance between runs below and above."""
    estimate, less, more = (
        runs_needed(sources.with_run_variance(factor), n_units, wish.target, wish.level, wish.power)
        for factor in (1.0, *factors)
    )
    endless = Design(10**12, 10**12, n_units)
    units = segments_needed(sources, (n_runs, n_runs), wish.target, wish.level, wish.power)
    best = detectable(sources, endless, wish.level, wish.power)
    return Plan(wish, n_units, n_runs, estimate, less, more, best, units, design)


def plan_from(runs: Runs, variation: Variation, wish: Wish) -> Plan:
    """The plan from runs at hand: for the test set as it is, and for as many runs as there are, two at least."""
    spec = answering("both", runs.unit, variation.design)
    n_runs = max(FEWEST_RUNS, spec.fewest_runs(*runs.sizes))
    return plan(variation.sources, variation.run_factors, runs.n_units, n_runs, wish, variation.design)


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
