"""Scores that came with the runs: segments without one are left out, pair by pair, and counted."""

from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from mteval.analysis.comparison import Comparison
from mteval.analysis.evaluation import evaluate
from mteval.analysis.scoring import Work, frame_of, score_experiment
from mteval.analysis.summary import Summary, summaries
from mteval.analysis.two_answers import two_answers, verdict_on
from mteval.metrics import catalog
from mteval.metrics.imported import Imported
from mteval.readers.formats.score_tables import read_score_lines
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

SETTINGS = Settings(n_bootstrap=200, n_shuffles=500)


def experiment(n_segments: int, runs: dict[str, int], documents: tuple[str, ...] | None = None) -> Experiment:
    """So many runs of each system, whose texts are all the same, so that no text can tell their scores apart."""
    text = ("same",) * n_segments
    outputs = tuple(Run(system, str(run), text) for system, n_runs in runs.items() for run in range(n_runs))
    test_set = TestSet("test", (("r",),) * n_segments, outputs, documents=documents)
    return Experiment((test_set,), next(iter(runs)))


def given(system: str, run: int, *values: float | None) -> GivenScores:
    """The scores of a run's segments."""
    return GivenScores("test", system, str(run), values)


def human(*scores: GivenScores) -> Imported:
    """The metric whose scores these are."""
    return Imported(GivenMetric("human", "Human", scores))


def compared(loaded: Experiment, *scores: GivenScores) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The comparisons and the summaries."""
    scored_metrics = score_experiment(loaded, [human(*scores)], Work())
    answers = two_answers(loaded, scored_metrics, SETTINGS, Work())
    summarized, _ = summaries(scored_metrics, SETTINGS, Work())
    return frame_of(chain.from_iterable(answers), Comparison), frame_of(summarized, Summary)


def test_a_pair_is_compared_on_the_segments_that_all_its_runs_have():
    comparisons, summary = compared(
        experiment(6, {"a": 2, "b": 1, "c": 1}),
        given("a", 0, 1, 2, 3, None, 5, 6),
        given("a", 1, 1, 2, 3, 4, 5, None),
        given("b", 0, None, 4, 4, 9, 9, 9),
        given("c", 0, 0, 0, 0, 0, 0, 0),
    )
    by_system = comparisons[comparisons["procedure"] == "ar-segment"].set_index("system")
    assert by_system.loc["b", "difference"] == pytest.approx((4 + 4 + 9) / 3 - (2 + 3 + 5) / 3)
    assert "3 of 6 segments are skipped" in by_system.loc["b", "note"]
    assert by_system.loc["c", "difference"] == pytest.approx(-(1 + 2 + 3 + 5) / 4)
    assert "2 of 6 segments are skipped" in by_system.loc["c", "note"]
    means = summary.set_index("system")["mean"]
    assert means["a"] == pytest.approx((1 + 2 + 3 + 5) / 4)
    assert means["b"] == pytest.approx((4 + 4 + 9 + 9 + 9) / 5)


def test_a_system_whose_runs_share_no_scored_segment_is_left_out_and_named():
    metric = human(
        given("a", 0, 1, 2, 3, 4, 5, 6),
        given("b", 0, 1, 2, 3, None, None, None),
        given("b", 1, None, None, None, 4, 5, 6),
        given("c", 0, 2, 3, 4, 5, 6, 8),
    )
    loaded = replace(experiment(6, {"a": 1, "b": 2, "c": 1}), given=(metric.given,))

    evaluation = evaluate(loaded, replace(SETTINGS, metrics=("human",)), Work())

    assert set(evaluation.summary["system"]) == {"a", "c"}
    assert set(evaluation.comparisons["system"]) == {"c"}
    (finding,) = [finding for finding in evaluation.findings if finding.code == "not-compared"]
    assert finding.systems == ("b",)
    assert finding.detail == "No segment has a score from Human in all runs of b, so Human does not compare b."


def test_skipped_segments_give_the_numbers_of_a_smaller_test_set():
    values = np.random.default_rng(5).normal(size=(2, 12)).round(2)
    documents = np.array(list("aabbccddeeff"))
    is_scored = np.ones(12, dtype=bool)
    is_scored[[3, 7]] = False

    of_a: list[float | None] = values[0].tolist()
    of_b: list[float | None] = values[1].tolist()
    of_a[3] = None
    of_b[7] = None
    larger = experiment(12, {"a": 1, "b": 1}, tuple(documents.tolist()))
    with_gaps, _ = compared(larger, given("a", 0, *of_a), given("b", 0, *of_b))

    scored_of_a, scored_of_b = values[:, is_scored].tolist()
    smaller = experiment(10, {"a": 1, "b": 1}, tuple(documents[is_scored].tolist()))
    without_gaps, _ = compared(smaller, given("a", 0, *scored_of_a), given("b", 0, *scored_of_b))

    columns = ["difference", "low", "high", "p_value", "p_adjusted"]
    np.testing.assert_allclose(with_gaps[columns], without_gaps[columns], rtol=1e-12)


def test_runs_without_any_score_are_skipped():
    loaded = experiment(4, {"a": 3, "b": 2, "c": 1})
    comparisons, summary = compared(loaded, given("a", 1, 1, 2, 3, 4), given("b", 0, 2, 3, 4, 6))
    assert summary.set_index("system")["n_runs"].to_dict() == {"a": 1, "b": 1}
    assert set(comparisons["system"]) == {"b"}
    assert comparisons["difference"].tolist() == [1.25, 1.25]


def test_systems_without_a_segment_in_common_are_not_compared():
    loaded = experiment(4, {"a": 1, "b": 1})
    comparisons, _ = compared(loaded, given("a", 0, 1, 2, None, None), given("b", 0, None, None, 3, 4))
    assert comparisons["p_value"].isna().all()
    assert comparisons["difference"].isna().all()
    assert comparisons["note"].str.contains("from all runs of both systems").all()


@pytest.mark.real_data
def test_means_of_the_real_mqm_scores_are_those_that_wmt_published(data_directory: Path):
    folder = data_directory / "data" / "wmt23-he-en" / "scores"
    text = (folder / "he-en.mqm.seg.score").read_text(encoding="utf-8")
    score_lines = read_score_lines(text.splitlines(), "he-en.mqm.seg.score")
    scores = {str(line.system): line.values for line in score_lines}
    published = {}
    for line in (folder / "he-en.mqm.sys.score").read_text().splitlines():
        system, score = line.split("\t")
        if score != "None":
            published[system] = float(score)

    mqm = Imported(GivenMetric("mqm", "MQM", tuple(given(system, 0, *values) for system, values in scores.items())))
    (scored,) = score_experiment(experiment(1910, dict.fromkeys(scores, 1)), [mqm], Work())

    assert len(published) > 10
    for system, score in published.items():
        assert float(scored.run_scores[system][0]) == pytest.approx(score, abs=1e-9), system


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_the_interval_of_test_set_luck_is_as_wide_as_the_confidence_says(confidence: float) -> None:
    """Shuffles and Student's paired t differ by less than a tenth of the interval."""
    of_a = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0] * 2
    of_b = [2.0, 7.0, 1.0, 8.0, 2.0, 8.5, 6, 2, 1, 4, 9, 9]
    metric = human(given("a", 0, *of_a), given("b", 0, *of_b))
    loaded = experiment(12, {"a": 1, "b": 1})
    settings = replace(SETTINGS, metrics=("human",), confidence=confidence, n_shuffles=9_999)

    (answers,) = two_answers(loaded, score_experiment(loaded, [metric], Work()), settings, Work())
    verdict = verdict_on(answers, 1, settings, catalog([metric.given])["human"])

    expected = ttest_rel(of_b, of_a).confidence_interval(confidence)
    tenth = (expected.high - expected.low) / 10
    assert verdict.low_test_set == pytest.approx(expected.low, abs=tenth)
    assert verdict.high_test_set == pytest.approx(expected.high, abs=tenth)


