"""Numbers are written as people and Java round them, with one kind of minus, in the decimals of their metric."""

import math
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mteval.values.notation import (
    DASH,
    MINUS,
    Notation,
    as_typed,
    fixed,
    half_up,
    level,
    p_equals,
    p_value,
    percent,
    rounded,
    signed,
)

BLEU, COMET, LENGTH = Notation("↑"), Notation("↑", decimals=4), Notation("", unit="%")
PRINTED = [
    # java.util.Formatter rounds half up on the shortest decimal form: MULTEVAL prints 0.25 as 0.3 and 18.45 as 18.5
    (0.25, 1, "0.3"), (0.15, 1, "0.2"), (18.45, 1, "18.5"), (0.05, 1, "0.1"), (107.466467, 1, "107.5"),
    (-0.25, 1, "-0.3"), (-0.04, 1, "-0.0"), (1e-9, 2, "0.00"), (1e22, 0, "10000000000000000000000"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "digits", "text"), PRINTED)
def test_rounding_is_half_up_on_the_shortest_decimal_form(value: float, digits: int, text: str) -> None:
    assert half_up(value, digits) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-0.25, "−0.3"),
        (-0.04, "0.0"),
        (-0.0, "0.0"),
        (0.04, "0.0"),
        (math.nan, "–"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
    ],
)
def test_for_people_a_minus_is_a_minus_and_zero_has_none(value: float, text: str) -> None:
    assert fixed(value, 1) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.287, "+0.29"), (-0.84, "−0.84"), (0.001, "0.00"), (-0.001, "0.00"), (math.nan, "–")]
)
def test_a_difference_has_its_sign_unless_it_rounds_to_zero(value: float, text: str) -> None:
    assert signed(value, 2) == text


@given(st.floats(-1e9, 1e9) | st.integers(-100_000, 100_000).map(lambda number: number / 1000), st.integers(0, 4))
def test_numbers_of_a_grid_are_those_that_are_written_elsewhere(value: float, digits: int) -> None:
    (number,) = rounded([value], digits)
    exact = Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    assert f"{number:.{digits}f}" == f"{exact + 0:.{digits}f}"


def test_a_grid_has_no_zero_with_a_sign_and_keeps_what_is_undefined() -> None:
    numbers = rounded([-0.04, math.nan, math.inf, 1.25], 1)
    assert [f"{number:.1f}" for number in numbers] == ["0.0", "nan", "inf", "1.3"]
    assert rounded(np.zeros((2, 3)), 1).shape == (2, 3)


@pytest.mark.parametrize(("value", "text"), [(0.0001, "< 0.001"), (0.2304, "0.230"), (1.0, "1.000"), (math.nan, "–")])
def test_p_values_have_three_digits_or_a_bound(value: float, text: str) -> None:
    assert p_value(value) == text
    assert p_equals(value) == (f"p {text}" if text.startswith("<") else f"p = {text}")


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.104, "10.4%"),
        (0.0, "0.0%"),
        (0.0004, "< 0.1%"),
        (0.9994, "99.9%"),
        (0.9996, "> 99.9%"),
        (1 - 1e-12, "100.0%"),
        (1.0, "100.0%"),
        (float("nan"), "–"),
    ],
)
def test_shares_are_percent_and_never_round_to_nothing(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("value", "alpha", "text"),
    [
        (0.0502, 0.05, "0.0502"),
        (0.05004, 0.05, "0.05004"),
        (0.05, 0.05, "0.050"),
        (0.0496, 0.05, "0.050"),
        (0.0102, 0.05, "0.010"),
        (0.0102, 0.01, "0.0102"),
        (0.00104, 0.05, "0.001"),
        (math.nan, 0.05, DASH),
    ],
)
def test_a_p_value_above_the_level_never_prints_as_the_level(value: float, alpha: float, text: str) -> None:
    assert p_value(value, alpha) == text


@pytest.mark.parametrize(
    ("share", "text"), [(1 - 0.95, "5%"), (0.975, "97.5%"), (0.005, "0.5%"), (2 * 0.95 - 1, "90%")]
)
def test_a_level_is_written_as_it_was_set(share: float, text: str) -> None:
    assert level(share) == text


@pytest.mark.parametrize(("value", "text"), [(0.5, "0.50"), (0.00001, "0.00001"), (20.0, "20.00"), (-1.125, "−1.125")])
def test_what_somebody_chose_keeps_its_digits(value: float, text: str) -> None:
    assert as_typed(value, 2) == text
    assert BLEU.chosen(value) == text


def test_a_metric_s_numbers_have_its_decimals_and_unit() -> None:
    assert [metric.number(0.0033) for metric in (BLEU, COMET)] == ["0.00", "0.0033"]
    assert COMET.difference(-0.00125) == "−0.0013"
    assert COMET.coarser.number(0.0033) == "0.003"
    assert COMET.finer.range(0.00331, math.nan) == "0.00331 to –"
    assert COMET.interval(-0.0002, 0.0031) == "−0.0002 to +0.0031"
    assert BLEU.interval(math.nan, math.nan) == DASH
    assert [metric.axis("x") for metric in (BLEU, LENGTH)] == ["x (points)", "x (%)"]
    assert [metric.in_unit("0.5") for metric in (BLEU, LENGTH)] == ["0.5 points", "0.5%"]
    assert [metric.heading("x") for metric in (BLEU, LENGTH)] == ["x ↑", "x"]
    assert [metric.step for metric in (BLEU, COMET)] == [0.1, 0.001]
    assert (BLEU.comparatives, LENGTH.comparatives) == (("better", "worse"), ("higher", "lower"))


def test_there_is_no_less_than_no_decimal() -> None:
    assert Notation("↑", decimals=0).coarser.number(12.5) == "13"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"direction": "up"}, "'up'; expected '↑'"),
        ({"direction": "↑", "decimals": -1}, "-1 decimals"),
        ({"direction": "↑", "decimals": 2.0}, "2.0 decimals"),
        ({"direction": "↑", "unit": "percent"}, "'percent'; expected 'points' or '%'"),
    ],
)
def test_what_cannot_be_a_notation_is_refused(wrong: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said.replace("%", ".")):
        Notation(**wrong)


def test_the_minus_is_that_of_typographers() -> None:
    assert MINUS == "\N{MINUS SIGN}"
