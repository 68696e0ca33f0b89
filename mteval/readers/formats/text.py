"""Bytes to text, and text to segments: one a line, UTF-8, a line ending at U+000A and nowhere else.

How much a file may hold is counted in its text, so that what holds too much is refused before it is parsed. A document
gives the file that it was read from, so that it can be packed and read again.
"""

import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from mteval.base.bounded_input import HALF_PAIR
from mteval.base.errors import InputError
from mteval.base.words import counted
from mteval.readers.documents import Document, Limits
from mteval.values.judgements import Judgement


@contextmanager
def located(file: str | None, line: int | None = None) -> Iterator[None]:
    """Say where it happened of errors that do not: what reads a cell need not know of file and line."""
    try:
        yield
    except InputError as error:
        raise error.at(file, line) from error


JUDGED_NAMES = ("annotator", "system", "segment", "scale", "document")


def refuse_more(number: int, limit: int, what: str, file: str, line: int | None = None) -> None:
    """Raise InputError where there are more than ``limit`` of something."""
    if number > limit:
        message = (
            f"The file has {number:,} {what}; at most {limit:,} are read. Give a file with less in it, or several."
        )
        raise InputError(message, file, line)


def refuse_odd_names(document: Document, limits: Limits) -> None:
    """Raise InputError for too many streams, or where a name is too long to be one or holds halves of characters."""
    refuse_columns(len(document.streams), limits, document.name)
    for stream in document.streams:
        for name in (stream.system, stream.run, stream.test_set, stream.name):
            refuse_odd_name(name or "", limits.name_characters, document.name)
        for column in stream.scores:  # scores may call an output by its path
            refuse_odd_name(column.system or "", limits.path_characters, document.name)
            refuse_odd_name(column.run or "", limits.name_characters, document.name)
        refuse_odd_judgements(stream.judgements, limits, document.name)


def refuse_odd_judgements(judgements: Sequence[Judgement], limits: Limits, file: str) -> None:
    """Raise InputError where a name in judgements is too long to be one, or they hold halves of characters."""
    named = {getattr(one, field) or "" for one in judgements for field in JUDGED_NAMES}
    named |= {name for one in judgements for error in one.errors for name in (error.category, error.severity)}
    for name in sorted(named):
        refuse_odd_name(name, limits.name_characters, file)
    for one in judgements:
        if HALF_PAIR.search(one.hypothesis or ""):
            raise InputError(
                f"The text that '{one.annotator}' judged as segment '{one.segment}' of '{one.system}' holds half of a"
                " surrogate pair, which is no character; mend it.",
                file,
            )


def refuse_odd_name(name: str, limit: int, file: str | None, line: int | None = None) -> None:
    """Raise InputError where a name is too long to be one, or holds halves of characters."""
    if len(name) > limit:
        message = f"The name '{name[:40]}…' has {counted(len(name), 'character')}; at most {limit:,} are read."
        raise InputError(f"{message} Give a shorter one.", file, line)
    if HALF_PAIR.search(name):
        message = f"The name {name[:40]!r} holds half of a surrogate pair, which is no character; mend it."
        raise InputError(message, file, line)


def refuse_columns(number: int, limits: Limits, file: str, line: int | None = None) -> None:
    """Raise InputError where a file has more columns than may be; systems, runs, references are columns of it."""
    refuse_more(number, limits.columns, "columns, systems, runs and references together", file, line)


def refuse_cells(n_columns: int, n_segments: int, limits: Limits, file: str) -> None:
    """Raise InputError where columns, each with a cell for every segment, take too much room."""
    refuse_more(n_columns * n_segments, limits.cells, "cells, those that are empty counted", file)


BOM = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
BINARY_WINDOW = 8_000  # git looks as far to tell text from binary


def split_lines(text: str) -> list[str]:
    r"""Segments of a text, one a line.

    Only ``\n`` ends a line, and one ``\r`` before it is dropped. Form feeds, U+0085 and U+2028, at which
    ``str.splitlines`` would break, stay inside a segment, since other tools count lines by ``\n`` alone. The last
    line may lack its end.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if "\r" in text:
        lines = [line[:-1] if line.endswith("\r") else line for line in lines]
    return lines


def decode(content: bytes, file: str) -> str:
    """Text of a file in UTF-8, without its byte-order mark.

    Raises
    ------
    InputError
        Where the file is empty, binary, or not UTF-8; the message gives the offset of the first bad byte.
    """
    if content in (b"", BOM):
        raise InputError("The file is empty; expected one segment a line. Write it again, or drop it.", file)
    if content.startswith(UTF16_MARKS):
        raise InputError("The file is UTF-16; expected UTF-8. Convert it (iconv -f UTF-16 -t UTF-8).", file)
    offset = content.find(b"\0", 0, BINARY_WINDOW)
    if offset >= 0:
        message = f"The file looks binary (a zero byte at offset {offset}); expected text in UTF-8, plain or compressed"
        remedy = "with gzip, bzip2 or xz, or an archive (zip, tar). Drop it, or convert it to text."
        raise InputError(f"{message} {remedy}", file)
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        message = (
            f"Byte 0x{content[error.start]:02X} at offset {error.start} is not valid UTF-8; save the file as UTF-8"
        )
        remedy, line = "(iconv -f LATIN1 -t UTF-8 if it is Latin-1).", content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{message} {remedy}", file, line) from error


def refuse_long_lines(content: bytes, limit: int, file: str) -> None:
    """Raise InputError at the first line of more than ``limit`` bytes, without splitting the content."""
    start = 0
    while len(content) - start > limit:
        end = content.rfind(b"\n", start, start + limit + 1)
        if end < 0:
            following = content.find(b"\n", start)
            length = (following if following >= 0 else len(content)) - start
            raise InputError(
                f"The line has {counted(length, 'byte')}; the limit is {limit:,}. Expected one segment a line, ended by"
                " a line feed; split it into segments.",
                file,
                content.count(b"\n", 0, start) + 1,
            )
        start = end + 1


_PLAIN = ("lines", "conllu", "nbest")


def with_original(document: Document, content: bytes) -> Document:
    """The document with its file; one of plain lines is the file already."""
    return document if document.format in _PLAIN else replace(document, original=zlib.compress(content, 1))


def original(document: Document) -> bytes:
    """A file, uncompressed, that is read as this document; of plain text only the ends of lines may differ."""
    if document.format not in _PLAIN:
        return zlib.decompress(document.original)
    lines = [line or "" for line in document.streams[0].lines]
    # Reading drops one carriage return before a line feed and one mark at the start; what is left of them has company.
    end = "\r\n" if any(line.endswith("\r") for line in lines) else "\n"
    mark = BOM if lines and lines[0].startswith("\ufeff") else b""
    return mark + "".join(f"{line}{end}" for line in lines).encode("utf-8")
