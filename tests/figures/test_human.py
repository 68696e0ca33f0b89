"""What people said, drawn: heights and places are those of the frames, names stay text."""

import numpy as np
import pandas as pd

from mteval.figures.people import difference_scatter, error_bars
from mteval.values.notation import Notation

NASTY = "<b>x</b>"


def test_bars_are_errors_in_a_hundred_segments_stacked_by_severity() -> None:
    errors = pd.DataFrame(
        [("a", "Style", "minor"), ("a", "Style", "minor"), (NASTY, "Style", "major"), ("a", NASTY, "major")],
        columns=["system", "category", "severity"],
    )
    figure = error_bars(errors, {"a": 50, NASTY: 4})
    shown = {
        (trace.name, category, system): value
        for trace in figure.data
        for category, system, value in zip(*trace.y, trace.x, strict=True)
        if value
    }
    escaped = "&lt;b&gt;x&lt;/b&gt;"
    assert shown == {
        ("minor", "Style", "a"): 4.0,
        ("major", "Style", escaped): 25.0,
        ("major", escaped, "a"): 2.0,
    }
    assert figure.layout.barmode == "stack"


def test_a_dot_is_a_segment_that_both_judged() -> None:
    pairs = pd.DataFrame({"segment": [0, 4, 7], "human": [1.0, -2.0, 0.5], "improvement": [3.0, 4.0, np.nan]})
    figure = difference_scatter(pairs, NASTY, "BLEU", "#123456", (Notation("↑"), Notation("↑", decimals=4)))
    (dots,) = figure.data
    assert list(zip(dots.customdata, dots.x, dots.y, strict=True)) == [
        ("segment 1: +3.0000, +1.00", 3.0, 1.0), ("segment 5: +4.0000, −2.00", 4.0, -2.0)
    ]  # fmt: skip
    assert figure.layout.yaxis.title.text == "&lt;b&gt;x&lt;/b&gt;"
