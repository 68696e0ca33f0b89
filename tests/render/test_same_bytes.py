"""The same numbers are the same bytes, whenever they are written."""

import time

import pandas as pd
import plotly.graph_objects as go

from mteval.figures.images import images, with_fixed_ids
from mteval.render.xlsx import workbook


def test_a_workbook_does_not_say_when_it_was_written() -> None:
    frames = {"one": pd.DataFrame({"a": [1.5, 2.0], "b": ["x", "=1+1"]})}
    first = workbook(frames)
    time.sleep(2.1)  # archives count every second second
    assert workbook(frames) == first


def test_a_figure_is_drawn_with_the_same_names() -> None:
    figure = go.Figure([go.Scatter(x=[1, 2], y=[3, 4]), go.Bar(x=[1, 2], y=[3, 4])], {"height": 300})
    assert images({"one": figure}, ("svg",)) == images({"one": figure}, ("svg",))


def test_colours_and_coordinates_that_look_like_a_name_stay() -> None:
    drawn = b'<defs id="defs-123456"><a id="clip123456xy" style="fill: #123456" d="M0.123456,7123456"/></defs>'
    fixed = b'<defs id="defs-n0"><a id="clipn0xy" style="fill: #123456" d="M0.123456,7123456"/></defs>'
    assert with_fixed_ids(drawn) == fixed
