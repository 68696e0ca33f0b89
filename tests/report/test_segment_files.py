"""MultEval's files of single segments, line by line."""

import numpy as np
import pandas as pd

from mteval.report.multeval import multeval_text, rank_file_name, rank_lines, sentence_file_name, sentence_lines
from mteval.values.notation import Notation


def test_systems_are_numbered_as_multeval_does_with_the_baseline_as_the_first() -> None:
    assert rank_file_name(1, "bleu") == "sys2.sortedby.bleu"
    assert sentence_file_name(0, 0) == "sys1.opt1"
    assert sentence_file_name(2, 1) == "sys3.opt2"


def test_only_the_white_space_that_java_knows_is_made_one_space() -> None:
    assert multeval_text("\x00\x1f a \t\x0b\f b\u00a0c\u2003\x1c") == "a b\u00a0c\u2003"


def test_a_segment_of_a_rank_file_has_its_changes_texts_and_references() -> None:
    table = pd.DataFrame(
        {
            "segment": [1, 1, 0, 0],
            "metric": ["ter", "bleu"] * 2,
            "baseline_score": [50.0, 0.25, 10.0, float("nan")],
            "system_score": [200 / 3, 0.15, 0.0, 5.0],
            "difference": [50 / 3, -0.1, -10.0, float("nan")],
        }
    )
    notations = {"ter": Notation("↓"), "bleu": Notation("↑")}
    lines = rank_lines(table, {"ter": "TER", "bleu": "bleu"}, notations, ["a", "b  c"], ["x", "y"], [["r"], ["s", "t"]])
    assert list(lines) == [
        "SENT 1\tTER: 50.0 -> 66.7 = 16.7\tbleu: 0.3 -> 0.2 = -0.1",
        "TER-median-baseline: b c",
        "TER-median-variant: y",
        "ref1: s",
        "ref2: t",
        "",
        "SENT 0\tTER: 10.0 -> 0.0 = -10.0\tbleu: NaN -> 5.0 = NaN",
        "TER-median-baseline: a",
        "TER-median-variant: x",
        "ref1: r",
        "",
    ]


def test_sentence_lines_end_with_the_separator_if_no_metric_has_parts() -> None:
    scores = {"ter": np.array([0.125, 50.0])}
    assert list(sentence_lines(["a b", ""], scores, {"ter": Notation("↓")}, [])) == [
        "0 ||| a b ||| ter=0.13 |||",
        "1 |||  ||| ter=50.00 |||",
    ]


def test_parts_of_the_same_name_are_kept_apart() -> None:
    parts = [("p", np.array([0.5])), ("p", np.array([0.25]))]
    assert list(sentence_lines(["a"], {"m": np.array([1.0])}, {"m": Notation("↑", decimals=4)}, parts)) == [
        "0 ||| a ||| m=1.0000 ||| p=0.50 p=0.25"
    ]
