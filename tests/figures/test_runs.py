import numpy as np
import pandas as pd
import pytest

from mteval.figures.colors import system_colors
from mteval.figures.runs import run_histogram, run_strip, stacked
from mteval.figures.style import points_in_words
from mteval.values.notation import Notation

SCORES = pd.DataFrame(
    [("a", "0", 18.0), ("a", "1", 19.0), ("a", "2", 20.0), ("b", "seed7", 21.5)], columns=["system", "run", "score"]
)
SUMMARY = pd.DataFrame(
    [("a", 19.0, 0.3, 1.0, "1"), ("b", 21.5, 0.4, np.nan, "seed7")],
    columns=["system", "mean", "s_sel", "s_opt", "median_run"],
)
COLORS = system_colors(["a", "b"])
BLEU = Notation("↑")


def traces(figure, mode):
    """The marks of one kind: dots are markers, bars lines, averages markers with text."""
    return [trace for trace in figure.data if trace.mode == mode]


def test_every_run_is_a_dot_in_the_row_of_its_system() -> None:
    figure = run_strip(SCORES, SUMMARY, COLORS, "BLEU", BLEU)

    dots_of_a, dots_of_b = traces(figure, "markers")
    assert list(dots_of_a.x) == [18.0, 19.0, 20.0]
    assert list(dots_of_b.x) == [21.5]
    assert set(np.round(dots_of_a.y)) == {0}
    assert set(np.round(dots_of_b.y)) == {1}


def test_the_bars_reach_one_spread_to_both_sides_of_the_average_and_a_single_run_has_no_bar_over_runs() -> None:
    figure = run_strip(SCORES, SUMMARY, COLORS, "BLEU", BLEU)

    # a: 19 ± 1 over runs and 19 ± 0.3 over test sets; b: 21.5 ± 0.4 over test sets
    ends_of_bars = [bar.x for bar in traces(figure, "lines")]
    np.testing.assert_allclose(ends_of_bars, [(18.0, 20.0), (18.7, 19.3), (21.1, 21.9)], rtol=0, atol=5e-10)


def test_dots_of_equal_scores_are_stacked_even_if_nothing_varies() -> None:
    scores = pd.DataFrame([("a", run, 20.0) for run in "012"], columns=["system", "run", "score"])
    summary = pd.DataFrame([("a", 20.0, 0.0, 0.0, "0")], columns=SUMMARY.columns)
    figure = run_strip(scores, summary, COLORS, "BLEU", BLEU)

    dots = traces(figure, "markers")[0]
    assert len(set(dots.y)) == 3


def test_the_median_run_is_drawn_open_and_named() -> None:
    figure = run_strip(SCORES, SUMMARY, COLORS, "BLEU", BLEU)

    dots_of_a = traces(figure, "markers")[0]
    assert list(dots_of_a.marker.symbol) == ["circle", "circle-open", "circle"]
    assert [text for text, *_ in dots_of_a.customdata] == [
        "a, run 0: 18.00",
        "a, run 1, median run: 19.00",
        "a, run 2: 20.00",
    ]


def test_what_is_shown_is_rounded_as_in_tables_with_the_decimals_of_the_metric() -> None:
    """Half up: 0.00125 and 0.85425 would be 0.0012 and 0.8542 by the formats of Python and D3."""
    scores = pd.DataFrame([("a", "0", 0.85425)], columns=["system", "run", "score"])
    summary = pd.DataFrame([("a", 0.85425, 0.0033, 0.00125, "0")], columns=SUMMARY.columns)
    figure = run_strip(scores, summary, COLORS, "COMET", Notation("↑", decimals=4))

    assert [bar.hovertemplate for bar in traces(figure, "lines")] == [
        "a, ±1 SD (training): 0.0013<extra></extra>",
        "a, ±1 SD (test set): 0.0033<extra></extra>",
    ]
    (dots,) = traces(figure, "markers")
    assert [text for text, *_ in dots.customdata] == ["a, run 0, median run: 0.8543"]
    (average,) = traces(figure, "markers+text")
    assert list(average.text) == ["0.8543"]
    assert "0.8543" in average.hovertemplate


