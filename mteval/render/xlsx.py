"""Frames as a workbook: one sheet per frame, numbers as numbers, text never as formulas."""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import openpyxl
import pandas as pd

from mteval.base.words import on_one_line
from mteval.render.bundle import archive_of_parts

PROPERTIES = "docProps/core.xml"
TIME = re.compile(rb"(?<=>)\d{4}-\d\d-\d\dT[\d:.]+Z(?=</dcterms:)")
EPOCH = b"1980-01-01T00:00:00Z"
_NOT_IN_TITLES = re.compile(r"[\[\]:*?/\\']")
_ESCAPE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
# Limits of the format: characters of a title and of a cell
_LONGEST_TITLE = 31
_LONGEST_TEXT = 32_767
# Widths of columns, in characters
_WIDTH_OF_NUMBER = 9
_WIDEST = 60


def workbook(frames: Mapping[str, pd.DataFrame]) -> bytes:
    """Return the frames as sheets of an ``.xlsx`` file; NaN is an empty cell.

    Text that looks like a formula stays text: names of systems and files are somebody else's.
    """
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, frame in frames.items():
        sheet = book.create_sheet(_title(name, book.sheetnames))
        rows = [list(frame.columns), *frame.itertuples(index=False)]
        for row, values in enumerate(rows, start=1):
            for column, value in enumerate(values, start=1):
                _put(sheet.cell(row, column), value)
        for cell in sheet[1]:
            cell.font = openpyxl.styles.Font(bold=True)
        sheet.freeze_panes = "A2"
        for column, values in enumerate(zip(*rows, strict=True), start=1):
            letter = openpyxl.utils.get_column_letter(column)
            sheet.column_dimensions[letter].width = min(_WIDEST, max(map(_width, values))) + 2
    stream = io.BytesIO()
    book.save(stream)
    return _without_time(stream.getvalue())


def _without_time(content: bytes) -> bytes:
    """Return the workbook without its time stamp, so that it is reproducible."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[PROPERTIES] = TIME.sub(EPOCH, parts[PROPERTIES])
    return archive_of_parts(parts)


def _width(value: Any) -> int:
    return len(value) if isinstance(value, str) else _WIDTH_OF_NUMBER


def _put(cell: Any, value: Any) -> None:
    """Write a value into a cell, which stays empty for NaN and infinities."""
    if isinstance(value, str):
        # Spreadsheets read _x000D_ as a control character, unless its first character is escaped in that way.
        cell.value = _ESCAPE.sub("_x005F_", on_one_line(value))[:_LONGEST_TEXT]
        cell.data_type = "s"
        return
    if hasattr(value, "item"):
        value = value.item()  # a number of NumPy
    if not isinstance(value, float) or math.isfinite(value):
        cell.value = value


def _title(name: str, taken: Sequence[str]) -> str:
    """Return a title that the format allows and that differs from the others, whatever their case."""
    plain = _NOT_IN_TITLES.sub("_", on_one_line(name))
    title = plain[:_LONGEST_TITLE]
    if not title:
        title = "_"
    taken_in_any_case = {other_title.casefold() for other_title in taken}
    number = 1
    while title.casefold() in taken_in_any_case:
        number += 1
        ending = f" ({number})"
        title = plain[: _LONGEST_TITLE - len(ending)] + ending
    return title
