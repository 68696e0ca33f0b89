"""What a run is, in the user's word."""

import pytest

from mteval.base.errors import SettingsError
from mteval.stats.procedures.two_way import PROVISIONAL
from mteval.values.run_words import RUN, RUN_WORDS
from mteval.values.settings import Settings


@pytest.mark.parametrize("word", RUN_WORDS.values(), ids=RUN_WORDS)
def test_remarks_speak_of_the_user_s_word_alone(word) -> None:
    said = word.said(f"{RUN.filled(PROVISIONAL)} One run, re-run training, training luck, 're-runs'.")
    for part in (word.noun, word.nouns, word.again, word.luck, "'re-runs'"):
        assert part in said
    if word != RUN:
        assert " run," not in said.replace(f" {word.noun},", "")


def test_names_that_contain_the_word_stay_as_they_are() -> None:
    assert RUN_WORDS["prompt"].said("runner, rerun, run-3, 2 runs") == "runner, rerun, prompt-3, 2 prompts"


@pytest.mark.parametrize("word", RUN_WORDS.values(), ids=RUN_WORDS)
def test_what_is_in_the_word_already_stays(word) -> None:
    said = word.said("A run, two optimizer runs, training luck. Re-run training.")
    assert word.said(said) == said


def test_another_word_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(SettingsError, match="A run is called 'epoch'; expected one of run, optimizer run"):
        Settings(run_word="epoch")
