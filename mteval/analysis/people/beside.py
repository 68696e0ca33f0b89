"""A metric and people on the same systems and segments, and every measure of how they agree there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from mteval.analysis.people.judged_values import HumanScores
from mteval.analysis.scoring import Scored
from mteval.counts import agreeing, counted
from mteval.errors import DataError
from mteval.settings import Settings
from mteval.stats.base import FloatArray, StatArray
from mteval.stats.judgements.concordance import Concordance
from mteval.stats.judgements.system_agreement import (
    exchange_p_values,
    kendall,
    normal_p_values,
    pairwise_accuracy,
    pearson,
    segment_pearson,
    soft_pairwise_accuracy,
)
from mteval.stats.judgements.tie_calibration import RankedPairs
from mteval.stats.linearize import contributions
from mteval.stats.resampling.bootstrap import draw_counts
from mteval.stats.resampling.random_bits import stream_of
from mteval.stats.resampling.streams import Chunk, seeds_for

MEASURES: Mapping[str, str] = {
    "pairwise_accuracy": "Pairwise accuracy of systems",
    "soft_pairwise_accuracy": "Soft pairwise accuracy",
    "system_pearson": "Pearson, systems",
    "system_kendall": "Kendall's tau b, systems",
    "acc_eq": "Accuracy with tie calibration",
    "segment_pearson": "Pearson, segments",
    "segment_kendall": "Kendall's tau b, segments",
}
FEWEST_SYSTEMS = 3  # of fewer, one pair of systems is all that there is to order


@dataclass(frozen=True)
class Shared:
    """The systems and segments that people judged and all metrics scored.

    Parameters
    ----------
    segments
        Places in the test set.
    human
        Shape ``(systems, segments)``.
    units
        Of each segment what is drawn with it, from 0: itself or its document.
    """

    systems: tuple[str, ...]
    segments: npt.NDArray[np.int64]
    human: FloatArray
    units: npt.NDArray[np.int64]
    settings: Settings

    @classmethod
    def of(cls, scored: Sequence[Scored], human: HumanScores, unit: str, settings: Settings) -> "Shared":
        """What all of them have.

        Raises
        ------
        DataError
            Where too few systems or segments are left, or documents are wanted and there are none.
        """
        systems = tuple(s for s in human.systems if all(s in one.statistics for one in scored))
        if len(systems) < FEWEST_SYSTEMS:
            raise DataError(
                f"{counted(len(systems), 'system')} {agreeing(len(systems), 'was', 'were')} judged and scored by all"
                f" metrics; {FEWEST_SYSTEMS} are needed to compare orders. Judged were: {', '.join(human.systems)}."
            )
        values = human.values[[human.systems.index(system) for system in systems]]
        present = ~np.isnan(values).any(axis=0) & np.all([one.present(*systems) for one in scored], axis=0)
        segments = np.flatnonzero(present)
        if len(segments) < 2:
            raise DataError(
                f"{counted(len(segments), 'segment')} {agreeing(len(segments), 'has', 'have')} a judgement and all"
                f" scores for each of {', '.join(systems)}; two are needed. Leave out systems that were judged on other"
                " segments."
            )
        names = _names(scored[0], segments, unit)
        return cls(systems, segments, values[:, segments], np.unique(names, return_inverse=True)[1], settings)

    @property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.units.max()) + 1

    @cached_property
    def unit_counts(self) -> FloatArray:
        """How often each replicate drew each unit, shape ``(replicates, units)``; the same for all metrics."""
        n, seeds = self.settings.n_bootstrap, seeds_for(self.settings.seed, "agreement with people")
        return draw_counts(stream_of(seeds, Chunk(0, 0, n)), n, self.n_units).astype(np.float64)

    @cached_property
    def counts(self) -> FloatArray:
        """The same for each segment."""
        return self.unit_counts[:, self.units]

    @cached_property
    def human_draws(self) -> FloatArray:
        """People's scores of the systems on the replicates, shape ``(replicates, systems)``."""
        return np.asarray((self.counts @ self.human.T) / self.counts.sum(axis=1, keepdims=True))

    @cached_property
    def human_p_values(self) -> FloatArray:
        """People's p-values of all pairs of systems, shape ``(pairs,)``."""
        return self.p_values(self.human[:, :, np.newaxis], partial(_mean, n_segments=len(self.segments)))

    @cached_property
    def human_p_draws(self) -> FloatArray:
        """The same on the replicates, shape ``(replicates, pairs)``."""
        return normal_p_values(self.human, self.counts)

    def p_values(self, statistics: StatArray, score: "partial[FloatArray] | _Oriented") -> FloatArray:
        """One-sided p-values of all pairs of systems, shape ``(pairs,)``; the same exchanges for people and metrics."""
        seeds = seeds_for(self.settings.seed, "soft pairwise accuracy")
        return exchange_p_values(statistics, score, self.settings.n_shuffles, seeds)


