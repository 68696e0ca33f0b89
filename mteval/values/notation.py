"""Number formats: rounding half up, the minus sign, and the unit and decimals of each metric.

For readers, minus is U+2212 and zero has no sign. A hyphen is used only in machine-readable files (JSON, CSV), in the
grids of pages, and in MultEval's text layouts.
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
SAME = 1e-9  # shares this close to 0 or 1 may differ by rounding only


def half_up(value: float, digits: int, undefined: str = DASH) -> str:
    """Round half up on the shortest decimal form (0.25 to 0.3), as Java does; ``-0.0`` keeps its sign."""
    if math.isnan(value):
        return undefined
    if abs(value) >= 1e23:  # the end of an interval that tells nothing
        return "∞" if value > 0 else "-∞"
    return str(Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP))


def fixed(value: float, digits: int, undefined: str = DASH) -> str:
    """Round half up on the shortest decimal form, with U+2212 as minus and no sign for zero."""
    text = half_up(value, digits, undefined)
    if not text.startswith("-") or math.isnan(value):
        return text
    is_zero = text.strip("-0.") == ""
    sign = "" if is_zero else MINUS
    return sign + text[1:]


def signed(value: float, digits: int, undefined: str = DASH) -> str:
    """Format a difference with its sign; no sign if it rounds to zero."""
    text = fixed(value, digits, undefined)
    is_zero = text.strip("0.") == ""
    if value > 0 and not is_zero:
        return f"+{text}"
    return text


def rounded(values: npt.ArrayLike, digits: int) -> npt.NDArray[np.float64]:
    """Round an array like ``fixed``, without negative zeros; for grids, which format numbers themselves."""
    exact = np.asarray(values, dtype=np.float64)
    scaled = np.abs(exact) * 10.0**digits
    result = np.copysign(np.floor(scaled + 0.5) / 10.0**digits, exact)
    # Scaling may move a number across a half; those near one are rounded by their decimal form.
    is_finite = np.isfinite(exact)
    fraction = np.where(is_finite, scaled, 0.0) % 1.0
    is_near_half = is_finite & (np.abs(fraction - 0.5) < 1e-6 * np.maximum(scaled, 1.0))
    result[is_near_half] = [float(half_up(value, digits)) for value in exact[is_near_half]]
    return result + 0.0  # no -0.0


def rounded_up(width: float) -> float:
    """Round a width up to 1, 2 or 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(width))
    widths = (factor * power for factor in (1, 2, 5, 10))
    return float(next(candidate for candidate in widths if candidate >= width * (1 - 1e-9)))


def as_typed(value: float, digits: int = 0) -> str:
    """Format a chosen number with all its digits, and at least ``digits`` decimals."""
    needed = -int(Decimal(repr(float(value))).normalize().as_tuple().exponent)
    return fixed(value, max(digits, needed))


def significant(value: float, digits: int) -> str:
    """Format a number with significant digits, without trailing zeros: ``0.0123``, ``41.27``."""
    if not math.isfinite(value) or value == 0:
        return fixed(value, 0)
    return as_typed(float(f"{value:.{digits - 1}e}"))


def ordinal(number: int) -> str:
    """Format a place: ``1st``, ``2nd``, ``11th``."""
    is_teen = number // 10 % 10 == 1  # 11th, not 11st
    if is_teen:
        return f"{number}th"
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def percent(share: float, digits: int = 1) -> str:
    """Format a share: ``10.4%``; a bound if it would round to 0% or 100%."""
    smallest = 10.0**-digits
    if 0 < 100 * share < smallest / 2:
        return f"< {as_typed(smallest)}%"
    if 100 - smallest / 2 <= 100 * share < 100 * (1 - SAME):
        return f"> {fixed(100 - smallest, digits)}%"
    if math.isnan(share):
        return DASH
    return f"{fixed(100 * share, digits)}%"


def chance(probability: float, digits: int = 1) -> str:
    """Format a model probability, which is never exactly 0 or 1: ``< 0.1%``, ``> 99.9%``."""
    return percent(min(max(probability, SAME), 1 - 2 * SAME), digits)


def level(share: float) -> str:
    """Format a level or confidence: ``5%``, ``97.5%``."""
    return f"{as_typed(round(100 * share, 6))}%"


