"""An evaluation that was kept is the evaluation again, to the last bit."""

import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mteval.analysis.evaluation import Evaluation, evaluate
from mteval.analysis.results import Results, reported_test_set, verdicts
from mteval.analysis.scoring import Work
from mteval.base.errors import DataError, InputError
from mteval.metrics import METRICS
from mteval.report.kept_numbers import evaluation_from, from_json_form, numbers_from, numbers_of, to_json_form
from mteval.report.page import html_report
from mteval.values.definitions import DEFINITIONS
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings


@dataclass(frozen=True)
class _Numbers:
    """A field of each kind that numbers have."""

    number: float
    array: npt.NDArray[np.float64]
    pair: tuple[float, int]
    names: tuple[str, ...] = ()
    maybe: float | None = None


@dataclass(frozen=True)
class _NumberAndPair:
    number: float
    pair: tuple[float, int]


@given(st.floats(allow_nan=False), st.lists(st.floats(allow_nan=True, width=64), max_size=4), st.integers())
def test_all_numbers_survive_the_way_through_json(number: float, values: list[float], integer: int) -> None:
    numbers = _Numbers(number, np.array(values, dtype=np.float64), (float("nan"), integer), ("a",), None)
    back = numbers_from(_Numbers, json.loads(json.dumps(to_json_form(numbers))))
    assert back.number == number
    np.testing.assert_array_equal(back.array, numbers.array)
    assert np.isnan(back.pair[0])
    assert (back.pair[1], back.names, back.maybe) == (integer, ("a",), None)


@pytest.mark.parametrize(
    "form", [{"number": 1.0}, {"number": "much", "pair": [1, 2]}, {"other": 1}, [], None, {"number": {}}]
)
def test_another_form_is_refused(form: Any) -> None:
    with pytest.raises(DataError, match="cannot read"):
        from_json_form(_NumberAndPair, form)


@pytest.fixture(scope="module")
def evaluated() -> tuple[Experiment, Evaluation]:
    """Five systems, one of them with one run, on two test sets: rankings, prospects of none, answers that are NaN."""
    rng = np.random.default_rng(7)
    words = [f"word{number}" for number in range(30)]
    references = [" ".join(rng.choice(words, 9)) for _ in range(20)]

    def run(system: str, key: str) -> Run:
        """The words of each reference in another order, of which some are left out."""
        outputs = []
        for reference in references:
            words_in_order = rng.permutation(reference.split())
            outputs.append(" ".join(words_in_order[: rng.integers(6, 10)]))
        return Run(system, key, tuple(outputs))

    runs = []
    for system, n_runs in {"a": 3, "b": 3, "c": 2, "d": 1, "e": 3}.items():
        runs += [run(system, str(key)) for key in range(n_runs)]
    streams = tuple((reference,) for reference in references)
    test_sets = (TestSet("dev", streams, tuple(runs), role="dev"), TestSet("test", streams, tuple(runs)))
    experiment = Experiment(test_sets, "a")
    settings = Settings(("bleu", "length"), n_bootstrap=50, n_shuffles=100, options={"bleu": {"lowercase": True}})
    return experiment, evaluate(experiment, settings, Work())


def test_kept_numbers_are_the_same_to_the_last_bit(evaluated: tuple[Experiment, Evaluation]) -> None:
    experiment, evaluation = evaluated
    back = evaluation_from(numbers_of(experiment, evaluation), experiment)
    assert back is not None
    for name in ("scores", "summary", "resampled", "comparisons", "coverage"):
        pd.testing.assert_frame_equal(getattr(back, name), getattr(evaluation, name), check_exact=True)
    assert evaluation.rankings
    assert back.settings == evaluation.settings
    # With NaN, which equals nothing
    assert repr(back.rankings) == repr(evaluation.rankings)
    assert repr(verdicts(back)) == repr(verdicts(evaluation))


def test_a_report_of_kept_numbers_is_the_same(evaluated: tuple[Experiment, Evaluation]) -> None:
    experiment, evaluation = evaluated
    experiment_of_two = replace(experiment, test_sets=tuple(map(_of_two_systems, experiment.test_sets)))
    evaluation = evaluate(experiment_of_two, replace(evaluation.settings, n_shuffles=50), Work())
    assert evaluation.prospects
    back = evaluation_from(numbers_of(experiment_of_two, evaluation), experiment_of_two)
    assert back is not None
    test_set = reported_test_set(experiment_of_two)
    page = html_report(Results(experiment_of_two, evaluation, test_set))
    page_of_kept = html_report(Results(experiment_of_two, back, test_set))
    assert page_of_kept == page


