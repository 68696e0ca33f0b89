"""What was made of a value is kept beside it, and goes when the value goes."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar, cast
from weakref import WeakKeyDictionary

K = TypeVar("K")
P = ParamSpec("P")
T = TypeVar("T")


def kept_beside(make: Callable[Concatenate[K, P], T]) -> Callable[Concatenate[K, P], T]:
    """Let a function remember what it made of a value, its first argument, as long as that is there.

    A cache of the last few would hold what a visitor had loaded long after they left. The value is one that equals
    itself alone, and what is made of it does not lead back to it.
    """
    made: WeakKeyDictionary[K, dict[object, T]] = WeakKeyDictionary()

    @wraps(make)
    def made_or_kept(value: K, /, *others: P.args, **named: P.kwargs) -> T:
        of_value = made.setdefault(value, {})
        key = (others, tuple(named.items()))
        if key not in of_value:
            of_value[key] = make(value, *others, **named)
        return of_value[key]

    return cast(Callable[Concatenate[K, P], T], made_or_kept)
