"""Counts, lists and free names as text (``1 run``, ``1,910 segments``); unprintable characters; UTF-16 positions."""

import re
import textwrap
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, count
from typing import Any
from unicodedata import category, east_asian_width, normalize

MOST_NAMED = 12  # names in a sentence


def plural(noun: str) -> str:
    """Return ``runs`` for ``run``, ``entries`` for ``entry``, ``hypotheses`` for ``hypothesis``."""
    if noun.endswith("is"):
        return f"{noun[:-2]}es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    return f"{noun}s"


def counted(number: int, noun: str) -> str:
    """Return ``1 run``, ``3 runs``, ``1,910 runs``."""
    return f"{number:,} {agreeing(number, noun, plural(noun))}"


def counted_range(numbers: Iterable[int], noun: str) -> str:
    """Return ``3 runs`` if all numbers are equal, else ``2 to 5 runs``."""
    in_order = sorted(numbers)
    lowest = in_order[0]
    highest = in_order[-1]
    if lowest == highest:
        return counted(highest, noun)
    return f"{lowest:,} to {counted(highest, noun)}"


def counted_part(number: int, total: int, noun: str) -> str:
    """Return ``820 of 1,910 segments``, ``1 of 1 segment``."""
    return f"{number:,} of {counted(total, noun)}"


def all_counted(number: int, noun: str) -> str:
    """Return ``all 12 combinations``, ``the only combination``."""
    if number == 1:
        return f"the only {noun}"
    return f"all {counted(number, noun)}"


def agreeing(number: int, singular: str, otherwise: str) -> str:
    """Return the word for a number: ``is`` for one, ``are`` otherwise."""
    return singular if number == 1 else otherwise


def listed(names: Sequence[str], joint: str = "and") -> str:
    """Return ``BLEU``, ``BLEU and TER``, ``BLEU, TER and chrF``; ``none`` without names."""
    if not names:
        return "none"
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} {joint} {names[-1]}"


def named(names: Sequence[str], total: int, noun: str, joint: str = "and") -> str:
    """Return the names, or ``183 of 200 systems`` if there are more than ``MOST_NAMED``."""
    if len(names) > MOST_NAMED:
        return counted_part(len(names), total, noun)
    return listed(names, joint)


def numbered(name: str, mark: str = "") -> Iterator[str]:
    """Yield the name, then ``name (2)``, ``name (3)`` …; with a mark ``name (mark)``, ``name (mark 2)`` …"""
    yield name
    if mark:
        yield f"{name} ({mark})"
    for number in count(2):
        marked_number = f"{mark} {number}".strip()
        yield f"{name} ({marked_number})"


def free_name(name: str, is_taken: Callable[[str], bool], candidates: Callable[[str], Iterator[str]] = numbered) -> str:
    """Return the first candidate that is not taken, usually the name itself."""
    return next(candidate for candidate in candidates(name) if not is_taken(candidate))


class Names:
    """Names that were given out. Equal ones are numbered without counting from the start each time."""

    def __init__(self, given: Iterable[str] = ()) -> None:
        self._given = set(given)
        self._candidates_of: dict[str, Iterator[str]] = {}  # those of each name that were not tried yet

    def free(self, name: str) -> str:
        """Return the first candidate that was not given out, and give it out."""
        candidates = self._candidates_of.setdefault(name, numbered(name))
        free_candidate = next(candidate for candidate in candidates if candidate not in self._given)
        self._given.add(free_candidate)
        return free_candidate


# Without joiners and direction marks, which scripts need and which reorder nothing.
_REORDERING = "\u202a-\u202e\u2066-\u2069"
# Unicode guarantees that these are never characters: the last two of each plane, and 32 others. XML, and the program
# that draws figures, refuse some of them.
_ENDS_OF_PLANES = "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000))
_NEVER_CHARACTERS = f"\ufdd0-\ufdef{_ENDS_OF_PLANES}"
_LINE_SEPARATORS = "\u2028\u2029"  # where terminals, editors and CI logs may begin another line, as at U+0085
_UNPRINTABLE = f"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{_LINE_SEPARATORS}{_REORDERING}{_NEVER_CHARACTERS}"
UNPRINTABLE = re.compile(f"[{_UNPRINTABLE}]|\r(?!\n)")


