"""Scores as Appraise exports them, without a header: direct assessment, and ESA with its error spans.

Columns: annotator, system, item, kind of item, source and target language, score, document, whether the score is of the
whole document, perhaps spans as JSON, start and end of the work. Appraise counts items anew in every task, so that the
same number stands for different segments; segments are therefore counted within the document that one annotator read in
the output of one system.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Iterator, Sequence

from mteval.bounded_json import bounded_json
from mteval.counts import counted
from mteval.errors import InputError
from mteval.judgements import Judgement, RatedError
from mteval.readers.formats.seg_ratings import error_of
from mteval.readers.formats.segment_scores import score_of

WITHOUT_SPANS, WITH_SPANS = 11, 12
KINDS = ("TGT", "BAD", "REF", "CHK")
TRANSLATION = "TGT"  # the others are there to control the annotator
SCALE = "score"
REMEDY = "Export the campaign again."
LONGEST_NUMBER = 18  # digits
_Row = tuple[int, list[str]]


def is_appraise(text: str) -> bool:
    """Whether the first line is one of such an export."""
    try:
        first = next(csv.reader(io.StringIO(text[: text.find("\n") + 1 or len(text)])), [])
    except csv.Error:
        return False
    return len(first) in (WITHOUT_SPANS, WITH_SPANS) and first[3] in KINDS


def read_appraise(text: str, file: str) -> tuple[list[Judgement], list[str]]:
    """The judgements of translations, and remarks on the rows that are not among them.

    Raises
    ------
    InputError
        Where a row has another number of cells, or its score is no number.
    """
    rows = list(_rows(text, file))
    chosen = [row for row in rows if row[1][3] == TRANSLATION and row[1][8].lower() != "true"]
    n_whole = sum(row[1][8].lower() == "true" for row in rows)
    n_control = len(rows) - len(chosen) - n_whole
    notes = [f"Left out: {counted(n_control, 'row')} of quality control."] if n_control else []
    notes += [f"Left out: {counted(n_whole, 'row')} that score whole documents."] if n_whole else []
    places = _places(chosen)
    return [_judgement(row, places[index], file) for index, row in enumerate(chosen)], notes


def _rows(text: str, file: str) -> Iterator[_Row]:
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


def _places(rows: Sequence[_Row]) -> list[int]:
    """Place of each row's item in its document, from 1."""
    items: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for _, cells in rows:
        items[cells[0], cells[1], cells[7]].add(cells[2])
    order = {key: {item: n for n, item in enumerate(sorted(found, key=_number), 1)} for key, found in items.items()}
    return [order[cells[0], cells[1], cells[7]][cells[2]] for _, cells in rows]


def _number(item: str) -> tuple[int, str]:
    return (int(item), "") if item.isdecimal() and len(item) <= LONGEST_NUMBER else (0, item)


def _judgement(row: _Row, place: int, file: str) -> Judgement:
    line, cells = row
    value = score_of(cells[6], file, line)
    if value is None:
        raise InputError("The row has no score; expected a number in its seventh cell.", file, line)
    document = cells[7].partition("#")[0]
    started = score_of(cells[-2], file, line)
    return Judgement(
        cells[0], cells[1], f"{document}:{place}", SCALE, value, document, started, errors=_spans(cells, file, line)
    )


def _spans(cells: Sequence[str], file: str, line: int) -> tuple[RatedError, ...]:
    if len(cells) != WITH_SPANS or not cells[9]:
        return ()
    try:
        rows = bounded_json(cells[9])
    except ValueError as error:
        raise InputError(f"The spans are {cells[9][:60]!r}; expected a JSON list.", file, line) from error
    if not isinstance(rows, list):
        raise InputError(f"The spans are {cells[9][:60]!r}; expected a JSON list.", file, line)
    return tuple(error_of(one, file, line) for one in rows)
