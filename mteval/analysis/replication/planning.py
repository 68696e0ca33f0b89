"""How many runs? What other numbers of runs would show (Clark et al.'s Figure 2), and the power of the next experiment.

Also the median run of Clark et al.'s section 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import special

from mteval.analysis.replication.pool import Pool, Runs, pool_of, variation_of
from mteval.analysis.replication.variation import Prospect, Variation
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
    "k",
    "expected",
    "standard_deviation",
    "low",
    "high",
    "wrong_sign",
    "risk_low",
    "risk_high",
    "at_least_half",
    "pool_standard_deviation",
    "pool_low",
    "pool_high",
    "pool_wrong_sign",
    "pool_at_least_half",
    "n_combinations",
    "is_exact",
)
FREQUENCIES = ("k", "left", "right", "share")
RUNS_PLANNED = (2, 3, 4, 5, 6, 8, 10, 14, 20, 30, 50)


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
    numbers = list(range(1, min(most, 10) + 1))
    while numbers[-1] < most:
        numbers.append(min(most, round(numbers[-1] * 1.25)))
    return tuple(numbers)


def replication(pool: Runs, settings: Settings, most: int) -> Replication:
    """Return the spread of the observed difference for 1 to ``most`` runs of each system."""
    baseline, system = pool.scores
    seeds = seeds_for(settings.seed, "replication")
    differences_by_k = other_runs.differences_by_k(baseline, system, numbers_of_runs(most), seeds)
    separation = other_runs.separation(baseline, system, settings.confidence)
    rows = []
    for differences in differences_by_k:
        k = differences.k
        deviation = float(np.sqrt(other_runs.fresh_variance(baseline, system, k)))
        fresh = other_runs.fresh_outlook(pool.difference, deviation)
        _, risk_low, risk_high = separation.risk(k)
        row = {
            "k": k,
            "expected": pool.difference,
            "standard_deviation": fresh.standard_deviation,
            "low": fresh.low,
            "high": fresh.high,
            "wrong_sign": fresh.wrong_sign,
            "risk_low": risk_low,
            "risk_high": risk_high,
            "at_least_half": fresh.at_least_half,
            "n_combinations": differences.n_combinations,
            "is_exact": differences.is_exact,
        }
        if differences.n_combinations > 1:
            of_pool = other_runs.pool_outlook(differences.values, pool.difference)
            row["pool_standard_deviation"] = of_pool.standard_deviation
            row["pool_low"] = of_pool.low
            row["pool_high"] = of_pool.high
            row["pool_wrong_sign"] = of_pool.wrong_sign
            row["pool_at_least_half"] = of_pool.at_least_half
        rows.append(row)
    return Replication(pd.DataFrame(rows, columns=list(OUTLOOK)), _frequencies(differences_by_k))


def wrong_order_on_new_units(runs: Runs) -> float:
    """Return the risk of the wrong order with one new run each on as many new units; NaN if runs cannot tell.

    Assumes that the observed difference is the true one, and normal scores. ``Replication`` has the risk on the present
    units, which ignores that other units would show another difference.
    """
    if isinstance(runs, Prospect):
        variation = runs.variation
    else:
        try:
            variation = variation_of(runs)
        except MtevalError:
            return float("nan")
    error = variation.planned.components(1, 1, runs.n_units).standard_error
    if not error > 0 or not runs.difference:
        return float("nan")
    return float(special.ndtr(-abs(runs.difference) / error))


def _frequencies(differences_by_k: Sequence[other_runs.Differences]) -> pd.DataFrame:
    """Return histograms on shared bins with an edge at zero, so that no bin mixes signs."""
    varied = [differences for differences in differences_by_k if differences.n_combinations > 1]
    if not varied:
        return pd.DataFrame([], columns=list(FREQUENCIES))
    low = min(float(differences.values.min()) for differences in varied)
    high = max(float(differences.values.max()) for differences in varied)
    width = (high - low) / 40
    step = 0.01  # if nothing varies
    if width > 1e-9:
        step = rounded_up(width)
    # Multiples of the step, from the last one not above the lowest difference
    edges = np.arange(np.floor(low / step), np.floor(high / step) + 2) * step

    rows = []
    for differences in varied:
        counts, _ = np.histogram(differences.values, edges)
        shares = counts / len(differences.values)
        for left, right, share in zip(edges[:-1], edges[1:], shares, strict=True):
            rows.append((differences.k, left, right, share))
    return pd.DataFrame(rows, columns=list(FREQUENCIES))


def median_convergence(pool: Pool, most: int, elsewhere: Pool | None = None) -> pd.DataFrame:
    """Return how often the median of k runs lies within half the systems' difference of its system's mean.

    One row per ``system`` and ``k``: ``within`` is for fresh runs with normal scores, ``pool_within`` exactly for k of
    the observed runs; ``reach`` is half the difference. ``elsewhere`` has the same runs on another test set: the median
    run is chosen here and evaluated there (``elsewhere_within``, NaN without it).
    """
    reach = abs(pool.difference) / 2
    rows = []
    for side, system in enumerate((pool.baseline, pool.system)):
        scores = pool.scores[side]
        deviation = float(np.sqrt(variance(scores)))
        for k in numbers_of_runs(most):
            fresh_within = other_runs.fresh_median_within(deviation, k, reach)
            pool_within = other_runs.median_within(scores, k, reach)
            elsewhere_within = np.nan
            if elsewhere is not None:
                reach_elsewhere = abs(elsewhere.difference) / 2
                elsewhere_within = other_runs.median_within(scores, k, reach_elsewhere, elsewhere.scores[side])
            rows.append((system, k, reach, fresh_within, pool_within, elsewhere_within))
    return pd.DataFrame(rows, columns=["system", "k", "reach", "within", "pool_within", "elsewhere_within"])


def runs_until_representative(median: pd.DataFrame, share: float) -> dict[str, int | None]:
    """Return for each system the fewest runs from which on the median is representative at least that often.

    ``median`` is from ``median_convergence``: columns ``system, k, within``.
    """
    fewest: dict[str, int | None] = {}
    for system, rows in median.groupby("system", sort=False):
        is_enough = rows["within"].to_numpy() >= share
        # True if this number of runs and all larger ones are enough
        is_enough_from_here_on = np.logical_and.accumulate(is_enough[::-1])[::-1]
        fewest[str(system)] = None
        if is_enough_from_here_on.any():
            fewest[str(system)] = int(rows["k"].to_numpy()[is_enough_from_here_on][0])
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


def initial_deviations(pool: Pool, notation: Notation) -> tuple[float, float, float]:
    """Return initial values for standard deviations that a user types instead of those of the runs.

    They are those between the runs of the baseline, between the runs of the system, and of the difference by the test
    set. A deviation that the runs cannot tell starts at a usual size.
    """
    usual = 4 * notation.step

    def rounded(deviation: float) -> float:
        if not np.isfinite(deviation):
            return usual
        return float(f"{deviation:.3g}")

    score = pool.scored.scorer.score
    over_units = difference_over_units(*pool.units, score, 0.95, pool.unit_sizes)
    baseline, system = (float(np.sqrt(variance(scores))) for scores in pool.scores)
    return rounded(baseline), rounded(system), rounded(over_units.standard_error)


def numbers_planned(sources: planning.Sources, numbers: Sequence[int] = RUNS_PLANNED) -> tuple[int, ...]:
    """Return the numbers of runs of a plan; those of samples start with one.

    Only one if nothing is known of how samples vary.
    """
    if not sources.are_samples:
        return tuple(numbers)
    if not any(sources.pairs):
        return (1,)
    return (1, *numbers)


@dataclass(frozen=True)
class Plan:
    """Runs and test-set size that a wish needs.

    Parameters
    ----------
    runs, runs_if_less, runs_if_more
        Runs per system on a test set of this size: estimated, and at the lower and upper bounds of the variances. None
        if no number suffices.
    detectable_at_best
        Smallest difference detectable with that power by unlimited runs on this test set.
    units
        Test-set size for which ``n_runs`` suffice; None if none is large enough.
    design
        How runs were declared: ``runs`` counts pairs of runs if paired, and only the system's runs if the baseline is
        fixed.
    unit
        Unit of the test-set size.
    is_estimated
        Whether the bounds are those of estimated variances; about nine of ten such ranges hold the truth.
    is_noise
        Whether the runs vary no more than the noise of single outputs.
    run_deviation, run_deviation_elsewhere
        SD of the difference of single runs due to runs alone: by this test set, and by the covariance with others. The
        larger one is planned with. None if unknown.
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
    is_estimated: bool = False
    is_noise: bool = False
    run_deviation: float | None = None
    run_deviation_elsewhere: float | None = None


