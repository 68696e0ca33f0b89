"""The growing histogram where there is nothing to see."""

import pandas as pd

from mteval.figures.luck import luck_histogram
from mteval.values.notation import Notation


def test_draws_that_cannot_differ_have_a_bin_of_their_own() -> None:
    drawn = pd.DataFrame({"difference": [0.0, 0.0], "conclusion": ["open", "open"]})
    figure = luck_histogram(drawn, (0.0, 0.0), 0.0, "BLEU", Notation("↑"))
    assert sum(sum(bar.y) for bar in figure.data if bar.type == "bar") == 2
    assert luck_histogram(drawn.iloc[:0], (0.0, 0.0), 0.0, "BLEU", Notation("↑")).data
