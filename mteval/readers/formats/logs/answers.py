"""What all logs of evaluations have in common: answers with their scores, and how values become texts and numbers."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mteval.base.bounded_input import bounded_json
from mteval.base.errors import InputError
from mteval.base.words import counted
from mteval.readers.formats.text import split_lines

NO_REFERENCE = "(no reference)"
MOST_VALUES = 20_000_000  # such logs contain all messages before an answer
HEAD = 1 << 12  # characters searched for the first keys
OPENINGS = ("{", "[")
FEW = 3  # names listed in a message


@dataclass(frozen=True)
class Answer:
    """The answer of a model to an item, with its scores.

    Parameters
    ----------
    line
        Line or number in the log, for messages.
    segment
        Name of the item.
    system, run, test_set
        None if the log does not name them.
    source, hypothesis, reference
        Texts; None if the log has none.
    scores
        By metric; None if the answer has no number for it.
    """

    line: int
    segment: str
    system: str | None = None
    run: str | None = None
    test_set: str | None = None
    source: str | None = None
    hypothesis: str | None = None
    reference: str | None = None
    scores: Mapping[str, float | None] = field(default_factory=dict)


class Notes(list[str]):
    """Notes for the user on a log, and its warnings: what changes the meaning of its numbers.

    ``left_out`` is a sentence on items that the log lacks; empty if it is complete.
    """

    def __init__(self) -> None:
        super().__init__()
        self.warnings: list[str] = []
        self.left_out = ""


# Reads the text of a log and the name of its file, and appends to the notes for the user
Reader = Callable[[str, str, Notes], Iterator[Answer]]


@dataclass(frozen=True)
class Program:
    """A program that writes logs.

    Parameters
    ----------
    name
        As its authors write it.
    known
        Versions whose logs are among the tests.
    is_log
        Whether a text is its log, from the beginning of the text and the whole.
    read
        Reader of its logs.
    version
        Where a log states its version; None if it does not.
    """

    name: str
    known: str
    is_log: Callable[[str, str], bool]
    read: Reader
    version: re.Pattern[str] | None = None

    def version_of(self, text: str) -> str:
        """Return the version that a log states; empty if it states none."""
        match = None if self.version is None else self.version.search(text)
        return "" if match is None else match[1]


class NotNumbersError(ValueError):
    """Raised by readers for scores that cannot become numbers; the message names them."""


def parsed_log(text: str, file: str, program: str) -> Any:
    """Parse a log that is one JSON value.

    Raises
    ------
    InputError
        If it is not JSON, e.g. because the program was stopped while it wrote.
    """
    try:
        return bounded_json(text, MOST_VALUES)
    except ValueError as error:
        raise InputError(f"{_torn(program, error)}", file) from error


def parsed_lines(text: str, file: str, program: str) -> list[tuple[int, Any]]:
    """Return the values of JSON lines with their lines.

    Raises
    ------
    InputError
        At the first line that is not JSON.
    """
    values = []
    for line, row in enumerate(split_lines(text), start=1):
        if not row.strip():
            continue
        try:
            values.append((line, bounded_json(row)))
        except ValueError as error:
            raise InputError(f"{_torn(program, error)}", file, line) from error
    return values


def _torn(program: str, error: Exception) -> str:
    return f"This log of {program} is damaged: it is not valid JSON ({error}). Export or copy it again."


def as_text(value: Any) -> str:
    """Convert a value to text: messages are joined, other values are JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value:
        are_messages = all(isinstance(message, dict) and "content" in message for message in value)
        if are_messages:
            return "\n".join(as_text(message["content"]) for message in value)
    return json.dumps(value, ensure_ascii=False)


def as_reference(value: Any) -> str:
    """Convert what is expected to text; items that nothing is expected of have a reference that says so."""
    return as_text(value) or NO_REFERENCE


def keys_of(mappings: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the keys of all mappings, in order of occurrence."""
    return list(dict.fromkeys(key for mapping in mappings for key in mapping))


def number_of(value: Any) -> float | None:
    """Return a score as a number; None if it is not a finite number. Right and wrong are 1 and 0."""
    if not is_number(value) or not math.isfinite(value):
        return None
    return float(value)


def mean_of(values: Iterable[Any]) -> float | None:
    """Return the mean of those values that are numbers; None if none is."""
    numbers = [number for number in map(number_of, values) if number is not None]
    if not numbers:
        return None
    return sum(numbers) / len(numbers)


def is_number(value: Any) -> bool:
    """Whether a value of JSON is a number, or true or false."""
    return isinstance(value, bool | int | float)


def listed(names: Iterable[Any]) -> str:
    """Return the first few names for a message, in quotes."""
    distinct = list(dict.fromkeys(map(str, names)))
    shown = ", ".join(f"'{name[:40]}'" for name in distinct[:FEW])
    if len(distinct) > FEW:
        shown += f" and {counted(len(distinct) - FEW, 'other')}"
    return shown
