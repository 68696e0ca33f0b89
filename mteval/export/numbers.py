"""How numbers are written."""

import math
from decimal import ROUND_HALF_UP, Decimal

DASH = "–"


def fixed(value: float, digits: int, undefined: str = DASH) -> str:
    """A number rounded half up on its shortest decimal form, as Java and people round (0.25 is 0.3)."""
    if math.isnan(value):
        return undefined
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return str(Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP))


def signed(value: float, digits: int) -> str:
    """A difference with its sign; a true minus, and no sign where it rounds to zero."""
    text = fixed(value, digits)
    if math.isnan(value):
        return text
    if text.strip("-0.") == "":
        return text.lstrip("-")
    return text.replace("-", "−") if value < 0 else f"+{text}"


def p_value(value: float) -> str:
    """``0.009``: three digits; smaller ones as a bound, which is all that a reader needs of them."""
    if math.isnan(value):
        return DASH
    return "< 0.001" if value < 0.001 else fixed(value, 3)
