"""The command lines of README and docs are ones that the program takes, and those on the sample do what they say."""

import argparse
import glob
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

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
    ("experiment-file.md", 0): "n=2            Length (s_sel/s_opt/p/p_run)",
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


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_the_examples_of_the_help_are_ones_that_the_program_takes(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([*filter(None, [command]), "--help"])
    shown = [shlex.split(line)[1:] for line in capsys.readouterr().out.splitlines() if line.startswith("  mteval ")]
    assert all(command in ("", words[0]) for words in shown)
    assert shown or command == "prepare"
    for words in shown:
        monkeypatch.setattr(import_module(f"mteval.cli.{words[0]}"), "run", lambda options: None)
        assert main(words) == 0


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


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files as these pages call them: outputs, scores of them, and experiments."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MTEVAL_HOME", str(tmp_path / "home"))
    open_store(URL.create("sqlite", database=str(tmp_path / "home" / "annotations.sqlite"))).close()
    texts = {name: [f"cat {n} " + "sat " * (1 + (n * place) % 5) + "down" for n in range(12)]
             for place, name in enumerate(("src", "ref", *RUNS))}  # fmt: skip
    for name, lines in texts.items():
        write(Path(f"{name}.txt"), lines)
    rows = [(name, text, n % 5 / 5) for name in RUNS for n, text in enumerate(texts[name])]
    for file in ("comet", "kiwi"):
        said = {
            f"{run}.txt": [{"mt": text, "COMET": score} for name, text, score in rows if name == run] for run in RUNS
        }
        Path(f"{file}.json").write_text(json.dumps(said))
    for system in ("base", "new"):  # as mteval score writes them: tests/cli/test_score.py
        cells = [f"COMET,{system},{name[-1]},{score}" for name, _, score in rows if name.startswith(system)]
        write(Path(f"{system}.csv"), ["metric,system,run,score", *cells])
    for run in RUNS:
        keys = ("source", "reference", "hypothesis", "prediction")
        lines = [dict(zip(keys, ("", "", text, score), strict=True)) for name, text, score in rows if name == run]
        write(Path(f"metricx/{run.replace('/', '.')}.jsonl"), [json.dumps(line) for line in lines])
    asked = {
        "doc_id": "en-de_#_news_#_n",
        "src_text": "Cat",
        "refs": {"refA": {"ref": "Katze"}},
    }
    write(Path("wmt25-genmt.jsonl"), [json.dumps(asked)])
    graded = {"language_pair": "en-de", "domain": "news", "document_id": "n"}
    for place, name in enumerate("AB"):
        said = {"doc_id": "en-de_#_news_#_n", "hypothesis": f"Katze {name}"}
        write(Path(f"systems/{name}.jsonl"), [json.dumps(said)])
        numbers = {"X": [place]}
        write(Path(f"automatic_scores/{name}.jsonl"), [json.dumps(graded | {"metric_scores": numbers})])
    for file, test_sets in (("experiment", ("news", "talks")), ("de-en", ("de-en",)), ("fr-en", ("fr-en",))):
        Path(f"{file}.toml").write_text(described(test_sets))
    return tmp_path


def write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))


def described(test_sets: tuple[str, ...]) -> str:
    """An ``experiment.toml`` that has the same files on all test sets."""
    sets = [
        f'[[test_sets]]\nname = "{name}"\nrole = "test"\nreferences = ["ref.txt"]\n'
        + "".join(f'[test_sets.systems.{one}]\n0 = "{one}/opt0.txt"\n1 = "{one}/opt1.txt"\n' for one in ("base", "new"))
        for name in test_sets
    ]
    return 'format = 1\nbaseline = "base"\n[settings]\nmetrics = ["length"]\n' + "".join(sets)


@pytest.mark.parametrize("page", NAMED)
def test_commands_on_other_files_do_what_the_page_says(
    page: str, named: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = [words for words in commands(ROOT / "docs" / page) if not any("/models/" in word for word in words)]
    assert done  # with a model nbest is run by tests/metrics/neural/test_comet.py
    for number, words in enumerate(done):
        few = ["--only", "csv", "experiment"] * (words[0] == "report")  # figures take long, and are drawn elsewhere
        assert main([*words, *few]) == 0, capsys.readouterr().err
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
    assert main([file for word in words for file in (sorted(glob.glob(word)) if "[" in word else [word])]) == 0
    table, *_ = capsys.readouterr().out.split("\n\n")
    assert f"```\n{table}\n```" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_commands_for_users_of_other_tools_are_ones_that_the_program_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    named = re.findall(r"`mteval (eval [^`]*)`", (ROOT / "README.md").read_text(encoding="utf-8"))
    monkeypatch.setattr("mteval.cli.eval.run", lambda options: None)
    assert len(named) == 4
    for words in named:
        assert main(shlex.split(words)) == 0
