"""JSON from untrusted files: its values are counted before it is parsed, and long numbers are rounded."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mteval.base.bounded_input import bounded_json

SIMPLE = st.none() | st.integers() | st.text('[]{},"\\ a')
NESTED = st.recursive(SIMPLE, lambda part: st.lists(part) | st.dictionaries(st.text('[{,"\\'), part), max_leaves=20)


def n_values(value: Any) -> int:
    """Count a value and all its parts."""
    parts = ()
    if isinstance(value, dict):
        parts = tuple(value.values())
    elif isinstance(value, list):
        parts = tuple(value)
    return 1 + sum(map(n_values, parts))


@settings(deadline=None)
@given(NESTED, st.sampled_from([None, 1]))
def test_as_many_values_are_accepted_as_are_allowed_and_the_message_counts_them(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    n = n_values(value)
    bounded_json(text, n)
    with pytest.raises(ValueError, match=f"^it has {n:,} values; the limit is {n - 1:,}$"):
        bounded_json(text, n - 1)


@pytest.mark.parametrize("sign", ["", "-"])
def test_integers_of_18_digits_are_exact_and_longer_ones_are_rounded(sign: str) -> None:
    exact = bounded_json(sign + "9" * 18)
    assert isinstance(exact, int)
    assert abs(exact) == 10**18 - 1
    rounded = bounded_json(sign + "9" * 19)
    assert isinstance(rounded, float)
    assert abs(rounded) == 1e19
    assert bounded_json(sign + "9" * 400) == float(sign + "inf")
