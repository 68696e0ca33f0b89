import dataclasses

import pytest

from mteval.ui.session.evaluation import evaluation_key
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

SETTINGS = Settings(metrics=("bleu", "length"), n_bootstrap=10, n_shuffles=10)


@pytest.fixture
def experiment() -> Experiment:
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
    keys = {evaluation_key(experiment, dataclasses.replace(SETTINGS, **change)) for change in changes}
    assert len(keys | {evaluation_key(experiment, SETTINGS)}) == len(changes) + 1
    assert evaluation_key(experiment, dataclasses.replace(SETTINGS, workers=3)) == evaluation_key(experiment, SETTINGS)


def test_another_baseline_makes_another_evaluation(experiment) -> None:
    other = dataclasses.replace(experiment, baseline="b")
    assert evaluation_key(experiment, SETTINGS) != evaluation_key(other, SETTINGS)
