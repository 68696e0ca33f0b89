"""Which metric agrees with people? The measures of the WMT metrics task, with intervals and clusters of metrics.

Intervals and clusters resample segments or documents of the same systems, for people and metrics together. Noise from
the choice of units makes agreement on systems too small on average, which percentiles of replicates double. Intervals
correct for it (``benchmarks/agreement.py``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.analysis.people.judgements import HumanScores
from mteval.analysis.scoring import Progress, Scored, Work
from mteval.base.arrays import FloatArray, IntArray, StatArray
from mteval.base.errors import DataError
from mteval.base.words import agreeing, counted
from mteval.stats import agreement
from mteval.stats.base import Score
from mteval.stats.multiplicity import max_t
from mteval.stats.procedures.randomization import p_value
from mteval.stats.resampling.bootstrap import draw_counts
from mteval.stats.resampling.streams import Chunk, seeds_for, stream_of, sum_by_unit
from mteval.stats.units import contributions, df_of_units, unit_values
from mteval.values.settings import Settings

MEASURES: Mapping[str, str] = {
    "pairwise_accuracy": "Pairwise accuracy (systems)",
    "soft_pairwise_accuracy": "Soft pairwise accuracy",
    "system_pearson": "Pearson (systems)",
    "system_kendall": "Kendall's tau-b (systems)",
    "acc_eq": "Accuracy with tie calibration",
    "segment_pearson": "Pearson (segments)",
    "segment_kendall": "Kendall's tau-b (segments)",
}
FEWEST_SYSTEMS = 3  # two systems are a single pair


@dataclass(frozen=True)
class Shared:
    """The systems and segments that people judged and all metrics scored.

    Parameters
    ----------
    segments
        Indices in the test set.
    human
        Shape ``(systems, segments)``.
    units
        The resampled unit of each segment, from 0: the segment itself or its document.
    """

    systems: tuple[str, ...]
    segments: npt.NDArray[np.int64]
    human: FloatArray
    units: npt.NDArray[np.int64]
    settings: Settings

    @classmethod
    def of(cls, scored: Sequence[Scored], human: HumanScores, unit: str, settings: Settings) -> Shared:
        """Select what people and all metrics share.

        Raises
        ------
        DataError
            If too few systems or segments are left, or documents are the units but there are none.
        """
        systems = tuple(s for s in human.systems if all(s in one.statistics for one in scored))
        if (n := len(systems)) < FEWEST_SYSTEMS:
            text = f"{counted(n, 'system')} {agreeing(n, 'was', 'were')} judged and scored by all metrics"
            raise DataError(f"{text}; a ranking needs {FEWEST_SYSTEMS}. Judged: {', '.join(human.systems)}.")
        values = human.values[[human.systems.index(system) for system in systems]]
        present = ~np.isnan(values).any(axis=0) & np.all([one.present(*systems) for one in scored], axis=0)
        segments = np.flatnonzero(present)
        if (n := len(segments)) < 2:
            text = f"{counted(n, 'segment')} {agreeing(n, 'has', 'have')} a judgement and all scores for each of"
            raise DataError(f"{text} {', '.join(systems)}; two are needed. Remove systems judged on other segments.")
        documents = scored[0].test_set.documents
        if unit == "document" and documents is None:
            raise DataError("There are no document IDs. Give them, or choose segments as units.")
        names = np.array(documents, dtype=object)[segments] if unit == "document" else segments
        return cls(systems, segments, values[:, segments], np.unique(names, return_inverse=True)[1], settings)

    @property
    def n_units(self) -> int:
        """Return the number of units."""
        return int(self.units.max()) + 1

    @cached_property
    def unit_counts(self) -> FloatArray:
        """Return how often each replicate drew each unit, shape ``(replicates, units)``; the same for all metrics."""
        n, seeds = self.settings.n_bootstrap, seeds_for(self.settings.seed, "agreement with people")
        return draw_counts(stream_of(seeds, Chunk(0, 0, n)), n, self.n_units).astype(np.float64)

    @cached_property
    def counts(self) -> FloatArray:
        """Return how often each replicate drew each segment, shape ``(replicates, segments)``."""
        return self.unit_counts[:, self.units]

    @cached_property
    def human_p_values(self) -> FloatArray:
        """Return human p-values of all pairs of systems, shape ``(pairs,)``."""
        return self.p_values(self.human[:, :, np.newaxis], lambda sums: sums[..., 0] / len(self.segments))

    @cached_property
    def human_p_draws(self) -> FloatArray:
        """Return human p-values on the replicates, shape ``(replicates, pairs)``."""
        return agreement.normal_p_values(self.human, self.counts)

    @property
    def sizes(self) -> IntArray | None:
        """Return the number of segments per unit, shape ``(units,)``; None if they are the units."""
        return None if self.n_units == len(self.segments) else np.bincount(self.units)

    def unit_values(self, statistics: StatArray, score: Score) -> FloatArray:
        """Return values per unit whose mean is each system's score, shape ``(systems, units)``."""
        return unit_values(sum_by_unit(statistics, self.units), score, self.sizes)

    @cached_property
    def human_unit_values(self) -> FloatArray:
        """Return those of people."""
        sums = np.stack([self.human, np.ones_like(self.human)], axis=-1)
        return self.unit_values(sums, lambda sums: np.asarray(sums[..., 0] / sums[..., 1]))

    @cached_property
    def without(self) -> FloatArray:
        """Return how often each unit counts if one group of units is left out, shape ``(groups, units)``."""
        places = np.arange(self.n_units) % 200  # of units, which the jackknife leaves out in turn
        return np.asarray(places != np.unique(places)[:, np.newaxis], dtype=np.float64)

    def p_values(self, statistics: StatArray, score: Score) -> FloatArray:
        """Return one-sided p-values of all pairs of systems, shape ``(pairs,)``, from the same permutations for all."""
        seeds = seeds_for(self.settings.seed, "soft pairwise accuracy")
        return agreement.exchange_p_values(statistics, score, self.settings.n_shuffles, seeds)


