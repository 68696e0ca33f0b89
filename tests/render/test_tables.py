import csv
import io

import pandas as pd
import pytest

from mteval.answers.section import Section
from mteval.base.words import display_width
from mteval.render.frames import frame_csv
from mteval.render.text import aligned, text_lines

OVERVIEW = pd.DataFrame(
    {
        "metric": ["bleu"],
        "system": ['new, "improved"\n'],
        "mean": [18.813470123456789],
        "p_run": [float("nan")],
    }
)


def test_numbers_keep_their_precision_and_undefined_ones_are_empty() -> None:
    (row,) = csv.DictReader(io.StringIO(frame_csv(OVERVIEW)))
    assert float(row["mean"]) == 18.813470123456789
    assert row["p_run"] == ""


def test_names_with_commas_quotes_and_line_ends_come_back_on_one_line() -> None:
    (row,) = csv.DictReader(io.StringIO(frame_csv(OVERVIEW)))
    assert row["system"] == 'new, "improved"⟨U+000A⟩'


def test_a_frame_is_written_without_its_index() -> None:
    assert frame_csv(pd.DataFrame({"a": [1]}, index=[7])) == "a\n1\n"


def test_columns_are_aligned_words_to_the_left_numbers_to_the_right() -> None:
    assert list(aligned(("name", "p"), [("a", "−12.0"), ("longer", "1")], 1)) == [
        "name        p",
        "a       −12.0",
        "longer      1",
    ]


def test_text_that_a_spreadsheet_would_compute_is_quoted_and_numbers_stay_numbers() -> None:
    frame = pd.DataFrame(
        {"name": ["=1+1", "+a", "-b", "@c", "-0.5", "plain"], "value": [-0.5, 1.0, -2.0, 0.0, 1e-9, 3.0]}
    )
    rows = list(csv.DictReader(io.StringIO(frame_csv(frame.rename(columns={"value": "=value"})))))
    assert [row["name"] for row in rows] == ["'=1+1", "'+a", "'-b", "'@c", "-0.5", "plain"]
    assert [float(row["'=value"]) for row in rows] == frame["value"].tolist()


def test_a_section_without_title_keeps_its_first_sentence_and_has_no_line_under_it() -> None:
    sections = [Section("a", "Title", ("One.", "Two.")), Section("b", "", ("Three.", "Four."))]
    lines = list(text_lines(sections, is_underlined=True))
    assert lines == ["", "Title", "-----", "One.", "Two.", "", "Three.", "Four."]


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("系统一", 6),
        ("ｂａｓｅ", 8),
        ("한국어", 6),
        ("한", 2),  # a syllable in three characters
        ("zu\u0308rich", 6),
        ("n\u200db", 2),
        ("क्\u200dष", 2),
        ("🚀", 2),
        ("❤\ufe0f", 2),
        ("👩🏽\u200d🚀", 2),
        ("👩\u200d❤\ufe0f\u200d👨", 2),
        ("🇩🇪", 2),
        ("−1.5 …", 6),
        ("", 0),
    ],
)
def test_names_take_the_cells_that_a_terminal_gives_them(name: str, cells: int) -> None:
    assert display_width(name) == cells


def test_columns_stand_below_each_other_beside_wide_names() -> None:
    lines = list(aligned(("name", "比分"), [("系统一", "1.5"), ("cafe\u0301", "12.5"), ("longer", "1")], 1))
    assert lines == [
        "name    比分",
        "系统一   1.5",
        "cafe\u0301    12.5",
        "longer     1",
    ]


def test_a_wide_title_is_underlined_to_its_end() -> None:
    assert list(text_lines([Section("a", "系统", ("系统",))], is_underlined=True))[2] == "----"
