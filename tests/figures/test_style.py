import plotly.graph_objects as go
import pytest

from mteval.figures.colors import BETTER, WORSE, system_colors
from mteval.figures.style import LONGEST_NAME, padded_range, plain, points_in_words, short


def test_a_system_keeps_its_colour_when_others_are_added() -> None:
    colors_of_two = system_colors(["base", "new"])
    colors_of_three = system_colors(["base", "new", "newer"])

    for system, color in colors_of_two.items():
        assert colors_of_three[system] == color


def test_the_first_six_systems_have_colours_of_their_own_and_more_systems_start_over() -> None:
    systems = [f"s{number}" for number in range(8)]

    colors = list(system_colors(systems).values())

    assert len(set(colors[:6])) == 6
    assert colors[6:] == colors[:2]


def test_no_system_has_the_colour_of_better_or_worse() -> None:
    systems = [f"s{number}" for number in range(12)]
    assert not {BETTER, WORSE} & set(system_colors(systems).values())


def test_markup_in_names_is_shown_literally() -> None:
    assert plain('<a href="http://x">&</a>') == '&lt;a href="http://x"&gt;&amp;&lt;/a&gt;'


def test_no_name_is_filled_in_or_turns_a_label_round() -> None:
    assert plain("%{x} 50% {y}") == "%&#123;x} 50% {y}"
    assert plain("a\u202eb") == "a⟨U+202E⟩b"


def test_a_long_name_keeps_both_ends_within_the_limit() -> None:
    shortened = short("start" + "x" * 200 + "end")

    assert shortened.startswith("start")
    assert shortened.endswith("end")
    assert len(shortened) <= LONGEST_NAME


def test_a_long_name_is_cut_before_it_is_escaped_so_that_no_entity_is_cut() -> None:
    shortened = short("<" * 100)

    assert "&lt;" * 13 in shortened
    assert shortened.replace("&lt;", "").replace("…", "") == ""


def test_a_single_value_still_gets_an_axis() -> None:
    low, high = padded_range(20.0, 20.0)
    assert low < 20.0 < high


def test_each_point_is_said_as_when_it_is_pointed_at() -> None:
    figure = go.Figure(
        go.Scatter(x=[1, 2], y=[3, 4], customdata=["3.10", "4.20"], hovertemplate="best of %{x}: %{customdata}")
    )
    assert points_in_words(figure) == ("best of 1: 3.10", "best of 2: 4.20")


@pytest.mark.parametrize(
    ("trace", "points"),
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
def test_marks_that_stand_for_nothing_are_left_out(trace: go.Scatter, points: tuple[str, ...]) -> None:
    assert points_in_words(go.Figure(trace)) == points
