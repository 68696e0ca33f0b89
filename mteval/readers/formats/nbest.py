"""N-best lists of Moses and cdec, one segment at a time: ``id ||| hypothesis ||| features ||| score``."""

import bz2
import gzip
import lzma
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path

from mteval.base.errors import InputError, MissingFileError
from mteval.base.words import counted
from mteval.readers.documents import DEFAULT_LIMITS, Limits
from mteval.readers.formats.archives import DAMAGE, GZIP_MAGIC, XZ_MAGIC
from mteval.readers.formats.text import BOM

_COLUMNS = 4  # more may follow, e.g. Moses' word alignments
_SHOWN = 30  # characters of a value in a message


@dataclass(frozen=True)
class NbestEntry:
    """One hypothesis of a list.

    Parameters
    ----------
    hypothesis, features
        As in the file.
    total
        Score of the decoder; lists need not be sorted by it.
    """

    hypothesis: str
    features: str
    total: float


@dataclass(frozen=True)
class NbestList:
    """All hypotheses of one segment, the decoder's choice first; ``segment`` counts from 0."""

    segment: int
    entries: tuple[NbestEntry, ...]


def read_nbest(path: Path, n_segments: int, limits: Limits = DEFAULT_LIMITS) -> Iterator[NbestList]:
    """Yield the lists of a file, plain or compressed (gzip, bzip2, xz), one at a time.

    Raises
    ------
    InputError
        If the file cannot be read, or does not contain the segments 0 to ``n_segments - 1`` in order and without gaps.
    """
    yield from parse_nbest(_lines(path, limits), str(path), n_segments)


def parse_nbest(lines: Iterable[str], file: str, n_segments: int) -> Iterator[NbestList]:
    """Yield the lists in the lines of an n-best file, as ``read_nbest`` does."""
    segment = 0
    entries: list[NbestEntry] = []
    ids = f"{counted(n_segments, 'segment')} (ids 0 to {n_segments - 1})"
    for number, line in enumerate(lines, start=1):
        identifier, entry = _entry(line, file, number)
        if identifier != segment:
            if not entries or identifier != segment + 1:
                expected = f"{segment} or {segment + 1}" if entries else str(segment)
                remedy = "Ids count from 0 without gaps, and lines of an id are adjacent. Sort or complete the list."
                raise InputError(f"The id is {identifier}; expected {expected}. {remedy}", file, number)
            yield NbestList(segment, tuple(entries))
            segment = identifier
            entries = []
        if segment >= n_segments:
            message = f"The id is {segment}, but the test set has {ids}. Use the references or sources of this list."
            raise InputError(message, file, number)
        entries.append(entry)
    if not entries:
        raise InputError("The file is empty. Expected lines 'id ||| hypothesis ||| features ||| score'.", file)
    if segment != n_segments - 1:
        remedy = "Use the whole list, or only the references or sources of its segments."
        raise InputError(f"The last id is {segment}, but the test set has {ids}. {remedy}", file)
    yield NbestList(segment, tuple(entries))


def _entry(line: str, file: str, number: int) -> tuple[int, NbestEntry]:
    """Return the segment and the hypothesis of a line."""
    columns = line.split(" ||| ")
    if len(columns) < _COLUMNS:
        expected = f"at least {_COLUMNS} ('id ||| hypothesis ||| features ||| score', a space on both sides of '|||')"
        raise InputError(f"{counted(len(columns), 'column')}; expected {expected}.", file, number)
    identifier, hypothesis, features, score = columns[:_COLUMNS]
    plain = identifier.strip()
    if not (plain.isascii() and plain.isdecimal() and len(plain) <= 9):  # digits
        raise InputError(f"The id is '{identifier[:_SHOWN]}'. Expected a whole number from 0.", file, number)
    try:
        total = float(score)
    except ValueError:
        total = math.nan
    if math.isnan(total):
        raise InputError(f"The score in column 4 is '{score[:_SHOWN]}'. Expected a number.", file, number)
    return int(identifier), NbestEntry(hypothesis, features, total)


def _lines(path: Path, limits: Limits) -> Iterator[str]:
    """Yield the decoded lines of a file, plain or compressed."""
    file = str(path)
    number = 0
    try:
        with _open(path) as stream:
            while line := stream.readline(limits.line_bytes + 2):
                number += 1
                if len(line) > limits.line_bytes + 1:
                    message = f"The line has more than {counted(limits.line_bytes, 'byte')}, the limit. Split it."
                    raise InputError(message, file, number)
                if number == 1:
                    line = line.removeprefix(BOM)
                try:
                    yield line.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8")
                except UnicodeDecodeError as error:
                    message = f"Byte 0x{line[error.start]:02X} is not valid UTF-8. Save the file as UTF-8."
                    raise InputError(message, file, number) from error
    except FileNotFoundError as error:
        raise MissingFileError("No such file. Check the path.", file) from error
    except IsADirectoryError as error:
        raise InputError("This is a folder. Name a file in it.", file) from error
    except DAMAGE as error:
        raise InputError(f"Cannot be read ({error}). It may be truncated or damaged.", file, number + 1) from error


def _open(path: Path) -> BufferedIOBase:
    """Open a file, decompressed if its first bytes say so."""
    with path.open("rb") as file:
        start = file.read(len(XZ_MAGIC))
    if start.startswith(GZIP_MAGIC):
        return gzip.open(path, "rb")
    if start.startswith(b"BZh"):
        return bz2.open(path, "rb")
    if start.startswith(XZ_MAGIC):
        return lzma.open(path, "rb")
    return path.open("rb")
