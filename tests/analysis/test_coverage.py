"""What numbers rest on: segments, documents and given scores, and the shuffles that a family takes."""

from dataclasses import replace
from itertools import chain

import pytest

from mteval.analysis.comparison import Comparison
from mteval.analysis.evaluation import Evaluation, evaluate
from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored, Work, frame_of, score_experiment
from mteval.analysis.summary import coverages
from mteval.analysis.two_answers import two_answers
from mteval.metrics.imported import Imported
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings
from mteval.values.verdict import Coverage

DOCUMENTS = ("d1", "d1", "d2", "d3")
SETTINGS = Settings(metrics=("length",), n_bootstrap=20, n_shuffles=100)


def outputs(system: str, count: int) -> tuple[Run, ...]:
    return tuple(Run(system, str(run), ("a b", "c", "d", "e f g")) for run in range(count))


def scored(*given: GivenScores, documents: tuple[str, ...] | None = DOCUMENTS) -> tuple[Experiment, tuple[Scored, ...]]:
    runs = outputs("a", 2) + outputs("b", 1)
    experiment = Experiment((TestSet("test", (("r",),) * 4, runs, documents=documents),), "a")
    return experiment, score_experiment(experiment, [Imported(GivenMetric("mqm", "MQM", given))], Work())


PARTLY = (
    GivenScores("test", "a", "0", (1.0, 2.0, None, 4.0)),
    GivenScores("test", "a", "1", (1.0, None, 3.0, 4.0)),
    GivenScores("test", "b", "0", (None, None, 5.0, 6.0)),
)


def test_coverage_counts_segments_of_every_run_and_all_scores() -> None:
    _, scored_metrics = scored(*PARTLY)
    assert list(coverages(scored_metrics)) == [
        Coverage("test", "mqm", "a", 2, 4, 2, 3, 6),
        Coverage("test", "mqm", "b", 2, 4, 2, 3, 2),
    ]


def test_a_test_set_without_documents_counts_none() -> None:
    _, scored_metrics = scored(*PARTLY, documents=None)
    assert [(row.n_documents, row.of_documents) for row in coverages(scored_metrics)] == [(0, 0), (0, 0)]


def test_a_comparison_counts_what_both_have() -> None:
    experiment, scored_metrics = scored(*PARTLY)
    answers = two_answers(experiment, scored_metrics, SETTINGS, Work())
    frame = frame_of(chain.from_iterable(answers), Comparison)
    assert frame["n_segments"].tolist() == [1, 1]  # the last segment
    assert frame["n_documents"].tolist() == [1, 1]


def many(n_systems: int, settings: Settings = SETTINGS) -> tuple[Results, Evaluation]:
    runs = []
    for number in range(n_systems):
        for run in outputs(f"s{number}", 1):
            of_its_own = " ".join(["word"] * (number + 1))  # copies of the baseline are not tested
            runs.append(replace(run, hypotheses=(of_its_own, *run.hypotheses[1:])))
    experiment = Experiment((TestSet("test", (("a b",),) * 4, tuple(runs)),), "s0")
    evaluation = evaluate(experiment, settings, Work())
    return Results(experiment, evaluation, experiment.test_sets[0]), evaluation


@pytest.mark.parametrize(("n_systems", "drawn"), [(2, 100), (3, 1_000), (12, 3_000)])
def test_shuffles_grow_with_the_number_of_systems_and_are_recorded(n_systems: int, drawn: int) -> None:
    results, evaluation = many(n_systems)
    first = evaluation.comparisons[evaluation.comparisons["n_resamples"] > 0]
    assert set(first["n_resamples"]) == {drawn}
    assert results.n_shuffles == drawn
    assert f"|ar:{drawn}|" in results.signatures["Length"]
    assert evaluation.settings.n_shuffles == 100, "what was chosen stays on record"


def test_computed_metrics_cover_everything() -> None:
    results, evaluation = many(2)
    assert results.coverage() == {"Length": list(evaluation.covered)}
    assert all(row.is_whole and row.n_given == 0 for row in evaluation.covered)
    assert list(evaluation.coverage["n_segments"]) == [4, 4]
