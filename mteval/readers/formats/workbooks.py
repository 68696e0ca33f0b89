"""Excel workbooks (XLSX): each sheet is a table whose first row names the columns."""

import csv
import datetime
import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from mteval.base.errors import InputError
from mteval.base.words import counted
from mteval.readers.documents import InputFile, Limits
from mteval.readers.formats.text import refuse_columns, refuse_more

WORKBOOK = "xl/workbook.xml"
SUFFIX = ".xlsx"
SHEET = re.compile(r"\.xlsx/[^/]*\.csv$")  # name of one of several sheets, in lower case
ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")  # a character that XML cannot contain
MOST_UNPACKED = 1 << 28  # bytes of all parts


def is_workbook(content: bytes) -> bool:
    """Whether the content is a ZIP archive with a workbook."""
    if not content.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return WORKBOOK in archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return False


def sheets(file: InputFile, limits: Limits) -> list[InputFile]:
    """Return the sheets with cells as CSV. One sheet has the name of the workbook, several have their own below it.

    The sizes of all parts must have been checked, since openpyxl unpacks them.

    Raises
    ------
    InputError
        If the workbook is damaged or empty, or a sheet has too many columns or cells.
    """
    import openpyxl  # rarely needed, and slow to import

    try:
        book = openpyxl.load_workbook(io.BytesIO(file.content), read_only=True, data_only=True, keep_links=False)
        tables = {sheet.title: _as_csv(sheet, limits, file.name) for sheet in book.worksheets}
    except InputError:
        raise
    except Exception as error:  # openpyxl checks little, so a damaged part may raise anything
        problem = f"{type(error).__name__}: {' '.join(str(error).split())[:120]}"
        raise InputError(f"The workbook cannot be read ({problem}). Save it again as XLSX.", file.name) from error
    filled = {title: table for title, table in tables.items() if table}
    if not filled:
        raise InputError("The workbook has no cells. Expected a table whose first row names the columns.", file.name)
    if len(filled) == 1:
        return [InputFile(file.name, table) for table in filled.values()]
    return [InputFile(f"{file.name}/{title}.csv", table) for title, table in filled.items()]


def _as_csv(sheet: Any, limits: Limits, file: str) -> bytes:
    """Return the rows of a sheet as CSV, without empty rows; empty if there are none."""
    sheet.reset_dimensions()  # what the sheet says of its size is not trusted
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    n_cells = 0
    n_columns = 0
    for row in _rows(sheet, limits, file):
        n_columns = n_columns or len(row)
        n_cells += len(row)
        refuse_more(n_cells, limits.cells, "cells", file)
        if len(row) > n_columns:
            message = f"A row of sheet '{sheet.title}' has {counted(len(row), 'cell')}, but the first has {n_columns}."
            raise InputError(f"{message} Name all columns in the first row.", file)
        writer.writerow([*row, *[""] * (n_columns - len(row))])
    content = text.getvalue().encode("utf-8", "surrogatepass")
    refuse_more(len(content), limits.file_bytes, "bytes", file)
    return content


def _rows(sheet: Any, limits: Limits, file: str) -> Iterator[list[str]]:
    """Yield the rows with text, without the empty cells at their end."""
    for values in sheet.iter_rows(values_only=True):
        refuse_columns(len(values), limits, file)
        cells = list(map(_cell, values))
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield cells


def _cell(value: Any) -> str:
    """Return the value of a cell as text; whole numbers have no decimal point."""
    if value is None:
        return ""
    if isinstance(value, str):
        return ESCAPED.sub(lambda match: chr(int(match[1], 16)), value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return str(value)
