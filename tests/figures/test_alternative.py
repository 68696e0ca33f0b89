"""Figures in words."""

import plotly.graph_objects as go
import pytest

from mteval.figures.style import points_in_words


def test_each_point_is_said_as_when_it_is_pointed_at() -> None:
    figure = go.Figure(
        go.Scatter(x=[1, 2], y=[3, 4], customdata=["3.10", "4.20"], hovertemplate="best of %{x}: %{customdata}")
    )
    assert points_in_words(figure) == ("best of 1: 3.10", "best of 2: 4.20")


@pytest.mark.parametrize(
    ("trace", "said"),
    [
        (go.Bar(x=[0, 1], y=[0, 7], hovertemplate="place %{x}: %{y} lists<extra></extra>"), ("place 1: 7 lists",)),
        (go.Scatter(x=[1, 2], y=[0, 0], hovertemplate="a &lt;b&gt;<br>s: 0.31<extra></extra>"), ("a <b>: s: 0.31",)),
        (go.Scatter(x=[1], y=[1], hoverinfo="skip", hovertemplate="nothing"), ()),
        (go.Scatter(x=[1], y=[1], hoverinfo="text", text="80% on this side"), ("80% on this side",)),
        (
            go.Heatmap(z=[[1, None], [2, 3]], customdata=[["a", None], ["b", ""]], hovertemplate="%{customdata}"),
            ("a", "b"),
        ),
    ],
)  # fmt: skip
def test_marks_that_stand_for_nothing_are_left_out(trace: go.Scatter, said: tuple[str, ...]) -> None:
    assert points_in_words(go.Figure(trace)) == said
