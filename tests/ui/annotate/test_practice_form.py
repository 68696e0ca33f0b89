"""Texts for practice that a campaign cannot use are named before it starts."""

import pytest

from mteval.analysis.people.new_campaigns import refuse_unusable
from mteval.annotations import DEFAULT_TYPOLOGY, Control
from mteval.annotations.campaigns import Way
from mteval.base.errors import SettingsError

PAIR = Control("training", "Quelle", "a worse output", intact="a better output")
MARKED = Control("training", "Quelle", "a wrong word", 2, 7, "major", category="Fluency/Grammar")


@pytest.mark.parametrize(("way", "practice"), [("preference", PAIR), ("errors", MARKED), ("errors", PAIR)])
def test_what_can_be_answered_is_taken(way: Way, practice: Control) -> None:
    refuse_unusable(way, DEFAULT_TYPOLOGY, [practice])


def test_one_output_alone_is_no_pair() -> None:
    with pytest.raises(SettingsError, match="“a wrong word” has no better output"):
        refuse_unusable("preference", DEFAULT_TYPOLOGY, [PAIR, MARKED])


def test_a_category_that_nobody_can_choose_is_no_answer() -> None:
    wrong = Control("training", "", "a wrong word", 2, 7, category="Grammar")
    with pytest.raises(SettingsError, match="unknown category “Grammar”"):
        refuse_unusable("errors", DEFAULT_TYPOLOGY, [wrong])
