"""What a planned experiment should be able to find, and at what level.

What the next experiment would find: runs, test set and power.

What an evaluation keeps of its runs, so that reports can say what other runs would show.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from mteval.analysis.replication.pool import Prospect, Runs, Variation, pool_of, variation_of
from mteval.analysis.scoring import Scored
from mteval.analysis.work import frame_of
from mteval.base.errors import DataError, MtevalError
from mteval.stats.planning import (
    FEWEST_RUNS,
    Design,
    LookPower,
    Sources,
    detectable,
    look_power,
    power,
    runs_needed,
    segments_needed,
)
from mteval.stats.procedures.registry import answering
from mteval.values.notation import Notation
from mteval.values.settings import Design as Declared
from mteval.values.settings import LookPlan, Settings
from mteval.values.verdict import MANY_SYSTEMS


@dataclass(frozen=True)
class Wish:
    """What a planned experiment should be able to find.

    Parameters
    ----------
    target
        True difference that matters, in points of the score; set by the user, never the observed one.
    power
        Probability with which it should be found.
    level
        Of the two-sided test.
    """

    target: float
    power: float = 0.8
    level: float = 0.05

    def __post_init__(self) -> None:
        if not self.target > 0:
            raise DataError(f"The difference to be found is {self.target}; give a positive number of points.")
        if not self.level < self.power < 1:
            raise DataError(f"The power is {self.power}; give a probability between {self.level} and 1.")


def strictest_level(settings: Settings, n_compared: int) -> float:
    """The level that a difference surely has to reach: Holm's first step over the systems that are compared."""
    return (1 - settings.confidence) / max(1, n_compared)


def usual_wish(notation: Notation, settings: Settings, n_compared: int) -> Wish:
    """What should be found where nobody has said: ten times a small but visible difference, with 80% power."""
    return Wish(10 * notation.step, level=strictest_level(settings, n_compared))


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
    unit
        What the test set is counted in.
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
    unit: str = "segment"


def plan(
    sources: Sources,
    factors: tuple[float, float],
    n_units: int,
    n_runs: int,
    wish: Wish,
    design: Declared = "independent",
    unit: str = "segment",
) -> Plan:
    """Runs and units needed; ``factors`` bound the variance between runs below and above."""
    estimate, less, more = (
        runs_needed(sources.with_run_variance(factor), n_units, wish.target, wish.level, wish.power)
        for factor in (1.0, *factors)
    )
    endless = Design(10**12, 10**12, n_units)
    units = segments_needed(sources, (n_runs, n_runs), wish.target, wish.level, wish.power)
    best = detectable(sources, endless, wish.level, wish.power)
    return Plan(wish, n_units, n_runs, estimate, less, more, best, units, design, unit)


def plan_from(runs: Runs, variation: Variation, wish: Wish) -> Plan:
    """The plan from runs at hand: for the test set as it is, and for as many runs as there are, two at least."""
    spec = answering("both", runs.unit, variation.design)
    n_runs = max(FEWEST_RUNS, spec.fewest_runs(*runs.sizes))
    return plan(variation.sources, variation.run_factors, runs.n_units, n_runs, wish, variation.design, runs.unit)


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


def prospects(baseline: str, scored_metrics: Sequence[Scored], primary: str, settings: Settings) -> Iterator[Prospect]:
    """By the primary metric, for each test set and system; none of many systems, and where runs show no spread."""
    for scored in scored_metrics:
        others = [system for system in scored.statistics if system != baseline]
        if scored.metric.key == primary and len(others) < MANY_SYSTEMS - 1:
            for system in others:
                try:
                    pool = pool_of(scored, baseline, system, settings)
                    variation = variation_of(pool)
                except MtevalError:  # no output of one of them, or too few runs: the verdict says so
                    continue
                yield Prospect(
                    scored.test_set.name, primary, baseline, system, pool.unit, pool.n_units, pool.scores, variation
                )
