"""The numbers of the ranked table, against what MultEval recorded and against small cases worked out by hand."""

import gzip
import re
from dataclasses import dataclass

import numpy as np
import pytest

from mteval.analysis.scoring import Work, score_experiment
from mteval.analysis.segments.runs import RunPair, consistency_frame, median_pair, outputs_frame, segment_differences
from mteval.analysis.segments.table import column, run_index, segment_table
from mteval.base.errors import DataError
from mteval.metrics import METRICS, resolve
from mteval.metrics.imported import Imported
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.notation import half_up
from mteval.values.settings import Settings

METRIC_KEYS = ("bleu", "ter", "length")


@dataclass(frozen=True)
class Recorded:
    """A segment of a rank file: its number and for each metric ``before -> after = difference`` as printed."""

    segment: int
    numbers: dict[str, tuple[str, str, str]]


def recorded(path):
    """The segments of a rank file in their order."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            if line.startswith("SENT "):
                number, *changes = line.rstrip("\n").removeprefix("SENT ").split("\t")
                found = (re.fullmatch(r"(\w+): (\S+) -> (\S+) = (\S+)", change).groups() for change in changes)
                yield Recorded(int(number), {name: numbers for name, *numbers in found})


@pytest.fixture(scope="module")
def scored_metrics(example):
    settings = Settings(metrics=METRIC_KEYS, convention="multeval")
    return score_experiment(example, resolve(settings), Work())


def table_of(scored_metrics, pair):
    runs = {(run.system, run.key): run for run in scored_metrics[0].test_set.runs}
    sides = runs[pair.baseline, pair.baseline_run], runs[pair.system, pair.system_run]
    return segment_table(scored_metrics, segment_differences(scored_metrics, pair), *sides)


@pytest.mark.parametrize("metric", ["bleu", "ter"])
def test_the_table_has_the_numbers_of_multevals_rank_files_to_the_printed_digit(metric, scored_metrics, data_directory):
    scored = next(scored for scored in scored_metrics if scored.metric.key == metric)
    table = table_of(scored_metrics, median_pair(scored, "baseline", "sys1"))
    rows = list(recorded(data_directory / "reference" / "multeval" / "rank" / f"sys2.sortedby.{metric}.gz"))
    assert len(rows) == len(table)
    for key in METRIC_KEYS:
        values = table[[column(key, v) for v in ("baseline", "system", "difference")]].to_numpy()
        for row in rows:
            assert [half_up(v, 1) for v in values[row.segment]] == list(row.numbers[key]), (row.segment, key)


@pytest.mark.parametrize(("metric", "is_multevals_order"), [("bleu", True), ("ter", False)])
def test_most_improved_first_is_the_order_of_multeval(metric, is_multevals_order, scored_metrics, data_directory):
    """MultEval lists TER from the largest difference, the worst segment, on; here the most improved comes first."""
    scored = next(scored for scored in scored_metrics if scored.metric.key == metric)
    table = table_of(scored_metrics, median_pair(scored, "baseline", "sys1"))
    ours = table.sort_values(column(metric, "improvement"), ascending=False, kind="stable")["segment"].to_numpy()
    rows = list(recorded(data_directory / "reference" / "multeval" / "rank" / f"sys2.sortedby.{metric}.gz"))
    theirs = np.array([row.segment for row in rows])
    if not is_multevals_order:
        theirs = theirs[::-1]
    difference = table[column(metric, "difference")].to_numpy()
    np.testing.assert_allclose(difference[ours], difference[theirs], rtol=0, atol=1e-9)
    assert sorted(ours) == sorted(theirs)


def small_experiment():
    references = (("a b c d e",), ("f g h",))
    outputs = {
        ("old", "0"): ("a b x d e", "f g h"),
        ("old", "1"): ("a b x d e", "f x x"),
        ("new", "0"): ("a b c d e", "f x h"),
        ("new", "1"): ("a b c x e", "f x h"),
        ("new", "2"): ("a b c d e", "f x h"),
    }
    runs = tuple(Run(system, key, texts) for (system, key), texts in outputs.items())
    return Experiment((TestSet("test", references, runs, documents=("p", "q")),), "old")


@pytest.fixture(scope="module")
def small():
    return score_experiment(
        small_experiment(), resolve(Settings(metrics=("ter", "bleu"), convention="multeval")), Work()
    )


def test_table_has_lengths_documents_and_identical_outputs(small):
    table = table_of(small, RunPair("new", "0", "new", "2"))
    assert table["reference_words"].tolist() == [5, 3]
    assert table["document"].tolist() == ["p", "q"]
    assert table["is_identical"].all()
    table = table_of(small, RunPair("old", "0", "new", "0"))
    assert table[column("ter", "difference")].tolist() == pytest.approx([-20, 100 / 3])
    assert table[column("ter", "improvement")].tolist() == pytest.approx([20, -100 / 3])
    assert not table["is_identical"].any()


def test_parts_of_a_score_have_columns_for_both_sides(small):
    table = table_of(small, RunPair("old", "0", "new", "0"))
    for part in METRICS["bleu"].configure("multeval", {}).submetric_names:
        assert {column("bleu", "baseline", part), column("bleu", "system", part)} <= set(table.columns)
    assert table[column("bleu", "system", "bleu1p")][0] == pytest.approx(1)


def test_run_pairs_are_counted_and_the_spread_is_that_between_one_run_of_each(small):
    frame = consistency_frame(small[0], "old", "new")
    # segment 1: TER 20, 20 against 0, 20, 0; segment 2: 0, 66.7 against 33.3 three times
    assert frame["better"].tolist() == [4, 3]
    assert frame["worse"].tolist() == [0, 3]
    assert frame["pairs"].tolist() == [6, 6]
    assert frame["mean_improvement"].tolist() == pytest.approx([40 / 3, 0], abs=1e-9)
    assert frame["run_sd"].tolist() == pytest.approx([np.std([0, 20, 0], ddof=1), np.std([0, 200 / 3], ddof=1)])
    assert frame["kind"].tolist() == ["mixed", "mixed"]


def test_a_difference_is_consistent_from_nine_of_ten_run_pairs_on():
    old = Run("old", "0", ("a b x x",))
    for count, kind in ((9, "better"), (8, "mixed")):
        outputs = [("a b c d",)] * count + [("a b x x",)] * (10 - count)
        new = tuple(Run("new", str(index), text) for index, text in enumerate(outputs))
        test_set = TestSet("test", (("a b c d",),), (old, *new))
        (scored,) = score_experiment(Experiment((test_set,), "old"), resolve(Settings(metrics=("ter",))), Work())
        assert consistency_frame(scored, "old", "new")["kind"].tolist() == [kind]
        assert consistency_frame(scored, "new", "old")["kind"].tolist() == [{"better": "worse"}.get(kind, kind)]


def test_one_run_has_no_spread(small):
    scored = small[0]
    first = {system: array[:1] for system, array in scored.statistics.items()}
    frame = consistency_frame(type(scored)(scored.test_set, scored.metric, scored.scorer, first), "old", "new")
    assert frame["run_sd"].isna().all()
    assert frame["kind"].tolist() == ["better", "worse"]


def with_given_scores(*scores):
    """Two runs of two systems that say the same in two segments, scored by people."""
    runs = tuple(Run(system, str(run), ("same", "same")) for system in ("old", "new") for run in range(2))
    given = GivenMetric("human", "Human", tuple(GivenScores("t", *one) for one in scores))
    experiment = Experiment((TestSet("t", (("r",), ("r",)), runs),), "old", (given,))
    return score_experiment(experiment, [Imported(given)], Work())


def test_runs_without_a_segment_score_are_skipped_there():
    scored_metrics = with_given_scores(
        ("old", "0", (1, None)), ("old", "1", (2, None)), ("new", "0", (5, 3)), ("new", "1", (None, 3))
    )
    frame = consistency_frame(scored_metrics[0], "old", "new")
    assert frame["mean_improvement"][0] == pytest.approx(5 - 1.5)
    assert np.isnan(frame["mean_improvement"][1])
    assert frame["run_sd"].isna().all()
    assert frame["pairs"].tolist() == [2, 0]
    assert frame["better"].tolist() == [2, 0]
    assert frame["kind"].tolist() == ["better", "mixed"]


def test_an_output_has_the_mean_of_its_runs_imported_scores():
    scored_metrics = with_given_scores(("old", "0", (1, 1)), ("old", "1", (4, 4)), ("new", "1", (7, None)))
    test_set = TestSet(
        "t", scored_metrics[0].test_set.references, (*scored_metrics[0].test_set.runs, Run("new", "0", ("same", "x")))
    )
    first, second = (outputs_frame(test_set, scored_metrics, segment, ["old", "new"]) for segment in (0, 1))
    assert first[["system", "count", "human.score"]].to_numpy().tolist() == [["old", 2, 2.5], ["new", 2, 7.0]]
    assert second["count"].tolist() == [2, 1, 1]
    assert second["human.score"].isna().tolist() == [False, True, True]


def test_distinct_outputs_come_with_the_runs_that_made_them(small):
    frame = outputs_frame(small[0].test_set, small, 0, ["old", "new"])
    assert frame[["system", "text", "count", "runs"]].to_numpy().tolist() == [
        ["old", "a b x d e", 2, ("0", "1")],
        ["new", "a b c d e", 2, ("0", "2")],
        ["new", "a b c x e", 1, ("1",)],
    ]
    assert frame[column("ter", "score")].tolist() == pytest.approx([20, 0, 20])


def test_unknown_run_error_names_the_known_runs(small):
    with pytest.raises(DataError, match=r"System 'new' has no run '7' on test set 'test'.*: 0, 1, 2"):
        run_index(small[0], "new", "7")
