"""Which metric agrees with people: the values recorded from the WMT metrics task's own functions."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mteval.analysis.people.judgements import HumanScores, judgement_frame
from mteval.analysis.people.meta import META_PAIRS, Agreement, agreement_with_people, clusters
from mteval.analysis.scoring import Scored, Work, score_experiment
from mteval.base.errors import DataError
from mteval.metrics import resolve
from mteval.metrics.imported import Imported
from mteval.readers.assembly.judgements import read_judgements
from mteval.readers.disk import file_at
from mteval.readers.named_files import ScoreFiles, load_scores
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

MEASURES = (
    "pairwise_accuracy",
    "system_pearson",
    "soft_pairwise_accuracy",
    "segment_pearson",
    "segment_kendall",
    "acc_eq",
)
RECORDED = {  # METAEVAL.md: google-research/mt-metrics-eval on WMT23 he-en; then the threshold of a tie
    "bleu-refa": (0.757576, 0.719415, 0.7671, 0.224671, 0.196881, 0.439431, 16.4527),
    "chrf-refa": (0.727273, 0.773861, 0.7469, 0.244053, 0.224229, 0.459017, 12.3592),
    "comet-refa": (0.909091, 0.896597, 0.8883, 0.416920, 0.364043, 0.529545, 0.0377619),
    "metricx-23-refa": (0.909091, 0.929164, 0.8996, 0.568323, 0.413675, 0.572949, 1.08335),
    "xcomet-ensemble-refa": (0.924242, 0.966033, 0.9197, 0.559222, 0.419902, 0.582003, 0.02893),
    "bleurt-20-refa": (0.878788, 0.835566, 0.8640, 0.399347, 0.347547, 0.510218, 0.073091),
    "cometkiwi-src": (0.893939, 0.909031, 0.8882, 0.394607, 0.347036, 0.543311, 0.0199972),
    "bertscore-refa": (0.848485, 0.859966, 0.8510, 0.335696, 0.299881, 0.510717, 0.0198103),
}


@pytest.fixture(scope="module")
def hebrew(data_directory: Path) -> tuple[tuple[Scored, ...], HumanScores]:
    """All metrics on WMT23 he-en, from their files of scores alone, and people's MQM."""
    folder = data_directory / "data" / "wmt23-he-en"
    files = list((folder / "scores").glob("*-refA.seg.score"))
    files += (data_directory / "data" / "wmt23-he-en-metrics").iterdir()
    documents = (folder / "documents.tsv").read_text().splitlines()
    experiment = load_scores(ScoreFiles(sorted(files)), documents).experiment

    settings = Settings(metrics=tuple(metric.key for metric in experiment.given))
    scored = score_experiment(experiment, resolve(settings, experiment.given), Work())
    judged = read_judgements([file_at(folder / "scores" / "he-en.mqm.seg.score")])
    human = HumanScores.of(judgement_frame(judged.judgements), "mqm", experiment.test_sets[0])
    return scored, human


@pytest.fixture(scope="module")
def agreement(hebrew: tuple[tuple[Scored, ...], HumanScores]) -> Agreement:
    """How far the metrics agree with people, with intervals over documents."""
    scored, human = hebrew
    return agreement_with_people(scored, human, "document", Settings(n_bootstrap=200), Work())


@pytest.mark.real_data
@pytest.mark.parametrize("metric", RECORDED)
def test_every_measure_is_that_of_the_wmt_metrics_task(agreement: Agreement, metric: str) -> None:
    rows = agreement.frame[agreement.frame["metric"] == metric].set_index("measure")
    *recorded_values, recorded_threshold = RECORDED[metric]
    for measure, recorded in zip(MEASURES, recorded_values, strict=True):
        tolerance = 6e-7
        if measure == "soft_pairwise_accuracy":  # is Monte Carlo
            tolerance = 3e-3
        assert rows.loc[measure, "value"] == pytest.approx(recorded, abs=tolerance), measure
    assert rows.loc["acc_eq", "threshold"] == pytest.approx(recorded_threshold, rel=5e-6)


@pytest.mark.real_data
def test_all_metrics_use_the_same_systems_and_segments(agreement: Agreement) -> None:
    assert len(agreement.systems) == 12
    assert agreement.n_segments == 820
    assert agreement.n_units == 92
    frame = agreement.frame
    is_inside = (frame["low"] < frame["value"]) & (frame["value"] < frame["high"])
    assert is_inside.mean() > 0.9
    best = frame[frame["measure"] == "acc_eq"].iloc[0]
    assert best["metric"] == "xcomet-ensemble-refa"
    assert best["rank"] == 1


