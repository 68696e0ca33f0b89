"""How many runs? What so many would show (Clark et al.'s Figure 2), and what the next experiment would find.

Power depends on runs and test set; the difference to be found is set by the user. The median run is that of Clark et
al.'s section 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass

import numpy as np
import pandas as pd

from mteval.analysis.replication.pool import Pool, Prospect, Runs, Variation, pool_of, variation_of
from mteval.analysis.scoring import Scored
from mteval.base.errors import DataError, MtevalError
from mteval.stats import planning
from mteval.stats import replication as other_runs
from mteval.stats.procedures.registry import answering
from mteval.stats.resampling.streams import seeds_for
from mteval.stats.runs import variance
from mteval.values.notation import Notation, rounded_up
from mteval.values.settings import Design, LookPlan, Settings
from mteval.values.verdict import MANY_SYSTEMS

ALL_UP_TO = 10  # numbers of runs; beyond, a few are picked
BINS_OF_ONE_RUN = 40
NO_OUTLOOK = other_runs.Outlook(*[float("nan")] * 5)


OUTLOOK = (
    "k", "expected", "standard_deviation", "low", "high", "wrong_sign", "risk_low", "risk_high", "at_least_half",
    "pool_standard_deviation", "pool_low", "pool_high", "pool_wrong_sign", "pool_at_least_half", "n_combinations",
    "is_exact",
)  # fmt: skip
FREQUENCIES = ("k", "left", "right", "share")
MEDIAN = ("system", "k", "reach", "within", "pool_within", "elsewhere_within")
POWER = ("n_runs", "n_units", "power", "detectable")
SPLITS = ("n_baseline", "n_system", "power", "detectable")


@dataclass(frozen=True)
class Replication:
    """What numbers of runs would show.

    Parameters
    ----------
    outlook
        One row a number of runs k of each system, with the columns ``OUTLOOK``; differences are raw, ``system -
        baseline``. ``expected`` is that of the mean scores of all runs. The next columns are for fresh runs, as in
        ``Outlook``; ``risk_low`` and ``risk_high`` are a confidence interval of ``wrong_sign``, which is estimated from
        the runs at hand: beyond one half, the true order may be the other one. Those with ``pool_`` are for the
        combinations of the runs at hand, NaN where there is one only; ``n_combinations`` says how many there are, and
        ``is_exact`` whether all of them were looked at.
    frequencies
        Columns ``FREQUENCIES``: histogram of the combinations' differences, shares adding up to 1 for each k of which
        there is more than one combination.
    """

    outlook: pd.DataFrame
    frequencies: pd.DataFrame


def numbers_of_runs(most: int) -> tuple[int, ...]:
    """1 to ``most``: all of the first ten, then steps of about a quarter."""
    numbers = list(range(1, min(most, ALL_UP_TO) + 1))
    while numbers[-1] < most:
        numbers.append(min(most, round(numbers[-1] * 1.25)))
    return tuple(numbers)


def replication(pool: Runs, settings: Settings, most: int) -> Replication:
    """Spread of the observed difference for 1 to ``most`` runs of each system."""
    ks = numbers_of_runs(most)
    by_k = other_runs.differences_by_k(*pool.scores, ks, seeds_for(settings.seed, "replication"))
    apart = other_runs.separation(*pool.scores, settings.confidence)
    rows = []
    for found in by_k:
        variance_of_k = other_runs.fresh_variance(*pool.scores, found.k)
        fresh = other_runs.fresh_outlook(pool.difference, float(np.sqrt(variance_of_k)))
        is_alone = found.n_combinations == 1
        here = NO_OUTLOOK if is_alone else other_runs.pool_outlook(found.values, pool.difference)
        _, *risk = apart.risk(found.k)
        *spread, at_least_half = astuple(fresh)
        numbers = *spread, *risk, at_least_half, *astuple(here)
        rows.append((found.k, pool.difference, *numbers, found.n_combinations, found.is_exact))
    return Replication(pd.DataFrame(rows, columns=list(OUTLOOK)), _frequencies(by_k))


def _frequencies(by_k: Sequence[other_runs.Differences]) -> pd.DataFrame:
    """Histograms on shared bins, so that areas can be compared; zero is an edge, so that no bin has both signs."""
    by_k = [differences for differences in by_k if differences.n_combinations > 1]
    if not by_k:
        return pd.DataFrame([], columns=list(FREQUENCIES))
    low = min(float(differences.values.min()) for differences in by_k)
    high = max(float(differences.values.max()) for differences in by_k)
    width = (high - low) / BINS_OF_ONE_RUN
    step = rounded_up(width) if width > 1e-9 else 0.01  # where nothing varies
    edges = np.arange(np.floor(low / step), np.floor(high / step) + 2) * step
    rows = list[tuple[int, float, float, float]]()
    for differences in by_k:
        counts, _ = np.histogram(differences.values, edges)
        bars = zip(edges[:-1], edges[1:], counts / len(differences.values), strict=True)
        rows += [(differences.k, *bar) for bar in bars]
    return pd.DataFrame(rows, columns=list(FREQUENCIES))


def median_convergence(pool: Pool, most: int, elsewhere: Pool | None = None) -> pd.DataFrame:
    """How often the median of k runs lies within half the systems' difference of its system's mean.

    One row a system and k, with the columns ``MEDIAN``: ``within`` for fresh runs with normal scores, ``pool_within``
    exact for k of the runs at hand. ``elsewhere`` has the same runs on another test set: the run is chosen here and
    looked at there, where the reach is half the difference there; NaN without one.
    """
    rows = []
    for side, system in enumerate((pool.baseline, pool.system)):
        scores, reach = pool.scores[side], abs(pool.difference) / 2
        deviation = float(np.sqrt(variance(scores)))
        for k in numbers_of_runs(most):
            fresh = other_runs.fresh_median_within(deviation, k, reach)
            other = np.nan
            if elsewhere is not None:
                other = other_runs.median_within(scores, k, abs(elsewhere.difference) / 2, elsewhere.scores[side])
            rows.append((system, k, reach, fresh, other_runs.median_within(scores, k, reach), other))
    return pd.DataFrame(rows, columns=list(MEDIAN))


def runs_until_representative(median: pd.DataFrame, share: float) -> dict[str, int | None]:
    """For each system the fewest runs from which on the median is representative at least that often.

    ``median`` is from ``median_convergence``: columns ``system, k, within``.
    """
    fewest: dict[str, int | None] = {}
    for system, rows in median.groupby("system", sort=False):
        enough = rows["within"].to_numpy() >= share
        lasting = np.logical_and.accumulate(enough[::-1])[::-1]
        fewest[str(system)] = int(rows["k"].to_numpy()[lasting][0]) if lasting.any() else None
    return fewest


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
    design: Design = "independent"
    unit: str = "segment"


def plan(
    sources: planning.Sources,
    factors: tuple[float, float],
    n_units: int,
    n_runs: int,
    wish: Wish,
    design: Design = "independent",
    unit: str = "segment",
) -> Plan:
    """Runs and units needed; ``factors`` bound the variance between runs below and above."""
    estimate, less, more = (
        planning.runs_needed(sources.with_run_variance(factor), n_units, wish.target, wish.level, wish.power)
        for factor in (1.0, *factors)
    )
    endless = planning.Design(10**12, 10**12, n_units)
    units = planning.segments_needed(sources, (n_runs, n_runs), wish.target, wish.level, wish.power)
    best = planning.detectable(sources, endless, wish.level, wish.power)
    return Plan(wish, n_units, n_runs, estimate, less, more, best, units, design, unit)


def plan_from(runs: Runs, variation: Variation, wish: Wish) -> Plan:
    """The plan from runs at hand: for the test set as it is, and for as many runs as there are, two at least."""
    spec = answering("both", runs.unit, variation.design)
    n_runs = max(planning.FEWEST_RUNS, spec.fewest_runs(*runs.sizes))
    return plan(variation.sources, variation.run_factors, runs.n_units, n_runs, wish, variation.design, runs.unit)


def planned_sizes(n_units: int) -> list[int]:
    """Sizes of the test set that a plan is made for: half of this one, this one, two and four times it."""
    return sorted({max(2, round(times * n_units)) for times in (0.5, 1, 2, 4)})


def power_frame(sources: planning.Sources, numbers: Sequence[int], sizes: Sequence[int], wish: Wish) -> pd.DataFrame:
    """Power and smallest detectable difference by runs and size, with the columns ``POWER``."""
    rows = [(n, size, *_found(sources, planning.Design(n, n, size), wish)) for size in sizes for n in numbers]
    return pd.DataFrame(rows, columns=list(POWER))


def runs_that_lose_power(frame: pd.DataFrame) -> int | None:
    """The largest number of runs with which some larger test set has less power; None where there is no such number.

    ``frame`` is from ``power_frame``; a thousandth of power counts for nothing.
    """
    least_change = frame.sort_values("n_units").groupby("n_runs")["power"].apply(lambda column: column.diff().min())
    falling = least_change.index[least_change < -0.001]
    return int(falling.max()) if len(falling) else None


def splits_frame(sources: planning.Sources, n_total: int, n_units: int, wish: Wish) -> pd.DataFrame:
    """What dividing so many runs unequally costs, with the columns ``SPLITS``."""
    designs = [planning.Design(n, n_total - n, n_units) for n in range(2, n_total - 1)]
    rows = [(one.n_baseline, one.n_system, *_found(sources, one, wish)) for one in designs]
    return pd.DataFrame(rows, columns=list(SPLITS))


def plan_of_looks(
    sources: planning.Sources, n_units: int, wish: Wish, looks: LookPlan, n_compared: int
) -> planning.LookPower:
    """What planned looks find of the wish's target, at the levels that Holm's first step over the systems leaves."""
    levels = [one / max(1, n_compared) for one in looks.levels]
    return planning.look_power(sources, n_units, wish.target, looks.looks, levels)


def _found(sources: planning.Sources, design: planning.Design, wish: Wish) -> tuple[float, float]:
    """Power at the target, and the smallest difference found with the wanted power."""
    smallest = planning.detectable(sources, design, wish.level, wish.power)
    return planning.power(sources, design, wish.target, wish.level), smallest


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
