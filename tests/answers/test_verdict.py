"""The answers say what may be said, and never more."""

import dataclasses
import math
import re
from itertools import product

import pytest

from mteval.answers.findings import elsewhere_sentence
from mteval.answers.ranking import all_verdicts_section, pairs_matrix_section, ranking_section
from mteval.answers.verdict import (
    against_sentence,
    both_answer,
    contradictions,
    disagreement_note,
    failures_note,
    forest_help,
    gain,
    level_note,
    luck_unknown,
    verdict_line,
    verdict_notes,
    verdict_sentences,
)
from mteval.answers.verdict import card as card_section
from mteval.answers.verdict import test_set_luck_answer as luck_answer
from mteval.render.html import card as card_markup
from mteval.values.findings import Finding
from mteval.values.notation import Notation
from mteval.values.verdict import OTHER_SHUFFLES, Conclusion, Coverage, Ranked, Ranking, Verdict

BLEU = Notation("↑")
COMET = Notation("↑", decimals=4)
LENGTH = Notation("", unit="%")
VERDICT = Verdict(
    test_set="test",
    metric="bleu",
    metric_name="BLEU",
    baseline="base",
    system="new",
    difference=0.287,
    improvement=0.287,
    n_runs=3,
    unit="segment",
    test_set_luck="ruled out",
    p_test_set=0.009,
    p_test_set_adjusted=0.009,
    note_test_set="",
    both="open",
    p_run=0.23,
    p_run_adjusted=0.23,
    low=-0.28,
    high=0.85,
    note_both="",
    notation=BLEU,
)
NEVER = ("no difference between", "will replicate", "significant", "equal")


def change(**changes: object) -> Verdict:
    """A verdict of three runs on luck of both kinds, in which some fields are changed."""
    return dataclasses.replace(VERDICT, **changes)


ANSWERS = ("ruled out", "open", "refused")
ALL = [
    change(test_set_luck=test_set_luck, both=both, n_runs=n_runs)
    for test_set_luck, both, n_runs in product(ANSWERS, ANSWERS, (1, 2, 3))
]


def test_forest_legend_says_what_is_adjusted_and_declared() -> None:
    assert "Verdicts are adjusted (Holm), intervals not for the number of systems." in forest_help([VERDICT], 0.95)
    wide = change(simultaneous="Bonferroni", low_simultaneous=-0.4, high_simultaneous=0.9)
    text = "Thin bars: for test-set and training luck (simultaneous, Bonferroni). Verdicts are adjusted (Holm)."
    assert text in forest_help([wide], 0.95)
    assert "base is treated as a fixed system" in forest_help([change(design="fixed")], 0.95)
    assert "(interim analyses, Holm)" in forest_help([change(p_looked=0.4, p_run_adjusted=0.8)], 0.95)


def test_a_reason_shared_by_all_systems_appears_once() -> None:
    waits = "Interim analyses were planned at 3 and 6 runs; there are 5."
    waiting = [change(both="refused", note_both=waits, system=system, n_runs=5) for system in ("one", "two")]
    assert against_sentence(waiting) == f"BLEU, against base: 2 {Conclusion.CANNOT_BE_SAID.word}. {waits}"
    two_reasons = against_sentence([*waiting, change(both="refused", note_both="Copies.", n_runs=5)])
    assert "Copies" not in two_reasons
    assert against_sentence([VERDICT]) == f"BLEU, against base: 1 {Conclusion.NOT_SHOWN.word}."


@pytest.mark.parametrize("verdict", ALL)
def test_no_sentence_claims_what_a_test_cannot_show(verdict: Verdict) -> None:
    text = luck_answer(verdict) + both_answer(verdict) + disagreement_note(verdict)
    assert not any(phrase in text.lower() for phrase in NEVER)


