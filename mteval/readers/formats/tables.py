"""Tables (TSV, CSV, JSON lines) with a row for each hypothesis or score: their formats; others make streams of rows."""

import csv
import io
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress

from mteval.base.bounded_input import HALF_PAIR, bounded_json
from mteval.base.errors import InputError
from mteval.base.words import counted
from mteval.readers.documents import DEFAULT_LIMITS
from mteval.readers.formats.text import refuse_columns, refuse_odd_name, split_lines

Row = tuple[int, Mapping[str, str | None]]  # line and the cells by canonical column name; None where there is no cell
SYNONYMS = {
    **dict.fromkeys(("hyp", "translation", "output", "mt"), "hypothesis"),
    **dict.fromkeys(("sys", "model", "system_id"), "system"),
    **dict.fromkeys(("seg", "segment_id", "seg_id"), "segment"),
    **dict.fromkeys(("seed",), "run"),
    **dict.fromkeys(("src",), "source"),
    **dict.fromkeys(("doc", "docid", "doc_id", "document_id"), "document"),
    **dict.fromkeys(("testset",), "test_set"),
    **dict.fromkeys(("prediction", "predicted_score"), "score"),
}
COLUMNS = ("system", "run", "segment", "hypothesis", "source", "document", "test_set", "sample")
SPANS = "spans"  # the errors that were marked, as a list of objects
SCORE_COLUMNS = ("score", "metric", "judgements", "deviation", SPANS)
SEPARATORS = {"\t": "TSV", ",": "CSV"}
JSON_LINES = "{"  # in the place of a separator


def canonical(column: str) -> str:
    """Name of a column as the readers know it; one that they do not know, as that of a metric, is kept as it is."""
    plain = column.strip().lower().replace(" ", "_")
    name = SYNONYMS.get(plain, plain)
    return name if is_known(name) or name in SCORE_COLUMNS else column.strip()


def is_known(column: str) -> bool:
    """Whether a canonical name is about text; every name that begins with ``ref`` is a reference."""
    return column in COLUMNS or column.startswith("ref")


def holds_outputs(columns: Sequence[str]) -> bool:
    """Whether a header is that of a table with a hypothesis or a reference."""
    return any(name == "hypothesis" or name.startswith("ref") for name in columns)


def table_form(text: str, is_wanted: Callable[[Sequence[str]], bool]) -> str | None:
    """Tab or comma where the first line is a header that is wanted, ``{`` where it is such an object, else None."""
    first = text[: text.find("\n") + 1 or len(text)]
    if first.lstrip().startswith(JSON_LINES):
        with suppress(ValueError):
            return JSON_LINES if is_wanted([canonical(name) for name in bounded_json(first)]) else None
        return None
    for separator in SEPARATORS:
        names = [canonical(cell.strip('"\r\n ')) for cell in first.split(separator)]
        if sum(is_known(name) or name in SCORE_COLUMNS for name in names) >= 2 and is_wanted(names):
            return separator
    return None


def table_rows(text: str, file: str, form: str) -> Iterator[Row]:
    """The rows of a table of a form that ``table_form`` knows.

    A TSV is read without quoting, as test sets have it, unless its header is quoted or a cell has doubled quotes in
    quotes, as spreadsheets and pandas write them. Of JSON lines the names are the columns; ``references`` may be a
    list.

    Raises
    ------
    InputError
        At the first row that does not have the header's number of cells or is no object of strings and numbers.
    """
    if form == JSON_LINES:
        yield from _records(text, file)
        return
    quoted = form == "," or text.startswith('"')
    rows = _quoted_rows(text, file, form) if quoted else _plain_rows(text)
    header = [canonical(cell) for cell in next(rows)[1]]
    _refuse_odd_header(header, file)
    repeated = next((name for name in header if header.count(name) > 1), None)
    if repeated is not None:
        raise InputError(f"Column '{repeated}' stands twice in the header; names must differ.", file, 1)
    for line, cells in rows:
        if len(cells) != len(header):
            message = f"The row has {counted(len(cells), 'cell')}; the header has {len(header)} ({', '.join(header)})."
            remedy = "Quote cells that hold the separator, or write JSON lines."
            raise InputError(f"{message} {remedy}", file, line)
        yield line, dict(zip(header, cells, strict=True))


def _refuse_odd_header(header: Collection[str], file: str) -> None:
    refuse_columns(len(header), DEFAULT_LIMITS, file, 1)
    for name in header:
        refuse_odd_name(name, DEFAULT_LIMITS.name_characters, file, 1)


def _plain_rows(text: str) -> Iterator[tuple[int, list[str]]]:
    for line, row in enumerate(split_lines(text), start=1):
        if row:
            yield line, [_unquoted(cell) for cell in row.split("\t")]


def _unquoted(cell: str) -> str:
    inner = cell[1:-1]
    if '""' in inner and cell[0] == cell[-1] == '"' and '"' not in inner.replace('""', ""):
        return inner.replace('""', '"')
    return cell


def _quoted_rows(text: str, file: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=separator, strict=True)
    try:
        yield from ((reader.line_num, cells) for cells in reader if cells)
    except csv.Error as error:
        message = f"The row is not valid {SEPARATORS[separator]} ({error}). Double the quotes inside quoted cells."
        raise InputError(message, file, reader.line_num) from error


def _records(text: str, file: str) -> Iterator[Row]:
    columns: set[str] = set()
    for line, row in enumerate(split_lines(text), start=1):
        try:
            if row.strip():
                record = _record(row)
                if not record.keys() <= columns:
                    columns |= record.keys()
                    _refuse_odd_header(columns, file)
                yield line, record
        except InputError as error:
            raise error.at(file, line) from error


def _record(row: str) -> Mapping[str, str | None]:
    try:
        record = bounded_json(row)
    except ValueError as error:
        raise InputError(f"The line is not valid JSON ({error}); expected one object a line.") from error
    if not isinstance(record, dict):
        expected = '{"system": …, "run": …, "segment": …, "hypothesis": …}'
        raise InputError(f"The line is not a JSON object; expected {expected}.")
    cells: dict[str, str | None] = {}
    for name, value in record.items():
        column = canonical(name)
        if isinstance(value, list) and column.startswith("ref"):
            cells |= {f"{column} {number}": _cell(item, column) for number, item in enumerate(value, start=1)}
        else:
            is_list = column == SPANS and isinstance(value, list)
            cells[column] = _cell(json.dumps(value) if is_list else value, column)
    return cells


def _cell(value: object, column: str) -> str | None:
    if isinstance(value, str) and HALF_PAIR.search(value):
        raise InputError(f"'{column}' holds half of a surrogate pair, which is no character; mend it.")
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and column != "hypothesis":
        return str(value)
    if not is_known(column) and column != "score":
        return None
    raise InputError(f"'{column}' holds {type(value).__name__}; expected a string.")