def p_value(value: float, alpha: float = 0.05) -> str:
    """Format a p-value as everywhere in mteval: ``0.009``, ``0.230``, ``< 0.001``; a dash if undefined.

    Three decimals; more only for a p just above the level, which would otherwise print as the level: ``0.0502``.
    """
    if value < 0.001:
        return "< 0.001"
    digits = 3
    while digits < MOST_DECIMALS and value > alpha == round(value, digits):
        digits += 1
    return fixed(value, digits)


def p_equals(value: float, alpha: float = 0.05) -> str:
    """Return ``p = 0.009`` or ``p < 0.001``."""
    text = p_value(value, alpha)
    if text.startswith("<"):
        return f"p {text}"
    return f"p = {text}"


@dataclass(frozen=True)
class Notation:
    """Number format of one metric, used in every table, sentence, figure and field.

    Parameters
    ----------
    direction
        Arrow towards better scores; empty if neither direction is better, e.g. for the length ratio.
    decimals
        Decimals of scores and differences: 2 for scores up to 100. Tables for papers and single segments have one less
        (``coarser``).
    unit
        ``points``, or ``%`` for a ratio.

    Raises
    ------
    ValueError
        For any other value.
    """

    direction: Direction
    decimals: int = 2
    unit: Unit = "points"

    def __post_init__(self) -> None:
        if self.direction not in get_args(Direction):
            raise ValueError(f"metric direction is {self.direction!r}; expected '↑', '↓' or ''")
        if not isinstance(self.decimals, int) or not 0 <= self.decimals <= MOST_DECIMALS:
            raise ValueError(f"metric has {self.decimals!r} decimals; expected 0 to {MOST_DECIMALS}")
        if self.unit not in get_args(Unit):
            raise ValueError(f"metric unit is {self.unit!r}; expected 'points' or '%'")

    @property
    def has_direction(self) -> bool:
        """Whether higher or lower scores are better."""
        return self.direction != ""

    @property
    def comparatives(self) -> tuple[str, str]:
        """Words for positive and negative improvements."""
        return ("better", "worse") if self.has_direction else ("higher", "lower")

    @property
    def conclusions(self) -> Mapping[str, str]:
        """Conclusions of an experiment by key."""
        better, worse = self.comparatives
        return {"better": better, "open": "no clear difference", "worse": worse}

    @cached_property
    def coarser(self) -> "Notation":
        """A copy with one decimal less."""
        return replace(self, decimals=max(0, self.decimals - 1))

    @cached_property
    def finer(self) -> "Notation":
        """A copy with one decimal more."""
        return replace(self, decimals=min(MOST_DECIMALS, self.decimals + 1))

    @property
    def step(self) -> float:
        """Step of a number field: 0.1 for scores up to 100."""
        return float(10.0 ** -(self.decimals - 1))

    def number(self, value: float, undefined: str = DASH) -> str:
        """Format a score, mean, standard deviation or standard error."""
        return fixed(value, self.decimals, undefined)

    def difference(self, value: float, undefined: str = DASH) -> str:
        """Format a difference with its sign; no sign if it rounds to zero."""
        return signed(value, self.decimals, undefined)

    def interval(self, low: float, high: float) -> str:
        """Format an interval of a difference: ``−0.28 to +0.85``; a dash if undefined."""
        if math.isnan(low) or math.isnan(high):
            return DASH
        return f"{self.difference(low)} to {self.difference(high)}"

    def range(self, low: float, high: float) -> str:
        """Format a range of scores: ``0.12 to 0.85``."""
        return f"{self.number(low)} to {self.number(high)}"

    def chosen(self, value: float) -> str:
        """Format a chosen difference with all its digits."""
        return as_typed(value, self.decimals)

    def axis(self, quantity: str) -> str:
        """Return an axis or field title with the unit: ``Difference in BLEU (points)``."""
        return f"{quantity} ({self.unit})"

    def in_unit(self, text: str) -> str:
        """Append the unit: ``0.5 points``, ``1 point``, ``0.5%``."""
        if self.unit == "%":
            return f"{text}%"
        if text == "1":
            return f"{text} {self.unit.removesuffix('s')}"
        return f"{text} {self.unit}"

    def heading(self, name: str) -> str:
        """Return the metric's name with its arrow: ``TER ↓``."""
        return f"{name} {self.direction}".rstrip()
