"""What every computation is handed: an engine that spreads it, a store that remembers it, an ear for its progress.

Frames from typed rows: a column for each field of the rows' type, in its order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from threading import Event
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pandas as pd

from mteval.base.arrays import FloatArray, StatArray
from mteval.base.parallel import Engine, engine_for
from mteval.base.paths import cache_directory
from mteval.base.store import StatisticsStore
from mteval.stats.base import Score
from mteval.stats.resampling.bootstrap import replicate_scores
from mteval.stats.resampling.streams import seeds_for
from mteval.values.settings import Settings

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = TypeVar("Row", bound="DataclassInstance")


@dataclass(frozen=True)
class Progress:
    """How far the work is.

    Parameters
    ----------
    task
        What is being done, in a few words: ``Scoring TER on test``.
    done, total
        Of the whole work, in units that take about equally long.
    """

    task: str
    done: float
    total: float

    @property
    def fraction(self) -> float:
        """Between 0 and 1."""
        return min(1.0, self.done / self.total) if self.total else 1.0


def ignore(progress: Progress) -> None:
    """Listen to nothing."""


@dataclass(frozen=True)
class Work:
    """Means of computation; results do not depend on any of them.

    Parameters
    ----------
    engine
        Spreads work over threads and stops it.
    store
        Keeps statistics between sessions; None keeps nothing.
    report
        Called often, from the thread that asked for the work.
    """

    engine: Engine = field(default_factory=Engine)
    store: StatisticsStore | None = None
    report: Callable[[Progress], None] = ignore


def means_of_computation(
    workers: int = 0,
    cluster: str | None = None,
    cancelled: Event | None = None,
    report: Callable[[Progress], None] = ignore,
) -> Work:
    """Threads of this machine or a cluster, as ``engine_for`` has them, and the statistics that are kept on disk."""
    engine = engine_for(workers, cluster, cancelled)
    return Work(engine, StatisticsStore(cache_directory() / "statistics"), report)


def on_replicates(
    statistics: StatArray, score: Score, settings: Settings, work: Work, purpose: str = "bootstrap"
) -> FloatArray:
    """Scores of statistics ``(runs, units, d)`` on bootstrap replicates of the units, shape ``(runs, n_bootstrap)``.

    Another purpose draws other replicates.
    """
    return replicate_scores(statistics, score, settings.n_bootstrap, seeds_for(settings.seed, purpose), work.engine.map)


def percentile_interval(draws: FloatArray, confidence: float) -> tuple[float, float]:
    """Between which percentiles of draws, shape ``(draws,)``, lies the middle share of them."""
    tail = (1 - confidence) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    return float(low), float(high)


def ratio_intervals(
    sums: StatArray, settings: Settings, work: Work, purpose: str = "bootstrap"
) -> list[tuple[float, float]]:
    """Percentile interval of the ratio of two totals for each row of sums by unit, shape ``(rows, units, 2)``.

    NaN where there is one unit.
    """
    if not len(sums) or sums.shape[1] < 2:
        return [(float("nan"), float("nan"))] * len(sums)
    drawn = on_replicates(sums, lambda totals: np.asarray(totals[..., 0] / totals[..., 1]), settings, work, purpose)
    return [percentile_interval(one, settings.confidence) for one in drawn]


def columns_of(kind: type[DataclassInstance]) -> tuple[str, ...]:
    """The columns of rows of a type."""
    return tuple(field.name for field in fields(kind))


def frame_of(rows: Iterable[Row], kind: type[Row]) -> pd.DataFrame:
    """One row a value; the columns are there where no row is."""
    columns = columns_of(kind)
    return pd.DataFrame([[getattr(row, name) for name in columns] for row in rows], columns=list(columns))
