"""Test sets for metrics that need more than texts."""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from mteval.metrics.base import FloatArray, Metric, Scorer, ScoresRuns, StatArray
from mteval.values.model import Run, TestSet


@dataclass(frozen=True)
class OfRuns:
    """A scorer of runs, asked about texts: each text becomes a run of its own, with a parse."""

    scorer: Scorer
    n_segments: int
    parse: Callable[[str], str]

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> StatArray:
        """The rows of the texts, each from the run that has it."""
        rows = [self._row(segment, text) for segment, text in zip(segment_ids, hypotheses, strict=True)]
        return np.array(rows) if rows else self.scorer.statistics([], [])

    def _row(self, segment: int, text: str) -> StatArray:
        texts = [text if place == segment else "" for place in range(self.n_segments)]
        run = Run("system", "0", tuple(texts), tuple(map(self.parse, texts)))
        assert isinstance(self.scorer, ScoresRuns)
        return self.scorer.run_statistics(run)[segment]

    def score(self, statistics: StatArray) -> FloatArray:
        """As the scorer."""
        return self.scorer.score(statistics)

    def segment_score(self, statistics: StatArray) -> FloatArray:
        """As the scorer."""
        return self.scorer.segment_score(statistics)

    def submetrics(self, statistics: StatArray) -> FloatArray:
        """As the scorer."""
        return self.scorer.submetrics(statistics)


@pytest.fixture(autouse=True)
def _models(request: pytest.FixtureRequest) -> None:
    """Learned metrics are tested like the others, by small models."""
    models = {"comet": "comet_checkpoint", "bertscore": "bertscore_model", "llm-judge": "judge_endpoint"}
    models |= {"metricx-24": "metricx_model", "bleurt-20": "bleurt_model", "spbleu": "spbleu_models"}
    for key, fixture in models.items():
        if key in request.node.name:
            request.getfixturevalue(fixture)


@pytest.fixture
def prepare(right_branching: Callable[[str], str]) -> Callable[[Metric, TestSet], Scorer]:
    """Prepares a metric for a test set of texts, with all that metrics read added; any text can be asked about."""

    def prepared(metric: Metric, test_set: TestSet) -> Scorer:
        parses = tuple(tuple(map(right_branching, references)) for references in test_set.references)
        source, documents = ("ein Satz",) * test_set.n_segments, ("a text",) * test_set.n_segments
        whole = dataclasses.replace(test_set, source=source, documents=documents, reference_parses=parses)
        scorer = metric.prepare(whole)
        return OfRuns(scorer, test_set.n_segments, right_branching) if isinstance(scorer, ScoresRuns) else scorer

    return prepared
