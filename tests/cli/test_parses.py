"""Parses on the command line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mteval.cli import main

REFERENCES = "the dog bit the man\na cat sat\n"
OUTPUTS = {"b0": "the dog bit\na cat sat\n", "b1": "the dog\na cat\n", "s0": "the dog bit the man\na cat\n"}
FAST = ["--metrics", "dep-f", "bleu", "--boot-samples", "10", "--ar-shuffles", "10"]


@pytest.fixture
def folder(tmp_path: Path, right_branching: Callable[[str], str]) -> Path:
    """References and outputs, each with its parse."""
    for name, text in {"r": REFERENCES, **OUTPUTS}.items():
        parses = [right_branching(line) + "\n" for line in text.splitlines()]
        (tmp_path / name).write_text(text)
        (tmp_path / f"{name}.conllu").write_text("".join(parses))
    return tmp_path


def words(folder: Path, *further: str) -> list[str]:
    """The options, which begin with ``--``, and the files, with their folder."""
    words = []
    for word in ["--refs", "r", "--hyps-baseline", "b0", "b1", "--hyps-sys1", "s0", *further]:
        words.append(word if word.startswith("--") else str(folder / word))
    return words


PARSES = ("--parses-refs", "r.conllu", "--parses-baseline", "b0.conllu", "b1.conllu", "--parses-sys1", "s0.conllu")


def test_runs_are_scored_by_their_parses(folder, capsys):
    """By hand: of the reference's 8 triples b0 has 6 of its own 6, b1 4 of 4, s0 7 of 7."""
    assert main(["eval", *words(folder, *PARSES), *FAST, "--json", str(folder / "out.json")]) == 0
    rows = json.loads((folder / "out.json").read_text())["scores"]
    scores = {(row["system"], row["run"]): row["score"] for row in rows if row["metric"] == "dep-f"}
    assert scores == pytest.approx(
        {
            ("baseline", "0"): 100 * 12 / 14,
            ("baseline", "1"): 100 * 8 / 12,
            ("sys1", "0"): 100 * 14 / 15,
        }
    )
    assert "Dependency F" in capsys.readouterr().out


def test_a_system_without_parses_has_no_score_and_a_note(folder, capsys):
    assert main(["eval", *words(folder, *PARSES[:5]), *FAST]) == 0
    out, err = capsys.readouterr()
    assert "sys1 0" in out + err
    row = next(line for line in out.splitlines() if line.startswith("system 1"))
    assert row.split()[2] == "-"


@pytest.mark.parametrize(
    ("parses", "message"),
    [
        ((), "references"),
        (PARSES[:2], "run"),
        (PARSES[:4], "System 'baseline' has 2 files"),
        (("--parses-refs", "r"), "CoNLL-U"),
    ],
)
def test_missing_or_broken_parses_give_a_one_line_error(folder, capsys, parses, message):
    assert main(["eval", *words(folder, *parses), *FAST]) == 2
    (line,) = capsys.readouterr().err.splitlines()[-1:]
    assert message in line


def test_a_report_includes_the_parses_and_can_be_recomputed(folder, capsys):
    place = folder / "report"
    assert main(["report", *words(folder, *PARSES), *FAST, "--to", str(place), "--only", "experiment"]) == 0
    assert main(["run", str(place / "experiment.toml"), "--json", str(folder / "again.json")]) == 0
    assert main(["eval", *words(folder, *PARSES), *FAST, "--json", str(folder / "out.json")]) == 0
    again = json.loads((folder / "again.json").read_text())
    first = json.loads((folder / "out.json").read_text())
    assert again["scores"] == first["scores"]
    assert any(row["metric"] == "dep-f" for row in again["scores"])