@pytest.mark.parametrize(
    ("changes", "start", "p"),
    [
        ({}, "ruled out", "(p = 0.009)"),
        ({"test_set_luck": "open", "p_test_set": 0.4, "p_test_set_adjusted": 0.4}, "could explain", "(p = 0.400)"),
        ({"p_test_set_adjusted": 0.018}, "ruled out", "(adjusted p = 0.018, Holm; unadjusted p = 0.009)"),
        ({"p_test_set": 0.0001, "p_test_set_adjusted": 0.0004}, "ruled out", "adjusted p < 0.001, Holm"),
        ({"difference": 0.0, "test_set_luck": "open"}, "no difference to explain", "p = "),
        ({"test_set_luck": "refused", "note_test_set": "One document."}, "not tested", "One document."),
    ],
)
def test_the_first_answer_has_its_word_and_p(changes: dict[str, object], start: str, p: str) -> None:
    text = luck_answer(change(**changes))
    assert text.startswith(start)
    assert p in text


@pytest.mark.parametrize(
    ("changes", "start", "part"),
    [
        ({}, "could explain", "(p = 0.230)"),
        ({"both": "ruled out"}, "ruled out", "p = 0.230"),
        ({"p_run_adjusted": 0.46}, "could explain", "adjusted p = 0.460, Holm; unadjusted p = 0.230"),
        ({"difference": 0.0}, "a hidden difference", "p = 0.230"),
        ({"both": "refused", "n_runs": 1}, "unknown", "3 runs per system"),
        ({"both": "refused", "n_runs": 1, "design": "fixed"}, "unknown", "3 runs of new"),
        (
            {"both": "refused", "note_both": "All runs of new are identical."},
            "unknown",
            "All runs of new are identical.",
        ),
    ],
)
def test_the_second_answer_has_its_word_and_p_or_its_reason(changes: dict[str, object], start: str, part: str) -> None:
    text = both_answer(change(**changes))
    assert text.startswith(start)
    assert part in text


def test_differences_keep_sign_and_decimals_of_their_metric() -> None:
    assert gain(VERDICT, 0.95) == "+0.29 BLEU (95% CI −0.28 to +0.85)"
    assert gain(change(difference=-0.84, metric_name="TER"), 0.95).startswith("−0.84 TER")
    small = change(difference=0.00123, low=-0.0002, high=0.0031, notation=COMET)
    assert gain(small, 0.95) == "+0.0012 BLEU (95% CI −0.0002 to +0.0031)"


def test_an_interval_beside_an_adjusted_p_says_that_it_is_not_adjusted() -> None:
    assert "not adjusted for the number of systems" in gain(change(p_run=0.02, p_run_adjusted=0.04), 0.95)
    assert "not adjusted" not in gain(VERDICT, 0.95)


def test_an_interval_beside_a_missing_p_speaks_of_no_adjustment() -> None:
    missing = {"p_test_set": NAN, "p_test_set_adjusted": NAN, "p_run": NAN, "p_run_adjusted": NAN}
    few_items_differ = change(low=NAN, high=NAN, low_test_set=-0.5, high_test_set=0.7, **missing)
    assert gain(few_items_differ, 0.95) == "+0.29 BLEU (95% CI −0.50 to +0.70, test-set luck only)"


def test_a_disagreement_is_explained_by_units_only_if_units_differ() -> None:
    only_second = {"test_set_luck": "open", "both": "ruled out"}
    for unit in ("segment", "document"):
        assert "outputs" not in disagreement_note(change(**only_second, unit=unit, unit_both=unit))
    of_outputs = disagreement_note(change(**only_second, unit="output", unit_both="document"))
    assert "outputs" in of_outputs
    assert "documents" in of_outputs


def test_a_difference_that_only_these_runs_show_is_not_promised_for_others() -> None:
    assert "new runs could reverse" in disagreement_note(change(unit="document"))


def test_notes_say_once_what_to_do_if_trainings_fail() -> None:
    (note,) = failures_note([change(), change(metric="ter")])
    assert note.text == "If runs sometimes fail, add more runs: a single failure could change this verdict."
    assert failures_note([change(both="refused")]) == ()


@pytest.mark.parametrize(
    ("errors", "words"),
    [
        (2.6, ""),
        (
            7.4,
            "At this level, 3 runs per system can only show differences of 4.20 points or more.",
        ),
        (303, "3 runs per system cannot, in practice, show a difference at this level."),
    ],
)
def test_a_level_that_few_runs_cannot_reach_is_told_from_no_difference(errors: float, words: str) -> None:
    verdict = change(both="open", n_runs=3, reach=4.2, reach_in_errors=errors, more_runs=5, reach_of_more=1.3)
    more = " 5 runs could show a difference of 1.30 points." if words else ""
    assert level_note(verdict) == words + more
    assert level_note(dataclasses.replace(verdict, both="ruled out")) == ""


