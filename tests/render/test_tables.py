import csv
import io

import pandas as pd

from mteval.render.frames import frame_csv
from mteval.render.text import aligned

OVERVIEW = pd.DataFrame(
    {
        "metric": ["bleu"],
        "system": ['new, "improved"\n'],
        "mean": [18.813470123456789],
        "p_both": [float("nan")],
    }
)


def test_numbers_keep_their_precision_and_undefined_ones_are_empty() -> None:
    (row,) = csv.DictReader(io.StringIO(frame_csv(OVERVIEW)))
    assert float(row["mean"]) == 18.813470123456789
    assert row["p_both"] == ""


def test_names_with_commas_quotes_and_line_ends_come_back_as_they_were() -> None:
    (row,) = csv.DictReader(io.StringIO(frame_csv(OVERVIEW)))
    assert row["system"] == 'new, "improved"\n'


def test_a_frame_is_written_without_its_index() -> None:
    assert frame_csv(pd.DataFrame({"a": [1]}, index=[7])) == "a\n1\n"


def test_columns_are_aligned_words_to_the_left_numbers_to_the_right() -> None:
    assert list(aligned(("name", "p"), [("a", "−12.0"), ("longer", "1")], 1)) == [
        "name        p",
        "a       −12.0",
        "longer      1",
    ]
