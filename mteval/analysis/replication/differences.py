"""How many runs until the difference shows? Clark et al.'s Figure 2, and the median run of their section 5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd

from mteval.analysis.replication.pool import Pool, Runs
from mteval.analysis.work import frame_of
from mteval.stats.replication import (
    Differences,
    Outlook,
    Separation,
    differences_by_k,
    fresh_median_within,
    fresh_outlook,
    fresh_variance,
    median_within,
    pool_outlook,
    separation,
)
from mteval.stats.resampling.streams import seeds_for
from mteval.stats.runs import variance
from mteval.values.notation import rounded_up
from mteval.values.settings import Settings

ALL_UP_TO = 10  # numbers of runs; beyond, a few are picked
BINS_OF_ONE_RUN = 40
NO_OUTLOOK = Outlook(*[float("nan")] * 5)


@dataclass(frozen=True)
class Frequency:
    """A bar of the histogram of differences between the averages of k runs: its edges and its share of them."""

    k: int
    left: float
    right: float
    share: float


@dataclass(frozen=True)
class OutlookRow:
    """What k runs of each system would show; differences are raw, ``system - baseline``.

    Parameters
    ----------
    expected
        Difference of the mean scores of all runs.
    standard_deviation, low, high, wrong_sign, at_least_half
        For fresh runs, as in ``Outlook``.
    risk_low, risk_high
        Confidence interval of ``wrong_sign``, which is estimated from the runs at hand; beyond one half, the true order
        may be the other one. NaN where ``wrong_sign`` is.
    pool_standard_deviation, pool_low, pool_high, pool_wrong_sign, pool_at_least_half
        For the combinations of the runs at hand; NaN where there is one only.
    n_combinations, is_exact
        How many of these there are, and whether all of them were looked at.
    """

    k: int
    expected: float
    standard_deviation: float
    low: float
    high: float
    wrong_sign: float
    risk_low: float
    risk_high: float
    at_least_half: float
    pool_standard_deviation: float
    pool_low: float
    pool_high: float
    pool_wrong_sign: float
    pool_at_least_half: float
    n_combinations: int
    is_exact: bool


@dataclass(frozen=True)
class MedianRow:
    """How often the median of k runs of a system lies within ``reach`` of its mean.

    Parameters
    ----------
    within, pool_within
        For fresh runs with normal scores, and exact for k of the runs at hand.
    elsewhere_within
        Where the run is chosen here and looked at on another test set; NaN without one.
    """

    system: str
    k: int
    reach: float
    within: float
    pool_within: float
    elsewhere_within: float


@dataclass(frozen=True)
class Replication:
    """What numbers of runs would show.

    Parameters
    ----------
    outlook
        One row a number of runs k, with the columns of ``OutlookRow``.
    frequencies
        Columns ``k, left, right, share``: histogram of the combinations' differences, shares adding up to 1 for each k
        of which there is more than one combination.
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
    by_k = differences_by_k(*pool.scores, ks, seeds_for(settings.seed, "replication"))
    apart = separation(*pool.scores, settings.confidence)
    rows = [_outlook_row(pool, differences, apart) for differences in by_k]
    return Replication(frame_of(rows, OutlookRow), _frequencies(by_k))


def _outlook_row(pool: Runs, differences: Differences, apart: Separation) -> OutlookRow:
    fresh = fresh_outlook(pool.difference, float(np.sqrt(fresh_variance(*pool.scores, differences.k))))
    is_alone = differences.n_combinations == 1
    here = NO_OUTLOOK if is_alone else pool_outlook(differences.values, pool.difference)
    _, risk_low, risk_high = apart.risk(differences.k)
    return OutlookRow(
        k=differences.k,
        expected=pool.difference,
        **asdict(fresh),
        risk_low=risk_low,
        risk_high=risk_high,
        **{f"pool_{name}": value for name, value in asdict(here).items()},
        n_combinations=differences.n_combinations,
        is_exact=differences.is_exact,
    )


def _frequencies(by_k: Sequence[Differences]) -> pd.DataFrame:
    """Histograms on shared bins, so that areas can be compared; zero is an edge, so that no bin has both signs."""
    by_k = [differences for differences in by_k if differences.n_combinations > 1]
    if not by_k:
        return frame_of((), Frequency)
    low = min(float(differences.values.min()) for differences in by_k)
    high = max(float(differences.values.max()) for differences in by_k)
    width = (high - low) / BINS_OF_ONE_RUN
    step = rounded_up(width) if width > 1e-9 else 0.01  # where nothing varies
    edges = np.arange(np.floor(low / step), np.floor(high / step) + 2) * step
    rows = list[Frequency]()
    for differences in by_k:
        counts, _ = np.histogram(differences.values, edges)
        bars = zip(edges[:-1], edges[1:], counts / len(differences.values), strict=True)
        rows += [Frequency(differences.k, left, right, share) for left, right, share in bars]
    return frame_of(rows, Frequency)


def median_convergence(pool: Pool, most: int, elsewhere: Pool | None = None) -> pd.DataFrame:
    """How often the median of k runs lies within half the systems' difference of its system's mean.

    One row a system and k, with the columns of ``MedianRow``. ``elsewhere`` has the same runs on another test set; the
    reach there is half the difference there.
    """
    rows = []
    for side, system in enumerate((pool.baseline, pool.system)):
        scores, reach = pool.scores[side], abs(pool.difference) / 2
        deviation = float(np.sqrt(variance(scores)))
        for k in numbers_of_runs(most):
            fresh = fresh_median_within(deviation, k, reach)
            other = np.nan
            if elsewhere is not None:
                other = median_within(scores, k, abs(elsewhere.difference) / 2, elsewhere.scores[side])
            rows.append(MedianRow(system, k, reach, fresh, median_within(scores, k, reach), other))
    return frame_of(rows, MedianRow)


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
