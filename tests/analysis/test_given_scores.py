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
    """Runs whose texts are all the same, so that no text can tell their scores apart."""
    outputs = tuple(
        Run(system, str(run), ("same",) * n_segments) for system, count in runs.items() for run in range(count)
    )
    return Experiment((TestSet("test", (("r",),) * n_segments, outputs, documents=documents),), next(iter(runs)))


def given(system: str, run: int, *values: float | None) -> GivenScores:
    return GivenScores("test", system, str(run), values)


def compared(made: Experiment, *scores: GivenScores) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The comparisons and the summaries."""
    scored_metrics = score_experiment(made, [Imported(GivenMetric("human", "Human", scores))], Work())
    answers = two_answers(made, scored_metrics, SETTINGS, Work())
    summarized, _ = summaries(scored_metrics, SETTINGS, Work())
    return frame_of(chain.from_iterable(answers), Comparison), frame_of(summarized, Summary)


def test_a_pair_is_compared_on_the_segments_that_all_its_runs_have():
    made = experiment(6, {"a": 2, "b": 1, "c": 1})
    frame, summary = compared(
        made,
        given("a", 0, 1, 2, 3, None, 5, 6),
        given("a", 1, 1, 2, 3, 4, 5, None),
        given("b", 0, None, 4, 4, 9, 9, 9),
        given("c", 0, 0, 0, 0, 0, 0, 0),
    )
    by_system = frame[frame["procedure"] == "ar-segment"].set_index("system")
    assert by_system.loc["b", "difference"] == pytest.approx((4 + 4 + 9) / 3 - (2 + 3 + 5) / 3)
    assert "3 of 6 segments are skipped" in by_system.loc["b", "note"]
    assert by_system.loc["c", "difference"] == pytest.approx(-(1 + 2 + 3 + 5) / 4)
    assert "2 of 6 segments are skipped" in by_system.loc["c", "note"]
    means = summary.set_index("system")["mean"]
    assert means["a"] == pytest.approx((1 + 2 + 3 + 5) / 4)
    assert means["b"] == pytest.approx((4 + 4 + 9 + 9 + 9) / 5)


def test_a_system_whose_runs_share_no_scored_segment_is_left_out_and_named():
    made = experiment(6, {"a": 1, "b": 2, "c": 1})
    human = GivenMetric("human", "Human", (
        given("a", 0, 1, 2, 3, 4, 5, 6),
        given("b", 0, 1, 2, 3, None, None, None),
        given("b", 1, None, None, None, 4, 5, 6),
        given("c", 0, 2, 3, 4, 5, 6, 8),
    ))  # fmt: skip
    made = replace(made, given=(human,))
    settings = replace(SETTINGS, metrics=("human",))
    found = evaluate(made, settings, Work())
    assert set(found.summary["system"]) == {"a", "c"}
    assert set(found.comparisons["system"]) == {"c"}
    (told,) = (one for one in found.findings if one.code == "not-compared")
    assert told.systems == ("b",)
    assert told.detail == "No segment has a score from Human in all runs of b, so Human does not compare b."


def test_skipped_segments_give_the_numbers_of_a_smaller_test_set():
    values = np.random.default_rng(5).normal(size=(2, 12)).round(2).tolist()
    holes: list[list[float | None]] = [list(row) for row in values]
    holes[0][3] = holes[1][7] = None
    kept = [[row[place] for place in range(12) if place not in (3, 7)] for row in values]
    documents = tuple("aabbccddeeff")
    whole, _ = compared(experiment(12, {"a": 1, "b": 1}, documents), given("a", 0, *holes[0]), given("b", 0, *holes[1]))
    rest = experiment(10, {"a": 1, "b": 1}, tuple(documents[place] for place in range(12) if place not in (3, 7)))
    smaller, _ = compared(rest, given("a", 0, *kept[0]), given("b", 0, *kept[1]))
    columns = ["difference", "low", "high", "p_value", "p_adjusted"]
    np.testing.assert_allclose(whole[columns], smaller[columns], rtol=1e-12)


def test_runs_without_any_score_are_skipped():
    made = experiment(4, {"a": 3, "b": 2, "c": 1})
    frame, summary = compared(made, given("a", 1, 1, 2, 3, 4), given("b", 0, 2, 3, 4, 6))
    assert summary.set_index("system")["n_runs"].to_dict() == {"a": 1, "b": 1}
    assert set(frame["system"]) == {"b"}
    assert frame["difference"].tolist() == [1.25, 1.25]


def test_systems_without_a_segment_in_common_are_not_compared():
    frame, _ = compared(
        experiment(4, {"a": 1, "b": 1}), given("a", 0, 1, 2, None, None), given("b", 0, None, None, 3, 4)
    )
    assert frame["p_value"].isna().all()
    assert frame["difference"].isna().all()
    assert frame["note"].str.contains("from all runs of both systems").all()


@pytest.mark.real_data
def test_means_of_the_real_mqm_scores_are_those_that_wmt_published(data_directory: Path):
    folder = data_directory / "data" / "wmt23-he-en" / "scores"
    text = (folder / "he-en.mqm.seg.score").read_text(encoding="utf-8")
    scores = {str(one.system): one.values for one in read_score_lines(text.splitlines(), "he-en.mqm.seg.score")}
    made = experiment(1910, dict.fromkeys(scores, 1))
    metric = Imported(GivenMetric("mqm", "MQM", tuple(given(system, 0, *values) for system, values in scores.items())))
    (scored,) = score_experiment(made, [metric], Work())
    lines = (folder / "he-en.mqm.sys.score").read_text().splitlines()
    published = {system: float(score) for system, score in (line.split("\t") for line in lines) if score != "None"}
    assert len(published) > 10
    for system, score in published.items():
        assert float(scored.run_scores[system][0]) == pytest.approx(score, abs=1e-9), system


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_the_interval_of_test_set_luck_is_as_wide_as_the_confidence_says(confidence: float) -> None:
    one, other = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0] * 2, [2.0, 7.0, 1.0, 8.0, 2.0, 8.5, 6, 2, 1, 4, 9, 9]
    metric = Imported(GivenMetric("human", "Human", (given("a", 0, *one), given("b", 0, *other))))
    made = experiment(12, {"a": 1, "b": 1})
    chosen = replace(SETTINGS, metrics=("human",), confidence=confidence, n_shuffles=9_999)
    (answers,) = two_answers(made, score_experiment(made, [metric], Work()), chosen, Work())
    expected = ttest_rel(other, one).confidence_interval(confidence)
    verdict = verdict_on(answers, 1, chosen, catalog([metric.given])["human"])
    ends, slack = (expected.low, expected.high), (expected.high - expected.low) / 10
    assert (verdict.low_test_set, verdict.high_test_set) == pytest.approx(ends, abs=slack)


def test_the_lowest_and_highest_replicate_of_two_segments_are_either_segment_alone() -> None:
    made = experiment(2, {"a": 2})
    metric = Imported(GivenMetric("human", "Human", (given("a", 0, 0, 10), given("a", 1, 2, 4))))
    _, (resampled,) = summaries(score_experiment(made, [metric], Work()), SETTINGS, Work())
    assert (resampled.minimum, resampled.maximum) == (0, 10)
    assert resampled.mean == pytest.approx(4, abs=0.5)


@pytest.mark.parametrize(
    ("choices", "by_documents"),
    [({}, True), ({"exchange_unit": "segment"}, False), ({"convention": "multeval"}, False)],
)
def test_s_sel_resamples_the_units_of_the_tests(choices: dict[str, Any], by_documents: bool) -> None:
    values = [float(document + segment / 10) for document in (1, 5, 2, 8, 3) for segment in range(4)]
    made = experiment(20, {"a": 1}, tuple(f"d{number // 4}" for number in range(20)))
    metric = Imported(GivenMetric("human", "Human", (given("a", 0, *values),)))
    chosen = replace(SETTINGS, **choices, n_bootstrap=20_000)
    ((found,), _) = summaries(score_experiment(made, [metric], Work()), chosen, Work())
    means = np.reshape(values, (5, 4)).mean(axis=1) if by_documents else np.array(values)
    assert found.s_sel == pytest.approx(means.std() / len(means) ** 0.5, rel=0.03)  # of all replicates
