"""Colours of systems, in figures and beside names in tables."""

from collections.abc import Mapping, Sequence

# Okabe and Ito's palette, safe for colour-blind readers. Black and yellow are left out and the blue is lighter, so that
# all colours show on dark and light pages.
PALETTE = ("#2483C5", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")


def system_colors(keys: Sequence[str]) -> Mapping[str, str]:
    """Return a colour per system by position, so that it has the same colour in every figure."""
    return {key: PALETTE[index % len(PALETTE)] for index, key in enumerate(keys)}
