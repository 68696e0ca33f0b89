"""The recipes for scores computed elsewhere: all of them that is not another program is run, on what these write."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mteval.cli import main

PAGE = Path(__file__).parent.parent / "docs" / "given-scores.md"
WRITTEN = Path(__file__).parent / "readers" / "formats" / "programs"
FEW = ["--boot-samples", "20", "--ar-shuffles", "50"]
NAMES = ("base/opt0", "base/opt1", "new/opt0", "new/opt1")


def block(kind: str) -> str:
    """The page's only block of a kind."""
    page = PAGE.read_text(encoding="utf-8")
    (text,) = re.findall(rf"^```{kind}\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    return str(text)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the recipes name."""
    for number, name in enumerate(("src", "ref", *NAMES)):
        path = tmp_path / f"{name}.txt"
        path.parent.mkdir(exist_ok=True)
        lines = [f"the cat {segment} sat on {segment * number}\n" for segment in range(12)]
        path.write_text("".join(lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def numbers(*words: str) -> dict[tuple[str, str], float]:
    """The scores by system and run."""
    systems = ["--system", "base", "base/opt0.txt", "base/opt1.txt", "--system", "new", "new/opt0.txt", "new/opt1.txt"]
    assert main(["eval", "--refs", "ref.txt", *systems, *words, *FEW, "--json", "out.json"]) == 0
    rows = json.loads(Path("out.json").read_text())["scores"]
    return {(row["system"], row["run"]): row["score"] for row in rows}


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_metricx_gets_its_input_and_what_it_writes_is_matched_by_its_outputs(place: Path) -> None:
    subprocess.run([sys.executable, "-c", block("python")], check=True, cwd=place)
    files = []
    for number, name in enumerate(NAMES):
        rows = read_rows(Path(f"metricx.in.{name.replace('/', '.')}.jsonl"))
        assert rows[3]["source"] == "the cat 3 sat on 0"
        # The names of the files tell nothing of the runs, and come in another order.
        file = f"x{number * 7 % 5}.jsonl"
        predictions = [json.dumps(row | {"prediction": 1.5 + number}) + "\n" for row in rows]
        Path(file).write_text("".join(predictions))
        files.append(file)
    scores = numbers("--scores-lower", *files, "--metrics", "metricx")
    assert scores == {("base", "0"): 1.5, ("base", "1"): 2.5, ("new", "0"): 3.5, ("new", "1"): 4.5}


def test_what_metricx_wrote_itself_is_read_without_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    means = {}
    for name in NAMES:
        rows = read_rows(file_of(name))
        outputs = [f"{row['hypothesis']}\n" for row in rows]
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.txt").write_text("".join(outputs))
        system, run = name.split("/opt")
        means[system, run] = sum(row["prediction"] for row in rows) / len(rows)
    references = [f"{row['reference']}\n" for row in read_rows(file_of(NAMES[0]))]
    (tmp_path / "ref.txt").write_text("".join(references))
    monkeypatch.chdir(tmp_path)

    files = [str(file_of(name)) for name in NAMES]
    scores = numbers("--scores-lower", *files, "--metrics", "metricx")

    assert len(set(means.values())) == len(NAMES)
    assert scores == pytest.approx(means)


def file_of(name: str) -> Path:
    """What the program wrote of a run of the sample, its first lines, with a small model filled at random."""
    return WRITTEN / "metricx24" / f"{name.replace('/', '.')}.jsonl"


def test_bleurts_numbers_become_a_table(place: Path) -> None:
    expected = {}
    for system in ("base", "new"):
        for run in "01":
            text = (WRITTEN / "bleurt" / f"bleurt.{system}.{run}.txt").read_text()
            Path(f"bleurt.{system}.{run}.txt").write_text(text)
            expected[system, run] = sum(map(float, text.split())) / 12
    subprocess.run(["bash", "-c", block("bash")], check=True, cwd=place)
    scores = numbers("--scores-higher", "BLEURT.csv", "--metrics", "bleurt")
    assert len(set(expected.values())) == 4
    assert scores == pytest.approx(expected)
