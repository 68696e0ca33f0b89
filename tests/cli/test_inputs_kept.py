"""No command writes over a file that it reads, whatever the option and whatever the file's name."""

import argparse
import ast
import os
from importlib import import_module
from itertools import combinations
from pathlib import Path

import pytest

import mteval.cli
from mteval.cli import COMMANDS, console, main
from mteval.cli.console import Parser, directory_to_write, file_to_write, place_to_write

FEW = ["--metrics", "bleu", "--ar-shuffles", "10", "--boot-samples", "5"]
NAMED = ["--refs", "ref.txt", "--system", "old", "old.txt", "--system", "new", "new.txt"]
BELOW = ["--files", "runs", "--baseline", "old"]
SCORES = ["--scores-higher", "scores.tsv"]
PLANNED = ["--baseline", "old", "--systems", "new", "--runs", "3"]
GATED = ["--baseline", "old.txt", "--candidate", "new.txt", "--refs", "ref.txt", "--metrics", "bleu"]

# A command, its option that names a file to write, and a file that it reads.
FILES = [
    (["eval", *NAMED, *FEW], "--csv", "ref.txt"),
    (["eval", *NAMED, *FEW], "--json", "old.txt"),
    (["eval", *NAMED, *FEW], "--latex", "new.txt"),
    (["eval", *NAMED, *FEW], "--leaderboard", "ref.txt"),
    (["eval", *NAMED, "--documents", "docs.txt", *FEW], "--csv", "docs.txt"),
    (["eval", *BELOW, *FEW], "--csv", "runs/old.txt"),
    (["eval", *SCORES], "--json", "scores.tsv"),
    (["score", *NAMED, "--source", "source.txt"], "--csv", "source.txt"),
    (["run", "experiment.toml"], "--json", "experiment.toml"),
    (["run", "experiment.toml"], "--json", "runs/old.txt"),
    (["check", "ref.txt", "base.txt"], "--json", "ref.txt"),
    (["compare", *NAMED, "--metrics", "bleu"], "--csv", "ref.txt"),
    (["compare", *NAMED, "--metrics", "bleu"], "--json", "ref.txt"),
    (["gate", *GATED], "--json", "old.txt"),
    (["gate", *GATED], "--junit", "new.txt"),
    (["gate", *GATED], "--summary", "ref.txt"),
    (["claim", "experiment.toml"], "--json", "runs/ref.txt"),
    (["words", *NAMED], "--json", "ref.txt"),
    (["words", *NAMED, "--by", "frequency", "--counts", "counts.tsv"], "--json", "counts.tsv"),
    (["replicate", *BELOW, "--metrics", "bleu"], "--json", "runs/new.txt"),
    (["people", "--judgements", "judgements.tsv"], "--json", "judgements.tsv"),
    (
        ["people", "--judgements", "judgements.tsv", "--refs", "ref.txt", "--outputs", "systems"],
        "--json",
        "systems/0.txt",
    ),
    (["sample", "2", "--refs", "ref.txt", "--outputs", "old.txt", "new.txt", "--metrics", "chrf"], "--out", "new.txt"),
    (["plan", "--refs", "ref.txt", *PLANNED], "--freeze", "ref.txt"),
]
# A command, its option that names a folder to write to, and a file that it reads and would write there.
FOLDERS = [
    (["report", "experiment.toml", "--only", "experiment", "json"], "--to", "experiment.toml"),
    (["people", "--judgements", "judgements.tsv", "--resamples", "20"], "--csv", "agreement.csv"),
    (["eval", *NAMED, *FEW, "--csv", "out.csv"], "--rankDir", "sys2.sortedby.bleu"),
    (["eval", *NAMED, *FEW, "--csv", "out.csv"], "--sentLevelDir", "sys1.opt1"),
    (["nbest", "--nbest", "list.txt", "--refs", "two.txt", "--metrics", "bleu"], "--rankDir", "bleu.sorted"),
]
ARCHIVES = [(["report", *NAMED, *FEW, "--only", "json"], "--to", "old.zip")]
# These read nothing that they could write over, or refuse it themselves.
OTHERS = {("library", "--to"), ("annotations", "file"), ("campaigns", "file"), ("models", "--bundle")}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files for all these commands."""
    monkeypatch.chdir(tmp_path)
    lines = [f"the cat sat on mat {number} and went away" for number in range(8)]
    for name in ("ref", "old", "new", "source"):
        for place in (Path(), Path("runs"), Path("systems")):
            place.mkdir(exist_ok=True)
            text = "".join(f"{line} {name}\n" for line in lines)
            (place / f"{name}.txt").write_text(text, encoding="utf-8")
    Path("runs/source.txt").unlink()
    for name in ("ref", "old", "new", "source"):
        Path(f"systems/{name}.txt").unlink()
    Path("systems/0.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    Path("docs.txt").write_text("".join(f"d{number // 2}\n" for number in range(8)), encoding="utf-8")
    Path("counts.tsv").write_text("the\t5\ncat\t3\n", encoding="utf-8")
    rows = [f"{system}\t0\t{number}\t{number}" for system in ("old", "new") for number in range(1, 9)]
    Path("scores.tsv").write_text("\n".join(["system\trun\tsegment\tquality", *rows, ""]), encoding="utf-8")
    judged = [f"a\t{system}\t{number}\t{number}" for system in ("old", "new") for number in range(1, 9)]
    table = "\n".join(["annotator\tsystem\tsegment\tadequacy", *judged, ""])
    Path("judgements.tsv").write_text(table, encoding="utf-8")
    Path("list.txt").write_text("0 ||| a b ||| x ||| 1\n1 ||| c d ||| x ||| 1\n", encoding="utf-8")
    Path("two.txt").write_text("a b\nc d\n", encoding="utf-8")
    assert main(["report", *BELOW, *FEW, "--only", "experiment", "--to", "made"]) == 0
    text = Path("made/experiment.toml").read_text(encoding="utf-8").replace("inputs/", "runs/")
    Path("experiment.toml").write_text(text, encoding="utf-8")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("kind_of_name", ["name", "link", "hard link"])
@pytest.mark.parametrize(("words", "option", "file"), FILES)
def test_a_file_to_write_is_no_input(
    words: list[str], option: str, file: str, kind_of_name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = file
    if kind_of_name == "link":
        target = "linked"
        Path(target).symlink_to(file)
    if kind_of_name == "hard link":
        target = "linked"
        os.link(file, target)
    contents_before = contents(folder)
    capsys.readouterr()
    assert main([*words, option, target]) == 2
    errors = capsys.readouterr().err
    assert f"Cannot write {target}: this command reads it" in errors
    assert errors.endswith("Nothing was written. Name another file.\n")
    assert contents(folder) == contents_before


@pytest.mark.parametrize(("words", "option", "file"), [*FOLDERS, *ARCHIVES])
def test_a_folder_to_write_to_has_no_input_that_would_be_replaced(
    words: list[str], option: str, file: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reads = {"experiment.toml": "experiment.toml", "agreement.csv": "judgements.tsv", "bleu.sorted": "list.txt"}
    Path("to").mkdir()
    target = "to"
    if file.endswith(".zip"):
        target = "to/old.zip"
        os.link("old.txt", target)
    elif words[0] == "people":  # whatever its tables are called
        assert main([*words, option, "tables"]) == 0
        file = min(Path("tables").iterdir()).name
        os.link("judgements.tsv", Path("to", file))
    else:
        os.link(reads.get(file, "old.txt"), Path("to", file))
    contents_before = contents(folder)
    capsys.readouterr()
    assert main([*words, option, target]) == 2
    assert "this command reads it" in capsys.readouterr().err
    assert contents(folder) == contents_before


def options_that_write(parser: argparse.ArgumentParser) -> set[str]:
    kinds = (file_to_write, directory_to_write, place_to_write)
    return {(action.option_strings or [action.dest])[0] for action in console._actions(parser) if action.type in kinds}


def pairs_of_outputs() -> list[tuple[list[str], str, str]]:
    """Every command with every two of its options that write a file, or may make one where the other makes a folder."""
    words_of = {words[0]: words for words, _, _ in (*FILES, *FOLDERS)}
    pairs = []
    for command in COMMANDS:
        parser = Parser()
        import_module(f"mteval.cli.{command}").add_options(parser, [])
        for first, second in combinations(sorted(options_that_write(parser)), 2):
            if {first, second} != {"--rankDir", "--sentLevelDir"}:  # they may share a folder
                pairs.append((words_of[command], first, second))
    return pairs


PAIRS_OF_OUTPUTS = pairs_of_outputs()


def test_two_folders_may_be_one(folder: Path) -> None:
    assert main(["eval", *NAMED, *FEW, "--rankDir", "out", "--sentLevelDir", "out"]) == 0
    assert len(list(Path("out").iterdir())) == 3


def test_devices_may_be_shared(folder: Path) -> None:
    assert main(["eval", *NAMED, *FEW, "--csv", "/dev/null", "--json", "/dev/null"]) == 0


def test_a_file_that_was_written_by_the_same_command_is_not_written_again(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("out").mkdir()
    assert main(["eval", *NAMED, *FEW, "--csv", "out/sys1.opt1", "--sentLevelDir", "out"]) == 2
    assert "sys1.opt1: this command has written it already. Name another file." in capsys.readouterr().err


@pytest.mark.parametrize(("words", "first", "second"), PAIRS_OF_OUTPUTS)
def test_two_outputs_are_two_files(
    words: list[str],
    first: str,
    second: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Refused before any input is looked for: there is none here."""
    monkeypatch.chdir(tmp_path)
    Path("below").mkdir()
    names = [("new", "new"), ("new", "below/../new")]
    if not any(option in ("--rankDir", "--sentLevelDir") for option in (first, second)) and words[0] != "people":
        Path("old").write_text("what was there\n", encoding="utf-8")
        Path("link").symlink_to("old")
        os.link("old", "hard")
        names += [("old", "old"), ("old", "link"), ("hard", "old")]
    contents_before = contents(tmp_path)
    for one, two in names:
        assert main([*words, first, one, second, two]) == 2
        errors = capsys.readouterr().err
        assert f" both write {two}." in errors or f" both write {one}." in errors
        assert errors.endswith(". Nothing was written. Name two files.\n")
    assert contents(tmp_path) == contents_before


