import dataclasses
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import pytest

from mteval.analysis.evaluation import evaluate_scored
from mteval.analysis.results import Results
from mteval.analysis.scoring import Work
from mteval.ui.session.memory import Memory, bytes_of, drawn, forget_made, made_once
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings


def test_what_was_used_longest_ago_goes_first() -> None:
    memory: Memory[int] = Memory(2, 100, lambda value: 1)
    memory.keep({"a": 1})
    memory.keep({"b": 2})
    assert memory.get("a") == 1
    memory.keep({"c": 3})
    assert memory.keys == ("a", "c")
    assert memory.get("b") is None


def test_bytes_bound_it_and_the_last_value_stays_however_large() -> None:
    memory: Memory[int] = Memory(100, 10, lambda value: value)
    memory.keep({"a": 4})
    memory.keep({"b": 6})
    assert memory.keys == ("a", "b")
    memory.keep({"c": 1})
    assert memory.keys == ("b", "c")
    memory.keep({"d": 50})
    assert memory.keys == ("d",)


def test_values_kept_together_do_not_drive_each_other_out() -> None:
    memory: Memory[int] = Memory(100, 10, lambda value: value)
    memory.keep({"old": 1})
    memory.keep({"a": 9, "b": 9})
    assert memory.keys == ("a", "b")


def test_a_value_kept_anew_takes_the_place_of_the_old_one() -> None:
    memory: Memory[int] = Memory(100, 10, lambda value: value)
    memory.keep({"a": 8})
    memory.keep({"a": 1})
    memory.keep({"b": 8})
    assert memory.keys == ("a", "b")
    memory.forget("a")
    memory.forget("a")
    assert memory.keys == ("b",)


@dataclass
class Pair:
    left: object
    right: object


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (np.zeros(5), 40),
        (pd.DataFrame({"x": np.zeros(5)}, index=np.arange(5)), 80),
        (Pair(np.zeros(2), "text"), 16),
        ({"a": [np.zeros(1), (np.zeros(1),)]}, 16),
        (("text", np.zeros(5)), 0),  # a column of texts
        (None, 0),
    ],
)
def test_the_size_of_a_value_is_that_of_the_numbers_in_it(value: object, size: int) -> None:
    assert bytes_of(value) == size


SETTINGS = Settings(metrics=("bleu",), n_bootstrap=10, n_shuffles=10)


def _results(settings: Settings = SETTINGS, *, name: str = "test", word: str = "mat", baseline: str = "a") -> Results:
    runs = tuple(Run(system, "0", (f"the cat {system} on the {word}",)) for system in ("a", "b"))
    sets = tuple(TestSet(called, (("the cat sat on the mat",),), runs) for called in ("test", "tuning"))
    experiment = Experiment(sets, baseline)
    evaluation = evaluate_scored(experiment, (), settings, Work())
    return Results(experiment, evaluation, experiment.test_set(name))


def _shown(results: Results, what: str) -> object:
    """A value that is another one at every call."""
    return object()


@pytest.mark.parametrize(
    "other",
    [
        lambda: _results(name="tuning"),
        lambda: _results(word="roof"),
        lambda: _results(baseline="b"),
        lambda: _results(dataclasses.replace(SETTINGS, confidence=0.9)),
        lambda: _results(dataclasses.replace(SETTINGS, options={"bleu": {"lowercase": True}})),
        lambda: dataclasses.replace(_results(), shown_names={"a": "A"}),
    ],
    ids=["test set", "texts", "baseline", "setting", "option", "shown name"],
)
def test_what_is_shown_is_made_anew_where_anything_differs_that_it_is_made_of(other) -> None:
    first = made_once(_shown, _results(), "bleu")
    assert made_once(_shown, _results(dataclasses.replace(SETTINGS, workers=2)), "bleu") is first
    assert made_once(_shown, other(), "bleu") is not first
    assert made_once(_shown, _results(), "ter") is not first


def test_what_was_made_is_made_anew_once_it_is_forgotten() -> None:
    first = made_once(_shown, _results(), "bleu")
    forget_made()
    assert made_once(_shown, _results(), "bleu") is not first


def test_a_function_that_could_take_in_more_than_its_arguments_is_refused() -> None:
    hidden = "test set"
    with pytest.raises(ValueError, match="not a function of a module"):
        made_once(lambda results: hidden, _results())


def _figure(frame: pd.DataFrame, title: str) -> list[object]:
    return [title, float(frame["score"].sum())]


def test_a_figure_is_drawn_once_for_all_sessions_from_equal_numbers() -> None:
    """After a reload, which starts a session, the same figure is wanted from frames that are equal, not the same."""
    frame = pd.DataFrame({"score": [1.0, 2.0]})
    first = drawn(partial(_figure, frame, "BLEU"))

    assert drawn(partial(_figure, frame.copy(), "BLEU")) is first
    assert drawn(partial(_figure, frame + 1, "BLEU")) == ["BLEU", 5.0]
    assert drawn(partial(_figure, frame, "TER")) == ["TER", 3.0]


def test_a_figure_that_takes_in_more_than_its_arguments_is_drawn_anew() -> None:
    numbers = [1]
    assert drawn(lambda: sum(numbers)) == 1
    numbers.append(2)
    assert drawn(lambda: sum(numbers)) == 3
