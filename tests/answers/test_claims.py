"""A claim over several test sets as a section."""

from dataclasses import replace

import pytest

from mteval.answers.claims import claim_sections
from mteval.render.html import section_parts
from mteval.render.text import text_lines
from mteval.values.claim import LIKE_THESE, THESE_RUNS, THESE_TEST_SETS, Claim, Finding, OnOne
from mteval.values.notation import Notation
from mteval.values.run_words import RUN_WORDS

NAN = float("nan")
ON_ONE = OnOne("news", "document", 24, (3, 3), 0.5, 0.1, 0.9, -0.1, 1.1)
CLAIM = Claim(
    metric="bleu",
    metric_name="BLEU",
    notation=Notation("↑"),
    baseline="old",
    system="new",
    rows=(ON_ONE, replace(ON_ONE, test_set="talks", n_units=1_200, n_runs=(3, 5), difference=0.7)),
    difference=0.6,
    improvement=0.6,
    these_runs=Finding(THESE_RUNS, "ruled out", 0.3, 0.9, 0.001, 0.002, ""),
    these_test_sets=Finding(THESE_TEST_SETS, "ruled out", 0.1, 1.1, 0.01, 0.02, ""),
    like_these=Finding(LIKE_THESE, "refused", NAN, NAN, NAN, NAN, "Other test sets are not spoken of"),
    tau=0.0,
    i_squared=0.0,
    n_groups=1,
    notes=(),
)


def test_a_claim_has_its_verdict_the_sentence_to_quote_and_a_row_a_test_set() -> None:
    (section,) = claim_sections([CLAIM], 0.95)
    assert section.verdict is not None
    assert (section.verdict.text, section.verdict.role) == ("better", "good")
    assert section.lead[0].startswith("+0.60 BLEU on average over 2 test sets (95% CI +0.10 to +1.10")
    assert section.lead[0].endswith("new vs old: better.")
    assert section.table is not None
    assert section.table.texts == [
        ["news", "24 documents", "3", "+0.50", "+0.10 to +0.90", "−0.10 to +1.10"],
        ["talks", "1,200 documents", "3 and 5", "+0.70", "+0.10 to +0.90", "−0.10 to +1.10"],
        ["Mean", "–", "–", "+0.60", "+0.30 to +0.90", "+0.10 to +1.10"],
    ]
    questions = [question for question, _ in section.terms]
    assert questions[0] == "Test-set luck"
    assert questions[2:] == ["Test sets like these", "Variation between test sets"]
    page = "".join(str(part) for part in section_parts(replace(section, figure=None)))
    assert "mt-role-good" in page
    assert "p = 0.020" in "\n".join(text_lines([section]))


def test_what_holds_for_other_test_sets_has_a_row_and_its_bars_are_explained() -> None:
    known = replace(CLAIM, like_these=Finding(LIKE_THESE, "open", -0.2, 1.4, 0.1, 0.1, ""))
    (plain,) = claim_sections([CLAIM], 0.9)
    (section,) = claim_sections([known], 0.9)
    assert section.table is not None
    assert section.table.texts[-1] == ["Test sets like these", "–", "–", "+0.60", "–", "−0.20 to +1.40"]
    assert "Last row" in section.legend
    assert "Last row" not in plain.legend
    assert "90% CI" in section.legend


@pytest.mark.parametrize("word", ["prompt", "training seed"])
def test_a_claim_uses_the_chosen_word_for_runs_and_keeps_names(word: str) -> None:
    named = replace(CLAIM, runs=RUN_WORDS[word], rows=(replace(ON_ONE, test_set="run A"), *CLAIM.rows[1:]))
    text = "\n".join(text_lines(claim_sections([named], 0.95)))
    assert f"share the same {word}s" in text
    assert "run A and talks" in text
    assert "runs" not in text
