"""MultEval's lines for n-best lists; numbers as Java's documentation of ``Double.toString`` has them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mteval.readers.formats.nbest import NbestEntry
from mteval.report.multeval import java_double, nbest_line, oracle_line
from mteval.values.notation import Notation


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (100.0, "100.0"),
        (0.001, "0.001"),
        (0.00099, "9.9E-4"),
        (-1e-5, "-1.0E-5"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (1.5e22, "1.5E22"),
        (12345678.9, "1.23456789E7"),
        (5e-324, "5.0E-324"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (math.nan, "NaN"),
    ],
)
def test_numbers_look_as_in_java(value: float, text: str) -> None:
    assert java_double(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_number_comes_back_from_its_text(value: float) -> None:
    text = java_double(value)
    assert float(text) == value
    assert "." in text


def test_a_line_has_the_columns_of_the_list_ranks_scores_and_parts() -> None:
    line = nbest_line(
        3, NbestEntry(" a  b ", "LM= -1 2", -28.842), {"orig": 0, "bleu": 2}, {"bleu": 25.0}, [("bleu1p", 0.5)]
    )
    assert line == "3 ||| a b ||| LM= -1 2 ||| -28.841999 ||| origRank=0 bleuRank=2 ||| bleu=25.0 bleu1p=0.5"


@pytest.mark.parametrize(("total", "text"), [(-math.inf, "-Infinity"), (1e300, "Infinity"), (0.5, "0.500000")])
def test_the_decoder_s_score_is_in_single_precision(total: float, text: str) -> None:
    assert f" ||| {text} ||| " in nbest_line(0, NbestEntry("a", "", total), {"orig": 0}, {"ter": 1.0}, [])


def test_an_oracle_line_has_empty_brackets_where_the_metric_has_no_parts() -> None:
    assert oracle_line("TER", "topbest", 71.304, {}, Notation("↓")) == "TER topbest score: 71.30 ()"
    assert (
        oracle_line("X", "oracle", 1.125, {"a": 0.5, "b": 0.125}, Notation("↑"))
        == "X oracle score: 1.13 (a=0.50; b=0.13)"
    )
