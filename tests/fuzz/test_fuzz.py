"""Files, command lines and addresses of chance, a few of each; ``python -m tests.fuzz`` tries as many as are wanted."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.fuzz.addresses import leaked_path, run_address
from tests.fuzz.command_lines import BASES, MUTATED, run_line, run_words, write_files
from tests.fuzz.mutations import FILES
from tests.fuzz.served import served
from tests.fuzz.targets import CASES, InputFile, run_case
from tests.fuzz.widgets import errors_in, run_widgets

# One serves, one compiles; the others need two test sets, or what an earlier command made
NOT_DONE = ("app", "prepare", "claim", "annotations")


@settings(max_examples=250)
@given(seed=st.integers(0, 2**32 - 1))
def test_no_error_but_ours_comes_of_a_file(seed: int) -> None:
    run_case(seed)


NAMES_OF_CASES = [f"{target.__name__} {name}" for target, name in CASES]


@pytest.mark.parametrize(("target", "name"), CASES, ids=NAMES_OF_CASES)
def test_the_files_that_are_changed_can_be_read(target: Callable[[InputFile], None], name: str) -> None:
    target(InputFile(name, FILES[name]))


@pytest.mark.parametrize("command", [command for command in BASES if command not in NOT_DONE])
def test_a_command_line_that_is_changed_can_be_run(command: str, tmp_path: Path) -> None:
    write_files(tmp_path)
    lines = [[command, *base] for base in BASES[command] if MUTATED not in base]
    assert "done" in {run_words(words, tmp_path) for words in lines}


def test_no_error_but_ours_comes_of_a_command_line(tmp_path: Path) -> None:
    write_files(tmp_path)
    outcomes = {run_line(seed, tmp_path) for seed in range(2_000, 2_060)}
    assert outcomes == {"done", "refused"}


def test_no_page_shows_an_error_of_pythons_whatever_its_address_says(tmp_path: Path) -> None:
    with served(tmp_path) as (host, link):
        outcomes = {run_address(seed, host, link) for seed in range(2_000, 2_025)}
    assert outcomes == {"drawn"}
    assert not errors_in((tmp_path / "log.txt").read_text())


def test_no_page_shows_an_error_of_pythons_whatever_is_sent_to_its_widgets(tmp_path: Path) -> None:
    with served(tmp_path) as (host, _):
        n_widgets = run_widgets(host, 16, seed=1)
    assert n_widgets > 300
    assert not errors_in((tmp_path / "log.txt").read_text())


@pytest.mark.parametrize("root", ["/srv/mteval", "/home/ann/my [copy] (2)", "/srv/app"])
@pytest.mark.parametrize(
    ("text", "is_leaked"),
    [
        ('File "ROOT/mteval/ui/page.py", line 3, in dress', True),
        ("cannot read ROOT/app.py", True),
        ('File "/usr/lib/python3/site-packages/numpy/core.py"', True),
        ("see mteval/render/blocks.css, mteval/app.py and /app.py", False),
        ("cloned into mteval: run mteval/bin/app.py", False),
        ("https://example.org/mteval/app.py", False),
    ],
)
def test_a_path_of_the_server_is_a_leak_and_the_name_of_its_folder_is_none(
    root: str, text: str, is_leaked: bool
) -> None:
    message = ForwardMsg()
    message.delta.new_element.markdown.body = text.replace("ROOT", root)
    assert (leaked_path(message, Path(root)) is not None) == is_leaked


def test_a_path_is_found_by_its_real_place_too(tmp_path: Path) -> None:
    (tmp_path / "mteval").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "mteval")
    message = ForwardMsg()
    message.delta.new_element.markdown.body = f"cannot read {tmp_path}/mteval/app.py"
    assert leaked_path(message, tmp_path / "link") == f"{tmp_path}/mteval/app.py"
