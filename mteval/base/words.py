"""Counts, lists and free names as text (``1 run``, ``1,910 segments``); unprintable characters; UTF-16 positions."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, count
from typing import Any

MOST_NAMED = 12  # in one sentence


def plural(noun: str) -> str:
    """Return ``runs`` for ``run``, ``entries`` for ``entry``, ``hypotheses`` for ``hypothesis``."""
    if noun.endswith("is"):
        return f"{noun[:-2]}es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def counted(number: int, noun: str) -> str:
    """Return ``1 run``, ``3 runs``, ``1,910 runs``."""
    return f"{number:,} {agreeing(number, noun, plural(noun))}"


def counted_range(numbers: Iterable[int], noun: str) -> str:
    """Return ``3 runs`` if all numbers are equal, else ``2 to 5 runs``."""
    lowest, *_, highest = sorted([*(found := list(numbers)), *found])
    return counted(highest, noun) if lowest == highest else f"{lowest:,} to {counted(highest, noun)}"


def counted_part(number: int, total: int, noun: str) -> str:
    """Return ``820 of 1,910 segments``, ``1 of 1 segment``."""
    return f"{number:,} of {counted(total, noun)}"


def all_counted(number: int, noun: str) -> str:
    """Return ``all 12 combinations``, ``the only combination``."""
    return f"the only {noun}" if number == 1 else f"all {counted(number, noun)}"


def agreeing(number: int, singular: str, otherwise: str) -> str:
    """Return the word for a number: ``is`` for one, ``are`` otherwise."""
    return singular if number == 1 else otherwise


def listed(names: Sequence[str], joint: str = "and") -> str:
    """Return ``BLEU``, ``BLEU and TER``, ``BLEU, TER and chrF``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {joint} {names[-1]}"


def named(names: Sequence[str], total: int, noun: str, joint: str = "and") -> str:
    """Return the names, or ``183 of 200 systems`` where they are more than a sentence bears."""
    return listed(names, joint) if len(names) <= MOST_NAMED else counted_part(len(names), total, noun)


def numbered(name: str, mark: str = "") -> Iterator[str]:
    """Yield the name, then ``name (2)``, ``name (3)`` …; with a mark ``name (mark)``, ``name (mark 2)`` …"""
    yield name
    if mark:
        yield f"{name} ({mark})"
    yield from (f"{name} ({f'{mark} {number}'.strip()})" for number in count(2))


def free_name(name: str, is_taken: Callable[[str], bool], candidates: Callable[[str], Iterator[str]] = numbered) -> str:
    """Return the first candidate that is not taken, usually the name itself."""
    return next(candidate for candidate in candidates(name) if not is_taken(candidate))


class Names:
    """Names that were given out. Equal ones are numbered without counting from the start each time."""

    def __init__(self, given: Iterable[str] = ()) -> None:
        self._given = set(given)
        self._last: dict[str, Iterator[str]] = {}

    def free(self, name: str) -> str:
        """Return the first candidate that was not given out, and give it out."""
        candidates = self._last.setdefault(name, numbered(name))
        found = next(candidate for candidate in candidates if candidate not in self._given)
        self._given.add(found)
        return found


# Without joiners and direction marks, which scripts need and which reorder nothing.
_REORDERING = "\u202a-\u202e\u2066-\u2069"
# Unicode guarantees that these are never characters: the last two of each plane, and 32 others. XML, and the program
# that draws figures, refuse some of them.
_NEVER_CHARACTERS = "\ufdd0-\ufdef" + "".join(
    f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000)
)
_UNPRINTABLE = f"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{_REORDERING}{_NEVER_CHARACTERS}"
UNPRINTABLE = re.compile(f"[{_UNPRINTABLE}]|\r(?!\n)")


def visible(text: str, *, line_ends: bool = False) -> str:
    """Replace unprintable characters except tabs by their number, e.g. ``⟨U+202E⟩``.

    These are control characters, those that reorder the text around them, and code points that are never characters.

    Parameters
    ----------
    line_ends
        Whether line ends are replaced, too, because the text is a single line.
    """
    if line_ends:
        text = text.replace("\n", "⟨U+000A⟩")  # first, since a carriage return before it stays
    return UNPRINTABLE.sub(_number_of, text)


def _number_of(found: re.Match[str]) -> str:
    return f"⟨U+{ord(found[0]):04X}⟩"


HALF_PAIR = re.compile("[\ud800-\udfff]")
_NUMBER_OF_CHARACTER = "(?:[0-9A-F]{4}|[1-9A-F][0-9A-F]{4}|10[0-9A-F]{4})"
# Characters that begin another line or cell somewhere, cannot be seen, or cannot be stored; and the sign that stands
# for them, where a text has it already.
_NOT_IN_CELLS = re.compile(f"[\t\n\r\u2028\u2029\ud800-\udfff{_UNPRINTABLE}]|⟨(?=U\\+{_NUMBER_OF_CHARACTER}⟩)")
_REPLACED = re.compile(rf"⟨U\+({_NUMBER_OF_CHARACTER})⟩")
# What a spreadsheet begins to compute with, also in other widths, after quotes and spaces.
_FORMULA = re.compile(r"'*[\s\ufeff\u200b-\u200f\u2060]*[=+\-@\t\r＝＋－＠﹦﹢﹣﹫⁼⁺⁻₌₊₋]")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|[+-]?(?:inf|infinity|nan)", re.IGNORECASE)


def on_one_line(text: str) -> str:
    """Replace unprintable characters and line ends by their number, e.g. ``⟨U+000D⟩``, so that they can be restored."""
    return _NOT_IN_CELLS.sub(_number_of, text)


def _restored(found: re.Match[str]) -> str:
    character = chr(int(found[1], 16))
    is_whole = not "\ud800" <= character <= "\udfff"
    return character if is_whole and (character == "⟨" or _NOT_IN_CELLS.match(character)) else found[0]


def inert(cell: Any) -> Any:
    """Return a cell of a table in text, on one line; text that a spreadsheet would compute, not a number, is quoted."""
    if not isinstance(cell, str):
        return cell
    text = on_one_line(cell)
    return f"'{text}" if _is_formula(text) else text


def _is_formula(text: str) -> bool:
    return _FORMULA.match(text) is not None and _NUMBER.fullmatch(text) is None


def as_before_inert(cell: str) -> str:
    """Return the cell that ``inert`` made this of; others are unchanged."""
    plain = cell[1:] if cell[:1] == "'" and _is_formula(cell[1:]) else cell
    return _REPLACED.sub(_restored, plain) if "⟨" in plain else plain


def first_with_half_a_pair(texts: Iterable[str]) -> int | None:
    """Return the index of the first text with half a surrogate pair, which is no character; None if all are whole."""
    every = tuple(texts)
    together = "".join(every)
    if together.isascii():
        return None
    try:
        together.encode("utf-8")  # many times faster than to look at each text
    except UnicodeEncodeError:
        return next(index for index, text in enumerate(every) if HALF_PAIR.search(text))
    return None


def whole_characters(text: str) -> str:
    """Replace halves of surrogate pairs by question marks, so that places in the text stay the same."""
    return text.encode("utf-8", "replace").decode("utf-8")


LARGEST_OF_ONE = "\uffff"  # the last character that is a single unit


def starts(text: str) -> tuple[int, ...]:
    """Return the first unit of each character, then the total number of units."""
    return tuple(accumulate((1 + (one > LARGEST_OF_ONE) for one in text), initial=0))


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
