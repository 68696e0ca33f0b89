"""Pieces make up the text again, whatever the script; marks stand where two texts differ."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mteval.analysis.segments.table import mark_differences, pieces_of, word_counts


@given(st.text())
def test_the_pieces_of_a_text_joined_are_the_text(text):
    assert "".join(pieces_of(text)) == text
    left, right = mark_differences(text, text[::-1])
    assert ["".join(piece for piece, _ in side) for side in (left, right)] == [text, text[::-1]]


@given(st.text(), st.text())
def test_text_without_special_scripts_is_split_as_beside_them(text, other_text):
    """A Han character, always a piece of its own, has the text split by the pattern of all scripts."""
    pieces = [*pieces_of(text), "我", *pieces_of(other_text)]
    assert list(pieces_of(f"{text}我{other_text}")) == pieces
    assert word_counts([text, other_text, text]).tolist() == [n_words(text), n_words(other_text), n_words(text)]


def n_words(text):
    return sum(not piece.isspace() for piece in pieces_of(text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the cat, it sat.", ["the", "cat", ",", "it", "sat", "."]),
        ("שָׁלוֹם, עולם", ["שָׁלוֹם", ",", "עולם"]),
        ("我喜欢BLEU分数。", ["我", "喜", "欢", "BLEU", "分", "数", "。"]),
        ("カタカナ", ["カ", "タ", "カ", "ナ"]),
        ("don't", ["don", "'", "t"]),
        ("", []),
        ("\u2028 \n", []),
    ],
)
def test_words_are_split_by_script(text, words):
    assert [piece for piece in pieces_of(text) if not piece.isspace()] == words
    assert word_counts([text]) == [len(words)]


def test_differences_are_marked_on_both_sides_with_the_space_between():
    left, right = mark_differences("the old cat sat", "the very young cat sat down")
    assert left == (("the ", False), ("old", True), (" cat sat", False))
    assert right == (("the ", False), ("very young", True), (" cat sat ", False), ("down", True))


def test_equal_texts_have_no_marks():
    left, right = mark_differences("a b", "a b")
    assert left == right == (("a b", False),)