def plan(
    sources: planning.Sources,
    bounds: tuple[planning.Sources, planning.Sources] | None,
    n_units: int,
    n_runs: int,
    wish: Wish,
    design: Design = "independent",
    unit: str = "segment",
) -> Plan:
    """Return the runs and units needed; ``bounds`` are the sources if all variances are low, and if all are high."""

    def runs_needed(possible: planning.Sources) -> int | None:
        return planning.runs_needed(possible, n_units, wish.target, wish.level, wish.power)

    low_sources = sources
    high_sources = sources
    if bounds is not None:
        low_sources, high_sources = bounds
    unlimited_runs = planning.Design(planning.MANY, planning.MANY, n_units)
    return Plan(
        wish=wish,
        n_units=n_units,
        n_runs=n_runs,
        runs=runs_needed(sources),
        runs_if_less=runs_needed(low_sources),
        runs_if_more=runs_needed(high_sources),
        detectable_at_best=planning.detectable(sources, unlimited_runs, wish.level, wish.power),
        units=planning.segments_needed(sources, (n_runs, n_runs), wish.target, wish.level, wish.power),
        design=design,
        unit=unit,
        is_estimated=bounds is not None and not sources.are_samples,
    )


def plan_from(runs: Runs, variation: Variation, wish: Wish) -> Plan:
    """Plan from observed runs, for the present test set and number of runs, at least two, or of samples."""
    if variation.design == "released":
        n_runs = min(variation.components.shape[:-1])
    else:
        spec = answering("both", runs.unit, variation.design)
        n_runs = max(planning.FEWEST_RUNS, spec.fewest_runs(*runs.sizes))
    planned = plan(variation.planned, variation.bounds, runs.n_units, n_runs, wish, variation.design, runs.unit)
    return with_deviations(planned, variation)


