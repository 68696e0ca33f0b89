"""Scores of segments that were given, not computed: by people, by a trained metric, by a file of another program."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from mteval.errors import DataError
from mteval.metrics.base import FloatArray, MetricSpec, Scorer, StatArray
from mteval.model import Run, TestSet, digest_of


@dataclass(frozen=True)
class GivenScores:
    """The scores of one run: one a segment, None where there is none.

    Parameters
    ----------
    test_set, system, run
        Names of what was scored.
    """

    test_set: str
    system: str
    run: str
    values: tuple[float | None, ...]


@dataclass(frozen=True)
class Imported:
    """A metric whose segment scores were given with the runs; the corpus score is their mean.

    A score belongs to a run and a segment, not to a text: people may score two equal outputs differently.

    Parameters
    ----------
    key, name
        As in ``Metric``.
    given
        The scores of each run that has any; of a run without, all are missing.
    higher_is_better
        Direction of improvement.
    origin
        Where the scores come from, for the signature.
    """

    key: str
    name: str
    given: tuple[GivenScores, ...]
    higher_is_better: bool = True
    origin: str = "imported"

    is_segment_mean: ClassVar[bool] = True
    fields: ClassVar[tuple[str, ...]] = ("score", "segments")
    submetric_names: ClassVar[tuple[str, ...]] = ()
    reads: ClassVar[tuple[str, ...]] = ()

    @cached_property
    def _digest(self) -> str:
        return digest_of(
            text
            for one in self.given
            for text in (one.test_set, one.system, one.run, str(len(one.values)), *map(repr, one.values))
        )

    def signature(self) -> str:
        """The origin and a digest of the scores."""
        return f"origin:{self.origin}|scores:{self._digest[:12]}|corpus:mean"

    def prepare(self, test_set: TestSet) -> Scorer:
        """Find the scores of the runs of a test set.

        Raises
        ------
        DataError
            Where a run has another number of scores than segments.
        """
        here = {(one.system, one.run): one.values for one in self.given if one.test_set == test_set.name}
        for (system, run), values in here.items():
            if len(values) != test_set.n_segments:
                raise DataError(
                    f"{self.name} has {len(values)} scores for system '{system}', run '{run}'; test set"
                    f" '{test_set.name}' has {test_set.n_segments} segments. Give one score a segment, None where"
                    " there is none."
                )
        return ImportedScorer(self.name, here, test_set.n_segments)


@dataclass(frozen=True)
class ImportedScorer:
    """The scores given for one test set, by system and run."""

    name: str
    given: Mapping[tuple[str, str], tuple[float | None, ...]]
    n_segments: int

    def run_statistics(self, run: Run) -> FloatArray:
        """Score and 1 for every segment of a run, shape ``(segments, 2)``; both NaN where there is no score."""
        values = self.given.get((run.system, run.key), (None,) * self.n_segments)
        scores = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
        return np.column_stack([scores, np.where(np.isnan(scores), np.nan, 1.0)])

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> FloatArray:
        """Nothing can be said of a text that is of no run: all NaN, shape ``(n, 2)``."""
        return np.full((len(segment_ids), 2), np.nan)

    def score(self, statistics: StatArray) -> FloatArray:
        """The mean, shape ``(..., 2)`` to ``(...)``; NaN where there is no score."""
        total, count = statistics[..., 0].astype(float), statistics[..., 1].astype(float)
        mean: FloatArray = np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)
        return mean

    def segment_score(self, statistics: StatArray) -> FloatArray:
        """The same mean."""
        return self.score(statistics)

    def submetrics(self, statistics: StatArray) -> FloatArray:
        """None, shape ``(..., 0)``."""
        return np.zeros((*statistics.shape[:-1], 0))


def imported_spec(metric: Imported, summary: str) -> MetricSpec:
    """How to describe imported scores to a user; they have no options."""
    return MetricSpec(
        key=metric.key,
        name=metric.name,
        direction="↑" if metric.higher_is_better else "↓",
        summary=summary,
        options=(),
        configure=lambda convention, options: metric,
        defaults=lambda convention: {},
    )
