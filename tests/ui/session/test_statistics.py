import dataclasses
import gc

import pytest

import mteval.ui.session.memory as statistics
from mteval.analysis.evaluation import evaluate_scored
from mteval.analysis.scoring import Work
from mteval.metrics import resolve
from mteval.ui.session.memory import Statistics, texts_key
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

SETTINGS = Settings(metrics=("bleu", "length"), n_bootstrap=10, n_shuffles=10)
METRICS = resolve(SETTINGS)


@pytest.fixture
def experiment() -> Experiment:
    """Systems a and b with a run each."""
    references = (("the cat sat on the mat",), ("a dog barked at night",))
    runs = tuple(Run(system, "0", (f"the cat {system} on the mat", "a dog barked")) for system in ("a", "b"))
    return Experiment((TestSet("test", references, runs),), "a")


@pytest.fixture
def scored_metrics(monkeypatch) -> list[str]:
    """Keys of the metrics that were scored, one after the other."""
    keys: list[str] = []
    score = statistics.score_experiment

    def counting(experiment, metrics, work):
        keys.extend(metric.key for metric in metrics)
        return score(experiment, metrics, work)

    monkeypatch.setattr(statistics, "score_experiment", counting)
    return keys


def test_the_baseline_is_no_part_of_what_statistics_depend_on(experiment, scored_metrics) -> None:
    with_baseline_b = dataclasses.replace(experiment, baseline="b")
    assert texts_key(experiment) == texts_key(with_baseline_b)

    known = Statistics()
    known.scored(experiment, METRICS, Work())
    assert known.has(with_baseline_b, METRICS)

    known.scored(with_baseline_b, METRICS, Work())
    assert scored_metrics == ["bleu", "length"]


def test_known_statistics_are_used_and_give_the_same_numbers(experiment, scored_metrics) -> None:
    known = Statistics()

    (bleu,) = known.scored(experiment, METRICS[:1], Work())
    bleu_and_length = known.scored(experiment, METRICS, Work())

    assert scored_metrics == ["bleu", "length"]
    assert bleu_and_length[0] is bleu
    evaluation = evaluate_scored(experiment, bleu_and_length, SETTINGS, Work())
    assert list(evaluation.scores["metric"]) == ["bleu", "bleu", "length", "length"]


def test_sessions_share_statistics_of_equal_texts_until_the_last_has_left(experiment, scored_metrics) -> None:
    of_first_session = Statistics()
    of_second_session = Statistics()
    (bleu,) = of_first_session.scored(experiment, METRICS[:1], Work())

    equal_test_set = dataclasses.replace(experiment.test_sets[0])
    with_equal_texts = dataclasses.replace(experiment, baseline="b", test_sets=(equal_test_set,))
    assert of_second_session.scored(with_equal_texts, METRICS[:1], Work())[0] is bleu
    assert scored_metrics == ["bleu"]

    del of_first_session, of_second_session, bleu
    gc.collect()
    Statistics().scored(experiment, METRICS[:1], Work())
    assert scored_metrics == ["bleu", "bleu"]


def test_options_of_a_metric_are_part_of_what_its_statistics_are_kept_under(experiment) -> None:
    known = Statistics()
    known.scored(experiment, METRICS, Work())
    changed = dataclasses.replace(SETTINGS, options={"bleu": {"lowercase": True}})
    assert not known.has(experiment, resolve(changed))


def test_a_test_set_alone_finds_what_was_scored_with_others(experiment) -> None:
    (test_set,) = experiment.test_sets
    of_two_test_sets = Experiment((test_set, dataclasses.replace(test_set, name="other")), "a")
    known = Statistics()

    scored_of_each = known.scored(of_two_test_sets, METRICS, Work())

    assert [(scored.test_set.name, scored.metric.key) for scored in scored_of_each] == [
        ("test", "bleu"),
        ("test", "length"),
        ("other", "bleu"),
        ("other", "length"),
    ]
    assert known.has(experiment, METRICS)


@pytest.mark.parametrize("change", ["name", "role", "reference", "output", "run"])
def test_whatever_a_test_set_says_makes_statistics_of_their_own(experiment, change: str) -> None:
    known = Statistics()
    known.scored(experiment, METRICS, Work())
    (test_set,) = experiment.test_sets
    run_of_a, run_of_b = test_set.runs

    changed_values = {
        "name": {"name": "other"},
        "role": {"role": "dev"},
        "reference": {"references": (("the cat sat on the mat",), ("a dog barked",))},
        "output": {"runs": (run_of_a, dataclasses.replace(run_of_b, hypotheses=("x", "y")))},
        "run": {"runs": (run_of_a, dataclasses.replace(run_of_b, key="1"))},
    }[change]
    changed_experiment = Experiment((dataclasses.replace(test_set, **changed_values),), "a")

    assert not known.has(changed_experiment, METRICS)
    assert texts_key(changed_experiment) != texts_key(experiment)


def test_statistics_are_bounded_but_those_that_belong_together_stay_however_large(experiment, monkeypatch) -> None:
    monkeypatch.setattr(statistics, "STATISTICS_MOST_BYTES", 0)
    known = Statistics()
    known.scored(experiment, METRICS, Work())
    assert known.has(experiment, METRICS)
    chrf = resolve(Settings(metrics=("chrf",)))
    known.scored(experiment, chrf, Work())
    assert known.has(experiment, chrf)
    assert not known.has(experiment, METRICS[:1])
