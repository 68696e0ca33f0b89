"""Lines of segment scores: those of a system in order, nothing guessed."""

import pytest

from mteval.base.errors import InputError
from mteval.readers.formats.score_tables import (
    is_named_segment_scores,
    look_like_scores,
    looks_like_ratings,
    read_score_lines,
)
from mteval.readers.formats.text import split_lines
from mteval.readers.names import name_of_file


def read(text: str) -> dict[str | None, tuple[float | None, ...]]:
    return {column.system: column.values for column in read_score_lines(split_lines(text), "x.seg.score")}


def test_scores_are_grouped_by_system_in_line_order():
    assert read("A\t1\nB\t-0.5\nA\tNone\nB\t2e-3\n") == {"A": (1.0, None), "B": (-0.5, 0.002)}


def test_a_system_may_have_any_name_and_a_line_may_end_as_on_windows():
    assert read("my system\u2028\t1\r\nmy system\u2028\tnan\r\n") == {"my system\u2028": (1.0, None)}


def test_file_about_one_output_may_contain_only_scores():
    assert read("0.5\n None\n\n-1e-2\n") == {None: (0.5, None, None, -0.01)}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("A 1\n", 1, "a system, a tab and a score"),
        ("A\t1\n\tx\n", 2, "a system, a tab and a score"),
        ("A\t1\n\t1\n", 2, "a system, a tab and a score"),
        ("A\t1\nA\tgood\n", 2, "'good'"),
        ("A\tinf\n", 1, "'inf'"),
        ("A\t1e999\n", 1, "'1e999'"),
        ("0.5\nvery good\n", 2, "'very good'"),
    ],
)
def test_invalid_score_is_an_error_with_its_line(text: str, line: int, words: str):
    with pytest.raises(InputError, match=words) as caught:
        read(text)
    assert (caught.value.file, caught.value.line) == ("x.seg.score", line)


def test_a_file_is_one_of_ratings_by_its_first_line_that_judges():
    assert looks_like_ratings('A\tNone\nA\tNone\tann\nA\t{"errors": []}\tann\n')
    assert not looks_like_ratings("A\tNone\nA\tNone\nB\t1\n")
    assert not looks_like_ratings("A\tNone\nB\tNone\n")


def test_systems_must_have_equally_many_scores():
    with pytest.raises(InputError, match="System 'B' has 1 score, but others have 2"):
        read("A\t1\nA\t1\nB\t1\nC\t1\nC\t2\n")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("a\t1", "b\tNone"), True),
        (("a 0.5", "b 1"), True),
        (("0.5", "None", "-1.25e-3"), True),
        (("12", "13"), False),
        (("a b c",), False),
        ((), False),
    ],
)
def test_scores_are_recognised_by_the_first_lines(lines: tuple[str, ...], expected: bool):
    assert look_like_scores(lines) is expected


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("scores/COMET-refA.seg.score", "COMET-refA"),
        ("he-en.mqm.seg.score.gz", "he-en.mqm"),
        ("a\\b.seg.score (2)", "b"),
        ("bleurt.20.scores.txt", "bleurt.20"),
        ("topics.labels", "topics"),
        ("wmt22-comet-da.json", "wmt22-comet-da"),
        (".labels", ".labels"),
    ],
)
def test_scores_and_labels_are_named_after_their_file(path: str, name: str):
    assert name_of_file(path) == name


def test_the_suffix_of_the_shared_task_is_known():
    assert is_named_segment_scores("scores/COMET-refA.seg.score")
    assert not is_named_segment_scores("he-en.mqm.sys.score")
