"""Figures that say run say the user's word instead, and leave the user's names alone."""

import pandas as pd
import plotly.graph_objects as go

from mteval.figures.planning import power_curves
from mteval.figures.style import in_words
from mteval.values.run_words import RUN, RUN_WORDS, Wording


def test_titles_labels_and_what_is_pointed_at_speak_of_the_user_s_word() -> None:
    power = pd.DataFrame({"n_runs": [2, 3], "n_units": 100, "power": [0.5, 0.7], "detectable": [2.0, 1.0]})
    drawn = power_curves(power, 0.8, "segment", "checkpoints of each system", RUN_WORDS["checkpoint"])
    assert drawn.layout.xaxis.title.text == "checkpoints of each system"
    assert drawn.data[0].customdata[0].startswith("2 checkpoints, ")
    assert list(drawn.data[0].x) == [2, 3]


def test_names_of_systems_and_of_frames_stay() -> None:
    figure = go.Figure(
        [go.Scatter(name="run", y=[1]), go.Scatter(name="runs at hand", y=[2])],
        frames=[go.Frame(name="run 1", data=[go.Scatter(name="a run", y=[3])])],
    )
    drawn = in_words(figure, Wording(RUN_WORDS["optimizer run"], ("run",)))
    assert [trace.name for trace in drawn.data] == ["run", "optimizer runs at hand"]
    assert drawn.frames[0].name == "run 1"
    assert drawn.frames[0].data[0].name == "an optimizer run"


def test_a_figure_that_speaks_of_runs_is_left_as_it_is() -> None:
    figure = go.Figure([go.Scatter(name="run", y=[1])])
    assert in_words(figure, Wording(RUN)) is figure
