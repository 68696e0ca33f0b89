"""Figures that say run say the user's word instead, and leave the user's names alone."""

import pandas as pd

from mteval.figures.colors import PALETTE
from mteval.figures.planning import power_curves
from mteval.figures.runs import run_histogram, run_strip
from mteval.values.notation import Notation
from mteval.values.run_words import RUN_WORDS


def test_titles_labels_and_what_is_pointed_at_speak_of_the_user_s_word() -> None:
    power = pd.DataFrame({"n_runs": [2, 3], "n_units": 100, "power": [0.5, 0.7], "detectable": [2.0, 1.0]})
    figure = power_curves(power, 0.8, "segment", "checkpoints of each system", RUN_WORDS["checkpoint"])

    assert figure.layout.xaxis.title.text == "checkpoints of each system"
    curve = figure.data[0]
    assert curve.customdata[0].startswith("2 checkpoints, ")
    assert list(curve.x) == [2, 3]


def test_runs_are_called_by_the_word_in_strips_and_histograms() -> None:
    scores = pd.DataFrame({"system": "run", "run": ["a", "b"], "score": [1.0, 2.0]})
    summary = pd.DataFrame({"system": ["run"], "mean": [1.5], "s_sel": [0.1], "s_opt": [0.7], "median_run": ["b"]})
    colors = {"run": PALETTE[0]}

    strip = run_strip(scores, summary, colors, "BLEU", Notation("↑"), RUN_WORDS["prompt"])
    histogram = run_histogram(scores, ["run"], colors, "BLEU", Notation("↑"), RUN_WORDS["prompt"])

    assert strip.data[0].hovertemplate.startswith("run, ±1 SD (prompt)")
    assert [text for text, *_ in strip.data[2].customdata] == [
        "run, prompt a: 1.00",
        "run, prompt b, median prompt: 2.00",
    ]
    assert histogram.layout.yaxis.title.text == "Prompts"
    assert histogram.data[0].customdata[0][0].endswith(": 1 prompt")
