"""The command lines of README and docs are ones that the program takes, and those on the sample do what they say."""

import argparse
import glob
import re
import shlex
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from mteval.cli import COMMANDS, main

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
RUN = ("two-systems.md", "present.md", "read-errors.md", "scores-alone.md")
SHOWN = {  # what a command prints, by the page and its place there
    ("two-systems.md", 0): "n=3            BLEU (s_sel/s_opt/p/p_run)",
    ("two-systems.md", 1): "| n=3 | Length (s\\_sel/s\\_opt/p/p\\_run) |",
    ("two-systems.md", 2): "Length: reordering against baseline, two-sided",
    ("two-systems.md", 3): "Length, baseline (3 runs) and reordering (3 runs)",
    ("scores-alone.md", 0): "n=2            accuracy (s_sel/s_opt/p/p_run)",
    ("scores-alone.md", 3): "n=2            match (s_sel/s_opt/p/p_run)",
}


def commands(page: Path) -> Iterator[list[str]]:
    """The words of each command line in the page's blocks, comments left out."""
    for block in re.findall(r"^```\w*\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
        for line in block.replace("\\\n", " ").splitlines():
            line = re.sub(r"^\s*(\$ )?(\S*bin/)?mteval ", "mteval ", line)
            if line.startswith("mteval "):
                yield shlex.split(line, comments=True)[1:]


EVERY = [pytest.param(words, id=f"{page.name} {place}") for page in PAGES for place, words in enumerate(commands(page))]


@pytest.mark.parametrize("words", EVERY)
def test_every_command_line_is_one_that_the_program_takes(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    if any("{" in word or word.startswith("--exact") for word in words):
        pytest.skip("it needs a package that the page makes")
    done: list[argparse.Namespace] = []
    assert words[0] in COMMANDS
    monkeypatch.setattr(import_module(f"mteval.cli.{words[0]}"), "run", done.append)
    assert main(words) == 0
    assert len(done) == 1


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a short sample, a table of scores and logs, where commands start."""
    for path in (ROOT / "sample_data").rglob("*test.*txt"):
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[:40]), encoding="utf-8")
    shutil.copytree(ROOT / "tests" / "readers" / "formats" / "logs" / "inspect", tmp_path / "logs")
    rows = [
        f"{system}\t{run}\t{item}\t{(item * (run + 2) + len(system)) % 7 / 7}"
        for system in ("old", "newer")
        for run in (0, 1)
        for item in range(1, 30)
    ]
    (tmp_path / "accuracy.tsv").write_text("\n".join(["system\trun\tsegment\tscore", *rows]) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", RUN)
def test_commands_on_the_sample_do_what_the_page_says(
    page: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, words in enumerate(commands(ROOT / "docs" / page)):
        spread = [file for word in words for file in (sorted(glob.glob(word)) if "[" in word else [word])]
        assert main(spread) == 0, capsys.readouterr().err
        assert SHOWN.get((page, number), "") in capsys.readouterr().out
