"""Scores as Appraise exports them, without a header: direct assessment, alone, in pairs or in documents; ESA; MQM.

Columns: annotator, system, item, kind of item, source and target language, score; of documents the document and
whether the score is of all of it; of spans these, as JSON; of pairs perhaps remarks; start and end of the work; perhaps
the batch and the item's number there. Spans are counted in UTF-16 units of a text that is not in the file, and end with
their last one; ``missing`` is the place of what is not there. Where errors have a kind, the campaign is one of MQM,
whose score is that of the errors.

With documents Appraise counts items anew in every task, so that the same number stands for different segments; segments
are therefore counted within the document that one annotator read in the output of one system. Without them an item is
called by its number.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mteval.base.bounded_input import bounded_json
from mteval.base.errors import InputError
from mteval.base.words import counted
from mteval.readers.formats.segment_scores import error_of, holds_number, score_of
from mteval.values.judgements import MQM, OMISSION, Judgement, RatedError, weight_of

SHORTEST, LONGEST = 9, 14  # cells of a row
KINDS = ("TGT", "BAD", "REF", "CHK")
TRANSLATION = "TGT"  # the others are there to control the annotator
WHOLE = ("true", "false")
SCALE = "score"
MISSING = "missing"
REMEDY = "Export the campaign again."
LONGEST_NUMBER = 18  # digits
_Cells = tuple[int, list[str]]


@dataclass(frozen=True)
class _Row:
    """A row; ``document`` is empty where items are no parts of documents, ``spans`` where none are told."""

    line: int
    annotator: str
    system: str
    item: str
    kind: str
    score: str
    document: str
    is_whole: bool
    spans: str
    started: str


def is_appraise(text: str) -> bool:
    """Whether the first line is one of such an export."""
    try:
        first = next(csv.reader(io.StringIO(text[: text.find("\n") + 1 or len(text)])), [])
    except csv.Error:
        return False
    return SHORTEST <= len(first) <= LONGEST and first[3] in KINDS


def read_appraise(text: str, file: str) -> tuple[list[Judgement], list[str]]:
    """The judgements of translations, and remarks on the rows that are not among them.

    Raises
    ------
    InputError
        Where a row has another number of cells, or its score is no number.
    """
    rows = [_row(line, cells) for line, cells in _cells(text, file)]
    chosen = [row for row in rows if row.kind == TRANSLATION and not row.is_whole]
    n_whole = sum(row.is_whole for row in rows)
    n_control = len(rows) - len(chosen) - n_whole
    notes = [f"Left out: {counted(n_control, 'row')} of quality control."] if n_control else []
    notes += [f"Left out: {counted(n_whole, 'row')} that score whole documents."] if n_whole else []
    errors = [_spans(row, file) for row in chosen]
    is_mqm = any(error.category not in ("", OMISSION) for found in errors for error in found)
    segments = _segments(chosen)
    return [_judgement(*one, is_mqm, file) for one in zip(chosen, segments, errors, strict=True)], notes


def _cells(text: str, file: str) -> Iterator[_Cells]:
    reader = csv.reader(io.StringIO(text, newline=""))
    width = 0
    try:
        for cells in filter(None, reader):
            width = width or len(cells)
            if len(cells) != width:
                message = f"The row has {counted(len(cells), 'cell')}; those before it have {width}."
                raise InputError(f"{message} {REMEDY}", file, reader.line_num)
            yield reader.line_num, cells
    except csv.Error as error:
        raise InputError(f"The row is not valid CSV ({error}). {REMEDY}", file, reader.line_num) from error


def _row(line: int, cells: Sequence[str]) -> _Row:
    rest = list(cells[7:])
    document, whole = (rest.pop(0), rest.pop(0)) if rest[1].lower() in WHOLE else ("", "")
    spans = rest.pop(0) if document and rest and not holds_number(rest[:1]) else ""
    started = next((cell for cell in rest if holds_number([cell])), "")
    annotator, system, item, kind = cells[:4]
    is_whole = whole.lower() == WHOLE[0]
    return _Row(line, annotator, system, item, kind, cells[6], document, is_whole, spans, started)


def _segments(rows: Sequence[_Row]) -> list[str]:
    """What each row's segment is called: by its place in its document, from 1, else by the number of the item."""
    items: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for row in rows:
        items[row.annotator, row.system, row.document].add(row.item)
    order = {key: {item: n for n, item in enumerate(sorted(found, key=_number), 1)} for key, found in items.items()}
    return [
        f"{_document(row)}:{order[row.annotator, row.system, row.document][row.item]}" if row.document else row.item
        for row in rows
    ]


def _document(row: _Row) -> str | None:
    """The name of the document, without what tells its parts and copies apart."""
    return row.document.partition("#")[0] or None


def _number(item: str) -> tuple[int, str]:
    return (int(item), "") if item.isdecimal() and len(item) <= LONGEST_NUMBER else (0, item)


def _judgement(row: _Row, segment: str, errors: tuple[RatedError, ...], is_mqm: bool, file: str) -> Judgement:
    value = score_of(row.score, file, row.line)
    if value is None:
        raise InputError("The row has no score; expected a number in its seventh cell.", file, row.line)
    scale, value = (MQM, 0.0 - sum(map(weight_of, errors))) if is_mqm else (SCALE, value)
    started = score_of(row.started, file, row.line)
    return Judgement(row.annotator, row.system, segment, scale, value, _document(row), started, errors)


def _spans(row: _Row, file: str) -> tuple[RatedError, ...]:
    if not row.spans:
        return ()
    try:
        found = bounded_json(row.spans)
    except ValueError:
        found = None
    if not isinstance(found, list):
        raise InputError(f"The spans are {row.spans[:60]!r}; expected a JSON list.", file, row.line)
    errors = (error_of(_plain(one), file, row.line) for one in found)
    return tuple(replace(error, in_units=bool(error.end)) for error in errors)


def _plain(span: Any) -> Any:
    """A span as WMT's ratings have it: its end after the last unit, the parts of its kind in one word."""
    if not isinstance(span, Mapping):
        return span
    start, end, kind = span.get("start_i"), span.get("end_i"), span.get("error_type")
    category = "/".join(map(str, kind)) if isinstance(kind, list) else kind
    if start == MISSING:
        return {**span, "category": category or OMISSION}
    return {**span, "category": category, "start": start, "end": end + 1 if isinstance(end, int) else end}
