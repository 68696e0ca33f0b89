"""The forest plot: order, bars, shapes and ranks."""

import math

import numpy as np
import plotly.graph_objects as go
import pytest

from mteval.figures.forest import claim_forest, forest
from mteval.values.claim import LIKE_THESE, THESE_RUNS, THESE_TEST_SETS, Claim, Finding, OnOne
from mteval.values.notation import Notation
from mteval.values.verdict import Answer, Conclusion, Ranked, Ranking, Verdict

NAN = float("nan")
DOWN = Notation("↓")


def verdict(system: str, improvement: float, both: Answer = "open") -> Verdict:
    """The verdict on TER, whose interval of test-set luck reaches 1 to either side, and that of both kinds 2."""
    difference = -improvement
    reach = 2.0
    if both == "refused":
        reach = NAN
    return Verdict(
        test_set="test",
        metric="ter",
        metric_name="TER",
        notation=DOWN,
        baseline="base",
        system=system,
        difference=difference,
        improvement=improvement,
        n_runs=3,
        unit="segment",
        test_set_luck="ruled out",
        p_test_set=0.01,
        p_test_set_adjusted=0.02,
        low_test_set=difference - 1.0,
        high_test_set=difference + 1.0,
        note_test_set="",
        both=both,
        p_run=0.03,
        p_run_adjusted=0.03,
        low=difference - reach,
        high=difference + reach,
        note_both="",
    )


VERDICTS = [verdict("worse", -3.0, "ruled out"), verdict("a<b>", 4.0, "ruled out"), verdict("near", 0.5)]


def names(figure: go.Figure) -> list[str]:
    """The names of the rows, from the first to the last."""
    return list(figure.layout.yaxis.ticktext)


def bars(figure: go.Figure) -> list[go.Scatter]:
    """The intervals of all rows."""
    return [trace for trace in figure.data if trace.mode == "lines"]


def places_and_symbols(figure: go.Figure) -> tuple[dict[str, float], dict[str, str]]:
    """Of each row where its mark stands, and the symbol of its mark."""
    place_of_row = {}
    symbol_of_row = {}
    for trace in figure.data:
        if trace.mode == "markers":
            for x, row in zip(trace.x, trace.y, strict=True):
                name = names(figure)[int(row)]
                place_of_row[name] = x
                symbol_of_row[name] = trace.marker.symbol
    return place_of_row, symbol_of_row


def finding(question: str, reach: float) -> Finding:
    """The answer to a question of a claim whose interval reaches so far to either side of 1."""
    return Finding(question, "ruled out", 1.0 - reach, 1.0 + reach, 0.01, 0.01, "")


def test_rows_go_from_best_to_worst_with_the_baseline_where_it_belongs_and_names_are_text() -> None:
    figure = forest(VERDICTS, None, 0.95)

    assert names(figure) == ["a&lt;b&gt;", "near", "base", "worse"]
    place_of_row, _ = places_and_symbols(figure)
    assert place_of_row == {"a&lt;b&gt;": -4.0, "near": -0.5, "base": 0.0, "worse": 3.0}
    low, high = figure.layout.yaxis.range
    assert low > high, "the best stands at the top"
    assert "left is better" in figure.layout.xaxis.title.text


def test_the_thick_bar_is_test_set_luck_and_the_thin_one_both_kinds_on_one_row() -> None:
    figure = forest(VERDICTS, None, 0.95)

    test_set_luck, both_kinds = [bar for bar in bars(figure) if bar.y[0] == names(figure).index("near")]
    assert list(test_set_luck.x) == [-1.5, 0.5]
    assert list(both_kinds.x) == [-2.5, 1.5]
    assert test_set_luck.line.width > both_kinds.line.width


def test_what_was_refused_has_no_thin_bar_and_what_has_no_difference_no_row() -> None:
    figure = forest([verdict("one", 1.0, "refused"), verdict("none", NAN, "refused")], None, 0.95)

    assert names(figure) == ["one", "base"]
    assert len(bars(figure)) == 1
    assert all(math.isfinite(end) for end in figure.layout.xaxis.range)


