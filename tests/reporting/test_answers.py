"""The verdict on each system as a card: one word, one shape, a colour that is never alone."""

import re

import pytest

from mteval.report.cards import verdict_cards
from mteval.values.notation import Notation
from mteval.values.verdict import Conclusion, Verdict

NAN = float("nan")
BETTER = Verdict(
    test_set="test", metric="bleu", metric_name="BLEU", baseline="base", system="a", difference=1.0, improvement=1.0,
    n_runs=3, unit="segment", test_set_luck="ruled out", p_test_set=0.01, p_test_set_adjusted=0.02, note_test_set="",
    both="ruled out", p_both=0.03, p_both_adjusted=0.03, low=0.5, high=1.5, note_both="", notation=Notation("↑"),
    low_test_set=0.8, high_test_set=1.2,
)  # fmt: skip
REFUSED = {"both": "refused", "p_both": NAN, "p_both_adjusted": NAN, "low": NAN, "high": NAN}


def another(**changes: object) -> Verdict:
    return Verdict(**{**vars(BETTER), **changes})


def card(**changes: object) -> str:
    return str(verdict_cards([another(**changes)], 0.95))


def roles(page: str) -> set[str]:
    return set(re.findall(r"mt-(?:role|edge)-(\w+)", page))


@pytest.mark.parametrize(
    ("changes", "conclusion"),
    [
        ({}, Conclusion.BETTER),
        ({"improvement": -1.0, "difference": -1.0}, Conclusion.WORSE),
        ({"notation": Notation("↓"), "improvement": 1.0, "difference": -1.0}, Conclusion.BETTER),
        ({"notation": Notation("↓"), "improvement": -1.0}, Conclusion.WORSE),
        ({"notation": Notation("")}, Conclusion.HIGHER),
        ({"notation": Notation(""), "difference": -1.0}, Conclusion.LOWER),
        ({"both": "open"}, Conclusion.NOT_SHOWN),
        ({"both": "open", "improvement": -1.0, "difference": -1.0}, Conclusion.NOT_SHOWN),
        (REFUSED, Conclusion.CANNOT_BE_SAID),
        ({**REFUSED, "n_runs": 1}, Conclusion.CANNOT_BE_SAID),
    ],
)
def test_a_card_has_one_word_and_its_shape_and_green_is_for_better_alone(
    changes: dict[str, object], conclusion: Conclusion
) -> None:
    page = card(**changes)
    assert f"<b>{conclusion.word}</b>" in page
    assert page.count(conclusion.shape) == 1
    assert ("good" in roles(page)) == (conclusion is Conclusion.BETTER)
    assert roles(page) == {conclusion.role}
    assert [other.word for other in Conclusion if f"<b>{other.word}</b>" in page] == [conclusion.word]


def test_no_two_verdicts_share_a_shape_or_a_word() -> None:
    assert len({one.shape for one in Conclusion}) == len({one.word for one in Conclusion}) == len(Conclusion)


def test_two_runs_are_provisional_beside_the_word() -> None:
    assert "provisional" in card(n_runs=2)
    assert "provisional" not in card(n_runs=3)
    assert "provisional" not in card(**REFUSED, n_runs=1)


def test_the_interval_is_of_both_kinds_of_luck_or_says_that_it_is_not() -> None:
    assert "+1.00 BLEU, 95% interval +0.50 to +1.50</p>" in card()
    assert "interval +0.50 to +1.50, not adjusted for the number of systems</p>" in card(p_both_adjusted=0.04)
    alone = card(**REFUSED, n_runs=1)
    assert "95% interval +0.80 to +1.20 for test-set luck alone" in alone
    assert "interval" not in card(**REFUSED, low_test_set=NAN, high_test_set=NAN).split("<details>")[0]


def test_the_two_questions_stand_under_it_with_the_p_values_that_decide() -> None:
    page = card(both="open", p_both=0.2, p_both_adjusted=0.4)
    assert "<dt>Test-set luck</dt><dd>ruled out (p = 0.020 after Holm)</dd>" in page
    assert "<dt>Test-set and training luck together</dt><dd>cannot be ruled out (p = 0.400 after Holm)</dd>" in page
    assert "Holm" not in card(p_test_set_adjusted=0.01).split("<details>")[0]
    assert "<dd>no answer from one run</dd>" in card(**REFUSED, n_runs=1)


def test_the_answers_in_full_are_folded_up() -> None:
    folded = card().split("<details>")[1]
    assert "is not explained by the choice of sentences" in folded
    assert "is not explained by new sentences and re-run training" in folded


def test_names_are_text() -> None:
    assert "<img" not in card(system="<img src=x>", baseline="<b>x</b>")
