"""What is said beside answers about judgements."""

import re

import pandas as pd
import pytest

from mteval.analysis.people.gold import GOLD, RANK_SUM, Gold
from mteval.answers.gold import alone_sentence, gold_section, told_apart
from mteval.answers.people import resolution_sentence


@pytest.mark.parametrize(
    ("level", "n_resamples", "is_named"),
    [
        (0.001, 500, True),
        (0.001, 999, False),
        (0.05, 200, False),
        (0.05, 18, True),
    ],
)
def test_a_level_that_resamples_cannot_reach_is_named(level: float, n_resamples: int, is_named: bool) -> None:
    """The smallest p-value of n resamples is 1 in n + 1."""
    assert bool(resolution_sentence(level, n_resamples)) is is_named


def test_pairs_are_counted_and_systems_that_are_apart_from_none_are_named() -> None:
    conclusions = {("A", "B"): 1, ("A", "C"): 0, ("B", "C"): 0}
    assert told_apart(conclusions, 0.05) == "People tell apart 1 of 3 pairs at 5%."
    assert re.fullmatch("1 system .*: C.", alone_sentence(conclusions, "ABC"))
    assert alone_sentence({("A", "B"): -1}, "AB") == ""


def test_marks_by_the_scale_of_ties_have_a_star_even_if_all_pairs_tie_on_the_first_scale() -> None:
    columns = list(GOLD)
    first = pd.DataFrame([("A", "B", "adequacy", 9, 9, 0.1, 0.4, 0.6, 0.4)], columns=columns)
    second = pd.DataFrame([("A", "B", "fluency", 9, 9, 2.0, 0.004, 0.996, 0.004)], columns=columns)
    (matrix,) = gold_section(Gold(first, second, RANK_SUM, "judgement"), 0.05).parts
    assert matrix.table is not None
    assert [row[2:] for row in matrix.table.texts] == [["·", "++*"], ["", "·"]]
    assert "* by fluency: no clear difference by adequacy at 5%." in [note.text for note in matrix.notes]
