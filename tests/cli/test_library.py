"""The library from the shell."""

from pathlib import Path

import pytest

from mteval.analysis.evaluation import evaluate
from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.scoring import Work
from mteval.cli import main
from mteval.library import configured_library
from mteval.readers.documents import InputFile
from mteval.readers.workspace import Workspace
from mteval.report.kept_experiment import Made, content_of
from mteval.values.asker import OPERATOR
from mteval.values.settings import Settings

SETTINGS = Settings(("bleu",), n_bootstrap=20, n_shuffles=50)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTEVAL_HOME", str(tmp_path / "home"))


def add(name: str, **texts: str) -> str:
    """An experiment of one run each, scored; its identifier."""
    files = {"refs.txt": "a b c d e\nf g h i k\n", "base.txt": "a b c d\nf g h\n"} | {
        f"{k}.txt": t for k, t in texts.items()
    }
    workspace = Workspace().add([InputFile(file, text.encode()) for file, text in files.items()])
    experiment = workspace.experiment("base")
    assert experiment
    results = Results(experiment, evaluate(experiment, SETTINGS, Work()), reported_test_set(experiment))
    content = content_of(workspace, Made(workspace.edits, SETTINGS, "base"), results)
    return configured_library().add(content, name, OPERATOR).uid


def test_control_characters_in_names_are_visible(capsys: pytest.CaptureFixture[str]) -> None:
    add("\x1b[2Jname\r\n::error::", new="a b c d e\nf g\n")
    assert main(["library", "list"]) == 0
    shown = capsys.readouterr().out
    assert "⟨U+001B⟩[2Jname⟨U+000D⟩⟨U+000A⟩::error::" in shown
    assert "\x1b" not in shown
    assert main(["library", "show", "\x1b[2Jnone"]) == 2
    assert "\x1b" not in capsys.readouterr().err


def test_experiments_are_listed_shown_and_removed(capsys: pytest.CaptureFixture[str]) -> None:
    uid = add("first", new="a b c d e\nf g\n")
    assert main(["library", "list"]) == 0
    out = capsys.readouterr().out
    assert "2 systems · 1 run each · 2 segments · BLEU · new ◇ no verdict" in out
    assert uid not in out  # a link is shown where it is asked for
    assert "1 experiment, " in out
    assert main(["library", "show", uid[:6]]) == 0
    out = capsys.readouterr().out
    entry = configured_library().entry(uid)
    assert f"?key={entry.editor}" in out
    assert f"?key={entry.reader}" in out
    assert "base.txt, new.txt, refs.txt" in out
    assert main(["library", "remove", "first"]) == 0
    assert configured_library().listed() == ()


@pytest.mark.parametrize("place", ["folder", "one.zip"])
def test_an_exported_experiment_is_computed_again(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add("first", new="a b c d e\nf g\n")
    assert main(["library", "export", "first", "--to", str(tmp_path / place)]) == 0
    written = capsys.readouterr().out.split()
    if place == "folder":
        assert str(tmp_path / place / "experiment.toml") in written
        assert main(["run", written[0]]) == 0
        assert "new" in capsys.readouterr().out
    else:
        assert written == [str(tmp_path / place)]


def test_damage_is_named_with_a_status_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["library", "check"]) == 0  # there is none yet
    add("first", new="a b c d e\nf g h\n")
    assert main(["library", "check"]) == 0
    assert main(["annotations", "check"]) == 0
    assert capsys.readouterr().out == "No damage found.\n" * 3
    largest = max((tmp_path / "home" / "library" / "contents").rglob("??/*"), key=lambda path: path.stat().st_size)
    largest.write_bytes(largest.read_bytes()[:-3])
    assert main(["library", "check"]) == 2
    said = capsys.readouterr()
    assert said.out.startswith(f"Content {largest.name} is damaged")
    assert "1 problem found" in said.err
    for command in ("library", "annotations"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        assert "exit status 2" in " ".join(capsys.readouterr().out.split())


def test_two_experiments_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    add("first", new="a b c d e\nf g\n")
    add("second", new="a b c d e\nf g h i k\n")
    assert main(["library", "compare", "first", "second"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("0 verdicts changed; 1 file and 0 settings differ; 1 of 2 averages is the same.")
    assert "other content" in out


def test_unknown_or_ambiguous_name_gives_one_line_error(capsys: pytest.CaptureFixture[str]) -> None:
    add("same", new="a\nf\n")
    add("same", new="a\nf\n")
    for name, words in (("same", "2 experiments match 'same'"), ("none", "No experiment 'none'")):
        assert main(["library", "show", name]) == 2
        assert words in capsys.readouterr().err


def test_a_bad_size_limit_is_an_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("MTEVAL_LIBRARY_GIB", "much")
    assert main(["library", "list"]) == 2
    assert "MTEVAL_LIBRARY_GIB is 'much'" in capsys.readouterr().err
