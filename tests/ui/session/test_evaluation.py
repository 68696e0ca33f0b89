import dataclasses

import pytest

from mteval.ui.session.evaluation import evaluation_key
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

SETTINGS = Settings(metrics=("bleu", "length"), n_bootstrap=10, n_shuffles=10)


@pytest.fixture
def experiment() -> Experiment:
    """Systems a and b with a run each."""
    references = (("the cat sat on the mat",), ("a dog barked at night",))
    runs = tuple(Run(system, "0", (f"the cat {system} on the mat", "a dog barked")) for system in ("a", "b"))
    return Experiment((TestSet("test", references, runs),), "a")


def test_every_setting_but_the_number_of_workers_makes_another_evaluation(experiment) -> None:
    changes = [
        {"metrics": ("length", "bleu")},
        {"convention": "multeval"},
        {"options": {"bleu": {"lowercase": True}}},
        {"n_bootstrap": 11},
        {"n_shuffles": 11},
        {"seed": 1},
        {"confidence": 0.9},
        {"exchange_unit": "output"},
    ]
    key = evaluation_key(experiment, SETTINGS)
    keys = {key}
    for change in changes:
        keys.add(evaluation_key(experiment, dataclasses.replace(SETTINGS, **change)))

    assert len(keys) == len(changes) + 1
    assert evaluation_key(experiment, dataclasses.replace(SETTINGS, workers=3)) == key


def test_another_baseline_makes_another_evaluation(experiment) -> None:
    with_baseline_b = dataclasses.replace(experiment, baseline="b")

    assert evaluation_key(experiment, SETTINGS) != evaluation_key(with_baseline_b, SETTINGS)
