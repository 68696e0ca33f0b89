import numpy as np
import pandas as pd
import pytest

from mteval.figures.colors import system_colors
from mteval.figures.runs import MOST_BINS, run_histogram, shared_bins
from mteval.values.notation import Notation


def frame(**systems: list[float]) -> pd.DataFrame:
    """A table of the scores of each system's runs."""
    rows = []
    for system, scores in systems.items():
        for run, score in enumerate(scores):
            rows.append((system, str(run), score))
    return pd.DataFrame(rows, columns=["system", "run", "score"])


def draw(scores: pd.DataFrame):
    """The histogram of scores by TER."""
    systems = list(scores["system"].unique())
    return run_histogram(scores, systems, system_colors(systems), "TER", Notation("↓"))


def test_the_bars_of_a_system_count_its_runs_on_bins_shared_by_all() -> None:
    figure = draw(frame(a=[1.0, 1.2, 2.0], b=[1.1, 3.0]))

    bars_of_a, bars_of_b = figure.data
    assert sum(bars_of_a.y) == 3
    assert sum(bars_of_b.y) == 2
    assert list(bars_of_a.x) == list(bars_of_b.x)


def test_each_average_has_a_line_and_a_label_on_a_row_of_its_own() -> None:
    figure = draw(frame(a=[1.0, 2.0], b=[1.4, 1.6], c=[1.5, 1.5]))

    assert {shape.x0 for shape in figure.layout.shapes} == {1.5}
    labels = figure.layout.annotations
    assert [label.text for label in labels] == ["mean 1.50"] * 3
    shifts = sorted(label.yshift for label in labels)
    assert np.diff(shifts).min() >= 20  # pixels; the text is 14 high
    assert figure.layout.margin.t >= shifts[-1] + 20


def test_no_line_runs_through_a_label_since_labels_stand_right_of_their_lines_and_the_leftmost_is_highest() -> None:
    figure = draw(frame(mid=[5.0], low=[1.0], high=[9.0]))

    labels = figure.layout.annotations
    for label in labels:
        assert label.xanchor == "left"
        assert label.xshift > 0
    labels_from_the_lowest = sorted(labels, key=lambda label: label.yshift)
    assert [label.x for label in labels_from_the_lowest] == [9.0, 5.0, 1.0]


def test_the_legend_names_the_systems() -> None:
    figure = draw(frame(a=[1.0], b=[2.0]))

    assert figure.layout.showlegend
    assert [bar.name for bar in figure.data] == ["a", "b"]


def test_the_axes_name_what_they_count() -> None:
    figure = draw(frame(a=[1.0, 2.0]))

    assert figure.layout.xaxis.title.text == "TER (points)"
    assert figure.layout.yaxis.title.text == "Runs"
    assert figure.layout.yaxis.dtick == 1


def test_a_system_without_defined_scores_is_left_out() -> None:
    figure = draw(frame(a=[1.0, 2.0], b=[float("nan")]))

    assert [bar.name for bar in figure.data] == ["a"]


def test_markup_in_names_is_literal() -> None:
    scores = frame(**{"<b>x</b>": [1.0]})

    figure = run_histogram(scores, ["<b>x</b>"], {"<b>x</b>": "#000"}, "BLEU", Notation("↑"))

    for bars in figure.data:
        bars.customdata = [text for text, *_ in bars.customdata]  # what a click is about is not drawn
    assert "<b>" not in str(figure.to_dict())


@pytest.mark.parametrize("n", [2, 6, 60, 600, 6000])
def test_bins_cover_all_values_with_edges_at_round_numbers(n) -> None:
    values = np.random.default_rng(n).normal(30, 1, size=n)
    edges = shared_bins(values)

    assert edges[0] <= values.min()
    assert values.max() < edges[-1]
    n_bins = len(edges) - 1
    assert 2 <= n_bins <= MOST_BINS + 2
    width = edges[1] - edges[0]
    power_of_ten = 10 ** np.floor(np.log10(width) + 1e-9)
    assert round(width / power_of_ten, 9) in (1, 2, 5)


def test_equal_values_share_one_bin_and_no_values_make_an_empty_axis() -> None:
    assert len(shared_bins(np.array([5.0, 5.0]))) == 2
    assert len(shared_bins(np.zeros(0))) == 2
