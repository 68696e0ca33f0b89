import pytest

from tests.golden import COMMANDS, RECORDED, ROOT, printed
from tests.golden.told import RECORDED_TOLD, told

WHAT_TO_DO = "what mteval says changed; where that is wanted: python -m tests.golden, and read the difference"


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_print_what_was_recorded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    recorded = (RECORDED / f"{name}.txt").read_text(encoding="utf-8")
    assert printed(name).splitlines() == recorded.splitlines(), WHAT_TO_DO


@pytest.mark.parametrize("name", RECORDED_TOLD)
def test_sections_say_what_was_recorded(name: str) -> None:
    recorded = (RECORDED / f"{name}.txt").read_text(encoding="utf-8")
    assert told(name).splitlines() == recorded.splitlines(), WHAT_TO_DO


def test_every_recorded_file_has_its_command_or_sections() -> None:
    assert {path.stem for path in RECORDED.glob("*.txt")} == {*COMMANDS, *RECORDED_TOLD}, WHAT_TO_DO
