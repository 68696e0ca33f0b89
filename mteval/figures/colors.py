"""Colours of verdicts and of systems, in figures, tables and beside names.

Better is green and worse vermilion, always beside a shape. A system or series has neither colour.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from mteval.values.verdict import Role

# Okabe and Ito's palette, safe for colour-blind readers. Black and yellow are left out and the blue is lighter, so that
# all colours show on dark and light pages.
PALETTE = ("#2483C5", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
BETTER = PALETTE[2]
WORSE = PALETTE[1]
FAINT = "#8A939B"  # of lines that guide the eye, visible on light and dark pages
ROLE_COLORS: Mapping[Role, str] = MappingProxyType(
    {
        "good": BETTER,
        "bad": WORSE,
        "apart": PALETTE[0],
        "open": FAINT,
        "unsaid": FAINT,
    }
)
SERIES = ("#2483C5", "#CC79A7", "#E69F00", "#56B4E9", "#8A6FC8", "#8C6D46")  # of systems and other series


def system_colors(keys: Sequence[str]) -> Mapping[str, str]:
    """Return a colour per system by position, so that it has the same colour in every figure."""
    return {key: SERIES[index % len(SERIES)] for index, key in enumerate(keys)}
