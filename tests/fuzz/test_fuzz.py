"""Files, command lines and addresses of chance, a few of each; ``python -m tests.fuzz`` tries as many as are wanted."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.addresses import run_address
from tests.fuzz.command_lines import run_line, write_files
from tests.fuzz.mutations import FILES
from tests.fuzz.served import served
from tests.fuzz.targets import CASES, InputFile, run_case


@settings(max_examples=250)
@given(seed=st.integers(0, 2**32 - 1))
def test_no_error_but_ours_comes_of_a_file(seed: int) -> None:
    run_case(seed)


@pytest.mark.parametrize(("target", "name"), CASES, ids=[f"{target.__name__} {name}" for target, name in CASES])
def test_the_files_that_are_changed_can_be_read(target: object, name: str) -> None:
    target(InputFile(name, FILES[name]))  # type: ignore[operator]


def test_no_error_but_ours_comes_of_a_command_line(tmp_path: Path) -> None:
    write_files(tmp_path)
    outcomes = [run_line(seed, tmp_path) for seed in range(2_000, 2_060)]
    assert {"done", "refused"} == set(outcomes)


def test_no_page_shows_an_error_of_pythons_whatever_its_address_says(tmp_path: Path) -> None:
    with served(tmp_path) as (host, link):
        outcomes = {run_address(seed, host, link) for seed in range(2_000, 2_025)}
    assert outcomes == {"drawn"}
    assert "Traceback" not in (tmp_path / "log.txt").read_text()
