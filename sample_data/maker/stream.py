"""Random numbers that are the same on every machine and every version of Python and NumPy."""

import random
from collections.abc import Iterable, Sequence
from math import fsum
from typing import TypeVar

T = TypeVar("T")


class Stream:
    """A named stream. It uses only ``random.Random.random``, whose sequence Python promises to keep for a given seed.

    A segment or a run has a stream of its own, so that a change to one leaves the others as they were.
    """

    def __init__(self, *names: object) -> None:
        self._random = random.Random("/".join(str(name) for name in names)).random

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self._random() < probability

    def integer(self, low: int, high: int) -> int:
        """An integer between ``low`` and ``high``, both included."""
        return low + int(self._random() * (high - low + 1))

    def pick(self, items: Sequence[T]) -> T:
        """One of the items, all equally likely."""
        return items[int(self._random() * len(items))]

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """The items in random order."""
        left = list(items)
        return [left.pop(self.integer(0, len(left) - 1)) for _ in range(len(left))]

    def uniform(self, low: float, high: float) -> float:
        """A number between ``low`` and ``high``."""
        return low + (high - low) * self._random()

    def normal(self) -> float:
        """Nearly standard normal: a sum of twelve uniforms, without a logarithm and so the same everywhere.

        ``fsum`` and not ``sum``, which rounds differently since Python 3.12.
        """
        return fsum(self._random() for _ in range(12)) - 6.0
