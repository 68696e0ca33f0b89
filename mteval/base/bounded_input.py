"""JSON and TOML from anywhere: bounded before they are parsed, checked as values are taken."""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from mteval.base.errors import InputError
from mteval.base.words import counted

MOST_VALUES = 2_000_000
DEEPEST = 64  # lists and objects in one another
LONGEST_WHOLE = 18  # digits; longer numbers are taken as numbers with a point
STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"?+', re.DOTALL)
BRACKET = re.compile(r"[\[{\]}]")


def bounded_json(text: str, most: int = MOST_VALUES) -> Any:
    """What the JSON says; a whole number too large for any use is infinite.

    Raises
    ------
    ValueError
        Where it is no JSON, holds more values than ``most``, or some of them more than ``DEEPEST`` deep.
    """
    marks = STRING.sub("", text)
    number = sum(map(marks.count, ",[{]}"))
    if number > most:
        raise ValueError(f"it holds {number:,} values; at most {most:,} are read")
    if _depth(marks) > DEEPEST:
        raise ValueError(f"lists and objects stand more than {DEEPEST} deep in one another")
    return json.loads(text, parse_int=_whole)


def _depth(marks: str) -> int:
    depth = deepest = 0
    for bracket in BRACKET.findall(marks):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= LONGEST_WHOLE else float(digits)


MOST_BITS = 63  # of a whole number
LONGEST_NAME = 200  # characters
LONGEST_TEXT = 1 << 20
MOST_WHOLE = 10**9
HALF_PAIR = re.compile("[\ud800-\udfff]")
KIND_NAMES: Mapping[type, str] = {
    str: "text in quotes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


@dataclass(frozen=True)
class Table:
    """One table of the file.

    Parameters
    ----------
    values
        What it holds.
    file
        Name of the file, for messages.
    key
        Where in the file it stands, as ``settings`` or ``test_sets[2].systems``; empty for the whole.
    """

    values: Mapping[str, Any]
    file: str
    key: str = ""

    def full_key(self, name: str) -> str:
        """Full key of a value."""
        return f"{self.key}.{name}" if self.key else name

    def refuse(self, name: str, found: str, expected: str) -> NoReturn:
        """Raise InputError about a value."""
        raise InputError(f"'{self.full_key(name)}' is {found}; expected {expected}.", self.file)

    def allow(self, names: Sequence[str]) -> None:
        """Raise InputError where the table has keys other than these."""
        for name in self.values:
            if name not in names:
                known = ", ".join(f"'{self.full_key(known)}'" for known in names)
                raise InputError(
                    f"The key '{self.full_key(name)}' is unknown; expected: {known}. Mend its spelling, or take it"
                    " out.",
                    self.file,
                )

    def text(self, name: str, choices: Sequence[str] = ()) -> str:
        """A text that is not empty; one of the choices where there are any."""
        value = self._of_kind(name, str)
        if choices and value not in choices:
            self.refuse(name, f"'{value}'", f"one of {', '.join(choices)}")
        if not value:
            self.refuse(name, "empty", "a name")
        return str(value)

    def name(self, name: str) -> str:
        """A text that is not empty and no longer than names are, of whole characters."""
        return self._short(name, self.text(name), LONGEST_NAME)

    def words(self, name: str, longest: int = LONGEST_TEXT) -> str:
        """A text, perhaps empty, of whole characters."""
        return self._short(name, str(self._of_kind(name, str)), longest)

    def column(self, name: str) -> tuple[str, ...]:
        """A list of texts, perhaps empty ones."""
        entries = {str(number): value for number, value in enumerate(self.listed(name), start=1)}
        texts = Table(entries, self.file, self.full_key(name))
        return tuple(map(texts.words, entries))

    def place(self, name: str) -> int:
        """A whole number from 0, as databases take it."""
        value = self.whole(name)
        if not 0 <= value <= MOST_WHOLE:
            self.refuse(name, str(value), f"a whole number from 0 to {MOST_WHOLE:,}")
        return value

    def flag(self, name: str) -> bool:
        """True or false."""
        return bool(self._of_kind(name, bool))

    def is_given(self, name: str) -> bool:
        """Whether there is a value other than null."""
        return self.values.get(name) is not None

    def whole(self, name: str) -> int:
        """A whole number."""
        return int(self._of_kind(name, int))

    def refuse_long(self, name: str) -> None:
        """Raise InputError where a whole number has more digits than any use has."""
        value = self.values.get(name)
        if isinstance(value, int) and value.bit_length() > MOST_BITS:
            self.refuse(name, "a number of very many digits", "one of eighteen at most")

    def number(self, name: str) -> float:
        """A number."""
        kind = int if isinstance(self.values.get(name), int) else float
        value = float(self._of_kind(name, kind))
        if not math.isfinite(value):
            self.refuse(name, str(value), "a finite number")
        return value

    def listed(self, name: str) -> list[Any]:
        """A list."""
        entries: list[Any] = self._of_kind(name, list)
        return entries

    def table(self, name: str) -> "Table":
        """A table in the table."""
        return Table(self._of_kind(name, dict), self.file, self.full_key(name))

    def tables(self, name: str) -> Iterator["Table"]:
        """The tables of a list; messages count them from 1."""
        for number, value in enumerate(self.listed(name), start=1):
            if not isinstance(value, dict):
                self.refuse(name, f"no list of tables (entry {number} is {_shown(value)})", f"tables [[{name}]]")
            yield Table(value, self.file, f"{self.full_key(name)}[{number}]")

    def _short(self, name: str, value: str, longest: int) -> str:
        if len(value) > longest:
            self.refuse(name, f"a text of {counted(len(value), 'character')}", f"at most {longest:,}")
        if HALF_PAIR.search(value):
            self.refuse(name, f"{value[:40]!r}, with half of a surrogate pair,", "characters")
        return value

    def _of_kind(self, name: str, kind: type) -> Any:
        if name not in self.values:
            raise InputError(f"The key '{self.full_key(name)}' is missing; expected {KIND_NAMES[kind]}.", self.file)
        value = self.values[name]
        self.refuse_long(name)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.refuse(name, _shown(value), KIND_NAMES[kind])
        return value


def _shown(value: object) -> str:
    """The value as it stands in the file, shortened."""
    kind = KIND_NAMES.get(type(value))
    if isinstance(value, (list, dict)) and kind is not None:
        return kind
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
