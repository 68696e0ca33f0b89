"""Segment scores computed elsewhere: human ratings, trained metrics, files of other programs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mteval.base.arrays import FloatArray
from mteval.metrics.base import MetricSpec, Scorer, ScoreRange
from mteval.metrics.options import FIELDS, NoScores
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.judgements import Spans
from mteval.values.model import Run, TestSet
from mteval.values.notation import Notation


@dataclass(frozen=True)
class Imported:
    """A metric whose segment scores came with the runs; the corpus score is their mean."""

    given: GivenMetric

    is_segment_mean: ClassVar[bool] = True
    fields: ClassVar[tuple[str, ...]] = FIELDS
    submetric_names: ClassVar[tuple[str, ...]] = ()
    reads: ClassVar[tuple[str, ...]] = ()

    @property
    def key(self) -> str:
        """Short name."""
        return self.given.key

    @property
    def name(self) -> str:
        """Display name."""
        return self.given.name

    @property
    def higher_is_better(self) -> bool:
        """Direction that the user chose."""
        return self.given.higher_is_better

    def __hash__(self) -> int:
        return hash(self.given.digest)

    def signature(self) -> str:
        """Return the origin and a digest of the scores."""
        return f"origin:{self.given.origin}|scores:{self.given.digest[:12]}|corpus:mean"

    def prepare(self, test_set: TestSet) -> Scorer:
        """Look up the scores of a test set's runs."""
        of_test_set = {}
        for scores in self.given.scores:
            if scores.test_set == test_set.name:
                of_test_set[scores.system, scores.run] = scores
        return ImportedScorer(of_test_set, test_set.n_segments)


@dataclass(frozen=True)
class ImportedScorer(NoScores):
    """Scores of one test set by system and run; other texts have no score."""

    given: Mapping[tuple[str, str], GivenScores]
    n_segments: int

    def run_statistics(self, run: Run) -> FloatArray:
        """Return score and 1 for every segment of a run, shape ``(segments, 2)``; NaN if there is no score."""
        given = self._given_of(run)
        if given:
            # Shape (runs of the training, segments); None becomes NaN
            scores = np.array([scores_of_run.values for scores_of_run in given], dtype=np.float64).mean(axis=0)
        else:
            scores = np.full(self.n_segments, np.nan)
        counts = np.where(np.isnan(scores), np.nan, 1.0)
        return np.column_stack([scores, counts])

    def error_spans(self, run: Run) -> tuple[Spans | None, ...] | None:
        """Return the errors that came with a run's scores, one entry per segment; None if there are none."""
        given = self._given_of(run)
        if not given:
            return None
        return given[0].spans

    def deviations(self, run: Run) -> tuple[float | None, ...] | None:
        """Return the standard deviation that came with each score of a run; None if there are none."""
        given = self._given_of(run)
        if len(given) != 1:
            return None
        return given[0].deviations

    def _given_of(self, run: Run) -> list[GivenScores]:
        """Return the scores of a run, or of the runs of one training."""
        of_members = [self.given[run.system, key] for key in run.members if (run.system, key) in self.given]
        if of_members:
            return of_members
        if (run.system, run.key) in self.given:  # judgements made here are of the training
            return [self.given[run.system, run.key]]
        return []


def imported_spec(given: GivenMetric) -> MetricSpec:
    """Describe imported scores, with three or four significant digits for averages; they have no options."""
    if given.largest <= 2:
        decimals = 4
    elif given.largest <= 20:
        decimals = 3
    else:
        decimals = 2
    return MetricSpec(
        key=given.key,
        name=given.name,
        notation=Notation("↑" if given.higher_is_better else "↓", decimals),
        summary="Mean of the segment scores that came with the runs; what they measure depends on their origin."
        " Segments without a score are excluded pairwise, so averages of systems with different gaps cover different"
        " segments.",
        range=ScoreRange(None, None, "as supplied"),
        source=f"given with the runs: {given.origin}",
        options=(),
        configure=lambda convention, options: Imported(given),
        defaults=lambda convention: {},
        scores_texts=False,
    )
