"""Whoever asks for a change has a name that can be stored whole."""

import pytest

from mteval.base.bounded_input import LONGEST_NAME
from mteval.values.asker import Asker, NotPermittedError


def test_a_name_that_fits_is_kept_whole() -> None:
    assert Asker("x" * LONGEST_NAME).visitor == "x" * LONGEST_NAME


@pytest.mark.parametrize("end", ["a", "b", "a" * 1_000])
def test_a_name_is_refused_where_its_beginning_would_be_another_persons(end: str) -> None:
    with pytest.raises(NotPermittedError, match=f"identifies you by {LONGEST_NAME + len(end):,} characters"):
        Asker("x" * LONGEST_NAME + end)
