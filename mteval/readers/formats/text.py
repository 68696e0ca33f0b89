"""Decode bytes to UTF-8 text, and split text into segments at U+000A only.

Limits are checked on the text, before anything is parsed. A document can return the file it was read from.
"""

import re
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from mteval.base.errors import InputError
from mteval.base.words import HALF_PAIR, counted
from mteval.readers.documents import Document, Limits
from mteval.values.given import LARGEST, OVERFLOWS
from mteval.values.judgements import Judgement, Spans


@contextmanager
def located(file: str | None, line: int | None = None) -> Iterator[None]:
    """Add file and line to an InputError that lacks them."""
    try:
        yield
    except InputError as error:
        raise error.at(file, line) from error


HALF = "contains half a surrogate pair, which is not a character. Fix the text."
JUDGED_NAMES = ("annotator", "system", "segment", "scale", "document")


def refuse_more(number: int, limit: int, nouns: str, file: str, line: int | None = None) -> None:
    """Raise InputError if there are more than ``limit`` of something."""
    if number > limit:
        raise InputError(f"{number:,} {nouns}; the limit is {limit:,}. Split the file.", file, line)


def refuse_odd_names(document: Document, limits: Limits) -> None:
    """Raise InputError for too many streams, or a name that is too long or contains half a surrogate pair."""
    refuse_columns(len(document.streams), limits, document.name)
    for stream in document.streams:
        for name in (stream.system, stream.run, stream.test_set, stream.name):
            refuse_odd_name(name or "", limits.name_characters, document.name)
        for column in stream.scores:  # scores may name an output by its path
            refuse_odd_name(column.system or "", limits.path_characters, document.name)
            refuse_odd_name(column.run or "", limits.name_characters, document.name)
        refuse_odd_judgements(stream.judgements, limits, document.name)


def refuse_odd_judgements(judgements: Sequence[Judgement], limits: Limits, file: str) -> None:
    """Raise InputError for names that are too long, half surrogate pairs, and values that overflow."""
    names = set[str]()  # most judgements share theirs
    for judgement in judgements:
        names.update(getattr(judgement, field) or "" for field in JUDGED_NAMES)
        for error in judgement.errors:
            names.update((error.category, error.severity))
    for name in sorted(names):
        refuse_odd_name(name, limits.name_characters, file)
    for judgement in judgements:
        subject = f"Segment '{judgement.segment}' of '{judgement.system}', judged by '{judgement.annotator}',"
        if HALF_PAIR.search(judgement.hypothesis or ""):
            raise InputError(f"{subject} {HALF}", file)
        if not abs(judgement.value) <= LARGEST:
            raise InputError(f"{subject} has {judgement.scale} {judgement.value:g}. {OVERFLOWS}", file)


def refuse_odd_name(name: str, limit: int, file: str | None, line: int | None = None) -> None:
    """Raise InputError if a name is too long or contains half a surrogate pair."""
    if len(name) > limit:
        message = f"The name '{name[:40]}…' has {counted(len(name), 'character')}; the limit is {limit:,}. Shorten it."
        raise InputError(message, file, line)
    if HALF_PAIR.search(name):
        raise InputError(f"The name {name[:40]!r} {HALF}", file, line)


def refuse_odd_path(path: str, limit: int) -> None:
    """Raise InputError if the path of a file is too long, or has other bytes than UTF-8, as Linux allows."""
    refuse_other_bytes(path)
    refuse_odd_name(path, limit, None)


def refuse_other_bytes(path: str) -> None:
    """Raise InputError if the path of a file on disk has other bytes than UTF-8."""
    if not HALF_PAIR.search(path):
        return
    try:
        shown = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # it is not from a disk
        return
    raise InputError(f"The file name '{shown}' is not UTF-8. Rename the file, e.g. in plain English letters.", None)


def refuse_columns(number: int, limits: Limits, file: str, line: int | None = None) -> None:
    """Raise InputError if a file has too many columns; systems, runs and references count."""
    refuse_more(number, limits.columns, "columns (systems, runs and references count)", file, line)


def refuse_cells(n_columns: int, n_segments: int, limits: Limits, file: str) -> None:
    """Raise InputError if a file has too many cells, one per column and segment."""
    refuse_more(n_columns * n_segments, limits.cells, "cells (empty ones count)", file)


BOM = b"\xef\xbb\xbf"
# Byte-order marks; that of UTF-32 begins like that of UTF-16
WIDE_ENCODINGS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
HEAD_OF_WIDE = 4_096  # bytes searched for zeros
COLUMN_NAMES = frozenset(
    (
        *("hypothesis", "hypotheses", "hyp", "mt", "translation", "translations", "output", "outputs", "prediction"),
        *("predictions", "pred", "response", "answer", "generated_text", "text", "sentence", "target", "tgt"),
        *("source", "src", "reference", "references", "ref"),
    )
)