def test_declared_designs_are_on_the_card() -> None:
    (fixed,) = card_section(change(design="fixed"), 0.95).notes
    assert "base is treated as a fixed system" in fixed.text
    (paired,) = card_section(change(design="paired"), 0.95).notes
    assert "compared in pairs" in paired.text


NAN = math.nan
BETTER = Verdict(
    test_set="test",
    metric="bleu",
    metric_name="BLEU",
    baseline="base",
    system="a",
    difference=1.0,
    improvement=1.0,
    n_runs=3,
    unit="segment",
    test_set_luck="ruled out",
    p_test_set=0.01,
    p_test_set_adjusted=0.02,
    note_test_set="",
    both="ruled out",
    p_run=0.03,
    p_run_adjusted=0.03,
    low=0.5,
    high=1.5,
    note_both="",
    notation=Notation("↑"),
    low_test_set=0.8,
    high_test_set=1.2,
)
REFUSED = {"both": "refused", "p_run": NAN, "p_run_adjusted": NAN, "low": NAN, "high": NAN}


def another(**changes: object) -> Verdict:
    """A verdict that a system is better, in which some fields are changed."""
    return dataclasses.replace(BETTER, **changes)


def card(**changes: object) -> str:
    """The card of such a verdict on the page."""
    return str(card_markup(card_section(another(**changes), 0.95)))


def roles(page: str) -> set[str]:
    """The roles of the colours on a page."""
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
        ({**REFUSED, "n_runs": 1}, Conclusion.BETTER),
        ({**REFUSED, "n_runs": 1, "test_set_luck": "open"}, Conclusion.NOT_SHOWN),
        ({**REFUSED, "n_runs": 1, "test_set_luck": "refused"}, Conclusion.CANNOT_BE_SAID),
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
    words = [known.word for known in Conclusion if f"<b>{known.word}</b>" in page]
    assert words == [conclusion.word]


def test_one_run_per_system_is_said_once_with_what_more_runs_would_show() -> None:
    findings = (Finding("single-runs", "One run per system. Three show more.", "note", systems=("base", "a")),)
    single = [another(**REFUSED, n_runs=1, findings=findings, system=system) for system in ("a", "b")]
    (sentence,) = luck_unknown(single)
    assert sentence.startswith("Training luck unknown: one run per system. Three show more.")
    assert "unknown" not in str(card_markup(card_section(single[0], 0.95)))
    assert luck_unknown([another(), another(**REFUSED)]) == ()


def test_no_two_verdicts_share_a_shape_or_a_word() -> None:
    assert len({conclusion.shape for conclusion in Conclusion}) == len(Conclusion)
    assert len({conclusion.word for conclusion in Conclusion}) == len(Conclusion)


def test_two_runs_are_provisional_beside_the_word() -> None:
    assert "provisional" in card(n_runs=2)
    assert "provisional" not in card(n_runs=3)
    assert "provisional" not in card(**REFUSED, n_runs=1)


def test_the_interval_is_of_both_kinds_of_luck_or_says_that_it_is_not() -> None:
    assert "+1.00 BLEU (95% CI +0.50 to +1.50)</p>" in card()
    assert "CI +0.50 to +1.50, not adjusted for the number of systems)</p>" in card(p_run_adjusted=0.04)
    assert "95% CI +0.80 to +1.20, test-set luck only" in card(**REFUSED, n_runs=1)
    assert "CI" not in card(**REFUSED, low_test_set=NAN, high_test_set=NAN)


def test_a_card_has_both_questions_with_the_adjusted_p_values() -> None:
    page = card(both="open", p_run=0.2, p_run_adjusted=0.4)
    assert "<dt>Test-set luck</dt><dd>ruled out (adjusted p = 0.020" in page
    assert "<dt>Test-set and training luck</dt><dd>could explain the difference (adjusted p = 0.400" in page
    assert "Holm" not in card(p_test_set_adjusted=0.01)


