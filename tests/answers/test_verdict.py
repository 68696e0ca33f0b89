"""The answers say what may be said, and never more."""

import dataclasses
import math
import re

import pytest

from mteval.answers.verdict import against_sentence, both_answer, disagreement_remark, forest_help
from mteval.answers.verdict import card as card_section
from mteval.answers.verdict import test_set_luck_answer as luck_answer
from mteval.render.html import card as card_markup
from mteval.values.notation import Notation
from mteval.values.verdict import Conclusion, Coverage, Verdict

BLEU, COMET, LENGTH = Notation("↑"), Notation("↑", decimals=4), Notation("", unit="%")
VERDICT = Verdict(
    test_set="test", metric="bleu", metric_name="BLEU", baseline="base", system="new", difference=0.287,
    improvement=0.287, n_runs=3,
    unit="segment", test_set_luck="ruled out", p_test_set=0.009, p_test_set_adjusted=0.009, note_test_set="",
    both="open", p_both=0.23, p_both_adjusted=0.23, low=-0.28, high=0.85, note_both="", notation=BLEU,
)  # fmt: skip
NEVER = ("no difference", "will replicate", "significant")


def luck_sentence(verdict: Verdict) -> str:
    return luck_answer(verdict)


def both_sentence(verdict: Verdict, confidence: float) -> str:
    return both_answer(verdict, confidence)


def change(**changes: object) -> Verdict:
    return dataclasses.replace(VERDICT, **changes)


ALL = [
    change(test_set_luck=first, both=second, n_runs=n_runs)
    for first in ("ruled out", "open", "refused")
    for second in ("ruled out", "open", "refused")
    for n_runs in (1, 2, 3)
]


def test_below_a_figure_of_many_systems_stands_what_bars_and_verdicts_rest_on() -> None:
    assert forest_help([VERDICT], 0.95).endswith(
        "Intervals are not adjusted for the number of systems; verdicts are, by Holm."
    )
    fixed, looked = change(design="fixed"), change(p_looked=0.4, p_both_adjusted=0.8)
    assert "base is taken as a fixed system, as it was declared" in forest_help([fixed], 0.95)
    assert "for the planned looks and the number of systems; verdicts are, for the looks and by Holm" in forest_help(
        [looked], 0.95
    )


def test_of_many_systems_it_is_said_once_why_nothing_can_be_said_of_them() -> None:
    waits = "Looks were planned at 3 and 6 runs, and there are 5: the answer waits for 6."
    waiting = [change(both="refused", note_both=waits, system=system, n_runs=5) for system in ("one", "two")]
    assert against_sentence(waiting) == f"Against base by BLEU: 2 cannot be said. {waits}"
    assert against_sentence([*waiting, change(both="refused", note_both="Copies.", n_runs=5)]).endswith("be said.")
    assert against_sentence([VERDICT]) == "Against base by BLEU: 1 not shown."


@pytest.mark.parametrize("verdict", ALL)
def test_no_sentence_claims_what_a_test_cannot_show(verdict: Verdict) -> None:
    text = luck_sentence(verdict) + both_sentence(verdict, 0.95)
    assert not any(words in text.lower() for words in NEVER)


def test_ruled_out_test_set_luck_reads_not_explained() -> None:
    text = luck_sentence(VERDICT)
    assert "+0.29 BLEU, new better than base, is not explained by the choice of sentences" in text
    assert "p = 0.009" in text


def test_open_test_set_luck_reads_cannot_be_ruled_out() -> None:
    assert "cannot be ruled out" in luck_sentence(change(test_set_luck="open", p_test_set=0.4))


def test_documents_are_named_where_they_were_exchanged() -> None:
    assert "choice of documents" in luck_sentence(change(unit="document"))


def test_a_lower_score_of_a_metric_that_should_fall_is_called_better() -> None:
    text = luck_sentence(change(difference=-0.84, improvement=0.84, metric_name="TER"))
    assert "−0.84 TER, new better than base" in text


def test_a_ratio_without_a_better_direction_is_called_higher_or_lower() -> None:
    assert "new higher than base" in luck_sentence(change(notation=LENGTH))
    assert "new lower than base" in luck_sentence(change(notation=LENGTH, improvement=-0.3))


def test_the_second_answer_carries_its_interval() -> None:
    assert "95% interval −0.28 to +0.85; p = 0.230" in both_sentence(VERDICT, 0.95)


def test_two_runs_are_called_provisional_and_three_are_not() -> None:
    assert "Provisional" in both_sentence(change(n_runs=2), 0.95)
    assert "Provisional" not in both_sentence(VERDICT, 0.95)


def test_one_run_gets_no_answer_but_the_remedy() -> None:
    refused = change(both="refused", n_runs=1, p_both=math.nan, low=math.nan, high=math.nan)
    text = both_sentence(refused, 0.95)
    assert text.startswith("No answer where a system has one run")
    assert "three or more runs" in text


def test_copies_get_the_procedure_s_own_reason() -> None:
    refused = change(both="refused", note_both="All runs of new are identical copies.")
    assert both_sentence(refused, 0.95).endswith("All runs of new are identical copies.")


def test_a_correction_for_several_systems_is_shown_where_it_changes_p() -> None:
    assert "p = 0.009, after Holm over the systems p = 0.018" in luck_sentence(change(p_test_set_adjusted=0.018))
    assert "Holm" not in luck_sentence(VERDICT)


