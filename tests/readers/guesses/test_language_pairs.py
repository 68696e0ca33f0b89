"""Language pairs in names of folders."""

import pytest

from mteval.readers.guesses.file_names import take_apart


@pytest.mark.parametrize("pair", ["de-en", "nb-en", "en-bho", "en_mas", "tg-ru", "cs-uk"])
def test_a_folder_named_by_two_languages_is_a_language_pair(pair: str) -> None:
    assert take_apart(f"{pair}/base.run0.txt").language_pair == pair


def test_the_pair_is_no_part_of_the_name_of_a_system() -> None:
    assert take_apart("nb-en/base.run0.txt").folders == ()


@pytest.mark.parametrize("folder", ["new-en", "base-old", "en-run", "tok-lc"])
def test_a_folder_with_other_words_is_none(folder: str) -> None:
    assert take_apart(f"{folder}/base.run0.txt").language_pair is None