def test_the_lowest_and_highest_replicate_of_two_segments_are_either_segment_alone() -> None:
    metric = human(given("a", 0, 0, 10), given("a", 1, 2, 4))
    scored_metrics = score_experiment(experiment(2, {"a": 2}), [metric], Work())
    _, (resampled,) = summaries(scored_metrics, SETTINGS, Work())
    assert (resampled.minimum, resampled.maximum) == (0, 10)
    assert resampled.mean == pytest.approx(4, abs=0.5)


@pytest.mark.parametrize(
    ("choices", "by_documents"),
    [({}, True), ({"exchange_unit": "segment"}, False), ({"convention": "multeval"}, False)],
)
def test_s_sel_resamples_the_units_of_the_tests(choices: dict[str, Any], by_documents: bool) -> None:
    """The standard deviation of all bootstrap replicates of a mean is that of the units, divided by their root."""
    quality_of_documents = np.array([1, 5, 2, 8, 3])
    values = (quality_of_documents[:, np.newaxis] + np.arange(4) / 10).ravel()
    documents = tuple(f"d{segment // 4}" for segment in range(20))
    metric = human(given("a", 0, *values.tolist()))
    scored_metrics = score_experiment(experiment(20, {"a": 1}, documents), [metric], Work())

    ((summary,), _) = summaries(scored_metrics, replace(SETTINGS, **choices, n_bootstrap=20_000), Work())

    units = values.reshape(5, 4).mean(axis=1) if by_documents else values
    assert summary.s_sel == pytest.approx(units.std() / len(units) ** 0.5, rel=0.03)