def _names(one: Scored, segments: npt.NDArray[np.int64], unit: str) -> npt.NDArray[np.object_]:
    documents = one.test_set.documents
    if unit == "document" and documents is None:
        raise DataError("There are no document ids; give them, or take segments as units.")
    if unit == "document" and documents is not None:
        return np.array([documents[index] for index in segments], dtype=object)
    return segments.astype(object)


def _mean(sums: StatArray, *, n_segments: int) -> FloatArray:
    return np.asarray(sums[..., 0] / n_segments)


@dataclass(frozen=True)
class _Oriented:
    """A metric's corpus scores, higher being better."""

    one: Scored

    def __call__(self, sums: StatArray) -> FloatArray:
        return self.one.scorer.score(sums) * self.sign

    @property
    def sign(self) -> float:
        return 1.0 if self.one.metric.higher_is_better else -1.0


@dataclass(frozen=True)
class Beside:
    """One metric beside people.

    Parameters
    ----------
    statistics
        Averaged over runs, shape ``(systems, segments, d)``.
    by_segment
        Segment scores, higher being better, shape ``(systems, segments)``.
    """

    shared: Shared
    score: _Oriented
    statistics: StatArray
    by_segment: FloatArray

    @classmethod
    def of(cls, one: Scored, shared: Shared) -> "Beside":
        """The metric on the shared systems and segments."""
        chosen = [one.statistics[system][:, shared.segments] for system in shared.systems]
        score = _Oriented(one)
        by_segment = np.stack([one.scorer.segment_score(runs).mean(axis=0) for runs in chosen])
        return cls(shared, score, np.stack([runs.mean(axis=0) for runs in chosen]), score.sign * by_segment)

    @cached_property
    def _ranked(self) -> RankedPairs:
        return RankedPairs.of(self.shared.human, self.by_segment)

    @cached_property
    def _concordance(self) -> Concordance:
        return Concordance.of(self.shared.human, self.by_segment, self.shared.units)

    @property
    def threshold(self) -> float:
        """The difference of scores up to which outputs count as tied."""
        return self._ranked.calibrated()[1]

    def values(self) -> dict[str, float]:
        """Every measure on the segments at hand."""
        shared = self.shared
        human, ours = shared.human.mean(axis=1), self.score(self.statistics.sum(axis=1).astype(np.float64))
        once = np.ones((1, len(shared.segments)))
        return {
            "pairwise_accuracy": float(pairwise_accuracy(human, ours)),
            "soft_pairwise_accuracy": float(
                soft_pairwise_accuracy(shared.human_p_values, shared.p_values(self.statistics, self.score))
            ),
            "system_pearson": float(pearson(human, ours)),
            "system_kendall": float(kendall(human, ours)),
            "acc_eq": self._ranked.calibrated()[0],
            "segment_pearson": float(segment_pearson(shared.human, self.by_segment, once)[0]),
            "segment_kendall": float(self._concordance.tau_b(np.ones((1, shared.n_units)))[0]),
        }

    def draws(self) -> dict[str, FloatArray]:
        """Every measure on the replicates, each of shape ``(replicates,)``."""
        shared, (n_systems, n_segments, d) = self.shared, self.statistics.shape
        columns = self.statistics.transpose(1, 0, 2).reshape(n_segments, -1).astype(np.float64)
        human, ours = shared.human_draws, self.score((shared.counts @ columns).reshape(-1, n_systems, d))
        p_values = normal_p_values(contributions(self.statistics, self.score), shared.counts)
        return {
            "pairwise_accuracy": pairwise_accuracy(human, ours),
            "soft_pairwise_accuracy": soft_pairwise_accuracy(shared.human_p_draws, p_values),
            "system_pearson": pearson(human, ours),
            "system_kendall": kendall(human, ours),
            "acc_eq": self._ranked.calibrated_on(shared.counts),
            "segment_pearson": segment_pearson(shared.human, self.by_segment, shared.counts),
            "segment_kendall": self._concordance.tau_b(shared.unit_counts),
        }
