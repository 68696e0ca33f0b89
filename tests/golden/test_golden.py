"""What commands print and sections say is what was recorded, but for the last digits of numbers."""

import re

import pytest

from mteval.ui.setup.first_page import ANSWER
from tests.comparing import assert_same
from tests.golden import COMMANDS, RECORDED, ROOT, printed
from tests.golden.sample_answer import answer_on_the_sample
from tests.golden.told import RECORDED_TOLD, told

WHAT_TO_DO = "what mteval says changed; where that is wanted: python -m tests.golden, and read the difference"


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_print_what_was_recorded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert_same(printed(name), (RECORDED / f"{name}.txt").read_text(encoding="utf-8"), WHAT_TO_DO)


@pytest.mark.parametrize("name", RECORDED_TOLD)
def test_sections_say_what_was_recorded(name: str) -> None:
    assert_same(told(name), (RECORDED / f"{name}.txt").read_text(encoding="utf-8"), WHAT_TO_DO)


def test_the_first_page_shows_what_the_sample_really_gives() -> None:
    assert_same(answer_on_the_sample(), ANSWER.read_text(encoding="utf-8"), WHAT_TO_DO)


def test_no_recorded_output_has_a_field_of_a_template() -> None:
    for path in sorted(RECORDED.glob("*.txt")):
        if "latex" not in path.stem:
            assert re.findall(r"\{[A-Za-z_]+\}", path.read_text(encoding="utf-8")) == [], path.stem


def test_every_recorded_file_has_its_command_or_sections() -> None:
    assert {path.stem for path in RECORDED.glob("*.txt")} == {*COMMANDS, *RECORDED_TOLD}, WHAT_TO_DO


@pytest.mark.parametrize("changed", ["p 0.0464496287313", "p 0.0464496277313 0.5000000000", "q 0.0464496277313"])
def test_numbers_may_differ_in_their_last_bits_alone(changed: str) -> None:
    assert_same("p 0.0464496277314", "p 0.0464496277313")
    with pytest.raises(AssertionError):
        assert_same(changed, "p 0.0464496277313")
