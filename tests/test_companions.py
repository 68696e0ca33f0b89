"""What was made of a value is there as long as the value is, and no longer."""

import gc
import weakref
from dataclasses import dataclass

from mteval.base.companions import kept_beside


@dataclass(frozen=True, eq=False)
class Value:
    number: int


class Made(list[int]):
    """A list that can be watched."""


def test_it_is_made_once_for_each_value_and_goes_with_it() -> None:
    calls: list[int] = []

    @kept_beside
    def make(value: Value, factor: int) -> Made:
        calls.append(value.number)
        return Made([value.number * factor])

    one, other = Value(1), Value(1)
    first = make(one, 2)
    assert first is make(one, 2)
    assert make(one, 3) == [3]
    assert make(other, 2) == [2]
    assert calls == [1, 1, 1]
    watched = weakref.ref(first)
    del first, one
    gc.collect()
    assert watched() is None
    assert make(other, 2) == [2]
    assert calls == [1, 1, 1]
