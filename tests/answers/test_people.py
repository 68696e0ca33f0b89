"""What is said beside answers about judgements."""

import re

import pytest

from mteval.answers.gold import alone_sentence, told_apart
from mteval.answers.people import resolution_sentence


@pytest.mark.parametrize(
    ("level", "n_resamples", "is_said"), [(0.001, 500, True), (0.001, 999, False), (0.05, 200, False), (0.05, 18, True)]
)
def test_a_level_that_resamples_cannot_reach_is_named(level: float, n_resamples: int, is_said: bool) -> None:
    assert bool(resolution_sentence(level, n_resamples)) is is_said


def test_pairs_are_counted_and_systems_that_are_apart_from_none_are_named() -> None:
    conclusions = {("A", "B"): 1, ("A", "C"): 0, ("B", "C"): 0}
    assert told_apart(conclusions, 0.05) == "People tell apart 1 of 3 pairs at 5%."
    assert re.fullmatch("1 system .*: C.", alone_sentence(conclusions, "ABC"))
    assert alone_sentence({("A", "B"): -1}, "AB") == ""
