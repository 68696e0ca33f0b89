"""Estimates in rows: where they stand, how far their intervals reach, what is said of them."""

from math import nan

from mteval.figures.people import Estimate, estimates
from mteval.figures.style import points_in_words


def test_series_share_their_rows_and_intervals_reach_their_ends() -> None:
    figure = estimates(
        [Estimate("a", "x", 1.0, 0.5, 2.0, "one"), Estimate("b", "x", 3.0, nan, nan, "two"),
         Estimate("a", "y", 2.0, 1.0, 2.5, "three")],
        "Share",
    )  # fmt: skip
    first, second = figure.data
    assert list(first.x) == [1.0, 3.0]
    assert list(first.error_x.array) == [1.0, 0]
    assert list(first.error_x.arrayminus) == [0.5, 0]
    assert first.y[0] < second.y[0] < first.y[1]
    assert figure.layout.yaxis.ticktext == ("a", "b")
    assert figure.layout.showlegend
    assert points_in_words(figure) == ("one", "two", "three")


def test_names_and_words_are_literal() -> None:
    figure = estimates([Estimate("<b>a</b>", "<i>x</i>", 1.0, 0.5, 2.0, "<a href=x>")], "<u>Share</u>")
    assert "<" not in figure.to_json().replace("<extra></extra>", "")
