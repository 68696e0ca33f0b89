"""Given scores as a metric."""

import numpy as np
import pytest

from mteval.errors import DataError
from mteval.metrics.base import ScoresRuns
from mteval.metrics.imported import GivenScores, Imported, imported_spec
from mteval.model import Run, TestSet

RUNS = (Run("a", "0", ("x", "y", "z")), Run("b", "0", ("x", "y", "z")))
TEST_SET = TestSet("test", (("r",),) * 3, RUNS)
METRIC = Imported("mqm", "MQM", (GivenScores("test", "a", "0", (-1.0, None, -4.0)),))


def test_equal_texts_keep_the_scores_of_their_runs():
    scorer = METRIC.prepare(TEST_SET)
    assert isinstance(scorer, ScoresRuns)
    statistics = np.stack([scorer.run_statistics(run) for run in RUNS])
    np.testing.assert_array_equal(scorer.segment_score(statistics), [[-1, np.nan, -4], [np.nan] * 3])
    np.testing.assert_array_equal(scorer.score(statistics[0, [0, 2]].sum(axis=0)), -2.5)
    assert scorer.submetrics(statistics).shape == (2, 3, 0)


def test_a_text_of_no_run_has_no_score():
    scorer = METRIC.prepare(TEST_SET)
    assert np.isnan(scorer.segment_score(scorer.statistics([0, 1], ["x", "y"]))).all()


def test_a_wrong_number_of_scores_is_refused():
    short = Imported("mqm", "MQM", (GivenScores("test", "a", "0", (1.0,)),))
    with pytest.raises(DataError, match="MQM has 1 scores for system 'a', run '0'; test set 'test' has 3 segments"):
        short.prepare(TEST_SET)
    assert np.isnan(short.prepare(TestSet("other", (("r",),))).run_statistics(RUNS[0])).all()


def test_other_scores_have_another_signature():
    other = Imported("mqm", "MQM", (GivenScores("test", "a", "0", (-1.0, -0.0, -4.0)),))
    assert METRIC.signature() != other.signature()
    assert METRIC.signature() == Imported(METRIC.key, METRIC.name, METRIC.given).signature()
    assert hash(METRIC) == hash(Imported(METRIC.key, METRIC.name, METRIC.given))


def test_the_description_is_that_of_a_metric_without_options():
    lower = Imported("wer", "WER", (), higher_is_better=False)
    spec = imported_spec(lower, "Given.")
    assert (spec.key, spec.name, spec.direction, spec.options) == ("wer", "WER", "↓", ())
    assert spec.configure("sacrebleu", {}) is lower
