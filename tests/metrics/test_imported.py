"""Given scores as a metric."""

import numpy as np
import pytest

from mteval.base.errors import DataError, SettingsError
from mteval.metrics import catalog, resolve
from mteval.metrics.base import ScoresRuns
from mteval.metrics.imported import Imported
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

RUNS = (Run("a", "0", ("x", "y", "z")), Run("b", "0", ("x", "y", "z")))
TEST_SET = TestSet("test", (("r",),) * 3, RUNS)
GIVEN = GivenMetric("mqm", "MQM", (GivenScores("test", "a", "0", (-1.0, None, -4.0)),))
METRIC = Imported(GIVEN)


def test_equal_texts_have_the_scores_of_their_own_runs():
    scorer = METRIC.prepare(TEST_SET)
    assert isinstance(scorer, ScoresRuns)

    statistics = np.stack([scorer.run_statistics(run) for run in RUNS])

    np.testing.assert_array_equal(scorer.segment_score(statistics), [[-1, np.nan, -4], [np.nan] * 3])
    total_of_a = statistics[0, [0, 2]].sum(axis=0)  # the second segment of a has no score
    assert scorer.score(total_of_a) == -2.5
    assert scorer.submetrics(statistics).shape == (2, 3, 0)


def test_text_outside_all_runs_has_no_score():
    scorer = METRIC.prepare(TEST_SET)

    statistics = scorer.statistics([0, 1], ["x", "y"])

    assert np.isnan(scorer.segment_score(statistics)).all()


def test_wrong_number_of_scores_is_an_error():
    short = GivenMetric("mqm", "MQM", (GivenScores("test", "a", "0", (1.0,)),))
    with pytest.raises(DataError, match="MQM has 1 score for system 'a', run '0'; test set 'test' has 3 segments"):
        Experiment((TEST_SET,), "a", (short,))
    without_scores = TestSet("other", (("r",),), ())
    assert np.isnan(Imported(short).prepare(without_scores).run_statistics(RUNS[0])).all()


def test_duplicate_scores_are_an_error():
    with pytest.raises(DataError, match="'mqm' appears 2 times"):
        Experiment((TEST_SET,), "a", (GIVEN, GIVEN))


def test_different_scores_have_different_signatures_and_experiments():
    different = GivenMetric("mqm", "MQM", (GivenScores("test", "a", "0", (-1.0, -0.0, -4.0)),))
    equal = GivenMetric(GIVEN.key, GIVEN.name, GIVEN.scores)

    assert METRIC.signature() != Imported(different).signature()
    assert METRIC.signature() == Imported(equal).signature()
    assert hash(METRIC) == hash(Imported(equal))
    digest = Experiment((TEST_SET,), "a", (GIVEN,)).digest
    assert digest == Experiment((TEST_SET,), "a", (equal,)).digest
    assert digest != Experiment((TEST_SET,), "a", (different,)).digest


def test_settings_name_imported_scores_like_metrics():
    mistakes = GivenMetric("mistakes", "Mistakes", (), higher_is_better=False)

    spec = catalog((mistakes,))["mistakes"]
    assert spec.name == "Mistakes"
    assert spec.notation.direction == "↓"
    assert spec.options == ()

    _, metric = resolve(Settings(metrics=("bleu", "mistakes")), (mistakes,))
    assert metric == Imported(mistakes)
    with pytest.raises(SettingsError, match="metric 'mistakes'"):
        resolve(Settings(metrics=("mistakes",)))


def test_imported_scores_cannot_have_a_metrics_key():
    with pytest.raises(SettingsError, match="'bleu' have the key of a built-in metric"):
        catalog((GivenMetric("bleu", "BLEU", ()),))


@pytest.mark.parametrize(("largest", "decimals"), [(0.9, 4), (-1.5, 4), (9.8, 3), (-25.0, 2), (85.3, 2)])
def test_small_scores_are_shown_with_more_decimals(largest: float, decimals: int):
    given = GivenMetric("human", "Human", (GivenScores("test", "a", "0", (0.1, None, largest)),))
    assert catalog((given,))["human"].notation.decimals == decimals
