"""Places in UTF-16 units are those of the text's encoding, which the standard library makes."""

import pytest

from mteval.base.characters import characters, starts, units

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


def test_line_breaks_are_no_units_where_they_are_not_counted() -> None:
    counted = starts("a\n😀\nb", "\n")
    assert counted == (0, 1, 1, 3, 3, 4)
    assert characters(counted, 1, 2) == (2, 3)
    assert characters(counted, 3, 3) == (4, 5)
    assert units(counted, 2, 3) == (1, 2)


@pytest.mark.parametrize(("first", "last", "span"), [(2, 2, (2, 3)), (3, 3, (2, 3)), (3, 4, (2, 4)), (90, 99, (5, 5))])
def test_half_of_a_character_is_all_of_it_and_nothing_is_behind_the_text(
    first: int, last: int, span: tuple[int, int]
) -> None:
    assert characters(starts("A 😀 h"), first, last) == span
    assert units(starts("A 😀 h"), 9, 12) == (6, 6)
