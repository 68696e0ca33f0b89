"""How numbers are written: rounded half up, with one kind of minus, in the unit and with the decimals of their metric.

Wherever people read (pages, HTML, figures, tables of text) a minus is U+2212, and what rounds to zero has no sign. In
TeX the same texts are set as mathematics. A hyphen is a minus in two places alone: in files for machines (JSON, CSV,
and the grids of a page, whose numbers are copied into spreadsheets), and in MultEval's text layouts, which have it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

Direction = Literal["↑", "↓", ""]
Unit = Literal["points", "%"]
DASH = "–"
MINUS = "−"
MOST_DECIMALS = 12  # a double has no more than 15 digits
SAME = 1e-9  # shares nearer to 0 or 1 than this may be off by the error of their sum alone


def half_up(value: float, digits: int, undefined: str = DASH) -> str:
    """A number rounded half up on its shortest decimal form (0.25 is 0.3), as Java writes it: ``-0.0`` has a sign."""
    if math.isnan(value):
        return undefined
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return str(Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP))


def fixed(value: float, digits: int, undefined: str = DASH) -> str:
    """A number rounded half up on its shortest decimal form, for people: a true minus, and none where it is zero."""
    text = half_up(value, digits, undefined)
    if not text.startswith("-") or math.isnan(value):
        return text
    return text[1:] if text.strip("-0.") == "" else MINUS + text[1:]


def signed(value: float, digits: int, undefined: str = DASH) -> str:
    """A difference with its sign; none where it rounds to zero."""
    text = fixed(value, digits, undefined)
    return f"+{text}" if value > 0 and text.strip("0.") != "" else text


def rounded(values: npt.ArrayLike, digits: int) -> npt.NDArray[np.float64]:
    """Numbers rounded as ``fixed`` does, same shape, zeros without a sign: for grids, which write them on their own."""
    exact = np.asarray(values, dtype=np.float64)
    scaled = np.abs(exact) * 10.0**digits
    result = np.copysign(np.floor(scaled + 0.5) / 10.0**digits, exact)
    is_finite = np.isfinite(exact)
    fraction = np.where(is_finite, scaled, 0.0) % 1.0
    is_near_half = is_finite & (np.abs(fraction - 0.5) < 1e-6 * np.maximum(scaled, 1.0))
    result[is_near_half] = [float(half_up(value, digits)) for value in exact[is_near_half]]
    return result + 0.0  # no -0.0


def rounded_up(width: float) -> float:
    """The next of 1, 2, 5 times a power of ten, as the width of a bar; a trifle more than one of them is that one."""
    power = 10.0 ** np.floor(np.log10(width))
    return float(next(factor * power for factor in (1, 2, 5, 10) if factor * power >= width * (1 - 1e-9)))


def as_typed(value: float, digits: int = 0) -> str:
    """A number that somebody chose, with all its digits, and with ``digits`` decimals at least."""
    needed = -int(Decimal(repr(float(value))).normalize().as_tuple().exponent)
    return fixed(value, max(digits, needed))


def significant(value: float, digits: int) -> str:
    """A number of unknown size with so many significant digits, trailing zeros left out: ``0.0123``, ``41.27``."""
    if not math.isfinite(value) or value == 0:
        return fixed(value, 0)
    return as_typed(float(f"{value:.{digits - 1}e}"))


def percent(share: float, digits: int = 1) -> str:
    """``10.4%``; a bound where it would round to nothing or to all."""
    smallest = 10.0**-digits
    if 0 < 100 * share < smallest / 2:
        return f"< {as_typed(smallest)}%"
    if 100 - smallest / 2 <= 100 * share < 100 * (1 - SAME):
        return f"> {fixed(100 - smallest, digits)}%"
    return DASH if math.isnan(share) else f"{fixed(100 * share, digits)}%"


def chance(probability: float, digits: int = 1) -> str:
    """A probability by a model, which is never quite 0 or 1 though its number may be: ``< 0.1%``, ``> 99.9%``."""
    return percent(min(max(probability, SAME), 1 - 2 * SAME), digits)


def level(share: float) -> str:
    """A level or a confidence as it was set: ``5%``, ``97.5%``."""
    return f"{as_typed(round(100 * share, 6))}%"


def p_value(value: float, digits: int = 3) -> str:
    """``0.009``; smaller ones as a bound, which is all that a reader needs of them."""
    smallest = 10.0**-digits
    return f"< {as_typed(smallest)}" if value < smallest else fixed(value, digits)


def p_equals(value: float) -> str:
    """``p = 0.009`` or ``p < 0.001``."""
    text = p_value(value)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


@dataclass(frozen=True)
class Notation:
    """How the numbers of one metric are written, in every table, sentence, figure, axis and field.

    Parameters
    ----------
    direction
        Arrow towards better scores; empty where neither direction is better, as for the length ratio.
    decimals
        Of scores, spreads and differences where they are read closely, 2 for scores up to 100. In tables for papers and
        for single segments there is one less (``coarser``).
    unit
        ``points``, or ``%`` where a score is a ratio of two amounts.

    Raises
    ------
    ValueError
        On any other value.
    """

    direction: Direction
    decimals: int = 2
    unit: Unit = "points"

    def __post_init__(self) -> None:
        if self.direction not in get_args(Direction):
            raise ValueError(f"the direction of a metric is {self.direction!r}; expected '↑', '↓' or nothing")
        if not isinstance(self.decimals, int) or not 0 <= self.decimals <= MOST_DECIMALS:
            raise ValueError(f"a metric has {self.decimals!r} decimals; expected a number from 0 to {MOST_DECIMALS}")
        if self.unit not in get_args(Unit):
            raise ValueError(f"the unit of a metric is {self.unit!r}; expected 'points' or '%'")

    @property
    def has_direction(self) -> bool:
        """Whether higher or lower scores are better."""
        return self.direction != ""

    @property
    def comparatives(self) -> tuple[str, str]:
        """What a system with a positive and one with a negative improvement is called."""
        return ("better", "worse") if self.has_direction else ("higher", "lower")

    @property
    def conclusions(self) -> Mapping[str, str]:
        """What an experiment is said to have shown, by key: the system better, nothing, or worse."""
        better, worse = self.comparatives
        return {"better": better, "open": "no clear difference", "worse": worse}

    @cached_property
    def coarser(self) -> "Notation":
        """The same with one decimal less."""
        return replace(self, decimals=max(0, self.decimals - 1))

    @cached_property
    def finer(self) -> "Notation":
        """The same with one decimal more."""
        return replace(self, decimals=min(MOST_DECIMALS, self.decimals + 1))

    @property
    def step(self) -> float:
        """A small but visible difference, by which a field goes up and down: 0.1 for scores up to 100."""
        return float(10.0 ** -(self.decimals - 1))

    def number(self, value: float, undefined: str = DASH) -> str:
        """A score, an average, a spread, a standard error: anything in the metric's unit that is no difference."""
        return fixed(value, self.decimals, undefined)

    def difference(self, value: float, undefined: str = DASH) -> str:
        """A difference with its sign; none where it rounds to zero."""
        return signed(value, self.decimals, undefined)

    def interval(self, low: float, high: float) -> str:
        """``−0.28 to +0.85``, of a difference; a dash where there is none."""
        is_undefined = math.isnan(low) or math.isnan(high)
        return DASH if is_undefined else f"{self.difference(low)} to {self.difference(high)}"

    def range(self, low: float, high: float) -> str:
        """``0.12 to 0.85``, of scores or spreads."""
        return f"{self.number(low)} to {self.number(high)}"

    def chosen(self, value: float) -> str:
        """A difference that somebody chose, as a target: with all its digits."""
        return as_typed(value, self.decimals)

    def axis(self, quantity: str) -> str:
        """Title of an axis or a field, with the unit: ``Difference in BLEU (points)``."""
        return f"{quantity} ({self.unit})"

    def in_unit(self, text: str) -> str:
        """A written number with its unit: ``0.5 points``, ``0.5%``."""
        return f"{text}%" if self.unit == "%" else f"{text} {self.unit}"

    def heading(self, name: str) -> str:
        """The metric's name with its arrow: ``TER ↓``."""
        return f"{name} {self.direction}".rstrip()