def test_names_are_text() -> None:
    assert "<img" not in card(system="<img src=x>", baseline="<b>x</b>")


def test_an_adjusted_p_has_a_simultaneous_interval_beside_it() -> None:
    wide = {"p_run_adjusted": 0.04, "simultaneous": "Bonferroni", "low_simultaneous": 0.1, "high_simultaneous": 1.9}
    assert "(simultaneous 95% CI +0.10 to +1.90, Bonferroni)</p>" in card(**wide)
    assert "Bonferroni)</p>" in card(**wide | {"p_run_adjusted": 0.03})  # the largest p of Holm's stays what it is
    looked = card(**wide, p_looked=0.035)
    assert "Bonferroni, not adjusted for interim analyses)</p>" in looked
    alone = card(**REFUSED | {**wide, "p_run_adjusted": NAN}, n_runs=1)
    assert "CI +0.10 to +1.90, Bonferroni, test-set luck only)</p>" in alone


def test_a_card_has_coverage_and_warnings() -> None:
    part = Coverage("test", "bleu", "a", 820, 1910, 40, 97, 0)
    findings = (Finding("empty-hypotheses", "Half of the outputs are empty.", systems=("a",)),)
    shown = card(coverage=part, unit_both="document", findings=findings)
    assert "<dd>820 of 1,910 segments in 40 of 97 documents; units: segments, documents</dd>" in shown
    assert "Half of the outputs are empty." in shown


def test_a_verdict_in_one_line_and_the_table_of_all_verdicts_repeat_no_warnings_of_the_card() -> None:
    found = Finding("empty-hypotheses", "Half of the outputs are empty.", systems=("new",))
    warned = VERDICT.with_findings([found, dataclasses.replace(found, systems=("other",))])
    assert warned.findings == (found,)
    assert "Half of the outputs are empty." in card_markup(card_section(warned, 0.95))
    assert "Half of the outputs are empty." not in card_markup(verdict_line(warned, 0.95))
    assert all_verdicts_section([warned]).notes == all_verdicts_section([VERDICT]).notes


def test_a_note_on_p_that_other_shuffles_could_move_asks_for_more() -> None:
    assert not VERDICT.needs_more_shuffles
    asking = dataclasses.replace(VERDICT, note_test_set=f"{OTHER_SHUFFLES} across 0.05.")
    assert asking.needs_more_shuffles


def test_other_pages_name_the_kinds_of_warnings_that_scores_shows() -> None:
    empty = Finding("empty-hypotheses", "Half of the outputs are empty.", systems=("new",))
    again = dataclasses.replace(empty, systems=("other",))
    entities = Finding("entities", "Two outputs have &quot;.")
    note = Finding("samples", "Scores are averaged.", "note")
    sentence = elsewhere_sentence([empty, again, entities, note])
    assert sentence == "2 warnings about the data on Scores: Empty hypotheses and Escaped characters."
    assert elsewhere_sentence([note]) == ""


ROWS = (Ranked("new", 31.0, 1, 1, 1), Ranked("other", 30.8, 1, 2, 1), Ranked("base", 30.7, 2, 3, 2))
RANKING = Ranking("test", "bleu", "two-way", "segment", "Holm", True, 0.05, ROWS)
ADJUSTED = {"p_test_set": 0.009, "p_test_set_adjusted": 0.018, "p_run": 0.23, "p_run_adjusted": 0.46}
SIMULTANEOUS = {"simultaneous": "Bonferroni", "low_simultaneous": -0.4, "high_simultaneous": 0.9}


