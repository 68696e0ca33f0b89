"""Figures of n-best lists."""

import pandas as pd

from mteval.figures.segments import MOST_BARS, depth_curve, place_bins, place_histogram
from mteval.values.notation import Notation


def test_every_place_is_in_one_bar_and_the_first_is_alone() -> None:
    for longest in (1, 2, 12, MOST_BARS, MOST_BARS + 1, 100, 1000):
        starts = place_bins(longest)
        assert starts[0] == 1
        assert starts == sorted(set(starts))
        assert len(starts) <= MOST_BARS
        assert starts[-1] <= longest
        assert len(starts) == 1 or starts[1] == 2


def test_bars_count_the_lists() -> None:
    places = pd.Series([1, 1, 2, 40, 100, 100])
    (bars,) = place_histogram(places).data
    assert sum(bars.y) == 6
    assert bars.y[0] == 2
    assert bars.x[0] == "1"
    assert bars.x[-1].endswith("–100")
    assert bars.y[-1] == 2


def test_the_curve_has_a_point_at_each_depth() -> None:
    (line,) = depth_curve(
        pd.DataFrame({"depth": [1, 2, 12], "score": [30.0, 31.0, 35.125]}), "BLEU <b>", Notation("↑")
    ).data
    assert list(line.x) == [1, 2, 12]
    assert list(line.y) == [30.0, 31.0, 35.125]
    assert list(line.customdata) == ["30.00", "31.00", "35.13"]
