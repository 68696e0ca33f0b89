"""What people said, drawn: heights and places are those of the frames, names stay text."""

import numpy as np
import pandas as pd

from mteval.figures.people import difference_scatter
from mteval.values.notation import Notation

NASTY = "<b>x</b>"


def test_a_dot_is_a_segment_that_both_judged() -> None:
    pairs = pd.DataFrame({"segment": [0, 4, 7], "human": [1.0, -2.0, 0.5], "improvement": [3.0, 4.0, np.nan]})
    figure = difference_scatter(pairs, NASTY, "BLEU", "#123456", (Notation("↑"), Notation("↑", decimals=4)))
    (dots,) = figure.data
    assert list(zip(dots.customdata, dots.x, dots.y, strict=True)) == [
        ("segment 1: +3.0000, +1.00", 3.0, 1.0), ("segment 5: +4.0000, −2.00", 4.0, -2.0)
    ]  # fmt: skip
    assert figure.layout.yaxis.title.text == "&lt;b&gt;x&lt;/b&gt;"
