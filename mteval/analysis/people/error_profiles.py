"""How often each system makes each kind of error, with intervals over documents or segments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from mteval.analysis.people.marked_errors import readings
from mteval.analysis.work import Work
from mteval.judgements import Judgement
from mteval.settings import Settings
from mteval.stats.base import FloatArray
from mteval.stats.resampling.bootstrap import replicate_scores
from mteval.stats.resampling.streams import seeds_for

PROFILES = ("system", "kind", "n_errors", "n_readings", "unit", "n_units", "rate", "low", "high")
PER = 100  # readings
BY = ("category", "severity")
FEWEST_UNITS = 2


def profile_frame(judgements: Sequence[Judgement], by: str, settings: Settings, work: Work) -> pd.DataFrame:
    """Errors in ``PER`` readings of a system's outputs, a row a system and kind, with the columns ``PROFILES``.

    A reading is one annotator's of one output. Intervals are percentiles over replicates drawn from the documents,
    where all are known, else from the segments; the annotators are taken as given. The commonest kinds come first.

    Parameters
    ----------
    by
        One of ``BY``: what the kinds are.
    """
    read = readings(judgements)
    unit = "document" if read and all(one.document for one in read) else "segment"
    kinds = list(Counter(getattr(error, by) for one in read for error in one.errors))
    rows = [
        (system, *row)
        for system in dict.fromkeys(one.system for one in read)
        for row in _rows([one for one in read if one.system == system], kinds, by, unit, settings, work)
    ]
    frame = pd.DataFrame(rows, columns=list(PROFILES))
    total = frame.groupby("kind")["n_errors"].transform("sum")
    return frame.assign(total=-total).sort_values(["total", "kind"], kind="stable", ignore_index=True)[list(PROFILES)]


def _rows(
    read: Sequence[Judgement], kinds: Sequence[str], by: str, unit: str, settings: Settings, work: Work
) -> Iterator[tuple[object, ...]]:
    """From ``kind`` on, of one system."""
    units, statistics = _by_unit(read, kinds, by, unit)
    intervals = _intervals(statistics, settings, work)
    for kind, of_kind, (low, high) in zip(kinds, statistics, intervals, strict=True):
        n_errors = int(of_kind[:, 0].sum())
        yield kind, n_errors, len(read), unit, units, PER * n_errors / len(read), low, high


def _by_unit(read: Sequence[Judgement], kinds: Sequence[str], by: str, unit: str) -> tuple[int, FloatArray]:
    """Number of units, and errors and readings of each, shape ``(kinds, units, 2)``."""
    names = {name: place for place, name in enumerate(dict.fromkeys(_unit_of(one, unit) for one in read))}
    place_of = {kind: place for place, kind in enumerate(kinds)}
    statistics = np.zeros((len(kinds), len(names), 2))
    for one in read:
        place = names[_unit_of(one, unit)]
        statistics[:, place, 1] += 1
        for error in one.errors:
            statistics[place_of[getattr(error, by)], place, 0] += 1
    return len(names), statistics


def _unit_of(judgement: Judgement, unit: str) -> str | None:
    return judgement.document if unit == "document" else judgement.segment


def _intervals(statistics: FloatArray, settings: Settings, work: Work) -> list[tuple[float, float]]:
    """Of the rate of each kind, from statistics of shape ``(kinds, units, 2)``."""
    if not len(statistics) or statistics.shape[1] < FEWEST_UNITS:
        return [(float("nan"), float("nan"))] * len(statistics)
    replicates = replicate_scores(
        statistics,
        lambda sums: np.asarray(PER * sums[..., 0] / sums[..., 1]),
        n_resamples=settings.n_bootstrap,
        seeds=seeds_for(settings.seed, "error profiles"),
        map_chunks=work.engine.map,
    )
    tail = (1 - settings.confidence) / 2
    low, high = np.quantile(replicates, [tail, 1 - tail], axis=1)
    return list(zip(low.tolist(), high.tolist(), strict=True))
