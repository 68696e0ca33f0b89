"""Clark et al.'s Table 1 turned round, for every form of table: a row a system, a column a metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pandas as pd

from mteval.verdict import rank_range


@dataclass(frozen=True)
class SystemRow:
    """One system: its range of ranks by the first metric, and of each metric its row of the overview, or None."""

    system: str
    ranks: str
    cells: Sequence[Any]


@dataclass(frozen=True)
class BySystem:
    """The rows from best to worst, parted into groups.

    Parameters
    ----------
    metrics
        Of each metric any row of the overview, for what it says of the metric.
    has_ranks
        Whether the systems are ranked by the metric that sorts them.
    """

    metrics: Sequence[Any]
    has_ranks: bool
    groups: Sequence[Sequence[SystemRow]]


def by_system(overview: pd.DataFrame, metric: str | None = None) -> BySystem:
    """The rows of an overview in the order of the averages by a metric, the first one unless another is named.

    Groups are those of the ranking by that metric; where it has none there is one group.
    """
    every: Iterator[Any] = overview.itertuples()  # a row of a frame has no static types
    found: dict[tuple[str, str], Any] = {(row.system, row.metric): row for row in every}
    metrics: list[Any] = list({row.metric: row for row in found.values()}.values())
    sorting: str = metric or metrics[0].metric
    rows = [
        SystemRow(system, _ranks(found.get((system, sorting))), [found.get((system, one.metric)) for one in metrics])
        for system in ordered(overview, sorting)
    ]
    groups = [list(some) for _, some in groupby(rows, key=lambda row: _group(found.get((row.system, sorting))))]
    return BySystem(metrics, any(_group(row) > 0 for key, row in found.items() if key[1] == sorting), groups)


def ordered(overview: pd.DataFrame, metric: str) -> list[str]:
    """The systems from best to worst average by a metric, those without last; from high to low without direction."""
    rows = overview[overview["metric"] == metric]
    others = [system for system in dict.fromkeys(overview["system"]) if system not in set(rows["system"])]
    if rows.empty:
        return others
    is_rising = rows["notation"].iloc[0].direction == "↓"
    by_mean = rows.sort_values("mean", ascending=is_rising, kind="stable", na_position="last")
    return [*by_mean["system"], *others]


def _group(row: Any) -> float:
    """0 of a system without a rank."""
    return 0.0 if row is None or row.group != row.group else float(row.group)


def _ranks(row: Any) -> str:
    return rank_range(float("nan"), float("nan")) if row is None else rank_range(row.first_rank, row.last_rank)
