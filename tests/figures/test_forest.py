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


def verdict(system: str, improvement: float, both: Answer = "open", notation: Notation = DOWN) -> Verdict:
    difference = -improvement if notation.direction == "↓" else improvement
    reach = NAN if both == "refused" else 2.0
    return Verdict(
        test_set="test", metric="ter", metric_name="TER", baseline="base", system=system, difference=difference,
        improvement=improvement, n_runs=3, unit="segment", test_set_luck="ruled out", p_test_set=0.01,
        p_test_set_adjusted=0.02, note_test_set="", both=both, p_both=0.03, p_both_adjusted=0.03,
        low=difference - reach, high=difference + reach, note_both="", notation=notation,
        low_test_set=difference - 1.0, high_test_set=difference + 1.0,
    )  # fmt: skip


VERDICTS = [verdict("worse", -3.0, "ruled out"), verdict("a<b>", 4.0, "ruled out"), verdict("near", 0.5)]


def names(figure: go.Figure) -> list[str]:
    return list(figure.layout.yaxis.ticktext)


def points(figure: go.Figure) -> dict[str, tuple[float, str]]:
    """Of each row where its mark stands, and its symbol."""
    return {
        names(figure)[int(row)]: (x, trace.marker.symbol)
        for trace in figure.data
        if trace.mode == "markers"
        for x, row in zip(trace.x, trace.y, strict=True)
    }


def test_rows_go_from_best_to_worst_with_the_baseline_where_it_belongs_and_names_are_text() -> None:
    figure = forest(VERDICTS, None, 0.95)
    assert names(figure) == ["a&lt;b&gt;", "near", "base", "worse"]
    assert {name: x for name, (x, _) in points(figure).items()} == {
        "a&lt;b&gt;": -4.0, "near": -0.5, "base": 0.0, "worse": 3.0,
    }  # fmt: skip
    low, high = figure.layout.yaxis.range
    assert low > high, "the best stands at the top"
    assert "left is better" in figure.layout.xaxis.title.text


def test_the_thick_bar_is_test_set_luck_and_the_thin_one_both_kinds_on_one_row() -> None:
    bars = [trace for trace in forest(VERDICTS, None, 0.95).data if trace.mode == "lines"]
    near = [trace for trace in bars if trace.y[0] == 1]
    assert [list(trace.x) for trace in near] == [[-1.5, 0.5], [-2.5, 1.5]]
    assert near[0].line.width > near[1].line.width


def test_what_was_refused_has_no_thin_bar_and_what_has_no_difference_no_row() -> None:
    figure = forest([verdict("one", 1.0, "refused"), verdict("none", NAN, "refused")], None, 0.95)
    assert names(figure) == ["one", "base"]
    assert len([trace for trace in figure.data if trace.mode == "lines"]) == 1
    assert all(math.isfinite(end) for end in figure.layout.xaxis.range)


def test_shapes_say_what_colours_say_and_the_legend_has_those_that_are_there() -> None:
    figure = forest(VERDICTS, None, 0.95)
    symbols = {name: symbol for name, (_, symbol) in points(figure).items()}
    assert symbols["a&lt;b&gt;"] == "triangle-up", "better, though TER fell"
    assert symbols["worse"] == "triangle-down"
    assert len(set(symbols.values())) == 4
    shown = [trace.name for trace in figure.data if trace.showlegend or trace.name == "baseline"]
    assert shown == ["better", "worse", Conclusion.NOT_SHOWN.word, "baseline"]
    assert Conclusion.BETTER.word == shown[0]


def test_ranks_stand_on_the_right_and_a_line_parts_groups() -> None:
    rows = (Ranked("a<b>", 1.0, 1, 1, 1), Ranked("near", 2.0, 2, 4, 2), Ranked("base", 3.0, 2, 4, 2))
    found = Ranking("test", "ter", "Test", "segment", "Holm", True, 0.05, (*rows, Ranked("worse", 4.0, 2, 4, 2)))
    figure = forest(VERDICTS, found, 0.95)
    texts = {one.y: one.text for one in figure.layout.annotations if one.yref != "paper"}
    assert [texts[row] for row in range(4)] == ["1", "2–4", "2–4", "2–4"]
    lines = [shape.y0 for shape in figure.layout.shapes if shape.y0 == shape.y1]
    assert lines == [0.34], "between the marks of one row and the name of the next"


@pytest.mark.parametrize("n", [4, 30])
def test_a_row_has_room_for_its_name(n: int) -> None:
    figure = forest([verdict(f"s{i}", float(i)) for i in range(n)], None, 0.95)
    assert figure.layout.height / (n + 1) > 26
    assert np.ptp(figure.layout.yaxis.range) > n


def test_the_intervals_of_a_claim_name_their_luck() -> None:
    these_runs, these_test_sets, like_these = (
        Finding(question, "ruled out", 1.0 - reach, 1.0 + reach, 0.01, 0.01, "")
        for question, reach in ((THESE_RUNS, 0.25), (THESE_TEST_SETS, 0.5), (LIKE_THESE, 0.75))
    )
    claim = Claim(
        metric="bleu",
        metric_name="BLEU",
        notation=Notation("↑"),
        baseline="base",
        system="new",
        rows=(OnOne("news", "segment", 100, (3, 3), 1.0, 0.5, 1.5, 0.0, 2.0),),
        difference=1.0,
        improvement=1.0,
        these_runs=these_runs,
        these_test_sets=these_test_sets,
        like_these=like_these,
        tau=0.1,
        i_squared=0.1,
        n_groups=1,
    )
    hover_texts = [
        trace.hovertemplate.split(":")[0] for trace in claim_forest(claim, 0.95).data if trace.mode == "lines"
    ]
    assert hover_texts == [
        "news, 95% CI, test-set luck",
        "news, 95% CI, both",
        "Mean, 95% CI, these runs",
        "Mean, 95% CI, these test sets",
        "test sets like these, 95% CI, these test sets",
        "test sets like these, 95% CI, test sets like these",
    ]
