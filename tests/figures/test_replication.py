"""The figures of the replication page: what they draw, read from the figure itself."""

import numpy as np
import pandas as pd
import pytest

from mteval.figures.luck import luck_histogram, p_value_ranges
from mteval.figures.planning import detectable_curves, median_curves, power_curves, variance_bars
from mteval.figures.spread import difference_ridges, difference_slider
from mteval.figures.style import points_in_words
from mteval.values.notation import Notation

NAN = float("nan")
BLEU = Notation("↑")
COMET = Notation("↑", decimals=4)


def spread(n: int = 4) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Histograms of four bins from -1 to 3, and what fresh runs would show."""
    rows = []
    for k in range(1, n + 1):
        rows += [
            (k, -1, 0.0, 0.1 / k),
            (k, 0, 1.0, 0.5 - 0.1 / k),
            (k, 1, 2.0, 0.4),
            (k, 2, 3.0, 0.1),
        ]
    frequencies = pd.DataFrame(rows, columns=["k", "left", "right", "share"])

    outlook = pd.DataFrame({"k": range(1, n + 1), "expected": 0.8, "wrong_sign": [0.1, 0.02, 0.0004, NAN][:n]})
    outlook["standard_deviation"] = 0.9 / np.sqrt(outlook["k"])
    outlook["pool_wrong_sign"] = [0.1 / k for k in range(1, n)] + [NAN]  # of all runs there is one combination
    return frequencies, outlook


def texts(figure) -> list[str]:
    """What is written into a figure."""
    return [annotation.text for annotation in figure.layout.annotations]


def bars_of(figure) -> list:
    """The bars of a figure: of each row those of either side of zero."""
    return [trace for trace in figure.data if trace.type == "bar"]


def reach(bars) -> tuple[float, float]:
    """The left and the right end of bars."""
    half = np.array(bars.width) / 2
    return float(min(bars.x - half)), float(max(bars.x + half))


def test_each_number_of_runs_is_a_row_with_its_risk() -> None:
    figure = difference_ridges(*spread(), "BLEU", BLEU)

    assert list(figure.layout.yaxis.ticktext) == ["1 run", "2 runs", "3 runs", "4 runs"]
    # the texts alternate between a row's bars (of these runs) and its curve (of fresh runs)
    beside_rows = [text for text in texts(figure) if "%" in text or text == "–"]
    assert beside_rows[::2] == ["10.0%", "5.0%", "3.3%", "–"]
    assert beside_rows[1::2] == ["10.0%", "2.0%", "&lt; 0.1%", "–"]
    assert "all runs +0.80" in texts(figure)


def test_the_wrong_side_of_zero_has_a_colour_of_its_own() -> None:
    frequencies, outlook = spread(1)

    right, wrong = bars_of(difference_ridges(frequencies, outlook, "BLEU", BLEU))
    assert reach(right) == (0, 3)
    assert reach(wrong) == (-1, 0)
    assert right.marker.color != wrong.marker.color

    outlook["expected"] = -0.8
    right, wrong = bars_of(difference_ridges(frequencies, outlook, "TER", BLEU))
    assert reach(right) == (-1, 0)


def test_areas_of_the_rows_can_be_compared() -> None:
    figure = difference_ridges(*spread(2), "BLEU", BLEU)

    area_of_row = {0: 0.0, -1: 0.0}
    for bars in bars_of(figure):
        area_of_row[bars.base] += float(np.sum(bars.y) * bars.width)
    assert area_of_row[0] == pytest.approx(area_of_row[-1])


def test_a_bar_says_how_many_combinations_it_has_and_means_its_difference() -> None:
    figure = difference_ridges(*spread(1), "BLEU", BLEU)

    right, wrong = bars_of(figure)
    assert points_in_words(figure)[-1] == "1 run: 10.0% near −0.50; 10.0% on this side of zero"
    assert [difference for _, difference in wrong.customdata] == [-0.5]
    assert [difference for _, difference in right.customdata] == [0.5, 1.5, 2.5]


def test_a_row_is_sent_in_few_bytes() -> None:
    """A curve has 161 points; coordinates with all their bits would take 3,500 bytes of a row."""
    bytes_of_rows = [len(difference_ridges(*spread(n), "BLEU", BLEU).to_json()) for n in (3, 4)]
    assert bytes_of_rows[1] - bytes_of_rows[0] < 2_500

    curve = difference_ridges(*spread(1), "BLEU", BLEU).data[-1]
    ends = curve.x0, curve.x0 + (len(curve.y) - 1) * curve.dx
    assert ends == pytest.approx((0.8 - 3 * 0.9, 0.8 + 3 * 0.9))
    assert curve.x0 + curve.dx * int(np.argmax(curve.y)) == pytest.approx(0.8, abs=curve.dx)


def test_many_numbers_of_runs_are_thinned_to_eight_rows() -> None:
    ks = [*range(1, 11), 12, 15, 19, 24, 30]
    frequencies = pd.DataFrame({"k": ks, "left": 0.0, "right": 1.0, "share": 1.0})
    outlook = pd.DataFrame(
        {"k": ks, "expected": 0.5, "wrong_sign": 0.1, "standard_deviation": 0.3, "pool_wrong_sign": 0.2}
    )

    names = difference_ridges(frequencies, outlook, "BLEU", BLEU).layout.yaxis.ticktext

    assert 5 <= len(names) <= 8
    assert names[0] == "1 run"
    assert names[-1] == "30 runs"


def test_the_slider_has_a_step_and_a_frame_for_each_number_on_one_axis() -> None:
    figure = difference_slider(*spread(), "BLEU", BLEU)

    assert [frame.name for frame in figure.frames] == ["1", "2", "3", "4"]
    assert [step.label for step in figure.layout.sliders[0].steps] == ["1", "2", "3", "4"]
    for frame in figure.frames:
        assert len(frame.data) == len(figure.data)
        bars_of_either_side = frame.data[:2]
        assert sum(sum(bars.y) for bars in bars_of_either_side) == pytest.approx(1)
    assert figure.layout.yaxis.range[1] > 0.4
    assert "2 runs each" in figure.frames[1].layout.annotations[1].text


def test_runs_that_do_not_vary_draw_no_curve() -> None:
    frequencies, outlook = spread(2)
    outlook["standard_deviation"] = 0.0

    figure = difference_ridges(frequencies, outlook, "BLEU", BLEU)

    curves = [trace for trace in figure.data if trace.type == "scatter"]
    assert np.isnan([curve.y for curve in curves]).all()


def published() -> pd.DataFrame:
    """The p-values of two procedures: with one run each, where b has no answer, and with five."""
    columns = ["n", "baseline_run", "system_run", "procedure", "p_low", "p_median", "p_high", "n_draws"]
    rows = [
        (1, "high", "low", "a", 0.2, 0.2, 0.2, 1), (1, "high", "low", "b", NAN, NAN, NAN, 1),
        (5, "random", "random", "a", 1e-6, 0.01, 0.3, 250), (5, "random", "random", "b", 0.1, 0.2, 0.3, 250),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def test_p_values_stand_in_blocks_and_what_is_not_answered_is_left_out() -> None:
    figure = p_value_ranges(published(), {"a": "A", "b": "B"}, 0.05)

    assert list(figure.layout.yaxis.ticktext) == ["A", "A", "B"]
    assert "<b>one run each: high vs low</b>" in texts(figure)
    assert "<b>5 runs each, 250 random draws</b>" in texts(figure)
    assert [list(trace.x) for trace in figure.data] == [[0.2] * 3, [1e-4, 0.01, 0.3], [0.1, 0.2, 0.3]]
    titles = [annotation.y for annotation in figure.layout.annotations]
    for title, level in zip(titles, figure.layout.shapes, strict=True):
        assert (level.x0, level.x1) == (0.05, 0.05)
        assert title < level.y0 < level.y1, "the level crosses no title"


def test_every_draw_is_in_the_histogram_in_its_colour_and_the_last_one_is_marked() -> None:
    drawn = pd.DataFrame({"difference": [0.5, 0.6, -0.4, 1.9], "conclusion": ["better", "open", "worse", "better"]})
    figure = luck_histogram(drawn, (-1.0, 2.0), 0.7, "BLEU", BLEU)

    better, unclear, worse, last_draw = figure.data[:4]
    assert better.name == "▲ better"
    assert sum(better.y) == 2
    assert better.marker.color == "#009E73"  # the green of Okabe and Ito
    assert unclear.name == "○ no clear difference"
    assert sum(unclear.y) == 1
    grey = unclear.marker.color
    red_green_and_blue = [int(grey[place : place + 2], 16) for place in (1, 3, 5)]
    assert max(red_green_and_blue) - red_green_and_blue[0] < 32
    assert worse.name == "▼ worse"
    assert worse.marker.pattern.shape == "/", "for readers who cannot tell the colours apart"
    assert sum(worse.y) == 1
    assert worse.marker.color == "#D55E00"  # the vermilion of Okabe and Ito
    assert list(last_draw.x) == [1.9]
    # bars fill 96% of their bins, one of whose edges is at zero
    left_edges = np.array(better.x) - np.array(better.width) / 0.96 / 2
    assert np.isclose(left_edges, 0).any()

    figure_without_draws = luck_histogram(drawn.head(0), (-1.0, 2.0), 0.7, "BLEU", BLEU)
    assert len(figure_without_draws.data) == 3


def test_bars_of_variance_are_shares_labelled_where_there_is_room() -> None:
    rows = []
    for difference in ("one", "other"):
        for source, share in (("runs", 0.05), ("test set", 0.6), ("both", 0.35)):
            rows.append((difference, source, share, share))
    variances = pd.DataFrame(rows, columns=["what", "source", "variance", "share"])

    figure = variance_bars(variances, "BLEU", BLEU)

    assert [trace.name for trace in figure.data] == ["runs", "test set", "both"]
    assert [trace.text[0] for trace in figure.data] == ["", "60%", "35%"]
    assert texts(figure) == ["s = 1.00 BLEU"] * 2


def test_a_curve_for_each_size_of_the_test_set() -> None:
    rows = []
    for n_units in (100, 2_000):
        for n_runs in (2, 5, 50):
            rows.append((n_runs, n_units, n_runs / 60, 3.0 / n_runs))
    frame = pd.DataFrame(rows, columns=["n_runs", "n_units", "power", "detectable"])

    of_power = power_curves(frame, 0.8, "segment", "runs of each system")
    of_detectable_differences = detectable_curves(frame, 0.5, "segment", "BLEU", BLEU, "runs of each system")

    for figure in (of_power, of_detectable_differences):
        assert [trace.name for trace in figure.data] == ["100 segments", "2,000 segments"]
        assert list(figure.layout.xaxis.ticktext) == ["2", "5", "50"]
    assert of_detectable_differences.layout.yaxis.range[1] > 0.6


def test_the_median_has_lines_for_fresh_runs_and_dots_for_these() -> None:
    rows = [("a", 1, 0.6, 0.7, NAN), ("a", 2, 0.6, 0.7, NAN), ("<b>", 1, 0.6, 0.7, NAN), ("<b>", 2, 0.6, 0.7, NAN)]
    frame = pd.DataFrame(rows, columns=["system", "k", "within", "pool_within", "elsewhere_within"])

    figure = median_curves(frame, {"a": "#111111", "<b>": "#222222"}, 0.95)

    assert [(trace.name, trace.mode) for trace in figure.data] == [
        ("a, new runs", "lines"),
        ("a, these runs", "markers"),
        ("&lt;b&gt;, new runs", "lines"),
        ("&lt;b&gt;, these runs", "markers"),
    ]


def test_numbers_between_0_and_1_have_the_decimals_of_their_metric_wherever_they_are_shown() -> None:
    frequencies, outlook = spread(2)
    small = frequencies.assign(left=frequencies["left"] / 1000, right=frequencies["right"] / 1000)
    small_outlook = outlook.assign(expected=0.00085, standard_deviation=0.0033)
    assert "all runs +0.0009" in texts(difference_ridges(small, small_outlook, "COMET", COMET))

    slider = difference_slider(small, small_outlook, "COMET", COMET)
    assert "SD 0.0033" in slider.frames[0].layout.annotations[1].text
    assert slider.frames[0].data[0].customdata[0][0] == "−0.0005: 10.0%"

    power = pd.DataFrame([(2, 100, 0.5, 0.00405)], columns=["n_runs", "n_units", "power", "detectable"])
    figure = detectable_curves(power, 0.002, "segment", "COMET", COMET, "runs of each system")
    assert list(figure.data[0].customdata) == ["2 runs, 100 segments: 0.0041"]
    assert figure.layout.yaxis.title.text == "Detectable difference in COMET (points)"

    variance = pd.DataFrame([("d", source, 3e-6, 1 / 3) for source in "abc"])
    variance.columns = ["what", "source", "variance", "share"]
    assert texts(variance_bars(variance, "COMET", COMET)) == ["s = 0.0030 COMET"]

    drawn = pd.DataFrame({"difference": [0.0012], "conclusion": ["better"]})
    bars = luck_histogram(drawn, (0.0, 0.0072), 0.001, "COMET", COMET).data[0]
    assert [text for text, _ in bars.customdata][:2] == ["+0.0001", "+0.0003"]


def test_without_a_better_direction_no_bar_is_green() -> None:
    drawn = pd.DataFrame({"difference": [0.5, -0.4], "conclusion": ["better", "worse"]})
    higher, _, lower = luck_histogram(drawn, (-1.0, 2.0), 0.7, "Length", Notation("")).data[:3]
    assert (higher.name, lower.name) == ("△ higher", "▽ lower")
    assert {higher.marker.color, lower.marker.color} == {"#2483C5"}
    assert lower.marker.pattern.shape == "/"


def test_an_axis_of_a_ratio_is_in_percent() -> None:
    figure = difference_ridges(*spread(1), "Length of b − Length of a", Notation("", unit="%"))
    assert figure.layout.xaxis.title.text == "Length of b − Length of a (%)"


def test_draws_that_cannot_differ_have_a_bin_of_their_own() -> None:
    drawn = pd.DataFrame({"difference": [0.0, 0.0], "conclusion": ["open", "open"]})
    figure = luck_histogram(drawn, (0.0, 0.0), 0.0, "BLEU", BLEU)
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert sum(sum(bar.y) for bar in bars) == 2

    assert luck_histogram(drawn.iloc[:0], (0.0, 0.0), 0.0, "BLEU", BLEU).data
