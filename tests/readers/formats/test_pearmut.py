"""A log that Pearmut 1.1.6 wrote: two annotators in its own page, two models, practice and a document with a check."""

import json
from pathlib import Path

import pytest

from mteval.base.errors import InputError
from mteval.readers.formats.judgement_tables import read_judged_outputs

LOG = Path(__file__).with_name("pearmut_export.jsonl").read_text(encoding="utf-8")
ENTRIES = [json.loads(line) for line in LOG.splitlines()]


def read(text: str):
    found = read_judged_outputs(text, "log.jsonl")
    assert found is not None
    return found


def test_scores_and_spans_are_read_exactly() -> None:
    judgements, notes = read(LOG)
    rows = [(one.annotator, one.system, one.segment, one.document, one.value) for one in judgements]
    assert rows == [
        (name, model, f"d1_#_{place}", "d1_#_0", 83.0 + 2 * place + (model == "B"))
        for name in ("ann", "bob")
        for place in (0, 1)
        for model in ("A", "B")
    ]
    first, *_, last = judgements
    (error,) = first.errors
    assert (error.severity, error.start, error.end) == ("major", 2, 7)
    assert first.hypothesis is not None
    assert first.hypothesis[2:7] == "house"
    assert (last.errors[0].category, last.errors[0].severity, last.errors[0].end) == ("omission", "minor", 0)
    assert notes == [
        "Ignored: 2 documents for practice or quality control.",
        "Ignored: 2 outputs with a known answer or without a score.",
    ]


@pytest.mark.parametrize("indent", [None, 1])
def test_a_download_of_the_whole_campaign_says_the_same(indent: int | None) -> None:
    assert read(json.dumps({"pair": ENTRIES}, indent=indent)) == read(LOG)


def test_later_entries_replace_earlier_ones_and_a_reset_removes_them() -> None:
    again = json.loads(json.dumps(ENTRIES[1]))
    again["annotation"][0]["A"]["score"] = 7
    reset = {"user_id": "bob", "item_i": 0, "annotation": "__RESET__"}
    judgements, _ = read("\n".join(map(json.dumps, [*ENTRIES, again, reset])))
    assert [(one.annotator, one.value) for one in judgements] == [("ann", 7), ("ann", 84), ("ann", 85), ("ann", 86)]


def test_a_reset_without_an_item_removes_all_of_an_annotator() -> None:
    """As Pearmut 1.1.6 logs it."""
    reset = {"user_id": "ann", "annotation": "__RESET__"}
    judgements, _ = read("\n".join(map(json.dumps, [*ENTRIES, reset])))
    assert {one.annotator for one in judgements} == {"bob"}
    again = read("\n".join(map(json.dumps, [*ENTRIES, reset, ENTRIES[1]])))[0]
    assert [one.annotator for one in again].count(ENTRIES[1]["user_id"]) == 4


def test_spans_count_utf_16_units() -> None:
    """As the page of Pearmut 1.1.6 does: a character's place is its offset in a string of JavaScript."""
    text = "A 😀\nhouse 👍."
    spans = [{"start_i": 5, "end_i": 9}, {"start_i": 11, "end_i": 12}, {"start_i": 13, "end_i": 13}]
    spans += [{"start_i": 14, "end_i": 14}]
    answer = {"A": {"score": 50, "error_spans": [span | {"severity": "minor"} for span in spans]}}
    entry = {"annotation": [answer], "item": [{"src": "x", "tgt": {"A": text}}], "user_id": "ann", "item_i": 0}
    ((judgement,), _) = read(json.dumps(entry))
    *marked, missing = judgement.errors
    assert [text[error.start : error.end] for error in marked] == ["house", "👍", "."]
    assert (missing.category, missing.end) == ("omission", 0)


OF_A = [{"tgt": {"A": "x"}}]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"annotation": []}, "one answer per segment"),
        ({"item": None}, "'item' is None"),
        ({"annotation": [[1]], "item": [{"tgt": {}}]}, r"'annotation\[1\]' is a list"),
        ({"annotation": [{"A": 3}], "item": OF_A}, r"'annotation\[1\]\.A' is 3"),
        ({"annotation": [{"A": {"score": 1}}], "item": [{}]}, "an answer about 'A', but no output of it"),
        (
            {"annotation": [{"A": {"score": "much"}}], "item": OF_A},
            r"\.A\.score' is 'much'",
        ),
        (
            {"annotation": [{"A": {"score": 1e999}}], "item": OF_A},
            r"\.A\.score' is inf",
        ),
        (
            {"annotation": [{"A": {"score": 1}}], "item": [OF_A[0] | {"mteval": {"annotator": "a", "segment": ""}}]},
            r"'item\[1\]\.mteval\.segment' is ''",
        ),
        (
            {
                "annotation": [{"A": {"score": 1}}],
                "item": [OF_A[0] | {"mteval": {"annotator": "a", "segment": "1", "outputs": {}, "probability": 0}}],
            },
            r"'item\[1\]\.mteval\.probability' is 0",
        ),
        (
            {"annotation": [{"A": {"score": 1, "error_spans": [{"start_i": 2}]}}], "item": OF_A},
            r"\.error_spans\[1\]\.end_i' is missing",
        ),
    ],
)
def test_what_cannot_be_meant_is_named_with_its_line(changes: dict, words: str) -> None:
    broken = "\n".join(map(json.dumps, [ENTRIES[0], ENTRIES[1] | changes]))
    with pytest.raises(InputError, match=words) as caught:
        read(broken)
    assert caught.value.line == 2
