"""The workbook: another program reads back what went in, and text stays text."""

import io

import openpyxl
import pandas as pd
import pytest

from mteval.render.xlsx import workbook

HOSTILE = ["=1+1", "+cmd|' /C calc'!A0", "@SUM(A1)", "a\x00b\x07", "x" * 40_000, "", '=HYPERLINK("http://x")']


def read(content: bytes) -> openpyxl.Workbook:
    """What another program reads."""
    return openpyxl.load_workbook(io.BytesIO(content))


def test_numbers_are_numbers_with_the_digits_of_a_spreadsheet_and_undefined_ones_are_empty() -> None:
    frame = pd.DataFrame(
        {"n": [3, 4], "x": [0.123456789012345, float("nan")], "y": [float("inf"), -1e-300], "b": [True, False]}
    )
    sheet = read(workbook({"numbers": frame}))["numbers"]
    assert list(sheet.values) == [
        ("n", "x", "y", "b"),
        (3, 0.123456789012345, None, True),
        (4, None, -1e-300, False),
    ]


def test_text_that_looks_like_a_formula_stays_text() -> None:
    sheet = read(workbook({"text": pd.DataFrame({"=name()": HOSTILE})}))["text"]
    cells = [row[0] for row in sheet.iter_rows()]
    kinds = [cell.data_type for cell in cells if cell.value is not None]
    # The heading and all texts but the empty one
    assert kinds == ["s"] * len(HOSTILE)
    assert cells[0].value == "=name()"
    assert cells[1].value == "=1+1"
    assert cells[4].value == "a⟨U+0000⟩b⟨U+0007⟩"
    assert len(cells[5].value) == 32_767


@pytest.mark.parametrize("name", ["a/b:c*d?[e]\\'", "x" * 50, ""])
def test_any_name_of_a_frame_makes_a_sheet(name: str) -> None:
    frames = {name: pd.DataFrame({"a": [1]}), name + " ": pd.DataFrame({"a": [2]})}
    book = read(workbook(frames))
    assert [book.worksheets[place]["A2"].value for place in (0, 1)] == [1, 2]
    assert all(len(title) <= 31 for title in book.sheetnames)
