"""Files of segment scores: the lines of a system in order, nothing guessed."""

import pytest

from mteval.errors import InputError
from mteval.readers.segment_scores import looks_like_segment_scores, metric_name, read_segment_scores
from mteval.readers.values import InputFile


def read(text: str) -> dict[str, tuple[float | None, ...]]:
    return read_segment_scores(InputFile("x.seg.score", text.encode()))


def test_scores_stand_by_system_in_the_order_of_their_lines():
    assert read("A\t1\nB\t-0.5\nA\tNone\nB\t2e-3\n") == {"A": (1.0, None), "B": (-0.5, 0.002)}


def test_a_system_may_have_any_name_and_a_line_may_end_as_on_windows():
    assert read("my system\u2028\t1\r\nmy system\u2028\tnan\r\n") == {"my system\u2028": (1.0, None)}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("A 1\n", 1, "a system, a tab and a score"),
        ("A\t1\n\tx\n", 2, "a system, a tab and a score"),
        ("A\t1\nA\tgood\n", 2, "'good'"),
        ("A\tinf\n", 1, "'inf'"),
        ("A\t1e999\n", 1, "'1e999'"),
    ],
)
def test_a_line_that_is_no_score_is_named(text: str, line: int, words: str):
    with pytest.raises(InputError, match=words) as caught:
        read(text)
    assert caught.value.line == line


def test_systems_have_equally_many_scores():
    with pytest.raises(InputError, match="System 'B' has 1 scores, others have 2"):
        read("A\t1\nA\t1\nB\t1\nC\t1\nC\t2\n")


def test_the_metric_is_named_after_the_file():
    assert looks_like_segment_scores("scores/COMET-refA.seg.score")
    assert not looks_like_segment_scores("he-en.mqm.sys.score")
    assert metric_name("scores/COMET-refA.seg.score") == "COMET-refA"