@pytest.mark.parametrize(
    ("changes", "cells"),
    [
        (
            {},
            {"CI (test set)": "–", "CI (both)": "−0.28 to +0.85", "p": "0.009", "p_run": "0.230"},
        ),
        (
            ADJUSTED,
            {"CI (both)": "−0.28 to +0.85", "p (adjusted)": "0.018", "p_run (adjusted)": "0.460"},
        ),
        (
            ADJUSTED | SIMULTANEOUS,
            {
                "CI (both, adjusted)": "−0.40 to +0.90",
                "p (adjusted)": "0.018",
                "p_run (adjusted)": "0.460",
            },
        ),
    ],
    ids=["not adjusted", "p adjusted", "both adjusted"],
)
def test_headings_of_the_ranking_say_which_numbers_below_them_are_adjusted(
    changes: dict[str, object], cells: dict[str, str]
) -> None:
    verdicts = [change(**changes), change(**changes, system="other")]
    table = ranking_section(RANKING, verdicts).table
    assert table is not None
    headings = [column.name for column in table.columns]
    numbers = {heading for heading in headings if heading == "p" or heading.startswith(("p (", "p_run", "CI ("))}
    assert numbers == {heading for heading, cell in cells.items() if cell != "–"}
    row = table.texts[0]
    for heading in numbers:
        assert row[headings.index(heading)] == cells[heading], heading


def test_the_table_of_all_verdicts_says_whether_p_is_adjusted_and_how() -> None:
    alone = all_verdicts_section([VERDICT]).table
    several = all_verdicts_section([change(**ADJUSTED), change(**ADJUSTED, system="other")]).table
    assert alone is not None
    assert several is not None
    assert alone.caption.startswith("Difference from base, then p and p_run. ")
    assert several.caption.startswith("Difference from base, then p and p_run, adjusted (Holm). ")
    for row in several.texts:
        assert "0.018" in row[1]
        assert "0.460" in row[1]


def test_identical_outputs_are_called_so_after_systems_are_renamed() -> None:
    finding = Finding("identical-systems", "The outputs of base and new are identical.", systems=("base", "new"))
    same = change(difference=0.0, improvement=0.0).with_findings([finding])
    renamed = dataclasses.replace(same, system="system 1")
    assert luck_answer(renamed) == "the outputs are identical"
    assert both_answer(renamed) == "the outputs are identical"
    sentences = list(verdict_sentences([renamed], "bleu", 0.95))
    assert sentences == ["system 1 vs base: no clear difference. The outputs are identical."]
    assert not VERDICT.with_findings([finding]).is_identical  # people may score equal outputs differently


def test_a_reason_for_no_verdict_at_all_is_given_once() -> None:
    reason = "The systems differ on only 5 documents."
    refused = {"test_set_luck": "refused", "both": "refused", "note_test_set": reason, "note_both": reason}
    assert card(**refused).count(reason) == 1
    of_bleu = change(**refused)
    of_ter = change(**refused, metric="ter", metric_name="TER")
    (line,) = verdict_sentences([of_bleu, of_ter], "bleu", 0.95)
    assert line.count("only 5 documents") == 1
    assert line.endswith("TER: no verdict.")
    single = card(**refused, n_runs=1)
    assert single.count(reason) == 1


def test_systems_on_which_people_contradict_the_metric_come_first_with_both_answers() -> None:
    better = {"both": "ruled out", "p_run": 0.01, "p_run_adjusted": 0.01, "difference": 1.2, "improvement": 1.2}
    worse = {**better, "difference": -0.55, "improvement": -0.55}
    human = {"metric": "mqm", "metric_name": "MQM", "is_of_people": True}
    agreed = change(system="agreed", **better)
    disputed = change(system="disputed", **better)
    by_people = [change(system="agreed", **better, **human), change(system="disputed", **worse, **human)]
    verdicts = [agreed, disputed, *by_people]

    first, second = verdict_sentences(verdicts, "bleu", 0.95, by_people)
    assert first.startswith("disputed vs base: better.")
    assert "People disagree: MQM −0.55, worse (p = 0.010)." in first
    assert "Human scores: MQM +1.20, better (p = 0.010)." in second

    assert ("People disagree", "MQM −0.55, worse (p = 0.010)") in card_section(disputed, 0.95, by_people).terms
    assert ("Human scores", "MQM +1.20, better (p = 0.010)") in card_section(agreed, 0.95, by_people).terms
    assert contradictions(disputed, by_people) == by_people[1:]
    assert not contradictions(change(system="disputed"), by_people)  # no clear difference contradicts nothing


