"""Which metric agrees with people? The measures of the WMT metrics task, with intervals and clusters of metrics.

Intervals and clusters resample segments or documents of the same systems, for people and metrics together. Noise from
the choice of units makes agreement on systems too small on average, which percentiles of replicates double. Intervals
correct for it (``benchmarks/agreement.py``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.analysis.people.judgements import HumanScores
from mteval.analysis.scoring import Progress, Scored, Work
from mteval.base.arrays import FloatArray, IntArray, StatArray
from mteval.base.errors import DataError
from mteval.base.words import agreeing, counted
from mteval.stats.agreement import correlations, intervals, system_pairs
from mteval.stats.agreement.correlations import Concordance
from mteval.stats.agreement.ranked_pairs import RankedPairs
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
SHARES_OF_PAIRS = ("pairwise_accuracy", "soft_pairwise_accuracy", "system_kendall")
META = ("metric", "measure", "value", "low", "high", "rank", "threshold")
META_PAIRS = ("measure", "one", "other", "difference", "p_value", "p_adjusted")
FEWEST_SYSTEMS = 3  # two systems are a single pair
MOST_GROUPS = 200  # of units, which the jackknife leaves out in turn


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
        scored_systems = set(human.systems).intersection(*(scores.statistics for scores in scored))
        systems = tuple(system for system in human.systems if system in scored_systems)
        n_systems = len(systems)
        if n_systems < FEWEST_SYSTEMS:
            shared = f"{counted(n_systems, 'system')} {agreeing(n_systems, 'was', 'were')} judged and scored"
            judged = ", ".join(human.systems)
            raise DataError(f"{shared} by all metrics; a ranking needs {FEWEST_SYSTEMS}. Judged: {judged}.")

        values = human.values[[human.systems.index(system) for system in systems]]
        is_judged = ~np.isnan(values).any(axis=0)
        is_scored = np.all([scores.present(*systems) for scores in scored], axis=0)
        segments = np.flatnonzero(is_judged & is_scored)
        n_segments = len(segments)
        if n_segments < 2:
            shared = f"{counted(n_segments, 'segment')} {agreeing(n_segments, 'has', 'have')} a judgement"
            problem = f"{shared} and all scores for each of {', '.join(systems)}; two are needed."
            raise DataError(f"{problem} Remove systems judged on other segments.")

        unit_names: npt.NDArray[Any] = segments
        if unit == "document":
            documents = scored[0].test_set.documents
            if documents is None:
                raise DataError("There are no document IDs. Give them, or choose segments as units.")
            unit_names = np.array(documents, dtype=object)[segments]
        units = np.unique(unit_names, return_inverse=True)[1]
        return cls(systems, segments, values[:, segments], units, settings)

    @property
    def n_units(self) -> int:
        """Return the number of units."""
        return int(self.units.max()) + 1

    @cached_property
    def unit_counts(self) -> FloatArray:
        """Return how often each replicate drew each unit, shape ``(replicates, units)``; the same for all metrics."""
        n_replicates = self.settings.n_bootstrap
        seeds = seeds_for(self.settings.seed, "agreement with people")
        stream = stream_of(seeds, Chunk(0, 0, n_replicates))
        return draw_counts(stream, n_replicates, self.n_units).astype(np.float64)

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
        return system_pairs.normal_p_values(self.human, self.counts)

    @property
    def sizes(self) -> IntArray | None:
        """Return the number of segments per unit, shape ``(units,)``; None if they are the units."""
        if self.n_units == len(self.segments):
            return None
        return np.bincount(self.units)

    def unit_values(self, statistics: StatArray, score: Score) -> FloatArray:
        """Return values per unit whose mean is each system's score, shape ``(systems, units)``."""
        return unit_values(sum_by_unit(statistics, self.units), score, self.sizes)

    @cached_property
    def human_unit_values(self) -> FloatArray:
        """Return people's values per unit whose mean is each system's score, shape ``(systems, units)``."""
        sums = np.stack([self.human, np.ones_like(self.human)], axis=-1)
        return self.unit_values(sums, lambda sums: np.asarray(sums[..., 0] / sums[..., 1]))

    @cached_property
    def without(self) -> FloatArray:
        """Return how often each unit counts if one group of units is left out, shape ``(groups, units)``."""
        group_of_unit = np.arange(self.n_units) % MOST_GROUPS
        groups = np.unique(group_of_unit)
        return np.asarray(group_of_unit != groups[:, np.newaxis], dtype=np.float64)

    def p_values(self, statistics: StatArray, score: Score) -> FloatArray:
        """Return one-sided p-values of all pairs of systems, shape ``(pairs,)``, from the same permutations for all."""
        seeds = seeds_for(self.settings.seed, "soft pairwise accuracy")
        return system_pairs.exchange_p_values(statistics, score, self.settings.n_shuffles, seeds)


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
    def of(cls, scored: Scored, shared: Shared) -> Beside:
        """Select a metric's statistics on the shared systems and segments."""
        scorer = scored.scorer
        sign = 1.0 if scored.metric.higher_is_better else -1.0
        statistics = []
        by_segment = []
        for system in shared.systems:
            of_runs = scored.statistics[system][:, shared.segments]  # shape ``(runs, segments, d)``
            statistics.append(of_runs.mean(axis=0))
            by_segment.append(scorer.segment_score(of_runs).mean(axis=0))
        return cls(shared, lambda sums: scorer.score(sums) * sign, np.stack(statistics), sign * np.stack(by_segment))

    @cached_property
    def _ranked(self) -> RankedPairs:
        return RankedPairs.of(self.shared.human, self.by_segment)

    @cached_property
    def _concordance(self) -> Concordance:
        return Concordance.of(self.shared.human, self.by_segment, self.shared.units)

    def values(self) -> dict[str, float]:
        """Return every measure on the observed segments."""
        shared = self.shared
        human_scores = shared.human.mean(axis=1)
        metric_scores = self.score(self.statistics.sum(axis=1).astype(np.float64))
        p_values = shared.p_values(self.statistics, self.score)
        each_segment_once = np.ones((1, len(shared.segments)))
        each_unit_once = np.ones((1, shared.n_units))
        segment_pearson = correlations.segment_pearson(shared.human, self.by_segment, each_segment_once)
        return {
            "pairwise_accuracy": float(system_pairs.pairwise_accuracy(human_scores, metric_scores)),
            "soft_pairwise_accuracy": float(system_pairs.soft_pairwise_accuracy(shared.human_p_values, p_values)),
            "system_pearson": float(correlations.pearson(human_scores, metric_scores)),
            "system_kendall": float(correlations.kendall(human_scores, metric_scores)),
            "acc_eq": self._ranked.calibrated()[0],
            "segment_pearson": float(segment_pearson[0]),
            "segment_kendall": float(self._concordance.tau_b(each_unit_once)[0]),
        }

    def draws(self) -> dict[str, FloatArray]:
        """Return every measure on the replicates, shape ``(replicates,)`` each."""
        shared = self.shared
        p_values = system_pairs.normal_p_values(contributions(self.statistics, self.score), shared.counts)
        soft_accuracy = system_pairs.soft_pairwise_accuracy(shared.human_p_draws, p_values)
        return {"soft_pairwise_accuracy": soft_accuracy, **self._with(shared.unit_counts)}

    def _with(self, unit_counts: FloatArray) -> dict[str, FloatArray]:
        """Return the other measures, given counts of each unit, shape ``(replicates, units)``."""
        shared = self.shared
        n_systems, n_segments, d = self.statistics.shape
        counts = unit_counts[:, shared.units]
        # One row per segment, one column per system and statistic
        columns = self.statistics.transpose(1, 0, 2).reshape(n_segments, -1).astype(np.float64)
        # Scores of the shape (replicates, systems)
        human_scores = np.asarray((counts @ shared.human.T) / counts.sum(axis=1, keepdims=True))
        metric_scores = self.score((counts @ columns).reshape(-1, n_systems, d))
        return {
            "pairwise_accuracy": system_pairs.pairwise_accuracy(human_scores, metric_scores),
            "system_pearson": correlations.pearson(human_scores, metric_scores),
            "system_kendall": correlations.kendall(human_scores, metric_scores),
            "acc_eq": self._ranked.calibrated_on(counts),
            "segment_pearson": correlations.segment_pearson(shared.human, self.by_segment, counts),
            "segment_kendall": self._concordance.tau_b(unit_counts),
        }

    def _interval(
        self, measure: str, value: float, draws: FloatArray, without: Mapping[str, FloatArray]
    ) -> tuple[float, float]:
        """Return a measure's interval, which always includes its value; NaN if the value or all draws are.

        ``without`` has each measure without each group of units.
        """
        shared = self.shared
        confidence = shared.settings.confidence
        if np.isnan(value) or np.isnan(draws).all():
            return math.nan, math.nan
        if measure in SHARES_OF_PAIRS:
            ends = [value, *intervals.corrected_share_interval(value, draws, confidence)]
            return min(ends), max(ends)
        ends = [value, *intervals.bca_interval(value, draws, without[measure], confidence)]
        if measure == "system_pearson" and shared.n_units > 2:
            metric_values = shared.unit_values(self.statistics, self.score)
            df = df_of_units(shared.sizes, shared.n_units)
            ends += intervals.corrected_pearson_interval(shared.human_unit_values, metric_values, confidence, df)
        return min(ends), max(ends)

    def measured(self) -> _Measured:
        """Return every measure with its replicates and its interval from them, and the tie threshold."""
        values = self.values()
        draws = self.draws()
        without = self._with(self.shared.without)
        interval_of = {}
        for measure, value in values.items():
            interval_of[measure] = self._interval(measure, value, draws[measure], without)
        return _Measured(values, draws, interval_of, self._ranked.calibrated()[1])


