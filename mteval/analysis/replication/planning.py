"""How many runs? What other numbers of runs would show (Clark et al.'s Figure 2), and the power of the next experiment.

Also the median run of Clark et al.'s section 5.
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
from mteval.stats.interval import difference_over_units
from mteval.stats.procedures.registry import answering
from mteval.stats.resampling.streams import seeds_for
from mteval.stats.runs import variance
from mteval.values.notation import Notation, rounded_up
from mteval.values.settings import Design, LookPlan, Settings
from mteval.values.verdict import MANY_SYSTEMS

OUTLOOK = (
    "k", "expected", "standard_deviation", "low", "high", "wrong_sign", "risk_low", "risk_high", "at_least_half",
    "pool_standard_deviation", "pool_low", "pool_high", "pool_wrong_sign", "pool_at_least_half", "n_combinations",
    "is_exact",
)  # fmt: skip
FREQUENCIES = ("k", "left", "right", "share")


@dataclass(frozen=True)
class Replication:
    """What other numbers of runs would show.

    Parameters
    ----------
    outlook
        One row per number of runs k of each system, with the columns ``OUTLOOK``; differences are ``system -
        baseline``. ``expected`` uses the mean scores of all runs. The next columns are for fresh runs, as in
        ``Outlook``; ``risk_low`` and ``risk_high`` are the confidence interval of ``wrong_sign``. If it exceeds one
        half, the true order may be reversed. Columns with ``pool_`` are for combinations of the observed runs, NaN if
        there is only one. ``is_exact`` tells whether all ``n_combinations`` were used.
    frequencies
        Columns ``FREQUENCIES``: histogram of the combinations' differences; shares sum to 1 for each k with more than
        one combination.
    """

    outlook: pd.DataFrame
    frequencies: pd.DataFrame


def numbers_of_runs(most: int) -> tuple[int, ...]:
    """Return 1 to ``most``: all up to ten, then steps of about a quarter."""
    numbers = list(range(1, min(most, 10) + 1))  # all numbers of runs up to here, then a few
    while numbers[-1] < most:
        numbers.append(min(most, round(numbers[-1] * 1.25)))
    return tuple(numbers)


def replication(pool: Runs, settings: Settings, most: int) -> Replication:
    """Return the spread of the observed difference for 1 to ``most`` runs of each system."""
    by_k = other_runs.differences_by_k(*pool.scores, numbers_of_runs(most), seeds_for(settings.seed, "replication"))
    apart = other_runs.separation(*pool.scores, settings.confidence)
    rows = []
    for found in by_k:
        deviation = float(np.sqrt(other_runs.fresh_variance(*pool.scores, found.k)))
        *spread, at_least_half = astuple(other_runs.fresh_outlook(pool.difference, deviation))
        n, here = found.n_combinations, [np.nan] * 5
        if n > 1:
            here = [*astuple(other_runs.pool_outlook(found.values, pool.difference))]
        _, *risk = apart.risk(found.k)
        rows.append((found.k, pool.difference, *spread, *risk, at_least_half, *here, n, found.is_exact))
    return Replication(pd.DataFrame(rows, columns=list(OUTLOOK)), _frequencies(by_k))


def _frequencies(by_k: Sequence[other_runs.Differences]) -> pd.DataFrame:
    """Return histograms on shared bins with an edge at zero, so that no bin mixes signs."""
    by_k = [differences for differences in by_k if differences.n_combinations > 1]
    if not by_k:
        return pd.DataFrame([], columns=list(FREQUENCIES))
    low = min(float(differences.values.min()) for differences in by_k)
    high = max(float(differences.values.max()) for differences in by_k)
    width = (high - low) / 40
    step = rounded_up(width) if width > 1e-9 else 0.01  # if nothing varies
    edges = np.arange(np.floor(low / step), np.floor(high / step) + 2) * step
    rows = list[tuple[int, float, float, float]]()
    for differences in by_k:
        counts, _ = np.histogram(differences.values, edges)
        bars = zip(edges[:-1], edges[1:], counts / len(differences.values), strict=True)
        rows += [(differences.k, *bar) for bar in bars]
    return pd.DataFrame(rows, columns=list(FREQUENCIES))


def median_convergence(pool: Pool, most: int, elsewhere: Pool | None = None) -> pd.DataFrame:
    """Return how often the median of k runs lies within half the systems' difference of its system's mean.

    One row per ``system`` and ``k``: ``within`` is for fresh runs with normal scores, ``pool_within`` exactly for k of
    the observed runs; ``reach`` is half the difference. ``elsewhere`` has the same runs on another test set: the median
    run is chosen here and evaluated there (``elsewhere_within``, NaN without it).
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
    return pd.DataFrame(rows, columns=["system", "k", "reach", "within", "pool_within", "elsewhere_within"])


