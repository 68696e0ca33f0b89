"""Which metric agrees with people? The measures of the WMT metrics task, with intervals and clusters of metrics.

Intervals and clusters say what other segments (or documents) of the same systems would bring: they are drawn anew for
people and metrics together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from mteval.analysis.people.beside import MEASURES, Beside, Shared
from mteval.analysis.people.judged_values import HumanScores
from mteval.analysis.scoring import Scored
from mteval.analysis.work import Progress, Work
from mteval.settings import Settings
from mteval.stats.base import FloatArray
from mteval.stats.multiplicity import max_t
from mteval.stats.procedures.randomization import p_value

META = ("metric", "measure", "value", "low", "high", "rank", "threshold")
META_PAIRS = ("measure", "one", "other", "difference", "p_value", "p_adjusted")


@dataclass(frozen=True)
class Agreement:
    """What is known of the agreement of some metrics with people.

    Parameters
    ----------
    frame
        One row a metric and measure, with the columns ``META``. ``rank`` counts clusters from 1: going down from the
        best, a new one begins with the first metric that differs significantly from one of the cluster. ``threshold``
        is the difference of scores up to which outputs count as tied.
    pairs
        Differences of all pairs of metrics, with the columns ``META_PAIRS``; p-values adjusted over those of a measure
        (Westfall and Young 1993).
    systems
        That were judged and that all metrics scored.
    n_segments, n_units, unit
        That all of them were judged and scored on, and what was drawn for the intervals.
    """

    frame: pd.DataFrame
    pairs: pd.DataFrame
    systems: tuple[str, ...]
    n_segments: int
    n_units: int
    unit: str


def agreement_with_people(
    scored: Sequence[Scored], human: HumanScores, unit: str, settings: Settings, work: Work
) -> Agreement:
    """All measures of all metrics on the same systems and segments.

    Parameters
    ----------
    scored
        The metrics on the test set of the human scores.
    unit
        ``segment`` or ``document``: what is drawn for the intervals.

    Raises
    ------
    DataError
        Where fewer than three systems, or no segment of all of them, were both judged and scored.
    CancelledError
        When the work was told to stop.
    """
    shared = Shared.of(scored, human, unit, settings)
    found: dict[str, _Measured] = {}
    for index, one in enumerate(scored):
        work.engine.check()
        work.report(Progress(f"{one.metric.name} and people", index, len(scored)))
        beside = Beside.of(one, shared)
        found[one.metric.key] = _Measured(beside.values(), beside.draws(), beside.threshold)
    pairs = pd.DataFrame(list(_pairs(found)), columns=list(META_PAIRS))
    frame = pd.DataFrame(list(_rows(found, pairs, settings.confidence)), columns=list(META))
    return Agreement(frame, pairs, shared.systems, len(shared.segments), shared.n_units, unit)


@dataclass(frozen=True)
class _Measured:
    """Of one metric each measure, its replicates, and the threshold of a tie."""

    values: Mapping[str, float]
    draws: Mapping[str, FloatArray]
    threshold: float


def _pairs(found: Mapping[str, _Measured]) -> Iterator[tuple[object, ...]]:
    """Two-sided p-values of all pairs of metrics, by the bootstrap with shift to zero.

    Adjusted by the largest difference of each replicate, which, unlike a factor, leaves few replicates able to tell
    many metrics apart.
    """
    for measure in MEASURES:
        values = {key: one.values[measure] for key, one in found.items()}
        defined = [key for key, value in values.items() if not np.isnan(value)]
        known = list(combinations(defined, 2))
        differences = [values[one] - values[other] for one, other in known]
        nulls = _shifted([found[one].draws[measure] - found[other].draws[measure] for one, other in known])
        said = dict(zip(known, _tested(differences, nulls), strict=True))
        for one, other in combinations(found, 2):
            yield measure, one, other, values[one] - values[other], *said.get((one, other), (np.nan, np.nan))


def _tested(differences: Sequence[float], nulls: FloatArray) -> list[tuple[float, float]]:
    """The p-value of each pair by its replicates under the null hypothesis, and the adjusted one."""
    if not nulls.size:
        return [(np.nan, np.nan)] * len(differences)
    p_values = [p_value(one, null, "two-sided") for one, null in zip(differences, nulls, strict=True)]
    return list(zip(p_values, max_t(differences, nulls).tolist(), strict=True))


def _shifted(draws: Sequence[FloatArray]) -> FloatArray:
    """Replicates about their means, shape ``(pairs, replicates)``; only those on which every measure is defined."""
    together = np.array(draws)
    together = together[:, ~np.isnan(together).any(axis=0)] if together.size else together
    return np.asarray(together - together.mean(axis=1, keepdims=True)) if together.size else together


def _rows(found: Mapping[str, _Measured], pairs: pd.DataFrame, confidence: float) -> Iterator[tuple[object, ...]]:
    tails = [0.5 - confidence / 2, 0.5 + confidence / 2]
    for measure in MEASURES:
        of_measure = pairs[pairs["measure"] == measure]
        rising = sorted(found, key=lambda key: (np.isnan(found[key].values[measure]), -found[key].values[measure]))
        ranks = clusters(rising, of_measure, 1 - confidence)
        for metric in rising:
            value, draws = found[metric].values[measure], found[metric].draws[measure]
            low, high = (np.nan, np.nan) if np.isnan(value) else np.nanquantile(draws, tails)
            threshold = found[metric].threshold if measure == "acc_eq" else float("nan")
            yield metric, measure, value, float(low), float(high), ranks[metric], threshold


def clusters(ordered: Sequence[str], pairs: pd.DataFrame, level: float) -> dict[str, int]:
    """Rank of each metric: a new one begins with the first that differs significantly from one of the cluster so far.

    Parameters
    ----------
    ordered
        From best to worst.
    pairs
        With the columns ``META_PAIRS``, of one measure.
    """
    apart = {
        frozenset((one, other))
        for one, other, p in zip(pairs["one"], pairs["other"], pairs["p_adjusted"], strict=True)
        if p <= level
    }
    ranks: dict[str, int] = {}
    rank, members = 1, list[str]()
    for metric in ordered:
        if any(frozenset((metric, member)) in apart for member in members):
            rank, members = rank + 1, []
        members.append(metric)
        ranks[metric] = rank
    return ranks
