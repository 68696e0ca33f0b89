"""Errors noted by the owner: in how many runs the words stand, counts per system, and WMT's table."""

import csv
import io

import pytest

from mteval.analysis.people.marked_errors import note_counts, noted_frame, notes_table, recurrence
from mteval.analysis.scoring import Work
from mteval.readers.assembly.judgements import read_judgements
from mteval.readers.documents import InputFile
from mteval.values.model import Run, TestSet
from mteval.values.notes import NotedError

A = [("the old cat sat here", "it rains"), ("the old cat sat there", "it pours"), ("the new cat sat here", "it rains")]
TEST_SET = TestSet(
    "test",
    (("the cat sat here",), ("it rains",)),
    tuple(Run("A", str(run), texts) for run, texts in enumerate(A)),
    source=("le chat", "il pleut"),
    documents=("d", "d"),
)


def note(words: str, severity: str = "major", segment: int = 0, run: int = 0, comment: str = "") -> NotedError:
    """The first occurrence of some words in the output of a run."""
    output = A[run][segment]
    start = output.index(words)
    end = start + len(words)
    key = f"{segment} {words}"
    category = "Accuracy/Mistranslation"
    return NotedError(key, "test", "A", str(run), segment, output, start, end, category, severity, comment)


HABIT = note("cat")
SOME = note("old", "minor")
SLIP = note("pours", segment=1, run=1, comment="heavy")


@pytest.mark.parametrize(("noted", "n_runs"), [(HABIT, 3), (SOME, 2), (SLIP, 1), (note(" "), 2)])
def test_runs_with_the_same_words_at_that_place_are_counted(noted: NotedError, n_runs: int) -> None:
    assert recurrence(noted, TEST_SET) == (n_runs, 3)


def test_notes_are_listed_by_segment_and_counted_by_system() -> None:
    noted = noted_frame([SLIP, SOME, HABIT], TEST_SET, Work())
    assert noted["words"].tolist() == ["old", "cat", "pours"]
    assert noted["n_same"].tolist() == [2, 3, 1]
    assert noted["comment"].tolist() == ["", "", "heavy"]

    (counts,) = note_counts(noted).to_dict("records")
    assert counts == {
        "system": "A",
        "n_errors": 3,
        "n_outputs": 2,
        "neutral": 0,
        "minor": 1,
        "major": 2,
        "critical": 0,
        "habits": 1,
        "slips": 1,
    }


def test_notes_of_another_test_set_or_of_an_output_that_changed_have_no_place() -> None:
    on_dev = NotedError("x", "dev", "A", "0", 0, "cat", 0, 3, "", "minor")
    assert noted_frame([on_dev], TEST_SET, Work()).empty

    changed = NotedError("y", "test", "A", "0", 0, "a cat of old", 2, 5, "", "minor")
    assert noted_frame([changed], TEST_SET, Work())["n_runs"].tolist() == [0]


def test_the_table_is_wmts_and_is_read_back() -> None:
    text = notes_table([HABIT, SOME, SLIP], TEST_SET)

    rows = list(csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))
    assert [row["target"] for row in rows] == [
        "the <v>old</v> cat sat here",
        "the old <v>cat</v> sat here",
        "it <v>pours</v>",
    ]
    assert [row["docSegId"] for row in rows] == ["1", "1", "2"]
    assert [row["globalSegId"] for row in rows] == ["1", "1", "2"]
    assert [row["source"] for row in rows] == ["le chat", "le chat", "il pleut"]
    assert [row["metadata"] for row in rows] == ["", "", "heavy"]

    errors = []
    for judgement in read_judgements([InputFile("notes.tsv", text.encode())]).judgements:
        for error in judgement.errors:
            errors.append((judgement.segment, error.start, error.end, error.severity))
    assert sorted(errors) == [("1", 4, 7, "minor"), ("1", 8, 11, "major"), ("2", 3, 8, "major")]
