"""Tables (TSV, CSV, JSON lines) with a row for each hypothesis: their formats; ``pivot`` makes streams of the rows."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping

from mteval.errors import InputError
from mteval.readers.pivot import Row, pivot
from mteval.readers.text import split_lines
from mteval.readers.values import Document

SYNONYMS = {
    **dict.fromkeys(("hyp", "translation", "output", "mt"), "hypothesis"),
    **dict.fromkeys(("sys", "model"), "system"),
    **dict.fromkeys(("seg", "segment_id", "seg_id"), "segment"),
    **dict.fromkeys(("seed",), "run"),
    **dict.fromkeys(("src",), "source"),
    **dict.fromkeys(("doc", "docid", "doc_id", "document_id"), "document"),
    **dict.fromkeys(("testset",), "test_set"),
}
COLUMNS = ("system", "run", "segment", "hypothesis", "source", "document", "test_set")
SEPARATORS = {"\t": "TSV", ",": "CSV"}
DOUBLED_QUOTES = re.compile(r'"(?:[^"]|"")*""(?:[^"]|"")*"')
HALF_PAIR = re.compile("[\ud800-\udfff]")


def canonical(column: str) -> str:
    """Name of a column as the readers know it; every name that begins with ``ref`` is a reference and keeps its own."""
    plain = column.strip().lower().replace(" ", "_")
    return SYNONYMS.get(plain, plain)


def is_known(column: str) -> bool:
    """Whether the readers know a canonical name."""
    return column in COLUMNS or column.startswith("ref")


def table_separator(text: str) -> str | None:
    """Tab or comma where the first line is the header of a table, else None."""
    header = text[: text.find("\n") + 1 or len(text)]
    for separator in SEPARATORS:
        names = [canonical(cell.strip('"\r\n ')) for cell in header.split(separator)]
        if sum(map(is_known, names)) >= 2 and any(name == "hypothesis" or name.startswith("ref") for name in names):
            return separator
    return None


def is_json_lines(text: str) -> bool:
    """Whether the first line is a JSON object with a hypothesis or a reference."""
    first = text[: text.find("\n") + 1 or len(text)].strip()
    if not first.startswith("{"):
        return False
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return any(name == "hypothesis" or name.startswith("ref") for name in map(canonical, record))


def read_table(text: str, file: str, separator: str) -> Document:
    """A TSV or CSV file with a header.

    A TSV is read without quoting, as test sets have it, unless its header is quoted or a cell has doubled quotes in
    quotes, as spreadsheets and pandas write them.

    Raises
    ------
    InputError
        At the first row that does not have the header's number of cells, and for all that ``pivot`` refuses.
    """
    quoted = separator == "," or text.startswith('"')
    rows = _quoted_rows(text, file, separator) if quoted else _plain_rows(text)
    header = [canonical(cell) for cell in next(rows)[1]]
    repeated = next((name for name in header if header.count(name) > 1), None)
    if repeated is not None:
        raise InputError(f"Column '{repeated}' stands twice in the header; names must differ.", file, 1)
    return pivot(_cells(rows, header, file), file)


def _cells(rows: Iterable[tuple[int, list[str]]], header: list[str], file: str) -> Iterator[Row]:
    for line, cells in rows:
        if len(cells) != len(header):
            raise InputError(
                f"The row has {len(cells)} cells; the header has {len(header)} ({', '.join(header)})."
                " Quote cells that hold the separator, or write JSON lines.",
                file,
                line,
            )
        yield line, dict(zip(header, cells, strict=True))


def _plain_rows(text: str) -> Iterator[tuple[int, list[str]]]:
    for line, row in enumerate(split_lines(text), start=1):
        if row:
            yield line, [_unquoted(cell) for cell in row.split("\t")]


def _unquoted(cell: str) -> str:
    if '""' in cell and DOUBLED_QUOTES.fullmatch(cell):
        return cell[1:-1].replace('""', '"')
    return cell


def _quoted_rows(text: str, file: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=separator, strict=True)
    try:
        for cells in reader:
            if cells:
                yield reader.line_num, cells
    except csv.Error as error:
        raise InputError(
            f"The row is not valid {SEPARATORS[separator]} ({error}). Double the quotes inside quoted cells.",
            file,
            reader.line_num,
        ) from error


def read_json_lines(text: str, file: str) -> Document:
    """A file with one JSON object a line, whose names are the columns; ``references`` may be a list.

    Raises
    ------
    InputError
        At the first line that is no object of strings and numbers, and for all that ``pivot`` refuses.
    """
    lines = enumerate(split_lines(text), start=1)
    return pivot(((line, _record(row, file, line)) for line, row in lines if row.strip()), file)


def _record(row: str, file: str, line: int) -> Mapping[str, str | None]:
    try:
        record = json.loads(row)
    except (ValueError, RecursionError) as error:
        raise InputError(f"The line is not valid JSON ({error}); expected one object a line.", file, line) from error
    if not isinstance(record, dict):
        raise InputError(
            'The line is not a JSON object; expected {"system": …, "run": …, "segment": …, "hypothesis": …}.',
            file,
            line,
        )
    cells: dict[str, str | None] = {}
    for name, value in record.items():
        column = canonical(name)
        if isinstance(value, list) and column.startswith("ref"):
            cells |= {f"{column} {i}": _cell(item, column, file, line) for i, item in enumerate(value, start=1)}
        else:
            cells[column] = _cell(value, column, file, line)
    return cells


def _cell(value: object, column: str, file: str, line: int) -> str | None:
    if isinstance(value, str) and HALF_PAIR.search(value):
        raise InputError(f"'{column}' holds half of a surrogate pair, which is no character; mend it.", file, line)
    if value is None or isinstance(value, str):
        return value
    if not is_known(column):
        return None
    if isinstance(value, int | float) and column != "hypothesis":
        return str(value)
    raise InputError(f"'{column}' holds {type(value).__name__}; expected a string.", file, line)
