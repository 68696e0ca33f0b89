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
    other = dataclasses.replace(experiment, baseline="b")
    assert texts_key(experiment) == texts_key(other)
    known = Statistics()
    known.scored(experiment, METRICS, Work())
    assert known.has(other, METRICS)
    known.scored(other, METRICS, Work())
    assert scored_metrics == ["bleu", "length"]


def test_known_statistics_are_used_and_give_the_same_numbers(experiment, scored_metrics) -> None:
    known = Statistics()
    first = known.scored(experiment, METRICS[:1], Work())
    again = known.scored(experiment, METRICS, Work())
    assert scored_metrics == ["bleu", "length"]
    assert again[0] is first[0]
    evaluation = evaluate_scored(experiment, again, SETTINGS, Work())
    assert list(evaluation.scores["metric"]) == ["bleu", "bleu", "length", "length"]


def test_sessions_share_statistics_of_equal_texts_until_the_last_has_left(experiment, scored_metrics) -> None:
    ours, theirs = Statistics(), Statistics()
    first = ours.scored(experiment, METRICS[:1], Work())
    equal = dataclasses.replace(experiment, baseline="b", test_sets=(dataclasses.replace(experiment.test_sets[0]),))
    assert theirs.scored(equal, METRICS[:1], Work())[0] is first[0]
    assert scored_metrics == ["bleu"]
    del ours, theirs, first
    gc.collect()
    Statistics().scored(experiment, METRICS[:1], Work())
    assert scored_metrics == ["bleu", "bleu"]


def test_options_of_a_metric_are_part_of_what_its_statistics_are_kept_under(experiment) -> None:
    known = Statistics()
    known.scored(experiment, METRICS, Work())
    changed = dataclasses.replace(SETTINGS, options={"bleu": {"lowercase": True}})
    assert not known.has(experiment, resolve(changed))


def test_a_test_set_alone_finds_what_was_scored_with_others(experiment) -> None:
    (first,) = experiment.test_sets
    both = Experiment((first, dataclasses.replace(first, name="other")), "a")
    known = Statistics()
    scored = known.scored(both, METRICS, Work())
    assert [(one.test_set.name, one.metric.key) for one in scored] == [
        ("test", "bleu"), ("test", "length"), ("other", "bleu"), ("other", "length"),
    ]  # fmt: skip
    assert known.has(experiment, METRICS)


@pytest.mark.parametrize("change", ["name", "role", "reference", "output", "run"])
def test_whatever_a_test_set_says_makes_statistics_of_their_own(experiment, change: str) -> None:
    known = Statistics()
    known.scored(experiment, METRICS, Work())
    (test_set,) = experiment.test_sets
    first, second = test_set.runs
    changed = {
        "name": {"name": "other"},
        "role": {"role": "dev"},
        "reference": {"references": (("the cat sat on the mat",), ("a dog barked",))},
        "output": {"runs": (first, dataclasses.replace(second, hypotheses=("x", "y")))},
        "run": {"runs": (first, dataclasses.replace(second, key="1"))},
    }[change]
    other = Experiment((dataclasses.replace(test_set, **changed),), "a")
    assert not known.has(other, METRICS)
    assert texts_key(other) != texts_key(experiment)


def test_statistics_are_bounded_but_those_that_belong_together_stay_however_large(experiment, monkeypatch) -> None:
    monkeypatch.setattr(statistics, "STATISTICS_MOST_BYTES", 0)
    known = Statistics()
    known.scored(experiment, METRICS, Work())
    assert known.has(experiment, METRICS)
    chrf = resolve(Settings(metrics=("chrf",)))
    known.scored(experiment, chrf, Work())
    assert known.has(experiment, chrf)
    assert not known.has(experiment, METRICS[:1])
