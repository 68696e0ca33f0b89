"""Sections and sentences about tests of significance."""

import pandas as pd
import pytest

from mteval.answers.procedures import (
    experiment_wise_sentence,
    family_section,
    p_section,
    pairs_family_sentence,
    procedures_section,
)
from mteval.answers.sensitivity import equality_sentence
from mteval.answers.verdict import disagreement_note
from mteval.metrics import METRICS
from mteval.render.html import section_parts
from mteval.render.text import text_lines
from mteval.values.notation import Notation
from mteval.values.run_words import RUN
from mteval.values.verdict import Answer, Verdict

NAN = float("nan")
BLEU = Notation("↑")
ROW = {
    "procedure": "two-way",
    "unit": "segment",
    "difference": -0.284,
    "n_higher": None,
    "low": -0.85,
    "high": 0.28,
    "p_value": 0.2284,
    "p_adjusted": 0.4568,
    "low_simultaneous": -1.0,
    "high_simultaneous": 0.43,
    "n_resamples": 0,
    "note": "",
}


def verdict(test_set: Answer, both: Answer) -> Verdict:
    """A verdict with these two answers."""
    return Verdict(
        test_set="test",
        metric="bleu",
        metric_name="BLEU",
        baseline="a",
        system="b",
        difference=1.0,
        improvement=1.0,
        n_runs=3,
        unit="segment",
        test_set_luck=test_set,
        p_test_set=0.1,
        p_test_set_adjusted=0.1,
        note_test_set="",
        both=both,
        p_run=0.1,
        p_run_adjusted=0.1,
        low=0.0,
        high=1.0,
        note_both="",
        notation=BLEU,
    )


def section(*rows: dict[str, object], fixed: tuple[tuple[str, str], ...] = ()):
    """The section with a row for each procedure."""
    return procedures_section(pd.DataFrame(rows), METRICS["bleu"], "b against a, two-sided", RUN, fixed)


def cells_of(line: str) -> list[str]:
    """The cells of a printed row, between which are two spaces or more."""
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def test_the_cells_of_a_procedure_are_rounded_and_dashed() -> None:
    without_interval = {"low": NAN, "high": NAN, "p_value": 0.0001, "n_resamples": 10_000, "unit": "document"}
    _, head, first, second, _ = text_lines([section(ROW, ROW | without_interval)])
    assert head.split()[:2] == ["procedure", "difference"]
    assert cells_of(first)[1:] == ["−0.28", "−0.85 to +0.28", "0.228", "0.457", "−1.00 to +0.43", "–"]
    assert cells_of(second)[1:] == ["−0.28", "–", "< 0.001", "0.457", "−1.00 to +0.43", "10,000"]


def test_a_note_appears_once_with_all_its_procedures() -> None:
    notes = section(
        ROW | {"procedure": "sign", "note": "x"},
        ROW | {"procedure": "wilcoxon", "note": "x"},
        ROW | {"procedure": "sign", "note": "y"},
        ROW | {"procedure": "welch", "note": ""},
    ).notes
    assert [note.said for note in notes] == [
        "Sign test on segments, Wilcoxon signed-rank test on segments: x",
        "Sign test on segments: y",
    ]


def test_pages_mark_verdict_procedures_and_show_their_luck_but_text_does_not() -> None:
    with_verdict = section(ROW, ROW | {"procedure": "ar-segment"}, fixed=(("two-way", "segment"),))
    page = "".join(map(str, section_parts(with_verdict)))
    assert "Two-way analysis of runs and segments ◆" in page
    assert "Approximate randomization of segments ◆" not in page
    assert "◆ decides the verdict" in page
    assert ">Luck</th>" in page
    assert "(adjusted)</span>" in page
    text = "\n".join(text_lines([with_verdict]))
    assert "luck" not in text.lower()
    assert "◆ decides" not in text


def test_the_family_is_counted_in_words() -> None:
    frame = pd.DataFrame({"simultaneous": ["Bonferroni", ""]})
    family, together = (note.said for note in family_section(frame, 1, 1, "holm", 0.95).notes)
    assert "nothing to adjust" in family
    assert together == "Simultaneous 95% CI: Bonferroni."
    notes = family_section(frame, 2, 3, "none", 0.95).notes
    assert "2 systems compared with the baseline by 3 metrics, 6 comparisons. p-values are not" in notes[0].said
    assert pairs_family_sentence(12, True, "holm").startswith(
        "Family: all 66 pairs of 12 systems in both directions, 132 comparisons."
    )
    assert "all 66 pairs of 12 systems." in pairs_family_sentence(12, False, "none")
    assert "not adjusted" in pairs_family_sentence(12, False, "none")


def test_the_error_of_many_comparisons_is_that_of_riezler_and_maxwell() -> None:
    words = experiment_wise_sentence(0.05, 105)  # their example: 1 - 0.95^105 = 0.9954
    assert "105 independent tests at 5%" in words
    assert "> 99% of experiments" in words
    assert "23% of experiments" in experiment_wise_sentence(0.05, 5)  # 1 - 0.95^5 = 0.226
    assert experiment_wise_sentence(0.05, 1) == ""


@pytest.mark.parametrize(
    ("test_set", "both", "words"),
    [
        ("ruled out", "open", "could reverse"),
        ("open", "ruled out", "Report both"),
        ("open", "open", None),
        ("ruled out", "ruled out", None),
        ("open", "refused", None),
        ("ruled out", "refused", None),
        ("refused", "refused", None),
    ],
)
def test_a_remark_says_that_the_answers_disagree(test_set: Answer, both: Answer, words: str | None) -> None:
    remark = disagreement_note(verdict(test_set, both))
    if words is None:
        assert remark == ""
    else:
        assert words in remark


def test_what_p_is_not_holds_sokolovs_three() -> None:
    _, (_, p_is_not) = p_section().terms
    for part in ("systems are equal", "due to chance", "reliable"):
        assert part in p_is_not


def test_equality_of_several_systems_uses_adjusted_p() -> None:
    alone = equality_sentence("±0.5 points", 0.95, 1)
    assert "90% CI lies inside the margin" in alone
    several = equality_sentence("±0.5 points", 0.95, 3)
    assert "p (adjusted, Holm over 3 claims) is at most 5%" in several
    assert "90% CI is not adjusted" in several
