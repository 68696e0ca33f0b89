"""What the user names is told with the option, what was found, and what helps."""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from mteval.cli import COMMANDS, main
from mteval.cli.console import Parser, number
from tests.conftest import ROOT

FEW = ["--metrics", "bleu", "--ar-shuffles", "10", "--boot-samples", "5"]
# In bytes, as Linux has names.
ODD = os.fsdecode(b"run\xff.txt")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Texts, a folder of outputs with a name that is not UTF-8, and judgements."""
    monkeypatch.chdir(tmp_path)
    for name in ("ref.txt", "runs/ref.txt", "runs/old.txt", "runs/new.txt", f"odd/{ODD}", "odd/run.txt", ODD):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("a cat sat on the mat\na dog ran\n", encoding="utf-8")
    table = ["annotator\tsystem\tsegment\tadequacy", "a\todd\t1\t3", "a\truns\t1\t4", ""]
    Path("judgements.tsv").write_text("\n".join(table), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["eval", "--files", "odd", "runs", *FEW],
        ["eval", "--files", "odd", *FEW],
        ["eval", "--files", ODD, "ref.txt", *FEW],
        ["eval", "--refs", "ref.txt", "--system", "old", ODD, "--system", "new", "ref.txt", *FEW],
        ["eval", "--refs", ODD, "--system", "old", "ref.txt", "--system", "new", "ref.txt", *FEW],
        ["people", "--judgements", "judgements.tsv", "--refs", "ref.txt", "--outputs", "odd", "--metrics", "bleu"],
        ["eval", "--scores-higher", ODD],
        ["report", "--files", "odd", *FEW, "--to", "report"],
    ],
)
def test_a_file_name_that_is_not_utf_8_is_shown_in_bytes_with_a_remedy(words: list[str], folder: Path) -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "mteval", *words],
        capture_output=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": "utf-8:strict"},
    )
    output = (finished.stdout + finished.stderr).decode("utf-8")
    assert "Traceback" not in output
    assert r"run\xff.txt' is not UTF-8. Rename the file, e.g. in plain English letters." in output
    assert "surrogate" not in output


def test_the_paths_of_written_files_are_shown_whatever_their_bytes(folder: Path) -> None:
    named = ["--refs", "ref.txt", "--system", "old", "ref.txt", "--system", "new", "ref.txt"]
    finished = subprocess.run(
        [sys.executable, "-m", "mteval", "report", *named, *FEW, "--only", "json", "--to", os.fsdecode(b"out\xff")],
        capture_output=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": "utf-8:strict"},
    )
    assert finished.returncode == 0, finished.stderr
    assert rb"out\xff/numbers.json" in finished.stdout


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["--logs", "ref.txt"], "ref.txt"),
        (["--logs", "ref.txt", "runs/old.txt"], "ref.txt"),
        (["--logs", "runs"], "runs"),
    ],
)
def test_texts_are_no_logs(words: list[str], shown: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", *words]) == 2
    assert capsys.readouterr().err == (
        f"mteval: {shown}: --logs: No scores found. Expected a log of another program, or a table of scores"
        " (docs/given-scores.md). Name texts with --files, or with --refs and --system.\n"
    )


def test_an_archive_of_logs_is_read_like_its_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = ROOT / "tests" / "readers" / "formats" / "logs" / "lm-eval-filters.zip"
    shutil.unpack_archive(archive, tmp_path / "logs")
    tables = []
    for place in (archive, tmp_path / "logs"):
        assert main(["eval", "--logs", str(place), "--baseline", "small"]) == 0
        tables.append(capsys.readouterr().out.split("\n\n")[0])
    assert tables[0] == tables[1]
    assert "exact_match strict-match" in tables[0]


def test_a_file_of_scores_beside_others_needs_scores(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "--files", "runs", "--scores-higher", "ref.txt", *FEW]) == 2
    assert capsys.readouterr().err.startswith("mteval: ref.txt: No scores found. Expected a log")


def actions_with_words(parser: argparse.ArgumentParser) -> Iterator[tuple[list[str], argparse.Action]]:
    """The options of a command, with the word of the action that takes them, such as ``new``."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, inner in action.choices.items():
                for words, option in actions_with_words(inner):
                    yield [word, *words], option
        else:
            yield [], action


@pytest.mark.parametrize("word", ["1e999", "-1e999", "inf", "nan", "much", ""])
def test_options_for_numbers_name_themselves_and_take_finite_numbers_only(
    word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    n_tried = 0
    for command in COMMANDS:
        if command == "app":  # its limits may be infinite
            continue
        module = import_module(f"mteval.cli.{command}")
        parser = Parser(prog=f"mteval {command}", allow_abbrev=False)
        module.add_options(parser, [])
        for words, action in actions_with_words(parser):
            assert action.type is not float
            if action.type is number:
                with pytest.raises(SystemExit):
                    parser.parse_args([*words, f"{action.option_strings[-1]}={word}"])
                output = capsys.readouterr().err
                expected = f"argument {'/'.join(action.option_strings)}: expected a number such as 0.5, found '{word}'"
                assert expected in output
                n_tried += 1
    assert n_tried > 20
