"""Numbers are written as people and Java round them."""

import math

import pytest

from mteval.export.numbers import fixed, p_value, signed


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        # java.util.Formatter rounds half up on the shortest decimal form: MULTEVAL prints 0.25 as 0.3 and 18.45 as 18.5
        (0.25, 1, "0.3"), (0.15, 1, "0.2"), (18.45, 1, "18.5"), (0.05, 1, "0.1"), (107.466467, 1, "107.5"),
        (-0.25, 1, "-0.3"), (1e-9, 2, "0.00"), (1e22, 0, "10000000000000000000000"),
        (math.nan, 1, "–"), (math.inf, 1, "∞"), (-math.inf, 1, "−∞"),
    ],
)  # fmt: skip
def test_rounding_is_half_up_on_the_shortest_decimal_form(value: float, digits: int, text: str) -> None:
    assert fixed(value, digits) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.287, "+0.29"), (-0.84, "−0.84"), (0.001, "0.00"), (-0.001, "0.00"), (math.nan, "–")]
)
def test_a_difference_has_its_sign_unless_it_rounds_to_zero(value: float, text: str) -> None:
    assert signed(value, 2) == text


@pytest.mark.parametrize(("value", "text"), [(0.0001, "< 0.001"), (0.2304, "0.230"), (1.0, "1.000"), (math.nan, "–")])
def test_p_values_have_three_digits_or_a_bound(value: float, text: str) -> None:
    assert p_value(value) == text