def blank_test_set(systems: tuple[str, ...], n_segments: int) -> TestSet:
    """A test set without texts, of which scores are all that counts."""
    blank = ("",) * n_segments
    return TestSet("test", (("",),) * n_segments, tuple(Run(system, "0", blank) for system in systems))


def given_scores(systems: tuple[str, ...], values: np.ndarray) -> tuple[GivenScores, ...]:
    """The scores of the systems' only runs, systems x segments."""
    return tuple(GivenScores("test", system, "0", tuple(row)) for system, row in zip(systems, values, strict=True))


def small(n_systems: int = 4, n_segments: int = 30, sign: float = 1.0) -> tuple[Scored, HumanScores]:
    """A metric that says what people say, in other points."""
    generator = np.random.default_rng(5)
    values = np.arange(n_systems)[:, np.newaxis] + generator.normal(size=(n_systems, n_segments))
    systems = tuple("ABCDEF"[:n_systems])
    given = GivenMetric("m", "M", given_scores(systems, sign * (2 * values + 1)), sign > 0)
    experiment = Experiment((blank_test_set(systems, n_segments),), "A", (given,))
    (scored,) = score_experiment(experiment, (Imported(given),), Work())
    return scored, HumanScores("score", systems, values, values.size)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_identical_metric_agrees_fully_in_either_direction(sign: float) -> None:
    scored, human = small(sign=sign)
    frame = agreement_with_people([scored], human, "segment", Settings(n_bootstrap=20, n_shuffles=500), Work()).frame
    np.testing.assert_allclose(frame["value"], 1.0)
    np.testing.assert_allclose(frame["low"], 1.0)


def test_too_few_shared_systems_or_segments_are_an_error() -> None:
    settings = Settings(n_bootstrap=20)

    scored, human = small(n_systems=2)
    with pytest.raises(DataError, match=r"2 systems .*needs 3"):
        agreement_with_people([scored], human, "segment", settings, Work())

    scored, human = small()
    with pytest.raises(DataError, match="There are no document IDs"):
        agreement_with_people([scored], human, "document", settings, Work())

    without_judgements = HumanScores("score", human.systems, np.full_like(human.values, np.nan), 0)
    with pytest.raises(DataError, match="0 segments have a judgement and all scores"):
        agreement_with_people([scored], without_judgements, "segment", settings, Work())


def test_few_replicates_suffice_to_tell_many_metrics_apart() -> None:
    """Fourteen metrics are 91 pairs: the smallest p-value of 100 replicates, 0.0099, times 91 would never do."""
    _, human = small(n_segments=60)
    generator = np.random.default_rng(3)
    metrics = []
    for number in range(14):
        noise = 0.1 if number < 7 else 8
        values = human.values + noise * generator.normal(size=human.values.shape)
        metrics.append(GivenMetric(f"m{number}", f"M{number}", given_scores(human.systems, values)))
    experiment = Experiment((blank_test_set(human.systems, 60),), "A", tuple(metrics))
    scored = score_experiment(experiment, tuple(map(Imported, metrics)), Work())
    settings = Settings(n_bootstrap=100, n_shuffles=50)

    frame = agreement_with_people(scored, human, "segment", settings, Work()).frame

    rank_of = frame[frame["measure"] == "segment_pearson"].set_index("metric")["rank"]
    assert {rank_of[f"m{number}"] for number in range(7)} == {1}
    assert all(rank_of[f"m{number}"] > 1 for number in range(7, 14))


def test_a_cluster_ends_before_the_first_metric_that_differs_from_a_member() -> None:
    """At 5%, c differs from a, and d from both a and b; b and c do not differ, but a is in b's cluster."""
    p_values = {"ab": 0.5, "ac": 0.01, "bc": 0.4, "ad": 0.01, "bd": 0.01, "cd": 0.9}
    rows = [("x", first, second, 0.1, p_value, p_value) for (first, second), p_value in p_values.items()]
    pairs = pd.DataFrame(rows, columns=list(META_PAIRS))
    assert clusters("abcd", pairs, 0.05) == {"a": 1, "b": 1, "c": 2, "d": 2}