def test_shapes_say_what_colours_say_and_the_legend_has_those_that_are_there() -> None:
    figure = forest(VERDICTS, None, 0.95)

    _, symbol_of_row = places_and_symbols(figure)
    assert symbol_of_row["a&lt;b&gt;"] == "triangle-up", "better, though TER fell"
    assert symbol_of_row["worse"] == "triangle-down"
    assert len(set(symbol_of_row.values())) == 4
    legend = [trace.name for trace in figure.data if trace.showlegend or trace.name == "baseline"]
    assert legend == ["better", "worse", Conclusion.NOT_SHOWN.word, "baseline"]
    assert Conclusion.BETTER.word == legend[0]


def test_ranks_stand_on_the_right_and_a_line_parts_groups() -> None:
    rows = (
        Ranked("a<b>", 1.0, 1, 1, 1),
        Ranked("near", 2.0, 2, 4, 2),
        Ranked("base", 3.0, 2, 4, 2),
        Ranked("worse", 4.0, 2, 4, 2),
    )
    ranking = Ranking("test", "ter", "Test", "segment", "Holm", True, 0.05, rows)

    figure = forest(VERDICTS, ranking, 0.95)

    ranks = {text.y: text.text for text in figure.layout.annotations if text.yref != "paper"}
    assert [ranks[row] for row in range(4)] == ["1", "2–4", "2–4", "2–4"]
    lines = [shape.y0 for shape in figure.layout.shapes if shape.y0 == shape.y1]
    assert lines == [0.34], "between the marks of one row and the name of the next"


def test_the_line_at_zero_crosses_no_name() -> None:
    figure = forest(VERDICTS, None, 0.95)

    zero_lines = [(shape.y0, shape.y1) for shape in figure.layout.shapes if shape.x0 == shape.x1 == 0]
    assert len(zero_lines) == len(names(figure))
    for row, (top, bottom) in enumerate(zero_lines):  # a name is in the half above the middle of its row
        assert row - 0.1 < top < row < bottom < row + 0.5


@pytest.mark.parametrize("n", [4, 30])
def test_a_row_has_room_for_its_name(n: int) -> None:
    verdicts = [verdict(f"s{number}", float(number)) for number in range(n)]

    figure = forest(verdicts, None, 0.95)

    assert figure.layout.height / (n + 1) > 26
    assert np.ptp(figure.layout.yaxis.range) > n


def a_claim() -> Claim:
    """A claim on one test set, with the mean and what other test sets would add."""
    return Claim(
        metric="bleu",
        metric_name="BLEU",
        notation=Notation("↑"),
        baseline="base",
        system="new",
        rows=(OnOne("news", "segment", 100, (3, 3), 1.0, 0.5, 1.5, 0.0, 2.0),),
        difference=1.0,
        improvement=1.0,
        these_runs=finding(THESE_RUNS, 0.25),
        these_test_sets=finding(THESE_TEST_SETS, 0.5),
        like_these=finding(LIKE_THESE, 0.75),
        tau=0.1,
        i_squared=0.1,
        n_groups=1,
    )


def test_the_intervals_of_a_claim_name_their_luck() -> None:
    figure = claim_forest(a_claim(), 0.95)

    assert [bar.hovertemplate.split(":")[0] for bar in bars(figure)] == [
        "news, 95% CI, test-set luck",
        "news, 95% CI, both",
        "Mean, 95% CI, these runs",
        "Mean, 95% CI, these test sets",
        "test sets like these, 95% CI, these test sets",
        "test sets like these, 95% CI, test sets like these",
    ]


def test_a_click_on_a_square_names_its_test_set_and_one_on_the_mean_names_nothing() -> None:
    squares, means = [trace for trace in claim_forest(a_claim(), 0.95).data if trace.mode == "markers"]
    assert [named for _, named in squares.customdata] == ["news"]
    assert all(isinstance(text, str) for text in means.customdata)


def test_a_click_on_a_mark_names_its_system() -> None:
    named = {}
    for trace in forest(VERDICTS, None, 0.95).data:
        if trace.mode == "markers":
            for row, of_point in zip(trace.y, trace.customdata, strict=True):
                _, named[row] = of_point
    assert [named[row] for row in sorted(named)] == ["a<b>", "near", "base", "worse"]
