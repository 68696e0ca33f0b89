from itertools import product

import pandas as pd
import pytest

from benchmarks.calibration_page import calibration_figure

RATES = pd.DataFrame(
    [
        (procedure, row, column, ratio, 0.01 * index)
        for index, (procedure, row, column, ratio) in enumerate(
            product(("a", "b", "c"), ("top", "low"), ("one", "two"), (5, 0, 1))
        )
    ],
    columns=["procedure", "row", "column", "ratio", "rate"],
)  # fmt: skip


def test_a_panel_for_each_row_and_column_and_a_line_for_each_procedure_named() -> None:
    figure = calibration_figure(RATES, {"a": "First", "b": "Second"}, ["top", "low"], ["one", "two"], 0.05)
    assert len(figure.data) == 2 * 4
    assert [trace.name for trace in figure.data if trace.showlegend] == ["First", "Second"]
    assert {(trace.xaxis, trace.yaxis) for trace in figure.data} == {
        ("x", "y"),
        ("x2", "y2"),
        ("x3", "y3"),
        ("x4", "y4"),
    }


def test_points_stand_in_order_of_the_ratio_in_percent() -> None:
    figure = calibration_figure(RATES, {"a": "First"}, ["top"], ["one"], 0.05)
    (line,) = figure.data
    assert list(line.x) == [0, 1, 2]
    assert list(line.y) == pytest.approx([1.0, 2.0, 0.0])  # ratios 0, 1, 5
    assert list(figure.layout.xaxis.ticktext) == ["0", "1", "5"]


def test_the_nominal_level_is_a_line_in_every_panel() -> None:
    figure = calibration_figure(RATES, {"a": "First"}, ["top", "low"], ["one", "two"], 0.05)
    assert [shape.y0 for shape in figure.layout.shapes] == [5.0] * 4