def composed(name: str) -> str:
    """Return a name with composed characters (NFC), since macOS may write the same name with decomposed ones."""
    return normalize("NFC", name)


def compose_names(value: object, *fields: str) -> None:
    """Compose the names in fields of a frozen value while it is made; what is not a text is kept."""
    for field in fields:
        name = getattr(value, field)
        if isinstance(name, str) and not name.isascii():
            object.__setattr__(value, field, composed(name))


def visible(text: str, *, line_ends: bool = False) -> str:
    """Replace unprintable characters except tabs by their number, e.g. ``⟨U+202E⟩``.

    These are control characters, line separators, those that reorder the text around them, and code points that are
    never characters.

    Parameters
    ----------
    line_ends
        Whether line ends are replaced, too, because the text is a single line.
    """
    if line_ends:
        text = text.replace("\n", "⟨U+000A⟩")  # first, since a carriage return before it stays
    return UNPRINTABLE.sub(_number_of, text)


def _number_of(character: re.Match[str]) -> str:
    """Return the number of a character that was found."""
    return f"⟨U+{ord(character[0]):04X}⟩"


HALF_PAIR = re.compile("[\ud800-\udfff]")
_NUMBER_OF_CHARACTER = "(?:[0-9A-F]{4}|[1-9A-F][0-9A-F]{4}|10[0-9A-F]{4})"
# Characters that begin another line or cell somewhere, cannot be seen, or cannot be stored. And the sign ⟨ before a
# number that is in the text itself, which would otherwise be restored to the character of that number.
_NOT_IN_CELLS = re.compile(f"[\t\n\r\ud800-\udfff{_UNPRINTABLE}]|⟨(?=U\\+{_NUMBER_OF_CHARACTER}⟩)")
_REPLACED = re.compile(rf"⟨U\+({_NUMBER_OF_CHARACTER})⟩")
# Beginnings of a text that a spreadsheet computes: = + - @ and tab, also in other widths, after quotes and spaces.
_FORMULA = re.compile(r"'*[\s\ufeff\u200b-\u200f\u2060]*[=+\-@\t\r＝＋－＠﹦﹢﹣﹫⁼⁺⁻₌₊₋]")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|[+-]?(?:inf|infinity|nan)", re.IGNORECASE)


def on_one_line(text: str) -> str:
    """Replace unprintable characters and line ends by their number, e.g. ``⟨U+000D⟩``, so that they can be restored."""
    return _NOT_IN_CELLS.sub(_number_of, text)


def _restored(number: re.Match[str]) -> str:
    """Return the character of a number, if it is one that ``on_one_line`` replaces; otherwise the number as it is."""
    character = chr(int(number[1], 16))
    if HALF_PAIR.match(character):
        return number[0]
    if character == "⟨" or _NOT_IN_CELLS.match(character):
        return character
    return number[0]


def inert(cell: Any) -> Any:
    """Return a cell of a table in text, on one line; text that a spreadsheet would compute, not a number, is quoted."""
    if not isinstance(cell, str):
        return cell
    text = on_one_line(cell)
    if _is_formula(text):
        return f"'{text}"
    return text


def _is_formula(text: str) -> bool:
    """Return whether a spreadsheet would compute something of a text."""
    return _FORMULA.match(text) is not None and _NUMBER.fullmatch(text) is None


def as_before_inert(cell: str) -> str:
    """Return the cell that ``inert`` made this of; others are unchanged."""
    if cell.startswith("'") and _is_formula(cell[1:]):
        cell = cell[1:]
    if "⟨" not in cell:  # two to five times faster than to search for numbers; tables have many cells
        return cell
    return _REPLACED.sub(_restored, cell)


def first_with_half_a_pair(texts: Iterable[str]) -> int | None:
    """Return the index of the first text with half a surrogate pair, which is no character; None if all are whole."""
    texts = tuple(texts)
    joined = "".join(texts)
    if joined.isascii():
        return None
    try:
        joined.encode("utf-8")  # many times faster than to look at each text
    except UnicodeEncodeError:
        return next(index for index, text in enumerate(texts) if HALF_PAIR.search(text))
    return None


def whole_characters(text: str) -> str:
    """Replace halves of surrogate pairs by question marks, so that places in the text stay the same."""
    return text.encode("utf-8", "replace").decode("utf-8")