def runs_until_representative(median: pd.DataFrame, share: float) -> dict[str, int | None]:
    """Return for each system the fewest runs from which on the median is representative at least that often.

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
    """What a planned experiment should detect.

    Parameters
    ----------
    target
        True difference of interest in points, chosen by the user, never the observed one.
    power
        Probability of detecting it.
    level
        Of the two-sided test.
    """

    target: float
    power: float = 0.8
    level: float = 0.05

    def __post_init__(self) -> None:
        if not self.target > 0:
            raise DataError(f"The target difference must be a positive number of points, not {self.target}.")
        if not self.level < self.power < 1:
            raise DataError(f"The power must be a probability between {self.level:g} and 1, not {self.power}.")


def strictest_level(settings: Settings, n_compared: int) -> float:
    """Return the level of Holm's first step over the compared systems, which is sufficient for any system."""
    return settings.level / max(1, n_compared)


def usual_wish(notation: Notation, settings: Settings, n_compared: int) -> Wish:
    """Return the default wish: ten times a small visible difference, with 80% power."""
    return Wish(10 * notation.step, level=strictest_level(settings, n_compared))


RUNS_PLANNED = (2, 3, 4, 5, 6, 8, 10, 14, 20, 30, 50)


def typed_of(pool: Pool, notation: Notation) -> tuple[float, float, float]:
    """Return where typed numbers start: SD between runs of baseline and system, and of the difference by the test set.

    What these runs cannot tell starts at a usual size.
    """
    score, otherwise = pool.scored.scorer.score, 4 * notation.step
    error = difference_over_units(*pool.units, score, 0.95, pool.unit_sizes).standard_error
    found = [*(float(np.sqrt(variance(scores))) for scores in pool.scores), error]
    baseline, system, difference = (float(f"{one:.3g}") if np.isfinite(one) else otherwise for one in found)
    return baseline, system, difference


def numbers_planned(sources: planning.Sources, numbers: Sequence[int] = RUNS_PLANNED) -> tuple[int, ...]:
    """Return the numbers of runs of a plan; those of samples start with one.

    Only one if nothing is known of how samples vary.
    """
    if sources.are_samples:
        return (1, *numbers) if any(sources.pairs) else (1,)
    return tuple(numbers)