def test_systems_that_score_the_same_have_nothing_to_explain_and_are_not_shown_equal() -> None:
    level = change(difference=0.0, improvement=0.0, test_set_luck="open", p_test_set=1.0, p_test_set_adjusted=1.0)
    assert luck_sentence(level) == "0.00 BLEU, new level with base: there is nothing for luck to explain (p = 1.000)."
    both = both_sentence(level, 0.95)
    assert "a difference that luck hides is not ruled out (95% interval −0.28 to +0.85" in both
    assert "explanation" not in both


def test_a_difference_that_rounds_to_nothing_is_hardly_one() -> None:
    text = luck_sentence(change(difference=-0.003, improvement=-0.003))
    assert "0.00 BLEU, new hardly worse than base" in text


def test_an_interval_beside_an_adjusted_p_says_that_it_is_not_adjusted() -> None:
    text = both_sentence(change(p_both=0.02, p_both_adjusted=0.04), 0.95)
    assert "95% interval −0.28 to +0.85, not adjusted for the number of systems;" in text
    assert "not adjusted" not in both_sentence(VERDICT, 0.95)


def test_p_values_below_the_smallest_bound_are_not_repeated() -> None:
    text = luck_sentence(change(p_test_set=0.0001, p_test_set_adjusted=0.0004))
    assert "(p < 0.001, before and after Holm over the systems)" in text
    text = luck_sentence(change(p_test_set=0.0001, p_test_set_adjusted=0.0011))
    assert "(p < 0.001, after Holm over the systems p = 0.001)" in text


def test_the_second_answer_names_documents_where_it_takes_them_as_units() -> None:
    assert "new documents and re-run" in both_sentence(change(both="ruled out", unit_both="document"), 0.95)
    assert "new sentences and re-run" in both_sentence(change(both="ruled out"), 0.95)


def test_a_disagreement_is_laid_on_units_only_where_units_differ() -> None:
    only_second = {"test_set_luck": "open", "both": "ruled out"}
    same = disagreement_remark(change(**only_second))
    assert "both take sentences as units" in same
    assert "single outputs" not in same
    documents = disagreement_remark(change(**only_second, unit="document", unit_both="document"))
    assert "both take documents as units" in documents
    other = disagreement_remark(change(**only_second, unit="output", unit_both="document"))
    assert "the first exchanges single outputs, the second takes documents as units" in other
    assert "both take" not in other


def test_a_difference_that_only_these_runs_show_is_not_promised_for_others() -> None:
    text = disagreement_remark(change(unit="document"))
    assert "the choice of documents does not explain what these runs show, but new runs could undo it" in text
    assert "would hold" not in text


def test_small_scores_are_written_with_more_decimals() -> None:
    small = change(difference=0.00123, low=-0.0002, high=0.0031, notation=COMET)
    assert "+0.0012 BLEU" in luck_sentence(small)
    assert "interval −0.0002 to +0.0031" in both_sentence(small, 0.95)


def test_what_was_declared_of_runs_is_said_with_the_answer() -> None:
    fixed = both_sentence(change(both="ruled out", design="fixed"), 0.95)
    assert "not explained by new sentences and re-run training of new (" in fixed
    assert fixed.endswith(
        "base is taken as a fixed system, as it was declared: its own luck with training is left out."
    )
    paired = both_sentence(change(design="paired"), 0.95)
    assert paired.endswith("Runs of the same name are compared in pairs, as they were declared.")
    assert "declare the baseline as fixed" in both_sentence(change(both="refused", n_runs=1), 0.95)
    alone = both_sentence(change(both="refused", n_runs=1, design="fixed"), 0.95)
    assert alone.endswith("Load three or more runs of new.")


NAN = math.nan
BETTER = Verdict(
    test_set="test", metric="bleu", metric_name="BLEU", baseline="base", system="a", difference=1.0, improvement=1.0,
    n_runs=3, unit="segment", test_set_luck="ruled out", p_test_set=0.01, p_test_set_adjusted=0.02, note_test_set="",
    both="ruled out", p_both=0.03, p_both_adjusted=0.03, low=0.5, high=1.5, note_both="", notation=Notation("↑"),
    low_test_set=0.8, high_test_set=1.2,
)  # fmt: skip
REFUSED = {"both": "refused", "p_both": NAN, "p_both_adjusted": NAN, "low": NAN, "high": NAN}


def another(**changes: object) -> Verdict:
    return dataclasses.replace(BETTER, **changes)


def card(**changes: object) -> str:
    return str(card_markup(card_section(another(**changes), 0.95)))


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


def test_an_interval_that_is_adjusted_stands_beside_an_adjusted_p() -> None:
    wide = {"p_both_adjusted": 0.04, "simultaneous": "Bonferroni", "low_simultaneous": 0.1, "high_simultaneous": 1.9}
    assert "interval +0.50 to +1.50, for the number of systems +0.10 to +1.90 (Bonferroni)</p>" in card(**wide)
    looked = card(**wide, p_looked=0.035)
    assert "(Bonferroni), not adjusted for the planned looks</p>" in looked
    assert "Bonferroni" not in card(**wide | {"p_both_adjusted": 0.03})


def test_what_was_compared_and_what_warns_of_it_stand_with_the_verdict() -> None:
    part = Coverage("test", "bleu", "a", 820, 1910, 40, 97, 0)
    shown = card(coverage=part, unit_both="document", warnings=("Half of the outputs are empty.",))
    assert "<dd>820 of 1,910 segments in 40 of 97 documents; units: sentences, documents</dd>" in shown
    assert "Half of the outputs are empty." in shown
