"""Resources for a computation: executor, cache, progress callback; and frames from typed rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from threading import Event
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pandas as pd
from scipy import special

from mteval.base.arrays import FloatArray, StatArray
from mteval.base.parallel import Engine, engine_for
from mteval.base.paths import cache_directory
from mteval.base.store import StatisticsStore
from mteval.stats.base import Score
from mteval.stats.interval import ratio_over_units
from mteval.stats.resampling.bootstrap import replicate_scores
from mteval.stats.resampling.streams import seeds_for
from mteval.values.settings import Settings

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = TypeVar("Row", bound="DataclassInstance")


@dataclass(frozen=True)
class Progress:
    """The progress of a computation.

    Parameters
    ----------
    task
        The current step in a few words: ``Scoring TER on test``.
    done, total
        In units of about equal duration.
    """

    task: str
    done: float
    total: float

    @property
    def fraction(self) -> float:
        """Return the share that is done, between 0 and 1."""
        return min(1.0, self.done / self.total) if self.total else 1.0


def ignore(progress: Progress) -> None:
    """Do nothing with the progress."""


@dataclass(frozen=True)
class Work:
    """Resources for a computation; results do not depend on them.

    Parameters
    ----------
    engine
        Spreads work over threads and cancels it.
    store
        Caches statistics between sessions; None for no cache.
    report
        Progress callback, called often from the calling thread.
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
    """Return threads of this machine or a cluster, as in ``engine_for``, and the statistics cache on disk."""
    engine = engine_for(workers, cluster, cancelled)
    return Work(engine, StatisticsStore(cache_directory() / "statistics"), report)


def on_replicates(systems: Sequence[StatArray], score: Score, settings: Settings, work: Work) -> FloatArray:
    """Score systems, ``(runs, units, d)`` each, on bootstrap replicates of the units, shape ``(runs, n_bootstrap)``."""
    seeds = seeds_for(settings.seed, "bootstrap")
    return replicate_scores(systems, score, settings.n_bootstrap, seeds, work.engine.map)


def ratio_intervals(sums: StatArray, confidence: float, per: float = 0.0) -> list[tuple[float, float]]:
    """Return the interval of the ratio of two totals for each row of sums, shape ``(rows, units, 2)``.

    Student's t on the jackknife's pseudo-values. The second total of a unit is its size.

    Parameters
    ----------
    per
        If the first total is a count, what it was multiplied by. At most three are also given the exact interval of a
        Poisson count (Garwood 1936), since units without errors do not vary.

    Returns
    -------
    NaN for a single unit, and if one unit has most of the second total. Ends of counts are not negative.
    """
    found, tail = [], (1 - confidence) / 2
    for of_row in sums:
        low, high = ratio_over_units(of_row, confidence)
        total, readings = of_row.sum(axis=0).tolist()
        if per and len(of_row) > 1:
            low = max(0.0, low)
            if (count := round(total / per)) <= 3:  # counts up to which an interval is exact
                exact = float(special.gammaincinv(count, tail)) if count else 0.0
                low = float(np.fmin(low, exact * per / readings))
                high = float(np.fmax(high, special.gammainccinv(count + 1, tail) * per / readings))
        found.append((low, high))
    return found


def columns_of(kind: type[DataclassInstance]) -> tuple[str, ...]:
    """Return the column names of a row type."""
    return tuple(field.name for field in fields(kind))


def frame_of(rows: Iterable[Row], kind: type[Row]) -> pd.DataFrame:
    """Return a frame with one row per value; without rows it still has the columns."""
    columns = columns_of(kind)
    return pd.DataFrame([[getattr(row, name) for name in columns] for row in rows], columns=list(columns))