LAST_OF_ONE_UNIT = "\uffff"  # the last character that is a single unit of UTF-16; later ones are two


def starts(text: str) -> tuple[int, ...]:
    """Return the first unit of each character, then the total number of units."""
    n_units = (1 + (character > LAST_OF_ONE_UNIT) for character in text)
    return tuple(accumulate(n_units, initial=0))


def characters(unit_starts: tuple[int, ...], first: int, last: int) -> tuple[int, int]:
    """Return start and end (exclusive) of the characters between two units, limited to the text.

    Parameters
    ----------
    unit_starts
        From ``starts``.
    """
    n_characters = len(unit_starts) - 1
    start = bisect_right(unit_starts, first) - 1
    end = bisect_right(unit_starts, last)
    return min(start, n_characters), min(end, n_characters)


def units(unit_starts: tuple[int, ...], start: int, end: int) -> tuple[int, int]:
    """Return first and last unit of the characters between start and end (exclusive), limited to the text.

    Parameters
    ----------
    unit_starts
        From ``starts``.
    """
    n_characters = len(unit_starts) - 1
    first = unit_starts[min(start, n_characters)]
    behind = unit_starts[min(end, n_characters)]
    return first, max(first, behind - 1)


_NO_CELL = {"Mn", "Me", "Cf"}  # marks on the character before, joiners and direction marks
_SOFT_HYPHEN = "\u00ad"  # terminals show it
_JOINER = "\u200d"  # between emoji that are shown as one
_AS_EMOJI = "\ufe0f"  # behind a character that is shown as an emoji then, two cells wide


def display_width(text: str) -> int:
    """Return how many cells of a terminal a text takes: two for wide characters (CJK, emoji), none for marks."""
    if text.isascii():
        return len(text)
    width = 0
    width_before = 0  # of the last character with a cell of its own
    is_joined = False
    for character in text:
        if character == _AS_EMOJI:
            width += width_before == 1
            width_before = 2
        elif character == _JOINER:
            is_joined = width_before == 2  # scripts use the same character to shape letters, which keep their cells
        elif is_joined or _has_no_cell(character):
            is_joined = False
        else:
            width_before = 2 if east_asian_width(character) in "WF" else 1
            width += width_before
    return width


def _has_no_cell(character: str) -> bool:
    """Return whether a character is shown on the one before, or not at all."""
    if character == _SOFT_HYPHEN:
        return False
    is_part_of_hangul = "\u1160" <= character <= "\u11ff"  # vowels and final consonants of a syllable
    is_skin_tone = "\U0001f3fb" <= character <= "\U0001f3ff"  # of the emoji before
    return is_part_of_hangul or is_skin_tone or category(character) in _NO_CELL


def padded(text: str, width: int, *, is_right: bool = False) -> str:
    """Return a text with spaces up to a width in cells of a terminal, before it if it stands to the right."""
    spaces = " " * (width - display_width(text))
    return f"{spaces}{text}" if is_right else f"{text}{spaces}"


def wrapped(line: str, width: int) -> list[str]:
    """Return a line in pieces of at most a width, cut between words; whole if it is a row of a table, or width is 0."""
    has_columns = "  " in line.lstrip(" ") or line.startswith("|")
    if len(line) <= width or width == 0 or has_columns:
        return [line]
    indent = " " * (len(line) - len(line.lstrip(" ")))
    return textwrap.wrap(
        line,
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
        expand_tabs=False,
    )


def shortened(name: str, longest: int) -> str:
    """Return a name of at most so many characters; a long one loses its middle, since names tend to differ at the ends.

    ``longest`` is odd.
    """
    if len(name) <= longest:
        return name
    half = (longest - 1) // 2
    return f"{name[:half]}…{name[-half:]}"


def shortened_names(names: Iterable[str], longest: int) -> dict[str, str]:
    """Return the shortened form of each name, in their order; forms of different names differ by a number."""
    names = list(dict.fromkeys(names))
    names_by_form: dict[str, list[str]] = {}
    for name in sorted(names):
        names_by_form.setdefault(shortened(name, longest), []).append(name)
    form_of = {}
    for form, alike in names_by_form.items():
        for number, name in enumerate(alike, start=1):
            form_of[name] = form if number == 1 or form == name else f"{form} ({number})"
    return {name: form_of[name] for name in names}
