"""What a planned experiment should be able to find, and at what level."""

from dataclasses import dataclass

from mteval.errors import DataError
from mteval.notation import Notation
from mteval.settings import Settings


@dataclass(frozen=True)
class Wish:
    """What a planned experiment should be able to find.

    Parameters
    ----------
    target
        True difference that matters, in points of the score; set by the user, never the observed one.
    power
        Probability with which it should be found.
    level
        Of the two-sided test.
    """

    target: float
    power: float = 0.8
    level: float = 0.05

    def __post_init__(self) -> None:
        if not self.target > 0:
            raise DataError(f"The difference to be found is {self.target}; give a positive number of points.")
        if not self.level < self.power < 1:
            raise DataError(f"The power is {self.power}; give a probability between {self.level} and 1.")


def strictest_level(settings: Settings, n_compared: int) -> float:
    """The level that a difference surely has to reach: Holm's first step over the systems that are compared."""
    return (1 - settings.confidence) / max(1, n_compared)


def usual_wish(notation: Notation, settings: Settings, n_compared: int) -> Wish:
    """What should be found where nobody has said: ten times a small but visible difference, with 80% power."""
    return Wish(10 * notation.step, level=strictest_level(settings, n_compared))
