"""What a run is, in the user's word."""

import pytest

from mteval.base.errors import SettingsError
from mteval.stats.procedures.two_way import PROVISIONAL
from mteval.values.run_words import RUN, RUN_WORDS, RunWord
from mteval.values.settings import Settings


@pytest.mark.parametrize("word", RUN_WORDS.values(), ids=RUN_WORDS)
def test_templates_are_filled_with_the_word_and_nothing_else_is_touched(word: RunWord) -> None:
    filled = word.filled("{Runs} of {a_run}: {luck}. {name} reruns run 3.", name="run {run}")
    article = "an" if word.noun[0] in "aeiou" else "a"
    assert filled == (f"{word.nouns.capitalize()} of {article} {word.noun}: {word.luck}. run {{run}} reruns run 3.")


def test_notes_of_procedures_are_templates() -> None:
    assert "prompt" in RUN_WORDS["prompt"].filled(PROVISIONAL)
    assert "{" not in RUN.filled(PROVISIONAL)


def test_another_word_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(SettingsError, match="'epoch'; expected one of run, optimizer run"):
        Settings(run_word="epoch")
