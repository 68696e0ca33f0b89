"""Excel workbooks are read like the same tables as text, and are bounded."""

import io
import zipfile
from collections.abc import Mapping

import openpyxl
import pandas as pd
import pytest

from mteval.base.errors import InputError
from mteval.readers.documents import InputFile, Limits
from mteval.readers.formats.uploads import unpack
from mteval.render.xlsx import workbook

OUTPUTS = pd.DataFrame(
    {
        "system": ["A", "A", "B", "B"],
        "segment": [1, 2, 1, 2],
        "hypothesis": ["=1+1 is 2 .", "a _x000D_ b", "1,5 kg", "ß ü 中"],
        "reference": ["2,5 kg", "ß ü 中", "2,5 kg", "ß ü 中"],
        "score": [0.25, 1.0, -0.5, 1e-05],
    }
)


def as_jsonl(frame: pd.DataFrame) -> bytes:
    return frame.to_json(orient="records", lines=True, force_ascii=False).encode()


def test_workbook_that_mteval_writes_is_read_like_json_lines() -> None:
    content = workbook({"outputs": OUTPUTS})
    (document,), problems = unpack([InputFile("a.xlsx", content)])
    (expected,), _ = unpack([InputFile("a.jsonl", as_jsonl(OUTPUTS))])
    assert problems == ()
    assert document.streams == expected.streams


def test_workbook_in_an_archive_is_read() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.xlsx", workbook({"outputs": OUTPUTS}))
    (document,), _ = unpack([InputFile("all.zip", buffer.getvalue())])
    assert document.name == "all.zip/a.xlsx"
    assert len(document.streams) == 4


def test_sheets_that_are_no_tables_of_scores_are_ignored_beside_one_that_is() -> None:
    notes = pd.DataFrame({"about": ["evaluated by two people"]})
    documents, problems = unpack([InputFile("a.xlsx", workbook({"outputs": OUTPUTS, "notes": notes}))])
    assert [document.name for document in documents] == ["a.xlsx/outputs.csv"]
    assert [(problem.file, problem.severity) for problem in problems] == [("a.xlsx/notes.csv", "note")]


def edited(content: bytes, change: Mapping[str, tuple[bytes, bytes]]) -> bytes:
    """A workbook with texts of its parts replaced."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as copy:
        for name in archive.namelist():
            old, new = change.get(name, (b"", b""))
            part = archive.read(name)
            assert not old or old in part
            copy.writestr(name, part.replace(old, new) if old else part)
    return buffer.getvalue()


def sheet(rows: list[list[object]]) -> bytes:
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in rows:
        book.active.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


TABLE = sheet([["system", "segment", "score"], ["A", 1, 0.5], ["B", 1, 0.25]])
PART = "xl/worksheets/sheet1.xml"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (edited(TABLE, {PART: (b'r="C3"', b'r="XFD3"')}), "16,384 columns"),
        (edited(TABLE, {PART: (b"<sheetData>", b"<sheetData")}), "cannot be read"),
        (edited(TABLE, {PART: (b"<worksheet", b'<!DOCTYPE x [<!ENTITY a "b">]><worksheet')}), "DTD or entities"),
        (sheet([]), "has no cells"),
        (sheet([["a sentence"], ["another"]]), "Not a table"),
        (TABLE[:-200], "unpacked"),
    ],
    ids=["far column", "damaged part", "entities", "empty", "text", "cut"],
)
def test_unusable_workbook_is_a_one_line_error(content: bytes, message: str) -> None:
    documents, (problem,) = unpack([InputFile("a.xlsx", content)])
    assert documents == ()
    with pytest.raises(InputError, match=message):
        raise problem.as_error()


def test_far_row_takes_no_time() -> None:
    content = edited(TABLE, {PART: (b'<row r="3"', b'<row r="1048576"')})
    (document,), _ = unpack([InputFile("a.xlsx", content)])
    assert [column.system for column in document.streams[0].scores] == ["A", "B"]


def test_large_part_is_refused_before_the_workbook_is_opened() -> None:
    documents, (problem,) = unpack([InputFile("a.xlsx", TABLE)], Limits(file_bytes=500))
    assert documents == ()
    assert "limit for one file" in problem.message
