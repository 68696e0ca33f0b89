"""Characters that nobody sees are shown to people, and no others are touched."""

import unicodedata

from mteval.base.characters import visible

NEEDED = "\t\n\r\n\u200c\u200d\u200e\u200f\u061c\u00ad"  # lines, joiners, and marks that turn nothing round


def test_whatever_turns_text_round_or_moves_a_terminal_is_shown_as_its_number() -> None:
    assert visible("a\u202eb\u2066c\x1b[2Jd\x9be\rf") == "a⟨U+202E⟩b⟨U+2066⟩c⟨U+001B⟩[2Jd⟨U+009B⟩e⟨U+000D⟩f"


def test_no_control_and_no_embedding_override_or_isolate_of_unicode_is_left_out() -> None:
    turning = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    for one in map(chr, range(0x110000)):
        is_shown = unicodedata.category(one) == "Cc" or unicodedata.bidirectional(one) in turning
        assert (visible(one) != one) == (is_shown and one not in "\t\n")


def test_what_scripts_need_stays() -> None:
    assert visible(NEEDED + "שלום, नमस्ते 👩‍🚀") == NEEDED + "שלום, नमस्ते 👩‍🚀"
