"""Control characters, cells of spreadsheets, and positions in UTF-16 units as counted by browsers."""

import re
from bisect import bisect_right
from itertools import accumulate
from typing import Any

# Without joiners and direction marks, which scripts need and which reorder nothing.
CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")


def visible(text: str) -> str:
    """Replace control characters except line ends and tabs by their number, e.g. ``⟨U+202E⟩``."""
    return CONTROLS.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # with these a spreadsheet begins to compute


def inert(cell: Any) -> Any:
    """Return a cell of a CSV file; text that a spreadsheet would take for a formula, not a number, gets a quote."""
    if not isinstance(cell, str) or not cell.startswith(_FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def without_quote(cell: str | None) -> str | None:
    """Return a cell as it was before ``inert``."""
    return cell[1:] if cell and cell[0] == "'" and cell[1:].startswith(_FORMULA) else cell


LARGEST_OF_ONE = "\uffff"  # the last character that is a single unit


def starts(text: str, uncounted: str = "") -> tuple[int, ...]:
    """Return the first unit of each character, then the total number of units.

    Parameters
    ----------
    uncounted
        Characters that are not counted, e.g. line breaks if each unit is an element of a page.
    """
    return tuple(accumulate((0 if one in uncounted else 1 + (one > LARGEST_OF_ONE) for one in text), initial=0))


def characters(counted: tuple[int, ...], first: int, last: int) -> tuple[int, int]:
    """Return start and end (exclusive) of the characters between two units, limited to the text.

    Parameters
    ----------
    counted
        From ``starts``.
    """
    length = len(counted) - 1
    start, end = bisect_right(counted, first) - 1, bisect_right(counted, last)
    return min(start, length), min(end, length)


def units(counted: tuple[int, ...], start: int, end: int) -> tuple[int, int]:
    """Return first and last unit of the characters between start and end (exclusive), limited to the text."""
    length = len(counted) - 1
    first, behind = counted[min(start, length)], counted[min(end, length)]
    return first, max(first, behind - 1)
