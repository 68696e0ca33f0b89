"""Compare texts with recorded ones, but for the last digits of numbers.

These depend on the processor: NumPy adds in the order that suits its vectors.
"""

import re

import pytest

LONG_NUMBER = re.compile(r"-?\d+\.\d{9,}(?:e-?\d+)?")


def parts_of(text: str) -> tuple[list[str], list[float]]:
    """Return the lines of a text without its long numbers, and these."""
    numbers = [float(number) for number in LONG_NUMBER.findall(text)]
    return LONG_NUMBER.sub("#", text).splitlines(), numbers


def assert_same(text: str, recorded: str, what_to_do: str = "") -> None:
    """Compare a text with what was recorded: words and short numbers exactly, long numbers to ten digits."""
    if text == recorded:
        return
    lines, numbers = parts_of(text)
    recorded_lines, recorded_numbers = parts_of(recorded)
    assert lines == recorded_lines, what_to_do
    assert numbers == pytest.approx(recorded_numbers, rel=1e-10, abs=1e-12), what_to_do
