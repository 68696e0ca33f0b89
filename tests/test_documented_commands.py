"""The command lines of README and docs are ones that the program takes, and those on the sample do what they say."""

import argparse
import glob
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import URL

from mteval.annotations import open_store
from mteval.cli import COMMANDS, main
from mteval.library import configured_library
from mteval.report.merging import entry_of

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
RUN = ("two-systems.md", "present.md", "read-errors.md", "scores-alone.md")
NAMED = ("given-scores.md", "experiment-file.md", "claims.md", "annotations.md")  # on files of other names, made here
RUNS = ("base/opt0", "base/opt1", "new/opt0", "new/opt1")
SHOWN = {  # what a command prints, by the page and its place there
    ("two-systems.md", 0): "n=3            BLEU (s_sel/s_opt/p/p_run)",
    ("two-systems.md", 1): "| n=3 | Length (s\\_sel/s\\_opt/p/p\\_run) |",
    ("two-systems.md", 2): "Length: reordering",
    ("two-systems.md", 3): "Length, baseline (3 runs) and reordering (3 runs)",
    ("scores-alone.md", 0): "n=2            accuracy (s_sel/s_opt/p/p_run)",
    ("scores-alone.md", 3): "n=2            match (s_sel/s_opt/p/p_run)",
    ("given-scores.md", 0): "BLEU (s_sel/s_opt/p/p_run)",
    ("given-scores.md", 1): "COMET (given) (s_sel/s_opt/p/p_run)",
    ("given-scores.md", 2): "MetricX (s_sel/s_opt/p/p_run)",
    ("given-scores.md", 3): "COMET (given) (s_sel/s_opt/p/p_run)",
    ("given-scores.md", 4): "chrF (s_sel/s_opt/p/p_run)",
    ("given-scores.md", 5): "X (s_sel/s_opt/p/p_run)",
    ("experiment-file.md", 0): "Length on all test sets",
    ("claims.md", 0): "Length: new",
    ("claims.md", 1): "Length: new",
    ("annotations.md", 0): "Wrote FILE",
}


