"""Scores of segments that were given, not computed: by people, by a trained metric, by a file of another program."""

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
    """A metric whose segment scores were given with the runs; the corpus score is their mean."""

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
        """Name on screen."""
        return self.given.name

    @property
    def higher_is_better(self) -> bool:
        """Direction of improvement, as the user said."""
        return self.given.higher_is_better

    def __hash__(self) -> int:
        return hash(self.given.digest)

    def signature(self) -> str:
        """The origin and a digest of the scores."""
        return f"origin:{self.given.origin}|scores:{self.given.digest[:12]}|corpus:mean"

    def prepare(self, test_set: TestSet) -> Scorer:
        """Find the scores of the runs of a test set."""
        here = {(run.system, run.run): run for run in self.given.scores if run.test_set == test_set.name}
        return ImportedScorer(here, test_set.n_segments)


@dataclass(frozen=True)
class ImportedScorer(NoScores):
    """The scores given for one test set, by system and run; of a text that is of no run nothing can be said."""

    given: Mapping[tuple[str, str], GivenScores]
    n_segments: int

    def run_statistics(self, run: Run) -> FloatArray:
        """Score and 1 for every segment of a run, shape ``(segments, 2)``; both NaN where there is no score."""
        given = self.given.get((run.system, run.key))
        values = (None,) * self.n_segments if given is None else given.values
        scores = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
        return np.column_stack([scores, np.where(np.isnan(scores), np.nan, 1.0)])

    def error_spans(self, run: Run) -> tuple[Spans | None, ...] | None:
        """The errors that were given with the scores of a run, one a segment; None where none were."""
        given = self.given.get((run.system, run.key))
        return None if given is None else given.spans

    def deviations(self, run: Run) -> tuple[float | None, ...] | None:
        """The standard deviation that each score was given with, one a segment; None where none was."""
        given = self.given.get((run.system, run.key))
        return None if given is None else given.deviations


def imported_spec(given: GivenMetric) -> MetricSpec:
    """How to describe given scores to a user, three or four digits of each average; they have no options."""
    decimals = 4 if given.largest <= 2 else 3 if given.largest <= 20 else 2
    return MetricSpec(
        key=given.key,
        name=given.name,
        notation=Notation("↑" if given.higher_is_better else "↓", decimals),
        summary=(
            "The mean of the segment scores that were given with the runs; what they see is up to who or what gave"
            " them. Segments without a score are left out in pairs, so that averages of systems with different gaps"
            " are not of the same segments."
        ),
        range=ScoreRange(None, None, "the scores are as they were given"),
        source=f"given with the runs: {given.origin}",
        options=(),
        configure=lambda convention, options: Imported(given),
        defaults=lambda convention: {},
        scores_texts=False,
    )
