"""Rank tables of segments: signs, order, ties, undefined scores, and the choice of the runs."""

import numpy as np
import pandas as pd
import pytest

from mteval.analysis.scoring import Scored, Work, score_experiment
from mteval.analysis.segments.runs import RunPair, median_pair, rank_table, run_texts, segment_differences
from mteval.base.errors import DataError
from mteval.metrics import resolve
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

REFERENCES = ("a b c d", "a b c d", "a b c d", "a b c d")
BASELINE = ("a b c x", "a b x y", "a b c d", "a b c x")
SYSTEM = ("a b c d", "a b c d", "a x y z", "a b c d")


@pytest.fixture(scope="module")
def scored_metrics() -> tuple[Scored, ...]:
    runs = (
        Run("base", "0", BASELINE),
        Run("base", "1", REFERENCES),
        Run("base", "2", ("x", "x", "x", "x")),
        Run("new", "first", SYSTEM),
    )
    test_set = TestSet("test", tuple((line,) for line in REFERENCES), runs)
    metrics = resolve(Settings(metrics=("ter", "length"), convention="multeval"))
    return score_experiment(Experiment((test_set,), "base"), metrics, Work())


def pair(scored_metrics: tuple[Scored, ...]) -> RunPair:
    return median_pair(scored_metrics[0], "base", "new")


def test_the_median_run_is_the_one_between_the_best_and_the_worst(scored_metrics: tuple[Scored, ...]) -> None:
    assert pair(scored_metrics) == RunPair("base", "0", "new", "first")


@pytest.mark.parametrize(
    ("runs", "are_there"),
    [
        (("base", "0", "new", "first"), True),
        (("new", "first", "base", "2"), True),
        (("base", "3", "new", "first"), False),
        (("base", "0", "new", "0"), False),
        (("base", "0", "newer", "first"), False),
    ],
)
def test_a_pair_is_on_a_test_set_that_has_both_its_runs(
    scored_metrics: tuple[Scored, ...], runs, are_there: bool
) -> None:
    assert RunPair(*runs).is_on(scored_metrics[0].test_set) == are_there


def test_segment_scores_are_those_of_the_named_run(scored_metrics: tuple[Scored, ...]) -> None:
    frame = segment_differences(scored_metrics, RunPair("base", "0", "new", "first"))
    ter = frame[frame["metric"] == "ter"]
    assert ter["baseline_score"].tolist() == [25.0, 50.0, 0.0, 25.0]
    assert ter["system_score"].tolist() == [0.0, 0.0, 75.0, 0.0]
    assert ter["segment"].tolist() == [0, 1, 2, 3]


def test_fewer_edits_are_an_improvement_and_a_negative_difference(scored_metrics: tuple[Scored, ...]) -> None:
    frame = segment_differences(scored_metrics, pair(scored_metrics))
    ter = frame[frame["metric"] == "ter"]
    assert ter["difference"].tolist() == [-25.0, -50.0, 75.0, -25.0]
    assert ter["improvement"].tolist() == [25.0, 50.0, -75.0, 25.0]


def test_the_most_improved_segment_comes_first_and_ties_keep_the_order_of_the_corpus(
    scored_metrics: tuple[Scored, ...],
) -> None:
    table = rank_table(segment_differences(scored_metrics, pair(scored_metrics)), "ter")
    ter = table[table["metric"] == "ter"]
    assert ter["segment"].tolist() == [1, 0, 3, 2]
    assert ter["rank"].tolist() == [0, 1, 2, 3]


def test_in_multeval_s_order_more_edits_come_first(scored_metrics: tuple[Scored, ...]) -> None:
    table = rank_table(segment_differences(scored_metrics, pair(scored_metrics)), "ter", by="difference")
    assert table[table["metric"] == "ter"]["segment"].tolist() == [2, 0, 3, 1]


def test_the_sorting_metric_comes_first_in_each_segment(scored_metrics: tuple[Scored, ...]) -> None:
    table = rank_table(segment_differences(scored_metrics, pair(scored_metrics)), "length")
    assert table["metric"].tolist() == ["length", "ter"] * 4
    assert table["segment"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_undefined_differences_come_last() -> None:
    frame = pd.DataFrame({"metric": "m", "segment": range(3), "improvement": [np.nan, -1.0, 2.0]})
    assert rank_table(frame, "m")["segment"].tolist() == [2, 1, 0]


def test_the_texts_are_those_of_the_named_run(scored_metrics: tuple[Scored, ...]) -> None:
    assert run_texts(scored_metrics[0], "new", "first") == SYSTEM


def test_unknown_run_error_lists_runs(scored_metrics: tuple[Scored, ...]) -> None:
    with pytest.raises(DataError, match=r"'base' has no run '7' on test set 'test'.*: 0, 1, 2"):
        segment_differences(scored_metrics, RunPair("base", "7", "new", "first"))


def test_unknown_metric_error_lists_metrics(scored_metrics: tuple[Scored, ...]) -> None:
    with pytest.raises(DataError, match=r"by 'bleu'.*: ter, length"):
        rank_table(segment_differences(scored_metrics, pair(scored_metrics)), "bleu")
