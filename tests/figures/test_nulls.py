import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from mteval.figures.colors import BETTER, WORSE
from mteval.figures.significance import DRAWS_COLOR, NULL_COLOR, OBSERVED_COLOR, null_distributions
from mteval.values.notation import Notation

BLEU = Notation("↑")
NULL = np.random.default_rng(1).normal(0, 0.2, 5_000)


def frame(**changes: object) -> pd.DataFrame:
    """A table of one test whose observed difference is 0.5, with some of its values changed."""
    row = {
        "name": "test",
        "statistic": 0.5,
        "null": None,
        "draws": None,
        "standard_error": float("nan"),
        "df": float("nan"),
        "is_absolute": False,
    }
    return pd.DataFrame([row | changes])


def traces(tests: pd.DataFrame) -> list:
    """The area and the mark of each row."""
    figure = null_distributions(tests, "BLEU", BLEU)
    return [trace for trace in figure.data if trace.x[0] is not None]


def test_the_area_is_the_histogram_of_the_null_distribution_and_the_observed_difference_is_marked() -> None:
    area, mark = traces(frame(null=NULL))

    assert min(area.x) == NULL.min()
    assert max(area.x) == NULL.max()
    counts, left_edges = np.histogram(NULL, 90)
    highest_bin = int(np.argmax(counts))
    x_where_highest = np.asarray(area.x)[np.asarray(area.y) == max(area.y)]
    assert left_edges[highest_bin] in x_where_highest
    assert list(mark.x) == [0.5, 0.5]
    assert mark.hovertemplate.startswith("observed difference: +0.50<")


def test_draws_without_a_score_are_left_out_of_the_histogram() -> None:
    null_with_an_undefined_draw = np.concatenate([[np.nan], NULL])

    area, _ = traces(frame(null=NULL))
    area_with_an_undefined_draw, _ = traces(frame(null=null_with_an_undefined_draw))
    np.testing.assert_array_equal(area_with_an_undefined_draw.y, area.y)

    area_without_scores = traces(frame(draws=np.full(100, np.nan)))[0]
    assert set(area_without_scores.y) == {0.0}


def test_replicates_have_zero_marked_instead() -> None:
    area, mark = traces(frame(draws=NULL + 0.5))

    assert np.median(area.x) > 0.2
    assert list(mark.x) == [0.0, 0.0]
    assert "zero" in mark.hovertemplate


def test_a_standard_error_draws_students_density() -> None:
    area, _ = traces(frame(standard_error=0.3, df=4.0))

    # the first and the last point close the area
    x = np.asarray(area.x)[1:-1]
    y = np.asarray(area.y)[1:-1]
    expected = student.pdf(x / 0.3, 4)
    np.testing.assert_allclose(y / y.max(), expected / expected.max(), rtol=1e-9)


def test_absolute_differences_are_drawn_on_the_side_of_the_observed_one() -> None:
    null = np.abs(NULL) - 0.1

    area, mark = traces(frame(null=null, statistic=-0.5, is_absolute=True))
    assert mark.x[0] == -0.5
    assert min(area.x) == -null.max()

    area, mark = traces(frame(null=null, statistic=0.5, is_absolute=True))
    assert mark.x[0] == 0.5
    assert max(area.x) == null.max()


def test_all_rows_share_one_axis_and_the_first_is_on_top() -> None:
    tests = pd.concat([frame(name="first", null=NULL), frame(name="second", draws=NULL + 3)])
    figure = null_distributions(tests, "BLEU", BLEU)

    low, high = figure.layout.xaxis.range
    assert low < NULL.min()
    assert high > (NULL + 3).max()
    first_area, second_area = [trace for trace in figure.data if trace.fill == "toself"]
    assert min(first_area.y) == pytest.approx(1.0)
    assert min(second_area.y) == pytest.approx(0.0)
    first_name, second_name = figure.layout.annotations
    assert (first_name.text, second_name.text) == ("first", "second")
    assert first_name.y > max(second_area.y)


def test_names_are_above_their_rows_where_they_take_no_width_from_a_phone() -> None:
    figure = null_distributions(frame(name="A procedure with quite a long name", null=NULL), "BLEU", BLEU)

    (name,) = figure.layout.annotations
    (area,) = [trace for trace in figure.data if trace.fill == "toself"]
    assert name.y >= max(area.y)
    assert figure.layout.yaxis.showticklabels is False


def test_a_null_distribution_of_one_value_is_drawn_all_the_same() -> None:
    area, _ = traces(frame(null=np.zeros(100), statistic=0.0))

    assert max(area.y) > 0


def test_markup_in_names_is_literal() -> None:
    figure = null_distributions(frame(name="<b>x</b>", null=NULL), "<i>u</i>", BLEU)

    assert "<b>" not in str(figure.to_dict())


def test_no_mark_has_the_colour_of_better_or_worse() -> None:
    assert not {NULL_COLOR, DRAWS_COLOR, OBSERVED_COLOR} & {BETTER, WORSE}