def test_people_who_contradict_a_metric_that_is_not_the_primary_one_are_named_beside_it() -> None:
    better = {"both": "ruled out", "p_run": 0.01, "p_run_adjusted": 0.01, "difference": 1.2, "improvement": 1.2}
    worse = {**better, "difference": -0.55, "improvement": -0.55}
    human = change(metric="mqm", metric_name="MQM", is_of_people=True, **worse)
    of_bleu = change(**worse)
    of_chrf = change(metric="chrf", metric_name="chrF", **better)

    (sentence,) = verdict_sentences([of_bleu, of_chrf], "bleu", 0.95, [human])
    assert "Human scores: MQM −0.55, worse (p = 0.010)." in sentence
    assert "chrF: better (p = 0.010); people disagree by MQM." in sentence

    (note,) = [note.text for note in all_verdicts_section([of_bleu, of_chrf], [human]).notes if "People" in note.text]
    assert note == "People disagree with chrF by MQM: new (worse, −0.55, p = 0.010)."


def test_the_share_of_pairs_stands_beside_a_verdict_if_it_is_known() -> None:
    known = change(share_of_pairs=0.6371)
    sentence = "People elsewhere preferred the better-scored system in 64% of pairs of systems with such a difference."
    assert sentence in next(verdict_sentences([known], "bleu", 0.95))
    assert "People elsewhere" in dict(card_section(known, 0.95).terms)
    assert "People elsewhere" not in next(verdict_sentences([VERDICT], "bleu", 0.95))
    assert "People elsewhere" not in dict(card_section(VERDICT, 0.95).terms)


def test_a_system_whose_lines_are_in_a_reference_is_marked_beside_its_verdict() -> None:
    detail = "540 of 1,910 lines of 'new' equal a reference."
    finding = Finding("reference-lines", detail, systems=("new",))
    verdicts = [change().with_findings([finding]), change(system="other").with_findings([finding])]

    section = ranking_section(RANKING, verdicts)
    assert section.table is not None
    place = [column.name for column in section.table.columns].index("Average")
    assert [row[place].endswith("§") for row in section.table.texts] == [True, False, False]
    assert any("may be too good" in sentence for sentence in section.lead)
    assert (section.notes[0].level, section.notes[0].text) == ("warning", f"§ {detail}")
    (sentence, _) = verdict_sentences(verdicts, "bleu", 0.95)
    assert "BLEU may be too good (lines of new may be in the references)." in sentence

    by_people = [dataclasses.replace(verdict, is_of_people=True) for verdict in verdicts]
    of_people = ranking_section(RANKING, by_people)
    assert of_people.table is not None
    assert not any("§" in text for row in of_people.table.texts for text in row), "people read no reference"
    assert not any("in the references" in line for line in verdict_sentences(by_people, "bleu", 0.95))


@pytest.mark.parametrize(
    ("adjusted", "expected"),
    [
        (
            {"p_test_set": 0.02, "p_test_set_adjusted": 0.04},
            "Marks are adjusted for all 3 pairs (Holm), p of verdicts only for the 2 comparisons with base (Holm), so"
            " the two can differ.",
        ),
        ({}, "Marks are adjusted for all 3 pairs (Holm). p of verdicts is not, so the two can differ."),
    ],
)
def test_the_matrix_of_pairs_names_its_family_and_that_of_the_verdicts(
    adjusted: dict[str, float], expected: str
) -> None:
    verdicts = [change(**adjusted), change(system="other", **adjusted)]
    assert expected in [note.text for note in pairs_matrix_section(RANKING, verdicts).notes]


def test_a_note_on_all_compared_systems_names_its_metric_alone() -> None:
    text = "1,090 of 1,910 segments are skipped: a run has no score for them."
    all_of_them = [change(system=system, note_test_set=text) for system in ("a", "b", "c", "d")]
    assert [note.said for note in verdict_notes(all_of_them) if "skipped" in note.text] == [f"BLEU: {text}"]
    some = [*all_of_them, change(system="e")]
    assert [note.said for note in verdict_notes(some) if "skipped" in note.text] == [f"BLEU (4 systems): {text}"]


def test_a_copy_has_no_note_on_what_more_runs_could_show() -> None:
    refused = {"both": "open", "reach_in_errors": 50.0, "reach": 2.0, "more_runs": 5, "reach_of_more": 1.0}
    assert "cannot, in practice" in level_note(change(**refused))
    assert level_note(change(**refused, is_identical=True)) == ""