@dataclass(frozen=True)
class Beside:
    """One metric compared with people.

    Parameters
    ----------
    score
        The metric's corpus score, signed so that higher is better.
    statistics
        Averaged over runs, shape ``(systems, segments, d)``.
    by_segment
        Segment scores, signed so that higher is better, shape ``(systems, segments)``.
    """

    shared: Shared
    score: Score
    statistics: StatArray
    by_segment: FloatArray

    @classmethod
    def of(cls, one: Scored, shared: Shared) -> Beside:
        """Select a metric's statistics on the shared systems and segments."""
        chosen = [one.statistics[system][:, shared.segments] for system in shared.systems]
        sign, scorer = 1.0 if one.metric.higher_is_better else -1.0, one.scorer
        by_segment = sign * np.stack([scorer.segment_score(runs).mean(axis=0) for runs in chosen])
        statistics = np.stack([runs.mean(axis=0) for runs in chosen])
        return cls(shared, lambda sums: scorer.score(sums) * sign, statistics, by_segment)

    @cached_property
    def _ranked(self) -> agreement.RankedPairs:
        return agreement.RankedPairs.of(self.shared.human, self.by_segment)

    @cached_property
    def _concordance(self) -> agreement.Concordance:
        return agreement.Concordance.of(self.shared.human, self.by_segment, self.shared.units)

    def values(self) -> dict[str, float]:
        """Return every measure on the observed segments."""
        shared = self.shared
        human, ours = shared.human.mean(axis=1), self.score(self.statistics.sum(axis=1).astype(np.float64))
        once, p_values = np.ones((1, len(shared.segments))), shared.p_values(self.statistics, self.score)
        return {
            "pairwise_accuracy": float(agreement.pairwise_accuracy(human, ours)),
            "soft_pairwise_accuracy": float(agreement.soft_pairwise_accuracy(shared.human_p_values, p_values)),
            "system_pearson": float(agreement.pearson(human, ours)),
            "system_kendall": float(agreement.kendall(human, ours)),
            "acc_eq": self._ranked.calibrated()[0],
            "segment_pearson": float(agreement.segment_pearson(shared.human, self.by_segment, once)[0]),
            "segment_kendall": float(self._concordance.tau_b(np.ones((1, shared.n_units)))[0]),
        }

    def draws(self) -> dict[str, FloatArray]:
        """Return every measure on the replicates, shape ``(replicates,)`` each."""
        shared = self.shared
        ours = agreement.normal_p_values(contributions(self.statistics, self.score), shared.counts)
        soft = agreement.soft_pairwise_accuracy(shared.human_p_draws, ours)
        return {"soft_pairwise_accuracy": soft, **self._with(shared.unit_counts)}

    def _with(self, unit_counts: FloatArray) -> dict[str, FloatArray]:
        """Return the other measures, given counts of each unit, shape ``(replicates, units)``."""
        shared, (n_systems, n_segments, d) = self.shared, self.statistics.shape
        counts = unit_counts[:, shared.units]
        columns = self.statistics.transpose(1, 0, 2).reshape(n_segments, -1).astype(np.float64)
        human = np.asarray((counts @ shared.human.T) / counts.sum(axis=1, keepdims=True))
        ours = self.score((counts @ columns).reshape(-1, n_systems, d))
        return {
            "pairwise_accuracy": agreement.pairwise_accuracy(human, ours),
            "system_pearson": agreement.pearson(human, ours),
            "system_kendall": agreement.kendall(human, ours),
            "acc_eq": self._ranked.calibrated_on(counts),
            "segment_pearson": agreement.segment_pearson(shared.human, self.by_segment, counts),
            "segment_kendall": self._concordance.tau_b(unit_counts),
        }

    def _ends(self, measure: str, value: float, draws: FloatArray, without: Mapping[str, FloatArray]) -> list[float]:
        """Return the ends of a measure's interval, which always include its value."""
        shared, confidence = self.shared, self.shared.settings.confidence
        if np.isnan(value) or np.isnan(draws).all():
            return [math.nan, math.nan]
        if measure in ("pairwise_accuracy", "soft_pairwise_accuracy", "system_kendall"):
            return [value, *agreement.corrected_share_interval(value, draws, confidence)]
        ends = [value, *agreement.bca_interval(value, draws, without[measure], confidence)]
        if measure == "system_pearson" and shared.n_units > 2:
            ours, df = shared.unit_values(self.statistics, self.score), df_of_units(shared.sizes, shared.n_units)
            ends += agreement.corrected_pearson_interval(shared.human_unit_values, ours, confidence, df)
        return ends

    def measured(self) -> _Measured:
        """Return every measure with its replicates and its interval from them, and the tie threshold."""
        values, draws, without = self.values(), self.draws(), self._with(self.shared.without)
        ends = {measure: self._ends(measure, value, draws[measure], without) for measure, value in values.items()}
        intervals = {measure: (min(some), max(some)) for measure, some in ends.items()}
        return _Measured(values, draws, intervals, self._ranked.calibrated()[1])


