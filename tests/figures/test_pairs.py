from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from mteval.figures.significance import COLORS, UNKNOWN, level_reached, pair_matrix
from mteval.values.notation import Notation

BLEU = Notation("↑")
COLUMNS = ["better", "worse", "improvement", "p_value", "p_adjusted", "note"]


def draw(*rows: tuple, systems: str = "abc"):
    """The matrix of pairs whose numbers are given."""
    return pair_matrix(pd.DataFrame(list(rows), columns=COLUMNS), list(systems), BLEU)


@pytest.mark.parametrize(("p", "level"), [(0.0005, 3), (0.001, 3), (0.01, 2), (0.05, 1), (0.0501, 0), (1.0, 0)])
def test_a_level_is_reached_at_and_below_it(p: float, level: int) -> None:
    assert level_reached(p) == level


def test_a_cell_is_coloured_where_the_row_is_better_than_the_column() -> None:
    figure = draw(("a", "b", 1.0, 0.02, 0.04, ""), ("a", "c", 2.0, 0.0001, 0.0002, ""), ("b", "c", 1.0, 0.4, 0.8, ""))
    levels = np.array(figure.data[0].z)
    assert levels[0, 1] == 1
    assert levels[0, 2] == 3
    assert levels[1, 2] == 0
    assert np.isnan(levels[np.tril_indices(3)]).all()


def test_the_numbers_in_the_cells_are_the_adjusted_p_values() -> None:
    figure = draw(("a", "b", 1.0, 0.02, 0.042, ""), ("a", "c", 2.0, 1e-5, 1e-4, ""), ("b", "c", 1.0, 1.0, 1.0, ""))
    numbers = {(number.x, number.y): number.text for number in figure.layout.annotations}
    assert numbers == {
        (1, 0): ".042",
        (2, 0): "&lt;.001",
        (2, 1): "1.000",
    }


def test_a_pair_that_is_pointed_at_says_its_numbers_rounded_half_up() -> None:
    figure = draw(("a", "b", 0.125, 0.00005, 0.04225, ""), systems="ab")

    assert figure.data[0].customdata[0][1] == "a vs b: +0.13<br>p &lt; 0.001, p (adjusted) 0.042"


def test_a_pair_without_an_answer_says_why_and_has_a_colour_of_its_own() -> None:
    nan = float("nan")
    figure = draw(("a", "b", 1.0, nan, nan, "Two runs are needed."), systems="ab")

    matrix = figure.data[0]
    assert matrix.z[0][1] == -1
    assert "Two runs are needed." in matrix.customdata[0][1]
    assert {color for _, color in matrix.colorscale} == {UNKNOWN, *COLORS}
    assert "no p-value" in [trace.name for trace in figure.data]


def test_twelve_systems_have_numbers_and_forty_only_colours() -> None:
    for n, is_written in ((12, True), (40, False)):
        systems = [f"s{number}" for number in range(n)]
        rows = [(better, worse, 1.0, 0.01, 0.02, "") for better, worse in combinations(systems, 2)]

        figure = pair_matrix(pd.DataFrame(rows, columns=COLUMNS), systems, BLEU)

        assert bool(figure.layout.annotations) == is_written


def test_the_best_system_is_on_top_and_on_the_left() -> None:
    figure = draw(("a", "b", 1.0, 0.02, 0.04, ""))

    assert figure.layout.yaxis.range == (2.5, -0.5)
    assert list(figure.layout.xaxis.ticktext) == ["a", "b", "c"]


def test_markup_in_names_is_literal() -> None:
    rows = pd.DataFrame([("<b>x</b>", "y", 1.0, 0.1, 0.1, "<i>n</i>")], columns=COLUMNS)

    figure = pair_matrix(rows, ["<b>x</b>", "y"], BLEU)

    # A click names the systems by their keys, which are not shown
    (places,) = (trace for trace in figure.data if trace.hovertemplate == "%{customdata[0]}<extra></extra>")
    assert [list(of_point[1:]) for of_point in places.customdata] == [["<b>x</b>", "y"]]
    places.customdata = [of_point[:1] for of_point in places.customdata]
    assert "<b>x" not in str(figure.to_dict())