def with_deviations(planned: Plan, variation: Variation) -> Plan:
    """Return a plan with what it says about the variance between runs."""
    elsewhere = None
    if variation.covariances:
        elsewhere = float(np.sqrt(sum(variation.covariances)))
    return replace(
        planned,
        is_noise=variation.is_noise,
        run_deviation=float(np.sqrt(sum(variation.sources.runs))),
        run_deviation_elsewhere=elsewhere,
    )


def planned_sizes(n_units: int) -> list[int]:
    """Return the default test-set sizes of a plan: half, one, two and four times the present one."""
    return sorted({max(2, round(times * n_units)) for times in (0.5, 1, 2, 4)})


def power_frame(sources: planning.Sources, numbers: Sequence[int], sizes: Sequence[int], wish: Wish) -> pd.DataFrame:
    """Return power and smallest detectable difference by ``n_runs`` and ``n_units``."""
    rows = []
    for size in sizes:
        for n_runs in numbers:
            power, detectable = _power_and_detectable(sources, planning.Design(n_runs, n_runs, size), wish)
            rows.append((n_runs, size, power, detectable))
    return pd.DataFrame(rows, columns=["n_runs", "n_units", "power", "detectable"])


def runs_that_lose_power(frame: pd.DataFrame) -> int | None:
    """Return the largest number of runs for which a larger test set has less power; None if there is none.

    ``frame`` is from ``power_frame``; losses below 0.001 are ignored.
    """
    power_by_runs = frame.sort_values("n_units").groupby("n_runs")["power"]
    least_change = power_by_runs.apply(lambda power: power.diff().min())
    falling = least_change.index[least_change < -0.001]
    if len(falling) == 0:
        return None
    return int(falling.max())


def splits_frame(sources: planning.Sources, n_total: int, n_units: int, wish: Wish) -> pd.DataFrame:
    """Return power for unequal divisions of the runs: ``n_baseline`` and ``n_system``."""
    rows = []
    for n_baseline in range(2, n_total - 1):
        n_system = n_total - n_baseline
        power, detectable = _power_and_detectable(sources, planning.Design(n_baseline, n_system, n_units), wish)
        rows.append((n_baseline, n_system, power, detectable))
    return pd.DataFrame(rows, columns=["n_baseline", "n_system", "power", "detectable"])


def plan_of_looks(
    sources: planning.Sources, n_units: int, wish: Wish, looks: LookPlan, n_compared: int
) -> planning.LookPower:
    """Return the power of planned interim analyses for the wish's target, at the levels of Holm's first step."""
    levels = [level / max(1, n_compared) for level in looks.levels]
    return planning.look_power(sources, n_units, wish.target, looks.looks, levels)


def _power_and_detectable(sources: planning.Sources, design: planning.Design, wish: Wish) -> tuple[float, float]:
    """Return the power at the target, and the smallest difference detectable with the wanted power."""
    power = planning.power(sources, design, wish.target, wish.level)
    detectable = planning.detectable(sources, design, wish.level, wish.power)
    return power, detectable


def prospects(baseline: str, scored_metrics: Sequence[Scored], primary: str, settings: Settings) -> Iterator[Prospect]:
    """Yield the runs of each test set and system by the primary metric.

    Yields nothing for many systems, or if the runs do not vary.
    """
    for scored in scored_metrics:
        compared_systems = [system for system in scored.statistics if system != baseline]
        if scored.metric.key != primary or len(compared_systems) >= MANY_SYSTEMS - 1:
            continue
        for system in compared_systems:
            try:
                pool = pool_of(scored, baseline, system, settings, scored_metrics)
                variation = variation_of(pool)
            except MtevalError:  # no output or too few runs, as the verdict says
                continue
            yield Prospect(
                test_set=scored.test_set.name,
                metric=primary,
                baseline=baseline,
                system=system,
                unit=pool.unit,
                n_units=pool.n_units,
                scores=pool.scores,
                variation=variation,
            )