def split_lines(text: str) -> list[str]:
    r"""Split a text into segments, one per line.

    Only ``\n`` ends a line, and one ``\r`` before it is removed. Form feeds, U+0085 and U+2028, where
    ``str.splitlines`` would split, stay inside a segment: other tools count lines by ``\n`` only. The last line may
    lack its end.
    """
    if not text:
        return []
    lines = text.removesuffix("\n").split("\n")
    if "\r" in text:
        lines = [line.removesuffix("\r") for line in lines]
    return lines


LINE_BREAK = re.compile(r"\r\n|\n|\r")


def one_segment(text: str) -> str:
    """Return a text as a segment: each line break in it becomes a space.

    Outputs and the texts beside scores go through here, so that they agree.
    """
    if "\n" in text or "\r" in text:
        return LINE_BREAK.sub(" ", text)
    return text


def spans_in_segment(spans: Spans, text: str) -> Spans:
    """Return spans of a text as spans of ``one_segment(text)``, in which two characters of a line break are one."""
    breaks = [match.end() for match in re.finditer("\r\n", text)]
    if not breaks:
        return spans

    def moved(place: int) -> int:
        return place - bisect_right(breaks, place)

    return tuple(replace(span, start=moved(span.start), end=moved(span.end)) for span in spans)


def names_a_column(line: str) -> bool:
    """Return whether a line is the header of a table with one column, which is no table here."""
    return line.strip().strip('"').lower() in COLUMN_NAMES


def is_marked_up(text: str, tag: re.Pattern[str]) -> bool:
    """Tell whether a text begins with a tag, and has a certain one near the beginning."""
    head = text[:4_000]
    return head.lstrip().startswith("<") and tag.search(head) is not None


def _wide_encoding(content: bytes) -> str:
    """Return the name of an encoding with several bytes per character; empty if the content is in none of them.

    Without a byte-order mark, text in UTF-16 with characters of English has a zero in every second place alone.
    """
    for mark, encoding in WIDE_ENCODINGS.items():
        if content.startswith(mark):
            return encoding
    head = content[:HEAD_OF_WIDE]
    n_zeros = (head[0::2].count(0), head[1::2].count(0))
    if min(n_zeros) > 0 or 4 * max(n_zeros) < len(head) // 2:
        return ""
    encoding = "UTF-16LE" if n_zeros[1] else "UTF-16BE"
    try:
        is_text = "\n" in head[: len(head) // 2 * 2].decode(encoding)
    except UnicodeDecodeError:
        return ""
    return encoding if is_text else ""


def decode(content: bytes, file: str) -> str:
    """Decode a file from UTF-8, without its byte-order mark.

    Raises
    ------
    InputError
        If the file is empty, binary, or not UTF-8; the message gives the offset of the first bad byte.
    """
    if content in (b"", BOM):
        raise InputError("The file is empty. Expected one segment per line. Write it again, or remove it.", file)
    encoding = _wide_encoding(content)
    if encoding:
        raise InputError(f"The file is {encoding}, not UTF-8. Convert it (iconv -f {encoding} -t UTF-8).", file)
    offset = content.find(b"\0")  # wherever it is, since tools disagree about what follows it
    if offset >= 0:
        message = f"The file looks binary (zero byte at offset {offset}). Expected UTF-8 text, plain or compressed"
        raise InputError(f"{message} (gzip, bzip2, xz, zip, tar). Convert it to text, or remove it.", file)
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        message = f"Byte 0x{content[error.start]:02X} at offset {error.start} is not valid UTF-8. Convert the file"
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{message} (from Latin-1: iconv -f LATIN1 -t UTF-8).", file, line) from error


def refuse_long_lines(content: bytes, limit: int, file: str) -> None:
    """Raise InputError at the first line of more than ``limit`` bytes, without splitting the content."""
    start = 0
    while len(content) - start > limit:
        end = content.rfind(b"\n", start, start + limit + 1)
        if end < 0:
            end = content.find(b"\n", start)
            if end < 0:
                end = len(content)
            line = content.count(b"\n", 0, start) + 1
            message = f"The line has {counted(end - start, 'byte')}; the limit is {limit:,}."
            raise InputError(f"{message} Split it into one segment per line.", file, line)
        start = end + 1


PLAIN = ("lines", "conllu", "nbest")  # formats whose lines are all of the file


def original(document: Document) -> bytes:
    """Return the uncompressed file of a document. Only line ends of plain text may differ."""
    if document.format not in PLAIN:
        return zlib.decompress(document.original)
    columns = [stream.lines for stream in document.streams]  # several if references are separated by tabs
    lines = ["\t".join(cell or "" for cell in cells) for cells in zip(*columns, strict=True)]
    # Reading removes one carriage return per line and one byte-order mark; restore them if more were present.
    end = "\r\n" if any(line.endswith("\r") for line in lines) else "\n"
    mark = BOM if lines and lines[0].startswith("\ufeff") else b""
    return mark + "".join(f"{line}{end}" for line in lines).encode("utf-8")
