"""A log that Pearmut 1.1.6 wrote: two annotators in its own page, two models, practice and a document with a check."""

import json
from collections.abc import Iterable
from copy import deepcopy
from pathlib import Path

import pytest

from mteval.base.errors import InputError
from mteval.readers.formats.judgement_tables import read_judged_outputs

LOG = Path(__file__).with_name("pearmut_export.jsonl").read_text(encoding="utf-8")
ENTRIES = [json.loads(line) for line in LOG.splitlines()]


def read(text: str):
    """The judgements of a log, and notes about them."""
    judgements_and_notes = read_judged_outputs(text, "log.jsonl")
    assert judgements_and_notes is not None
    return judgements_and_notes


def as_lines(entries: Iterable[object]) -> str:
    """A log with a line for each entry."""
    return "\n".join(json.dumps(entry) for entry in entries)


def test_scores_and_spans_are_read_exactly() -> None:
    judgements, notes = read(LOG)
    assert {judgement.document for judgement in judgements} == {"d1_#_0"}
    rows = [(judgement.annotator, judgement.system, judgement.segment, judgement.value) for judgement in judgements]
    assert rows == [
        ("ann", "A", "d1_#_0", 83),
        ("ann", "B", "d1_#_0", 84),
        ("ann", "A", "d1_#_1", 85),
        ("ann", "B", "d1_#_1", 86),
        ("bob", "A", "d1_#_0", 83),
        ("bob", "B", "d1_#_0", 84),
        ("bob", "A", "d1_#_1", 85),
        ("bob", "B", "d1_#_1", 86),
    ]

    first, *_, last = judgements
    (error,) = first.errors
    assert error.severity == "major"
    assert error.start == 2
    assert error.end == 7
    assert first.hypothesis is not None
    assert first.hypothesis[2:7] == "house"
    missing_words = last.errors[0]
    assert missing_words.category == "omission"
    assert missing_words.severity == "minor"
    assert missing_words.end == 0
    assert notes == [
        "Ignored: 2 documents for practice or quality control.",
        "Ignored: 2 outputs with a known answer or without a score.",
    ]


@pytest.mark.parametrize("indent", [None, 1])
def test_a_download_of_the_whole_campaign_says_the_same(indent: int | None) -> None:
    assert read(json.dumps({"pair": ENTRIES}, indent=indent)) == read(LOG)


def test_later_entries_replace_earlier_ones_and_a_reset_removes_them() -> None:
    later = deepcopy(ENTRIES[1])
    later["annotation"][0]["A"]["score"] = 7
    reset = {"user_id": "bob", "item_i": 0, "annotation": "__RESET__"}
    judgements, _ = read(as_lines([*ENTRIES, later, reset]))
    assert [judgement.annotator for judgement in judgements] == ["ann"] * 4
    assert [judgement.value for judgement in judgements] == [7, 84, 85, 86]


def test_a_reset_without_an_item_removes_all_of_an_annotator() -> None:
    """As Pearmut 1.1.6 logs it."""
    reset = {"user_id": "ann", "annotation": "__RESET__"}
    judgements, _ = read(as_lines([*ENTRIES, reset]))
    assert {judgement.annotator for judgement in judgements} == {"bob"}

    judgements, _ = read(as_lines([*ENTRIES, reset, ENTRIES[1]]))
    annotators = [judgement.annotator for judgement in judgements]
    assert annotators.count(ENTRIES[1]["user_id"]) == 4


def test_spans_count_utf_16_units() -> None:
    """As the page of Pearmut 1.1.6 does: a character's place is its offset in a string of JavaScript."""
    text = "A 😀\nhouse 👍."
    places = [(5, 9), (11, 12), (13, 13), (14, 14)]
    spans = [{"start_i": start, "end_i": end, "severity": "minor"} for start, end in places]
    answer = {"A": {"score": 50, "error_spans": spans}}
    entry = {"annotation": [answer], "item": [{"src": "x", "tgt": {"A": text}}], "user_id": "ann", "item_i": 0}
    ((judgement,), _) = read(json.dumps(entry))
    *marked, missing = judgement.errors
    assert [text[error.start : error.end] for error in marked] == ["house", "👍", "."]
    assert missing.category == "omission"
    assert missing.end == 0


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
    broken = as_lines([ENTRIES[0], ENTRIES[1] | changes])
    with pytest.raises(InputError, match=words) as caught:
        read(broken)
    assert caught.value.line == 2
