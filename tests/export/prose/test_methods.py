"""The methods paragraph says what was done, and nothing that was not."""

from typing import Any

import pytest

from mteval.answers.methods import methods
from mteval.values.settings import DESIGNS, Settings
from mteval.values.verdict import Coverage

WHOLE = [Coverage("test", "any", system, 1997, 1997, 0, 0, 0) for system in ("base", "new")]
USUAL: dict[str, Any] = {
    "metrics": {"BLEU": "nrefs:1|tok:13a", "TER": "nrefs:1|case:lc"},
    "run_counts": [3],
    "coverage": {"BLEU": WHOLE, "TER": WHOLE},
    "test_set": "test",
    "baseline": "base",
    "n_compared": 1,
    "n_answered": 1,
    "exchanged": "segment",
    "unit": "segment",
    "n_shuffles": 5678,
    "versions": {"mteval": "9.9"},
}


def test_everything_that_a_reader_needs_is_there() -> None:
    text = methods(Settings(n_bootstrap=1234, seed=42), **USUAL)
    for part in (
        "BLEU and TER averaged over 3 runs of each system on 1,997 segments (test).",
        "Scores were computed on detokenized text as in sacreBLEU",
        "mteval 9.9. BLEU is the primary metric.",
        "1,234 bootstrap replicates",
        "5,678 shuffles that exchange all runs of a segment together",
        "two-way random effects procedure",
        "judged at the 5% level. All random numbers follow from the seed 42",
        "Signatures: BLEU nrefs:1|tok:13a; TER nrefs:1|case:lc.",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("change", "there", "absent"),
    [
        ({"run_counts": [1], "n_answered": 0}, "of one run of each system", "two-way"),
        ({"n_answered": 0}, "averaged over 3 runs", "two-way"),
        ({"n_compared": 3, "n_answered": 2}, "); it has an answer for 2 of 3 systems.", "given"),
        ({"n_compared": 3, "n_answered": 3}, "interaction with segments).", "has an answer"),
        ({"run_counts": [2, 5]}, "averaged over 2 to 5 runs", "Holm"),
        ({"n_compared": 0}, "bootstrap", "shuffles"),
        ({"n_compared": 3}, "corrected by Holm's method for the 3 systems compared with base", "one run"),
        ({}, "judged at the 5% level.", "not adjusted"),
        ({"n_compared": 3}, "; intervals are not adjusted", "given"),
        ({"exchanged": "document", "unit": "document"}, "all runs of all segments of a document", "output"),
        ({"exchanged": "output"}, "each output on its own", "document"),
    ],
)
def test_what_was_not_done_is_not_said(change: dict[str, Any], there: str, absent: str) -> None:
    text = methods(Settings(), **USUAL | change)
    assert there in text
    assert absent not in text


def test_the_level_is_that_of_the_settings() -> None:
    assert "judged at the 2.5% level" in methods(Settings(confidence=0.975), **USUAL)
    assert "as in MultEval" in methods(Settings(convention="multeval"), **USUAL)


def test_given_scores_are_described_as_given_with_what_they_cover() -> None:
    part = [Coverage("test", "mqm", system, 820, 1997, 40, 97, 820) for system in ("base", "new")]
    text = methods(
        Settings(), **USUAL | {"metrics": {"BLEU": "a", "MQM": "b"}, "coverage": {"BLEU": WHOLE, "MQM": part}}
    )
    assert "BLEU was computed on detokenized text" in text
    assert "MQM was not computed here: scores of segments were given with the runs" in text
    assert "(MQM: 1,640 scores on 820 of 1,997 segments in 40 of 97 documents)" in text
    assert "segments that a run of a system has no score of are left out" in text


def test_models_read_text_as_it_is() -> None:
    text = methods(Settings(), **USUAL, by_models=["TER"])
    assert "BLEU was computed on detokenized text as in sacreBLEU (Post, 2018) with mteval 9.9." in text
    assert "TER was computed on the text as it is with mteval 9.9, by the model and packages that the signature" in text
    alone = methods(Settings(), **USUAL, by_models=["BLEU", "TER"])
    assert "Scores were computed on the text as it is" in alone
    assert "sacreBLEU" not in alone


def test_where_nothing_was_computed_nothing_is_said_to_be() -> None:
    whole = [Coverage("test", "comet", system, 1997, 1997, 0, 0, 1997) for system in ("base", "new")]
    text = methods(Settings(), **USUAL | {"metrics": {"COMET": "b"}, "coverage": {"COMET": whole}})
    assert "tokenized" not in text
    assert "left out" not in text
    assert "COMET was not computed here" in text
    assert "(COMET: 3,994 scores) and averaged by mteval 9.9." in text


def test_documents_are_named_where_they_are_the_units_of_the_second_answer_alone() -> None:
    text = methods(Settings(), **USUAL | {"exchanged": "output", "unit": "document"})
    assert "each output on its own" in text
    assert "new documents and re-run training" in text


def test_documents_are_taken_by_pseudo_values_and_segments_by_linearised_scores() -> None:
    by_segment, by_document = (methods(Settings(), **USUAL | {"unit": unit}) for unit in ("segment", "document"))
    assert "runs on linearised scores (" in by_segment
    assert "runs on delete-one pseudo-values of documents (" in by_document


def test_what_was_declared_of_runs_is_said_before_the_test_that_rests_on_it() -> None:
    told = {design: methods(Settings(design=design), **USUAL) for design in DESIGNS}
    assert "were compared in pairs" in told["paired"]
    assert "was taken as a fixed system that will not be trained again" in told["fixed"]
    assert not any(words in told["independent"] for words in ("in pairs", "fixed system"))