@dataclass(frozen=True)
class Plan:
    """Runs and test-set size that a wish needs.

    Parameters
    ----------
    runs, runs_if_less, runs_if_more
        Runs per system on a test set of this size: estimated, and at the lower and upper bound of the variance between
        runs. None if no number suffices.
    detectable_at_best
        Smallest difference detectable with that power by unlimited runs on this test set.
    units
        Test-set size for which ``n_runs`` suffice; None if none is large enough.
    design
        How runs were declared: ``runs`` counts pairs of runs if paired, and only the system's runs if the baseline is
        fixed.
    unit
        Unit of the test-set size.
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
    sources: planning.Sources, factors: tuple[float, float], n_units: int, n_runs: int, wish: Wish,
    design: Design = "independent", unit: str = "segment",
) -> Plan:  # fmt: skip
    """Return the runs and units needed; ``factors`` bound the variance between runs below and above."""
    varied = (sources.with_run_variance(factor) for factor in (1.0, *factors))
    estimate, less, more = (planning.runs_needed(one, n_units, wish.target, wish.level, wish.power) for one in varied)
    endless = planning.Design(10**12, 10**12, n_units)
    units = planning.segments_needed(sources, (n_runs, n_runs), wish.target, wish.level, wish.power)
    best = planning.detectable(sources, endless, wish.level, wish.power)
    return Plan(wish, n_units, n_runs, estimate, less, more, best, units, design, unit)


def plan_from(runs: Runs, variation: Variation, wish: Wish) -> Plan:
    """Plan from observed runs, for the present test set and number of runs, at least two, or of samples."""
    if variation.design == "released":
        n_runs = min(variation.components.shape[:-1])
    else:
        n_runs = max(planning.FEWEST_RUNS, answering("both", runs.unit, variation.design).fewest_runs(*runs.sizes))
    return plan(variation.sources, variation.run_factors, runs.n_units, n_runs, wish, variation.design, runs.unit)


def planned_sizes(n_units: int) -> list[int]:
    """Return the default test-set sizes of a plan: half, one, two and four times the present one."""
    return sorted({max(2, round(times * n_units)) for times in (0.5, 1, 2, 4)})


def power_frame(sources: planning.Sources, numbers: Sequence[int], sizes: Sequence[int], wish: Wish) -> pd.DataFrame:
    """Return power and smallest detectable difference by ``n_runs`` and ``n_units``."""
    rows = [(n, size, *_found(sources, planning.Design(n, n, size), wish)) for size in sizes for n in numbers]
    return pd.DataFrame(rows, columns=["n_runs", "n_units", "power", "detectable"])


def runs_that_lose_power(frame: pd.DataFrame) -> int | None:
    """Return the largest number of runs for which a larger test set has less power; None if there is none.

    ``frame`` is from ``power_frame``; losses below 0.001 are ignored.
    """
    least_change = frame.sort_values("n_units").groupby("n_runs")["power"].apply(lambda column: column.diff().min())
    falling = least_change.index[least_change < -0.001]
    return int(falling.max()) if len(falling) else None


def splits_frame(sources: planning.Sources, n_total: int, n_units: int, wish: Wish) -> pd.DataFrame:
    """Return power for unequal divisions of the runs: ``n_baseline`` and ``n_system``."""
    designs = [planning.Design(n, n_total - n, n_units) for n in range(2, n_total - 1)]
    rows = [(one.n_baseline, one.n_system, *_found(sources, one, wish)) for one in designs]
    return pd.DataFrame(rows, columns=["n_baseline", "n_system", "power", "detectable"])


def plan_of_looks(
    sources: planning.Sources, n_units: int, wish: Wish, looks: LookPlan, n_compared: int
) -> planning.LookPower:
    """Return the power of planned interim analyses for the wish's target, at the levels of Holm's first step."""
    levels = [one / max(1, n_compared) for one in looks.levels]
    return planning.look_power(sources, n_units, wish.target, looks.looks, levels)


def _found(sources: planning.Sources, design: planning.Design, wish: Wish) -> tuple[float, float]:
    """Return the power at the target, and the smallest difference detectable with the wanted power."""
    smallest = planning.detectable(sources, design, wish.level, wish.power)
    return planning.power(sources, design, wish.target, wish.level), smallest


def prospects(baseline: str, scored_metrics: Sequence[Scored], primary: str, settings: Settings) -> Iterator[Prospect]:
    """Yield the runs of each test set and system by the primary metric.

    Yields nothing for many systems, or if the runs do not vary.
    """
    for scored in scored_metrics:
        others = [system for system in scored.statistics if system != baseline]
        if scored.metric.key == primary and len(others) < MANY_SYSTEMS - 1:
            for system in others:
                try:
                    pool = pool_of(scored, baseline, system, settings)
                    variation = variation_of(pool)
                except MtevalError:  # no output or too few runs, as the verdict says
                    continue
                about = scored.test_set.name, primary, baseline, system
                yield Prospect(*about, pool.unit, pool.n_units, pool.scores, variation)