META = ("metric", "measure", "value", "low", "high", "rank", "threshold")
META_PAIRS = ("measure", "one", "other", "difference", "p_value", "p_adjusted")


@dataclass(frozen=True)
class Agreement:
    """The agreement of metrics with people.

    Parameters
    ----------
    frame
        One row per metric and measure, with the columns ``META``. ``rank`` counts clusters from 1: from best to worst,
        a new cluster starts with the first metric that differs significantly from a member of the current one.
        ``threshold`` is the score difference up to which outputs count as tied.
    pairs
        Differences of all pairs of metrics, with the columns ``META_PAIRS``; p-values adjusted per measure (Westfall
        and Young 1993).
    systems
        Judged and scored by all metrics.
    n_segments, n_units, unit
        Shared segments, and the resampled units.
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
    """Compute all measures of all metrics on the same systems and segments.

    Parameters
    ----------
    scored
        The metrics on the test set of the human scores.
    unit
        ``segment`` or ``document``: what is resampled for the intervals.

    Raises
    ------
    DataError
        If fewer than three systems, or fewer than two segments of all of them, were both judged and scored.
    CancelledError
        If the work was cancelled.
    """
    shared = Shared.of(scored, human, unit, settings)
    found: dict[str, _Measured] = {}
    for index, one in enumerate(scored):
        work.engine.check()
        work.report(Progress(f"{one.metric.name} and people", index, len(scored)))
        found[one.metric.key] = Beside.of(one, shared).measured()
    pairs = pd.DataFrame(list(_pairs(found)), columns=list(META_PAIRS))
    frame = pd.DataFrame(list(_rows(found, pairs, 1 - settings.confidence)), columns=list(META))
    return Agreement(frame, pairs, shared.systems, len(shared.segments), shared.n_units, unit)


@dataclass(frozen=True)
class _Measured:
    """The measures of one metric, their replicates and intervals, and the tie threshold."""

    values: Mapping[str, float]
    draws: Mapping[str, FloatArray]
    intervals: Mapping[str, tuple[float, float]]
    threshold: float


def _pairs(found: Mapping[str, _Measured]) -> Iterator[tuple[object, ...]]:
    """Yield two-sided p-values of all pairs of metrics, by the bootstrap shifted to zero.

    They are adjusted by the largest difference of each replicate: unlike a factor, this keeps power with few
    replicates.
    """
    for measure in MEASURES:
        values = {key: one.values[measure] for key, one in found.items()}
        defined = [key for key, value in values.items() if not np.isnan(value)]
        known = list(combinations(defined, 2))
        differences = [values[one] - values[other] for one, other in known]
        draws = np.array([found[one].draws[measure] - found[other].draws[measure] for one, other in known])
        draws = draws[:, ~np.isnan(draws).any(axis=0)] if known else draws  # where all are defined
        said = dict[tuple[str, str], tuple[float, float]]()
        if draws.size:
            nulls = draws - draws.mean(axis=1, keepdims=True)
            p_values = (p_value(one, null, "two-sided") for one, null in zip(differences, nulls, strict=True))
            said = dict(zip(known, zip(p_values, max_t(differences, nulls).tolist(), strict=True), strict=True))
        for one, other in combinations(found, 2):
            yield measure, one, other, values[one] - values[other], *said.get((one, other), (np.nan, np.nan))


def _rows(found: Mapping[str, _Measured], pairs: pd.DataFrame, level: float) -> Iterator[tuple[object, ...]]:
    for measure in MEASURES:
        of_measure = pairs[pairs["measure"] == measure]
        rising = sorted(found, key=lambda key: (np.isnan(found[key].values[measure]), -found[key].values[measure]))
        ranks = clusters(rising, of_measure, level)
        for metric in rising:
            one = found[metric]
            threshold = one.threshold if measure == "acc_eq" else math.nan
            yield metric, measure, one.values[measure], *one.intervals[measure], ranks[metric], threshold


def clusters(ordered: Sequence[str], pairs: pd.DataFrame, level: float) -> dict[str, int]:
    """Return the rank of each metric.

    A new rank starts with the first metric that differs significantly from a member of the current cluster.

    Parameters
    ----------
    ordered
        From best to worst.
    pairs
        Of one measure, with the columns ``META_PAIRS``.
    """
    differing = pairs[pairs["p_adjusted"] <= level]
    apart = set(map(frozenset, zip(differing["one"], differing["other"], strict=True)))
    ranks: dict[str, int] = {}
    rank, members = 1, list[str]()
    for metric in ordered:
        if any(frozenset((metric, member)) in apart for member in members):
            rank, members = rank + 1, []
        members.append(metric)
        ranks[metric] = rank
    return ranks
