"""What commands print and sections say is what was recorded, but for the last bits of numbers.

These depend on the processor: NumPy adds in the order that suits its vectors.
"""

import re

import pytest

from tests.golden import COMMANDS, RECORDED, ROOT, printed
from tests.golden.told import RECORDED_TOLD, told

LONG_NUMBER = re.compile(r"-?\d+\.\d{9,}(?:e-?\d+)?")
WHAT_TO_DO = "what mteval says changed; where that is wanted: python -m tests.golden, and read the difference"


def parts_of(text: str) -> tuple[list[str], list[float]]:
    """Return the lines of a text without its long numbers, and these."""
    numbers = [float(number) for number in LONG_NUMBER.findall(text)]
    return LONG_NUMBER.sub("#", text).splitlines(), numbers


def check(text: str, recorded: str) -> None:
    """Compare a text with what was recorded: words and short numbers exactly, long numbers to ten digits."""
    lines, numbers = parts_of(text)
    recorded_lines, recorded_numbers = parts_of(recorded)
    assert lines == recorded_lines, WHAT_TO_DO
    assert numbers == pytest.approx(recorded_numbers, rel=1e-10, abs=1e-12), WHAT_TO_DO


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_print_what_was_recorded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    check(printed(name), (RECORDED / f"{name}.txt").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", RECORDED_TOLD)
def test_sections_say_what_was_recorded(name: str) -> None:
    check(told(name), (RECORDED / f"{name}.txt").read_text(encoding="utf-8"))


def test_no_recorded_output_has_a_field_of_a_template() -> None:
    for path in sorted(RECORDED.glob("*.txt")):
        if "latex" not in path.stem:
            assert re.findall(r"\{[A-Za-z_]+\}", path.read_text(encoding="utf-8")) == [], path.stem


def test_every_recorded_file_has_its_command_or_sections() -> None:
    assert {path.stem for path in RECORDED.glob("*.txt")} == {*COMMANDS, *RECORDED_TOLD}, WHAT_TO_DO


@pytest.mark.parametrize("changed", ["p 0.0464496287313", "p 0.0464496277313 0.5000000000", "q 0.0464496277313"])
def test_numbers_may_differ_in_their_last_bits_alone(changed: str) -> None:
    check("p 0.0464496277314", "p 0.0464496277313")
    with pytest.raises(AssertionError):
        check(changed, "p 0.0464496277313")
