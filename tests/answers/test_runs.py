"""Remarks on spreads compare like with like, and ask chance first."""

import dataclasses
import math

import pytest

from mteval.answers.runs import larger_source, overlap_sentence, spread_notes
from mteval.values.notation import Notation
from mteval.values.verdict import Spreads

QUIET = Spreads(
    metric="bleu", metric_name="BLEU", notation=Notation("↑"), baseline="base", system="new", unit="segment", s_dev=0.1,
    s_opt=0.3, p_larger=0.2, n_tested=1, n_runs=5, error_test_set=0.3, error_runs=0.1, is_open=False,
)  # fmt: skip


def remarks(**changes: object) -> list[str]:
    return list(spread_notes(dataclasses.replace(QUIET, **changes), 0.05))


def test_a_larger_sd_on_the_test_set_is_noted_only_if_significant() -> None:
    assert remarks() == []
    (remark,) = remarks(p_larger=0.004)
    assert "test set (SD 0.30)" in remark
    assert "tuning set (SD 0.10; Pitman–Morgan test, p = 0.004)" in remark
    assert remarks(p_larger=0.004, s_dev=0.4) == [], "the other way round it is no sign of overfitting"
    assert remarks(p_larger=math.nan) == []


def test_a_correction_for_several_such_tests_is_named() -> None:
    (remark,) = remarks(p_larger=0.004, n_tested=8)
    assert "Pitman–Morgan test, Holm, p = 0.004" in remark


@pytest.mark.parametrize(
    ("errors", "advice"),
    [
        ((0.3, 0.1), "a larger test set would help more than more runs"),
        ((0.1, 0.3), "more runs would help more than a larger test set"),
        ((0.3, 0.25), "a larger test set and more runs would both help"),
        ((0.3, 0.0), "a larger test set would help more"),
    ],
)
def test_advice_follows_the_larger_standard_error(errors: tuple[float, float], advice: str) -> None:
    (remark,) = remarks(is_open=True, error_test_set=errors[0], error_runs=errors[1])
    assert advice in remark
    assert f"{errors[0]:.2f} from segments, {errors[1]:.2f} from runs" in remark


def test_documents_are_named_if_they_are_the_units() -> None:
    (remark,) = remarks(is_open=True, unit="document")
    assert "from documents" in remark


@pytest.mark.parametrize("name", ["error_test_set", "error_runs"])
def test_no_advice_if_a_standard_error_is_unknown(name: str) -> None:
    assert remarks(is_open=True, **{name: math.nan}) == []


def test_a_source_is_the_larger_one_from_twice_the_variance_on() -> None:
    assert larger_source(2.1, 1.0) == "runs"
    assert larger_source(1.0, 2.1) == "test set"
    assert larger_source(1.9, 1.0) == "both"


NAN = float("nan")


def test_pairs_that_would_show_the_opposite_are_counted() -> None:
    # pairs (system - baseline): 1-2, 4-2, 1-3, 4-3; the average difference is 0
    text = overlap_sentence("A", "B", [2.0, 3.0], [1.0, 5.0])
    assert "B scores higher on average" in text
    assert "in 2 of 4 pairs of runs (50%)" in text


def test_the_higher_average_is_named_whichever_system_has_it_and_ties_count_as_no_difference() -> None:
    text = overlap_sentence("A", "B", [3.0, 5.0], [3.0, 2.0])
    assert "A scores higher on average" in text
    assert "in 1 of 4 pairs of runs (25%)" in text


def test_separate_scores_do_not_overlap() -> None:
    sentence = overlap_sentence("A", "B", [1.0, 2.0], [3.0, 4.0])
    assert sentence == "No overlap: every run of B scores higher than every run of A."


def test_equal_averages_have_no_opposite() -> None:
    assert overlap_sentence("A", "B", [1.0, 2.0], [2.0, 1.0]) == "A and B have the same average."


def test_one_run_each_shows_no_overlap() -> None:
    assert "unknown" in overlap_sentence("A", "B", [1.0], [2.0])


def test_runs_without_a_score_are_ignored_in_overlaps() -> None:
    assert "No overlap" in overlap_sentence("A", "B", [1.0, NAN], [3.0, 4.0])
    assert overlap_sentence("A", "B", [NAN], [1.0]) == "A and B have no run scores to compare."
