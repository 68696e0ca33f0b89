"""Error annotations as WMT publishes them: a table with one row an error, its span between ``<v>`` and ``</v>``."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mteval.base.errors import InputError
from mteval.base.words import counted
from mteval.readers.documents import InputFile
from mteval.readers.formats.text import decode, split_lines

NUMBER = re.compile("[0-9]{1,9}")
OPEN, CLOSE = "<v>", "</v>"
NO_ERROR = "no-error"
# WMT renamed columns over the years.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "system": ("system",),
    "segment": ("globalSegId", "seg_id", "global_seg_id"),
    "rater": ("rater",),
    "source": ("source",),
    "target": ("target",),
    "category": ("category",),
    "severity": ("severity",),
}
DOCUMENT = "doc"  # where the table has it


@dataclass(frozen=True)
class MqmRow:
    """One row: an error, or the remark that there is none.

    Parameters
    ----------
    segment
        Zero-based; the file counts from 1.
    source, target
        Without the marks of the span.
    side
        ``source`` or ``hypothesis``: which of the two the span is in; None without a span.
    start, end
        Characters of that text.
    """

    line: int
    system: str
    segment: int
    rater: str
    source: str
    target: str
    category: str
    severity: str
    side: str | None = None
    start: int = 0
    end: int = 0
    document: str | None = None

    @property
    def is_error(self) -> bool:
        """Whether it is an error rather than the remark that there is none."""
        return self.severity.lower() != NO_ERROR and self.category.lower() != NO_ERROR


def read_mqm(file: InputFile) -> tuple[MqmRow, ...]:
    """The rows of a table of errors.

    Raises
    ------
    InputError
        Where a column is missing, a row has another number of cells, or a segment is no number from 1 on.
    """
    lines = split_lines(decode(file.content, file.name))
    head = lines[0].split("\t")
    indices = {name: _index(head, names, file.name) for name, names in COLUMNS.items()}
    if DOCUMENT in head:
        indices[DOCUMENT] = head.index(DOCUMENT)
    return tuple(_rows(lines, head, indices, file.name))


def _rows(lines: Sequence[str], head: Sequence[str], indices: Mapping[str, int], file: str) -> Iterator[MqmRow]:
    for number, line in enumerate(lines[1:], start=2):
        cells = line.split("\t")
        if len(cells) != len(head):
            raise InputError(f"The row has {counted(len(cells), 'cell')}; the head has {len(head)}.", file, number)
        yield _row({name: cells[index] for name, index in indices.items()}, file, number)


def _index(head: Sequence[str], names: Sequence[str], file: str) -> int:
    for name in names:
        if name in head:
            return head.index(name)
    raise InputError(
        f"The table has no column {' or '.join(names)}; it has: {', '.join(head)[:200]}. Expected WMT's columns:"
        " system, doc, docSegId, globalSegId, rater, source, target, category, severity.",
        file,
        1,
    )


def _row(cells: Mapping[str, str], file: str, number: int) -> MqmRow:
    segment = int(cells["segment"]) if NUMBER.fullmatch(cells["segment"]) else 0
    if segment < 1:
        raise InputError(f"The segment is '{cells['segment'][:60]}'; expected a number from 1 on.", file, number)
    source, in_source = marked_span(cells["source"])
    target, in_target = marked_span(cells["target"])
    side = "hypothesis" if in_target else "source" if in_source else None
    start, end = in_target or in_source or (0, 0)
    return MqmRow(
        number,
        cells["system"],
        segment - 1,
        cells["rater"],
        source,
        target,
        cells["category"],
        cells["severity"],
        side,
        start,
        end,
        cells.get(DOCUMENT),
    )


def marked_span(text: str) -> tuple[str, tuple[int, int] | None]:
    """The text without the marks, and what they enclose."""
    start = text.find(OPEN)
    end = text.find(CLOSE, start + len(OPEN))
    if start < 0 or end < 0:
        return text, None
    inside = text[start + len(OPEN) : end]
    plain = text[:start] + inside + text[end + len(CLOSE) :]
    return plain, (start, start + len(inside))