@dataclass(frozen=True)
class _Measured:
    """The measures of one metric, their replicates and intervals, and the tie threshold."""

    values: Mapping[str, float]
    draws: Mapping[str, FloatArray]
    intervals: Mapping[str, tuple[float, float]]
    threshold: float


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
    measured: dict[str, _Measured] = {}  # by metric
    for index, scores in enumerate(scored):
        work.engine.check()
        work.report(Progress(f"{scores.metric.name} and people", index, len(scored)))
        measured[scores.metric.key] = Beside.of(scores, shared).measured()
    pairs = _pairs_of_metrics(measured)
    frame = _ranked_metrics(measured, pairs, settings.level)
    return Agreement(frame, pairs, shared.systems, len(shared.segments), shared.n_units, unit)


def _pairs_of_metrics(measured: Mapping[str, _Measured]) -> pd.DataFrame:
    """Return two-sided p-values of all pairs of metrics, by the bootstrap shifted to zero.

    They are adjusted by the largest difference of each replicate: unlike a factor, this keeps power with few
    replicates.
    """
    rows = []
    for measure in MEASURES:
        values = {metric: measures.values[measure] for metric, measures in measured.items()}
        draws = {metric: measures.draws[measure] for metric, measures in measured.items()}
        p_values = _p_values_of_pairs(values, draws)
        for pair in combinations(measured, 2):
            p, p_adjusted = p_values.get(pair, (np.nan, np.nan))
            first, second = pair
            rows.append((measure, first, second, values[first] - values[second], p, p_adjusted))
    return pd.DataFrame(rows, columns=list(META_PAIRS))