def test_the_axis_names_its_unit_and_the_rows_their_systems() -> None:
    figure = run_strip(SCORES, SUMMARY, COLORS, "BLEU", BLEU)

    assert figure.layout.xaxis.title.text == "BLEU (points)"
    assert list(figure.layout.yaxis.ticktext) == ["a", "b"]


def test_markup_in_names_of_systems_and_runs_is_literal() -> None:
    scores = pd.DataFrame([("<b>x</b>", "<i>0</i>", 18.0)], columns=["system", "run", "score"])
    summary = pd.DataFrame([("<b>x</b>", 18.0, 0.3, np.nan, "-")], columns=SUMMARY.columns)
    figure = run_strip(scores, summary, {"<b>x</b>": "#000"}, "BLEU", BLEU)

    for dots in traces(figure, "markers"):
        dots.customdata = [text for text, *_ in dots.customdata]  # what a click is about is not drawn
    text = str(figure.to_dict()).replace("<extra></extra>", "")
    assert "<b>" not in text
    assert "<i>" not in text


def test_undefined_scores_are_left_out_and_a_figure_of_nothing_else_is_still_drawn() -> None:
    scores = SCORES.assign(score=np.nan)
    summary = SUMMARY.assign(mean=np.nan, s_sel=np.nan, s_opt=np.nan)
    figure = run_strip(scores, summary, COLORS, "BLEU", BLEU)

    assert [len(dots.x) for dots in traces(figure, "markers")] == [0, 0]


def test_dots_on_one_level_are_a_width_apart_unless_all_levels_are_taken() -> None:
    values = np.sort(np.random.default_rng(4).normal(size=40))
    levels = stacked(values, np.zeros(40, dtype=bool), 0.1)
    n_overlaps = 0
    for index, value in enumerate(values):
        earlier = values[:index]
        last_values = [earlier[levels[:index] == level].max(initial=-np.inf) for level in range(4)]
        if value - last_values[int(levels[index])] < 0.1:
            n_overlaps += 1
            assert value - min(last_values) < 0.1
    assert n_overlaps < 3


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1.0, 1.0, 1.0], [0, 1, 2]), ([3.0, 1.0, 2.0], [0, 0, 0]), ([1.0] * 6, [0, 1, 2, 3, 0, 0])],
)
def test_equal_scores_are_stacked_and_distant_ones_stay_on_the_ground(values, expected) -> None:
    assert stacked(np.array(values), np.zeros(len(values), dtype=bool), 0.5).tolist() == expected


@pytest.mark.parametrize("seed", range(5))
def test_no_dot_is_drawn_over_the_ring_of_the_median_run(seed: int) -> None:
    values = np.round(np.random.default_rng(seed).normal(size=61), 1)  # many are equal
    is_ring = np.zeros(61, dtype=bool)
    is_ring[np.argsort(values)[30]] = True
    heights = stacked(values, is_ring, 0.2)
    beside = np.abs(values - values[is_ring]) < 0.2
    assert heights[is_ring] == 0
    assert (heights[beside & ~is_ring] > 0).all()


def test_without_a_free_level_a_dot_goes_where_most_room_is() -> None:
    values = np.array([1.0, 1.1, 1.2, 1.3, 1.4])
    assert stacked(values, np.zeros(5, dtype=bool), 0.5).tolist() == [0, 1, 2, 3, 0]


def test_a_dot_and_a_bar_know_what_they_are_about() -> None:
    strip = run_strip(SCORES, SUMMARY, COLORS, "BLEU", BLEU)
    dots, _ = traces(strip, "markers")
    assert [list(dot[1:]) for dot in dots.customdata] == [["a", "0"], ["a", "1"], ["a", "2"]]
    assert "a, run 1, median run: 19.00" in points_in_words(strip), "the text alone is read out"
    histogram = run_histogram(SCORES, ["a"], COLORS, "BLEU", BLEU)
    assert histogram.data[0].customdata
    for _, system, low, high in histogram.data[0].customdata:
        assert system == "a"
        assert low < high
