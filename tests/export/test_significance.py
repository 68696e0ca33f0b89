import pandas as pd
import pytest

from mteval.answers.procedures import (
    COLUMNS,
    P_IS_NOT,
    QUESTIONS,
    equality_sentence,
    experiment_wise_sentence,
    family_sentence,
    notes,
    pairs_family_sentence,
    procedure_cells,
    superiority_sentence,
)
from mteval.answers.verdict import disagreement_remark
from mteval.stats.multiplicity import experiment_wise_error
from mteval.values.notation import Notation
from mteval.values.verdict import Answer, Verdict

NAN = float("nan")
BLEU = Notation("↑")
ROW = {
    "procedure": "two-way", "unit": "segment", "difference": -0.284, "low": -0.85, "high": 0.28, "p_value": 0.2284,
    "p_adjusted": 0.4568, "low_simultaneous": -1.0, "high_simultaneous": 0.43, "n_resamples": 0,
    "seconds": 0.123, "note": "",
}  # fmt: skip


def verdict(test_set: Answer, both: Answer) -> Verdict:
    return Verdict(
        test_set="test", metric="bleu", metric_name="BLEU", baseline="a", system="b", difference=1.0, improvement=1.0,
        n_runs=3,
        unit="segment", test_set_luck=test_set, p_test_set=0.1, p_test_set_adjusted=0.1, note_test_set="", both=both,
        p_both=0.1, p_both_adjusted=0.1, low=0.0, high=1.0, note_both="", notation=BLEU,
    )  # fmt: skip


def test_the_cells_of_a_procedure_are_rounded_and_dashed() -> None:
    (cells,) = procedure_cells(pd.DataFrame([ROW]), {"two-way": "Two-way"}, BLEU)
    assert cells == ("Two-way", "sentences", "−0.28", "−0.85 to +0.28", "0.228", "0.457", "−1.00 to +0.43", "–", "0.12")
    assert len(cells) == len(COLUMNS)
    row = ROW | {"low": NAN, "high": NAN, "p_value": 0.0001, "n_resamples": 10_000, "unit": "document"}
    (cells,) = procedure_cells(pd.DataFrame([row]), {"two-way": "Two-way"}, BLEU)
    assert cells[1:8] == ("documents", "−0.28", "–", "< 0.001", "0.457", "−1.00 to +0.43", "10,000")


def test_a_note_stands_once_with_all_procedures_that_make_it() -> None:
    rows = [ROW | {"procedure": key, "note": note} for key, note in (("a", "x"), ("b", "x"), ("a", "y"), ("c", ""))]
    assert list(notes(pd.DataFrame(rows), {"a": "A", "b": "B", "c": "C"})) == ["A, B: x", "A: y"]


def test_the_family_is_counted_in_words() -> None:
    assert family_sentence(1, 1, "Holm") == (
        "Family: 1 system compared with the baseline by 1 metric, 1 comparison. Adjusted p by Holm."
    )
    assert "2 systems compared with the baseline by 3 metrics, 6 comparisons." in family_sentence(2, 3, "Holm")
    assert pairs_family_sentence(12, True, "Holm").startswith(
        "Family: all 66 pairs of 12 systems in both directions, 132 comparisons."
    )
    assert "all 66 pairs of 12 systems." in pairs_family_sentence(12, False, "none")
    assert "not adjusted" in pairs_family_sentence(12, False, "none")


def test_the_error_of_many_comparisons_is_that_of_riezler_and_maxwell() -> None:
    words = experiment_wise_sentence(0.05, 105, experiment_wise_error(0.05, 105))  # their example: 0.9954
    assert "105 independent comparisons at 5%" in words
    assert "> 99% of experiments" in words
    assert "1 − (1 − 0.05)^105" in words
    assert experiment_wise_sentence(0.05, 1, 0.05).startswith("One comparison at 5%")


def test_the_probability_of_a_better_run_needs_more_than_single_runs() -> None:
    said = superiority_sentence("a", "b", "TER", probability=0.667, low=0.16, high=0.95, confidence=0.95)
    assert said == (
        "By TER, a run of b is better than a run of a with probability 67% (95% interval 16% to 95%), on this test set."
    )
    assert superiority_sentence("a", "b", "TER", probability=1.0, low=NAN, high=NAN, confidence=0.95) == ""


@pytest.mark.parametrize(
    ("test_set", "both", "word"),
    [
        ("ruled out", "open", "The second answer is the verdict"),
        ("open", "ruled out", "report both"),
        ("ruled out", "refused", "new runs would show the same difference is unknown"),
        ("open", "open", None),
        ("ruled out", "ruled out", None),
        ("open", "refused", None),
        ("refused", "refused", None),
    ],
)
def test_a_remark_stands_where_the_answers_disagree_or_one_is_missing(
    test_set: Answer, both: Answer, word: str | None
) -> None:
    said = disagreement_remark(verdict(test_set, both))
    assert (word in said) if word else said == ""


def test_what_p_is_not_holds_sokolovs_three_and_the_faq_ends_every_question_with_an_answer() -> None:
    for what in ("systems are equal", "due to chance", "reliable"):
        assert any(what in text for text in P_IS_NOT)
    assert all(question.endswith("?") and answer.endswith(".") for question, answer in QUESTIONS)


def test_what_shows_systems_equal_is_the_adjusted_p_where_there_are_several() -> None:
    alone = equality_sentence("±0.5 points", 0.95, 1)
    assert alone == "Equal within ±0.5 points? Shown where the 90% interval lies inside the margin."
    several = equality_sentence("±0.5 points", 0.95, 3)
    assert "Shown where p, adjusted by Holm over 3 claims, is at most 5%." in several
    assert "No 90% interval is adjusted" in several