def _p_values_of_pairs(
    values: Mapping[str, float], draws: Mapping[str, FloatArray]
) -> dict[tuple[str, str], tuple[float, float]]:
    """Return p and adjusted p of each pair of metrics on one measure; empty if no replicate defines all of them."""
    defined = [metric for metric, value in values.items() if not np.isnan(value)]
    pairs = list(combinations(defined, 2))
    if not pairs:
        return {}
    differences = [values[first] - values[second] for first, second in pairs]
    # Shape ``(pairs, replicates)``
    drawn = np.array([draws[first] - draws[second] for first, second in pairs])
    drawn = drawn[:, ~np.isnan(drawn).any(axis=0)]
    if drawn.size == 0:
        return {}
    nulls = drawn - drawn.mean(axis=1, keepdims=True)
    adjusted = max_t(differences, nulls).tolist()
    p_values = {}
    for pair, difference, null, p_adjusted in zip(pairs, differences, nulls, adjusted, strict=True):
        p_values[pair] = (p_value(difference, null, "two-sided"), p_adjusted)
    return p_values


def _ranked_metrics(measured: Mapping[str, _Measured], pairs: pd.DataFrame, level: float) -> pd.DataFrame:
    """Return the metrics of each measure from best to worst, undefined ones last; columns ``META``."""
    rows = []
    for measure in MEASURES:
        defined = [metric for metric in measured if not np.isnan(measured[metric].values[measure])]
        undefined = [metric for metric in measured if np.isnan(measured[metric].values[measure])]
        defined.sort(key=lambda metric: -measured[metric].values[measure])
        best_first = defined + undefined
        ranks = clusters(best_first, pairs[pairs["measure"] == measure], level)
        for metric in best_first:
            low, high = measured[metric].intervals[measure]
            threshold = math.nan
            if measure == "acc_eq":
                threshold = measured[metric].threshold
            rows.append((metric, measure, measured[metric].values[measure], low, high, ranks[metric], threshold))
    return pd.DataFrame(rows, columns=list(META))


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
    significant = pairs[pairs["p_adjusted"] <= level]
    differing = set(map(frozenset, zip(significant["one"], significant["other"], strict=True)))
    ranks = {}
    rank = 1
    members: list[str] = []  # of the current cluster
    for metric in ordered:
        if any(frozenset((metric, member)) in differing for member in members):
            rank += 1
            members = []
        members.append(metric)
        ranks[metric] = rank
    return ranks
