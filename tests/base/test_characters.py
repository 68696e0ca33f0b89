"""Characters that nobody sees are shown to people, and no others are touched."""

import unicodedata

import pytest

from mteval.base.words import characters, starts, units, visible

NEEDED = "\t\n\r\n\u200c\u200d\u200e\u200f\u061c\u00ad"  # lines, joiners, and marks that turn nothing round


def test_whatever_turns_text_round_or_moves_a_terminal_is_shown_as_its_number() -> None:
    assert visible("a\u202eb\u2066c\x1b[2Jd\x9be\rf") == "a⟨U+202E⟩b⟨U+2066⟩c⟨U+001B⟩[2Jd⟨U+009B⟩e⟨U+000D⟩f"


def test_no_control_separator_embedding_override_isolate_or_noncharacter_of_unicode_is_left_out() -> None:
    turning = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    # The Unicode Standard, section 23.7: 66 code points.
    noncharacters = {0xFDD0 + place for place in range(32)}
    for plane in range(17):
        noncharacters |= {plane * 0x10000 + 0xFFFE, plane * 0x10000 + 0xFFFF}
    assert len(noncharacters) == 66
    for character in map(chr, range(0x110000)):
        is_shown = (
            unicodedata.category(character) in ("Cc", "Zl", "Zp") or unicodedata.bidirectional(character) in turning
        )
        is_shown |= ord(character) in noncharacters
        assert (visible(character) != character) == (is_shown and character not in "\t\n")


def test_what_scripts_need_stays() -> None:
    assert visible(NEEDED + "שלום, नमस्ते 👩‍🚀") == NEEDED + "שלום, नमस्ते 👩‍🚀"


TEXT = "A 😀 house,\u0301 𝒳 and 👩‍👩‍👧 日本.\ue000\uffff"


def encoded(text: str) -> list[bytes]:
    """The units of a text."""
    content = text.encode("utf-16-le")
    return [content[place : place + 2] for place in range(0, len(content), 2)]


def test_spans_go_out_and_come_back() -> None:
    counted, all_units = starts(TEXT), encoded(TEXT)
    assert counted[-1] == len(all_units)
    for start in range(len(TEXT)):
        for end in range(start + 1, len(TEXT) + 1):
            first, last = units(counted, start, end)
            assert b"".join(all_units[first : last + 1]).decode("utf-16-le") == TEXT[start:end]
            assert characters(counted, first, last) == (start, end)


@pytest.mark.parametrize(("first", "last", "span"), [(2, 2, (2, 3)), (3, 3, (2, 3)), (3, 4, (2, 4)), (90, 99, (5, 5))])
def test_half_of_a_character_is_all_of_it_and_nothing_is_behind_the_text(
    first: int, last: int, span: tuple[int, int]
) -> None:
    assert characters(starts("A 😀 h"), first, last) == span
    assert units(starts("A 😀 h"), 9, 12) == (6, 6)