def _of_two_systems(test_set: TestSet) -> TestSet:
    """A test set with the runs of two of its systems."""
    return replace(test_set, runs=tuple(run for run in test_set.runs if run.system in "ab"))


def test_numbers_that_json_does_not_know_are_read_as_they_were_written_at_first() -> None:
    form = {"number": "-inf", "array": [None, "inf"], "pair": [None, 2]}
    back = numbers_from(_Numbers, form)
    assert back.number == float("-inf")
    assert repr((*back.array, *back.pair)) == "(np.float64(nan), np.float64(inf), nan, 2)"


def test_numbers_of_other_files_forms_or_definitions_are_not_taken(evaluated: tuple[Experiment, Evaluation]) -> None:
    experiment, evaluation = evaluated
    numbers = numbers_of(experiment, evaluation)
    assert evaluation_from(numbers, replace(experiment, baseline="b")) is None
    form = json.loads(numbers)
    form["summaries"][0] |= {"of": "an earlier version"}
    assert evaluation_from(json.dumps(form).encode(), experiment) is not None
    form = json.loads(numbers) | {"rankings": [{"of": "another form"}]}
    assert evaluation_from(json.dumps(form).encode(), experiment) is None
    form = json.loads(numbers) | {"definitions": 0}
    assert evaluation_from(json.dumps(form).encode(), experiment) is None


@pytest.mark.parametrize(
    ("parser", "is_taken"),
    [
        ("", False),
        ("|parser:1|format:text", False),
        ("|parser:3|format:text", False),
        ("|parser:4|format:text", False),
        ("|parser:5|format:text", False),
        ("|parser:6|format:text", True),
    ],
)
def test_numbers_of_a_judge_whose_answers_were_read_by_other_rules_are_not_taken(
    evaluated: tuple[Experiment, Evaluation], parser: str, is_taken: bool
) -> None:
    experiment, evaluation = evaluated
    form = json.loads(numbers_of(experiment, evaluation))
    form["signatures"]["test"]["bleu"] = f"nrefs:1|judge:gpt-4.1|host:api|temperature:0{parser}|repeats:1|runs:3"
    assert (evaluation_from(json.dumps(form).encode(), experiment) is not None) == is_taken


def test_numbers_that_do_not_count_answers_of_judges_are_taken(evaluated: tuple[Experiment, Evaluation]) -> None:
    experiment, evaluation = evaluated
    form = json.loads(numbers_of(experiment, evaluation))
    del form["judged"]
    back = evaluation_from(json.dumps(form).encode(), experiment)
    assert back is not None
    assert back.judged == ()


def test_numbers_that_another_version_made_by_the_same_definitions_are_taken(
    evaluated: tuple[Experiment, Evaluation],
) -> None:
    experiment, evaluation = evaluated
    older = replace(evaluation, versions={**evaluation.versions, "mteval": "0.0.1"})
    assert evaluation_from(numbers_of(experiment, older), experiment) is not None


@pytest.mark.parametrize("definitions", [None, 1])
def test_numbers_by_earlier_definitions_are_not_taken(
    evaluated: tuple[Experiment, Evaluation], definitions: int | None
) -> None:
    experiment, evaluation = evaluated
    form = json.loads(numbers_of(experiment, evaluation)) | {"definitions": definitions}
    numbers = {name: value for name, value in form.items() if value is not None}
    assert evaluation_from(json.dumps(numbers).encode(), experiment) is None


def test_numbers_by_later_definitions_are_refused(evaluated: tuple[Experiment, Evaluation]) -> None:
    experiment, evaluation = evaluated
    later = json.loads(numbers_of(experiment, evaluation)) | {"definitions": DEFINITIONS + 1}
    with pytest.raises(InputError, match=r"written by a newer mteval"):
        evaluation_from(json.dumps(later).encode(), experiment)


def test_numbers_of_a_missing_metric_are_ignored(
    evaluated: tuple[Experiment, Evaluation], monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment, evaluation = evaluated
    numbers = numbers_of(experiment, evaluation)
    monkeypatch.setattr("mteval.report.kept_numbers.catalog", lambda given: {"bleu": METRICS["bleu"]})
    assert evaluation_from(numbers, experiment) is None