def commands(page: Path) -> Iterator[list[str]]:
    """The words of each command line in the page's blocks, comments left out."""
    for block in re.findall(r"^```\w*\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
        for line in block.replace("\\\n", " ").splitlines():
            line = re.sub(r"^\s*(\$ )?(\S*bin/)?mteval ", "mteval ", line)
            if line.startswith("mteval "):
                yield shlex.split(line, comments=True)[1:]


def all_commands() -> Iterator[Any]:
    """The words of each command line of all pages, called after its page and its place there."""
    for page in PAGES:
        for place, words in enumerate(commands(page)):
            yield pytest.param(words, id=f"{page.name} {place}")


def spread_out(words: list[str]) -> list[str]:
    """A command line as a shell gives it to a program: the files that a pattern matches in place of the pattern."""
    spread = []
    for word in words:
        if "[" in word:
            spread += sorted(glob.glob(word))
        else:
            spread.append(word)
    return spread


@pytest.mark.parametrize("words", list(all_commands()))
def test_every_command_line_is_one_that_the_program_takes(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    if any("{" in word or word.startswith("--exact") for word in words):
        pytest.skip("it needs a package that the page makes")
    runs: list[argparse.Namespace] = []
    assert words[0] in COMMANDS
    monkeypatch.setattr(import_module(f"mteval.cli.{words[0]}"), "run", runs.append)
    assert main(words) == 0
    assert len(runs) == 1


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_the_examples_of_the_help_are_ones_that_the_program_takes(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"] if command else ["--help"])
    lines = capsys.readouterr().out.splitlines()
    examples = [shlex.split(line)[1:] for line in lines if line.startswith("  mteval ")]
    assert examples or command == "prepare"
    for words in examples:
        if command:
            assert words[0] == command
        monkeypatch.setattr(import_module(f"mteval.cli.{words[0]}"), "run", lambda options: None)
        assert main(words) == 0


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a short sample, a table of scores and logs, where commands start."""
    for path in (ROOT / "sample_data").rglob("*test.*txt"):
        first_lines = path.read_text(encoding="utf-8").splitlines(keepends=True)[:40]
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text("".join(first_lines), encoding="utf-8")
    shutil.copytree(ROOT / "tests" / "readers" / "formats" / "logs" / "inspect", tmp_path / "logs")
    rows = ["system\trun\tsegment\tscore"]
    for system, run, item in product(("old", "newer"), (0, 1), range(1, 30)):
        score = (item * (run + 2) + len(system)) % 7 / 7
        rows.append(f"{system}\t{run}\t{item}\t{score}")
    write(tmp_path / "accuracy.tsv", rows)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", RUN)
def test_commands_on_the_sample_do_what_the_page_says(
    page: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, words in enumerate(commands(ROOT / "docs" / page)):
        assert main(spread_out(words)) == 0, capsys.readouterr().err
        assert SHOWN.get((page, number), "") in capsys.readouterr().out


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files as these pages call them: outputs, scores of them, and experiments."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MTEVAL_HOME", str(tmp_path / "home"))
    open_store(URL.create("sqlite", database=str(tmp_path / "home" / "annotations.sqlite"))).close()
    lines_of = {}
    for place, name in enumerate(("src", "ref", *RUNS)):
        lines_of[name] = [f"cat {number} " + "sat " * (1 + (number * place) % 5) + "down" for number in range(12)]
        write(Path(f"{name}.txt"), lines_of[name])
    _write_scores({run: lines_of[run] for run in RUNS})
    _write_wmt25()
    for file, test_sets in (("experiment", ("news", "talks")), ("de-en", ("de-en",)), ("fr-en", ("fr-en",))):
        Path(f"{file}.toml").write_text(described(test_sets))
    return tmp_path


def _write_scores(lines_of: dict[str, list[str]]) -> None:
    """Write scores of the lines of each run, as COMET's command, ``mteval score`` and MetricX's program do."""
    comet_rows_of: dict[str, list[dict[str, Any]]] = {}
    csv_rows_of = {"base": ["metric,system,run,score"], "new": ["metric,system,run,score"]}
    for run, lines in lines_of.items():
        system, _, name = run.partition("/opt")
        comet_rows = []
        metricx_rows = []
        for number, line in enumerate(lines):
            score = number % 5 / 5
            comet_rows.append({"mt": line, "COMET": score})
            csv_rows_of[system].append(f"COMET,{system},{name},{score}")
            metricx_row = {"source": "", "reference": "", "hypothesis": line, "prediction": score}
            metricx_rows.append(json.dumps(metricx_row))
        comet_rows_of[f"{run}.txt"] = comet_rows
        write(Path(f"metricx/{run.replace('/', '.')}.jsonl"), metricx_rows)
    for file in ("comet.json", "kiwi.json"):
        Path(file).write_text(json.dumps(comet_rows_of))
    for system, rows in csv_rows_of.items():  # as mteval score writes them: tests/cli/test_score.py
        write(Path(f"{system}.csv"), rows)


def _write_wmt25() -> None:
    """Write a segment, two outputs of it and their scores, as WMT 2025 files them."""
    segment = {"doc_id": "en-de_#_news_#_n", "src_text": "Cat", "refs": {"refA": {"ref": "Katze"}}}
    write(Path("wmt25-genmt.jsonl"), [json.dumps(segment)])
    for system, score in (("A", 0), ("B", 1)):
        output = {"doc_id": "en-de_#_news_#_n", "hypothesis": f"Katze {system}"}
        write(Path(f"systems/{system}.jsonl"), [json.dumps(output)])
        scores = {
            "language_pair": "en-de",
            "domain": "news",
            "document_id": "n",
            "metric_scores": {"X": [score]},
        }
        write(Path(f"automatic_scores/{system}.jsonl"), [json.dumps(scores)])


def write(path: Path, lines: list[str]) -> None:
    """Write a file, and the folder that it is in."""
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))


def described(test_sets: tuple[str, ...]) -> str:
    """An ``experiment.toml`` that has the same files on all test sets."""
    text = 'format = 1\nbaseline = "base"\n[settings]\nmetrics = ["length"]\n'
    for name in test_sets:
        text += f'[[test_sets]]\nname = "{name}"\nrole = "test"\nreferences = ["ref.txt"]\n'
        for system in ("base", "new"):
            text += f'[test_sets.systems.{system}]\n0 = "{system}/opt0.txt"\n1 = "{system}/opt1.txt"\n'
    return text


@pytest.mark.parametrize("page", NAMED)
def test_commands_on_other_files_do_what_the_page_says(
    page: str, named: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # With a model nbest is run by tests/metrics/neural/test_comet.py.
    without_models = [words for words in commands(ROOT / "docs" / page) if "/models/" not in " ".join(words)]
    assert without_models
    for number, words in enumerate(without_models):
        if words[0] == "report":  # figures take long, and are drawn elsewhere
            words = [*words, "--only", "csv", "experiment"]
        assert main(words) == 0, capsys.readouterr().err
        assert SHOWN.get((page, number), "") in capsys.readouterr().out


def test_the_library_s_commands_list_show_compare_export_and_remove(
    named: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    uid = entry_of([named / "experiment.toml"], configured_library(), 0).uid
    for words in commands(ROOT / "docs" / "library.md"):
        if words[0] == "library":  # the dashboard is started by other tests
            assert main([uid if word == "ID" else word for word in words]) == 0, words
    assert "removed" in capsys.readouterr().out


def test_the_readme_s_table_is_what_its_command_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    words = next(commands(ROOT / "README.md"))
    assert main(spread_out(words)) == 0
    table, *_ = capsys.readouterr().out.split("\n\n")
    assert f"```\n{table}\n```" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_commands_for_users_of_other_tools_are_ones_that_the_program_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = re.findall(r"`mteval (eval [^`]*)`", (ROOT / "README.md").read_text(encoding="utf-8"))
    monkeypatch.setattr("mteval.cli.eval.run", lambda options: None)
    assert len(lines) == 4
    for line in lines:
        assert main(shlex.split(line)) == 0
