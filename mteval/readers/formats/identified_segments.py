"""Test sets whose segments have IDs within documents: their sources, references and systems as streams."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mteval.base.errors import InputError
from mteval.readers.documents import DEFAULT_LIMITS, FileRole, Stream
from mteval.readers.formats.text import refuse_columns

SPACE = re.compile(r"[ \t\r\n]+")


class Part(NamedTuple):
    """What a stream contains: the source, a reference or a system."""

    role: FileRole
    test_set: str | None
    name: str


Segments = Iterator[tuple[Part, str, str, str]]  # part, document, ID and text of each


def gathered(segments: Segments, file: str) -> tuple[dict[Part, dict[str, str]], dict[str, str]]:
    """Return the lines of each part and the document of each segment, by document and ID.

    Raises
    ------
    InputError
        If there are too many parts, or a segment appears twice in one.
    """
    parts: dict[Part, dict[str, str]] = {}
    documents: dict[str, str] = {}
    for part, document, identifier, text in segments:
        lines = parts.setdefault(part, {})
        refuse_columns(len(parts), DEFAULT_LIMITS, file)  # each part becomes a column of the test set
        key = f"{document}\t{identifier}"
        if key in lines:
            subject = f"Segment '{identifier}' of document '{document}'"
            raise InputError(f"{subject} appears twice for {part.role} '{part.name}'. Change one id.", file)
        lines[key] = text
        documents[key] = document
    return parts, documents


def stream_of(part: Part, lines: tuple[str | None, ...], keys: tuple[str, ...]) -> Stream:
    """Return the stream of a part; ``keys`` are its segments' names, as in ``gathered``."""
    system = None
    if part.role == "hypothesis":
        system = part.name or None
    return Stream(part.name, lines, part.role, system, test_set=part.test_set, keys=keys)


def documents_of(names: Iterable[str], test_set: str | None, keys: tuple[str, ...]) -> Stream:
    """Return the stream of the document of each segment."""
    return Stream("documents", tuple(names), "documents", test_set=test_set, keys=keys)
