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
from tests.screenshots import PICTURES

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
RUN = ("two-systems.md", "present.md", "read-errors.md", "scores-alone.md", "llm-logs.md", "recipes.md")
ON_THE_SAMPLE = ("README.md", "docs/tutorial.md", "docs/speech.md", "docs/languages.md")  # with all that they print
NAMED = ("given-scores.md", "experiment-file.md", "claims.md", "annotations.md")  # on files of other names, made here
RUNS = ("base/opt0", "base/opt1", "new/opt0", "new/opt1")
SHOWN = {  # what a command prints, by the page and its place there
    ("two-systems.md", 0): "n=3            BLEU (s_sel/s_opt/p/p_run)",
    ("two-systems.md", 1): "| n=3 | Length (s\\_sel/s\\_opt/p/p\\_run) |",
    ("two-systems.md", 2): "Length: reordering",
    ("two-systems.md", 3): "Length, baseline (3 runs) and reordering (3 runs)",
    ("scores-alone.md", 0): "n=2            accuracy (s_sel/s_opt/p/p_run)",
    ("llm-logs.md", 0): "n=1            exact_match strict-match (s_sel/s_opt/p/p_run)",
    ("llm-logs.md", 1): "n=2            match (s_sel/s_opt/p/p_run)",
    ("llm-logs.md", 2): "n=3            promptfoo (s_sel/s_opt/p/p_run)",
    ("llm-logs.md", 3): "small          0.500 (0.275/0.236/-/-)",
    ("recipes.md", 0): "n=1            exact_match strict-match (s_sel/s_opt/p/p_run)",
    ("recipes.md", 1): "n=2            match (s_sel/s_opt/p/p_run)",
    ("recipes.md", 2): "n=3            faithfulness (s_sel/s_opt/p/p_run)",
    ("recipes.md", 3): "Ranking by accuracy",
    ("recipes.md", 4): "new vs old: ",
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
    _write_logs(tmp_path / "logs")
    rows = ["system\trun\tsegment\tscore"]
    for system, run, item in product(("old", "newer"), (0, 1), range(1, 30)):
        score = (item * (run + 2) + len(system)) % 7 / 7
        rows.append(f"{system}\t{run}\t{item}\t{score}")
    write(tmp_path / "accuracy.tsv", rows)
    for file, metric, systems in (("judge", "faithfulness", ("old", "new")), ("leaderboard", "accuracy", "abcd")):
        rows = [f"system\trun\tsegment\t{metric}"]
        for place, run, item in product(range(len(systems)), range(3), range(1, 31)):
            system = {"a": "alpha"}.get(systems[place], systems[place])
            rows.append(f"{system}\t{run}\t{item}\t{(item * (run + 3) + place * item % 5) % 11 / 11}")
        write(tmp_path / f"{file}.tsv", rows)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _write_logs(folder: Path) -> None:
    """Unpack logs that the programs themselves wrote, in a folder per program."""
    recorded = ROOT / "tests" / "readers" / "formats" / "logs"
    shutil.copytree(recorded / "inspect", folder / "inspect")
    archive_of = {"lm-eval": "lm-eval-0.4.9", "promptfoo": "promptfoo-runs", "wandb": "wandb-folders"}
    for program, archive in archive_of.items():
        shutil.unpack_archive(recorded / f"{archive}.zip", folder / program)


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


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder where commands start, with the sample, and its two test sets as two language pairs."""
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    for pair, test_set in (("de-en", "test"), ("fr-en", "test2")):
        for system, run in product(("baseline", "reordering"), range(3)):
            copy = tmp_path / "runs" / pair / system / f"seed{run}.txt"
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / "sample_data" / system / f"{test_set}.opt0{run}.txt", copy)
        for name in ("reference", "documents"):
            shutil.copy(ROOT / "sample_data" / f"{name}.{test_set}.txt", tmp_path / "runs" / pair / f"{name}.txt")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", ON_THE_SAMPLE)
def test_commands_print_what_the_page_shows_below_them(
    page: str, sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    printed = ""
    n_shown = 0
    for block in re.findall(r"^```\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        if block.startswith(("bin/", "runs/", "mteval app")):  # the dashboard is opened by tests/screenshots.py
            continue
        if block.startswith("mteval "):
            words = shlex.split(block.replace("\\\n", " "), comments=True)[1:]
            assert main(spread_out(words)) == 0, capsys.readouterr().err
            printed = capsys.readouterr().out
        else:
            assert is_shown(block, printed), printed
            n_shown += 1
    assert n_shown


def is_shown(block: str, printed: str) -> bool:
    """Whether the lines of a block are printed in this order; the last one may end earlier than the printed one."""
    *lines, last = block.splitlines()
    return "".join(f"{line}\n" for line in lines) + last in printed


def test_the_paragraph_of_the_tutorial_is_what_its_command_writes(sample: Path) -> None:
    page = ROOT / "docs" / "tutorial.md"
    words = next(words for words in commands(page) if words[0] == "report")
    assert main(spread_out(words)) == 0
    written = Path("paper", "methods.txt").read_text(encoding="utf-8")
    paragraph, result = re.findall(r"^> (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert written.startswith(paragraph)
    table = Path("paper", "table.tex").read_text(encoding="utf-8")
    assert "0.238" in result
    assert "0.238" in table


def test_every_picture_of_the_documentation_is_taken_by_the_script() -> None:
    others = {"calibration"}  # drawn by benchmarks/calibration_page.py
    taken = {path.stem for path in (ROOT / "docs" / "images").glob("*.png")} - others
    assert taken == set(PICTURES)
    for path in (ROOT / "docs" / "images").glob("*.png"):
        assert path.stat().st_size < 150_000, path


def test_the_commands_for_users_of_other_tools_are_ones_that_the_program_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = re.findall(r"`mteval (eval [^`]*)`", (ROOT / "docs" / "peers.md").read_text(encoding="utf-8"))
    monkeypatch.setattr("mteval.cli.eval.run", lambda options: None)
    assert len(lines) == 4
    for line in lines:
        assert main(shlex.split(line)) == 0
