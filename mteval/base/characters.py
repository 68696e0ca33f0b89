"""Characters that change how others look, and positions in UTF-16 units as browsers count them."""

import re
from bisect import bisect_right
from itertools import accumulate

# Joiners and the marks of a direction, which scripts need and which turn nothing round, are no such characters.
CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")


def visible(text: str) -> str:
    """A text for people: each control character but line ends and tabs as its number, ``⟨U+202E⟩``."""
    return CONTROLS.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


LARGEST_OF_ONE = "\uffff"  # the last character that is a single unit


def starts(text: str, uncounted: str = "") -> tuple[int, ...]:
    """The unit at which each character starts, and behind the last one the number of units.

    Parameters
    ----------
    uncounted
        Characters that are no units, as line breaks are none where each unit is an element of a page.
    """
    return tuple(accumulate((0 if one in uncounted else 1 + (one > LARGEST_OF_ONE) for one in text), initial=0))


def characters(counted: tuple[int, ...], first: int, last: int) -> tuple[int, int]:
    """Start and end, not included, of the characters from one unit to another; within the text.

    Parameters
    ----------
    counted
        As ``starts`` gives it.
    """
    length = len(counted) - 1
    start, end = bisect_right(counted, first) - 1, bisect_right(counted, last)
    return min(start, length), min(end, length)


def units(counted: tuple[int, ...], start: int, end: int) -> tuple[int, int]:
    """First and last unit of the characters from a start to an end that is not included; within the text."""
    length = len(counted) - 1
    first, behind = counted[min(start, length)], counted[min(end, length)]
    return first, max(first, behind - 1)