def test_the_summary_that_a_server_names_is_an_output_like_others(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "o")
    assert main(["gate", *GATED, "--json", "o"]) == 2
    assert "--json and --summary both write o." in capsys.readouterr().err
    assert not Path("o").exists()


def test_numbers_are_not_written_over_the_history(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", *BELOW, *FEW, "--only", "experiment", "--to", "kept"]) == 0
    contents_before = contents(folder)
    file = "kept/inputs/old.txt"
    assert file in contents_before
    capsys.readouterr()
    assert main(["gate", "--history", "kept/", "--candidate", "new.txt", "--worse-by", "90", "--json", file]) == 2
    errors = capsys.readouterr().err
    assert f"Cannot write {file}: this command keeps another file there. Nothing was written." in errors
    assert contents(folder) == contents_before


def test_a_history_is_no_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    contents_before = contents(folder)
    assert main(["gate", *GATED, "--worse-by", "90", "--history", "./old.txt"]) == 2
    assert "The history './old.txt' is a file. Name a folder" in capsys.readouterr().err
    assert contents(folder) == contents_before


@pytest.mark.parametrize("command", [["report", *NAMED, *FEW], ["report", *BELOW, *FEW]])
def test_a_report_replaces_only_an_experiment_that_it_wrote(
    command: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = b"# My own notes\n"
    Path("experiment.toml").write_bytes(mine)
    assert main([*command, "--only", "json", "--to", "."]) == 0  # writes none
    assert main([*command, "--only", "experiment", "--to", "."]) == 2
    errors = capsys.readouterr().err
    assert "Cannot write experiment.toml: it may be your own, since manifest.json does not list it as it is." in errors
    assert Path("experiment.toml").read_bytes() == mine
    assert not Path("inputs").exists()
    for _ in range(2):  # its own
        assert main([*command, "--only", "experiment", "--to", "own"]) == 0
    assert main([*command, "--only", "experiment", "--to", "own", "--seed", "7"]) == 0
    with Path("own/experiment.toml").open("a", encoding="utf-8") as file:
        file.write("# edited\n")
    assert main([*command, "--only", "experiment", "--to", "own"]) == 2
    assert "# edited" in Path("own/experiment.toml").read_text(encoding="utf-8")


def test_what_is_below_a_folder_but_not_read_may_be_written_again(folder: Path) -> None:
    for _ in range(2):
        assert main(["eval", *BELOW, *FEW, "--json", "runs/numbers.json"]) == 0


def test_every_option_that_names_something_to_write_is_tried() -> None:
    tried = {(words[0], option) for words, option, _ in (*FILES, *FOLDERS, *ARCHIVES)} | OTHERS
    for command in COMMANDS:
        parser = Parser()
        import_module(f"mteval.cli.{command}").add_options(parser, [])
        assert {(command, option) for option in options_that_write(parser)} <= tried


def test_commands_write_through_the_console_alone() -> None:
    writing = []
    for path in sorted(Path(mteval.cli.__file__).parent.glob("*.py")):
        calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
        names = [(ast.unparse(call), getattr(call.func, "attr", getattr(call.func, "id", ""))) for call in calls]
        if path.name != "console.py":
            writing += [(path.name, call) for call, name in names if name in ("write_bytes", "write_text", "open")]
    of_files = [(name, call) for name, call in writing if not call.startswith("write_text(")]  # that of the console
    assert set(of_files) == {
        ("__init__.py", "open(os.devnull, 'w', encoding='utf-8')"),
        ("__init__.py", "os.open(os.devnull, os.O_WRONLY)"),
        ("models.py", "tarfile.open(fileobj=file, mode='w')"),
    }
