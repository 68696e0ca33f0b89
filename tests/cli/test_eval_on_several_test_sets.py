"""``mteval eval`` on language pairs: one grid, notes once, and each pair with ``--verbose``."""

from pathlib import Path

import pytest

from mteval.cli import main

PAIRS = ("de-en", "nb-en")
WORDS = [
    "the",
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "the",
    "lazy",
    "dog",
    "while",
    "it",
    "rains",
    "on",
    "every",
    "roof",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two systems with two runs each on two language pairs."""
    for number, pair in enumerate(PAIRS):
        place = tmp_path / pair
        place.mkdir()
        references = [" ".join(WORDS[(line + number) % 7 :]) for line in range(20)]
        (place / "ref.txt").write_text("\n".join(references) + "\n", encoding="utf-8")
        for system, period in (("base", 3), ("new", 7)):
            for run in range(2):
                lines = []
                for line, reference in enumerate(references):
                    kept = [word for at, word in enumerate(reference.split()) if (at + line + run) % period]
                    lines.append(" ".join(kept))
                (place / f"{system}.run{run}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def printed(folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    words = ["eval", "--files", str(folder), "--metrics", "length", "--boot-samples", "20", "--ar-shuffles", "100"]
    assert main([*words, *options]) == 0
    return capsys.readouterr().out.splitlines()


def test_the_grid_is_printed_alone_with_its_notes_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(folder, capsys)
    (head,) = [line for line in lines if line.startswith("System ")]
    assert head.split() == ["System", *PAIRS, "Average"]
    assert sum(line.startswith("Signature of Length") for line in lines) == 1
    assert "Tables and verdicts of each test set: --verbose." in lines
    assert not any(line.startswith("n=") for line in lines)


def test_each_test_set_is_printed_if_verbose(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(folder, capsys, "--verbose")
    for pair in PAIRS:
        assert f"{pair} (test), 20 segments" in lines
    assert sum(line.startswith("n=2") for line in lines) == 2


def test_quiet_prints_the_grid_without_notes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(folder, capsys, "--quiet")
    assert not any(line.startswith(("Signature", "Tables and verdicts")) for line in lines)
