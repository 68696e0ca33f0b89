"""Every command on a terminal, with hostile names: nothing acts on it, and the last bytes are the program's own."""

import json
import os
import pty
import random
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

HOSTILE = "e\x1b[31m\rX\x07\x9b1m\u202e\ufffe\x85\u2028\u2029"
EXPERIMENT = ["--files", "outputs.jsonl", "--baseline", "base"]
FEW = ["--metrics", "bleu", "--boot-samples", "5", "--ar-shuffles", "5"]
LINES = [
    ["eval", *EXPERIMENT, *FEW],
    ["eval", *EXPERIMENT, *FEW, "--format", "json"],
    ["eval", *EXPERIMENT, *FEW, "--format", "markdown", "--quiet"],
    ["compare", *EXPERIMENT, "--metrics", "bleu", "--resamples", "20"],
    ["gate", *EXPERIMENT, "--candidate", HOSTILE, "--metrics", "bleu", "--resamples", "20"],
    ["words", *EXPERIMENT, "--ar-shuffles", "20"],
    ["replicate", *EXPERIMENT, "--metrics", "bleu", "--ar-shuffles", "20", "--draws", "5"],
    ["report", *EXPERIMENT, *FEW, "--only", "csv", "json", "methods", "--to", "report"],
    ["people", "--judgements", "judgements.jsonl", "--resamples", "20"],
    ["sample", "2", "--refs", "ref.txt", "--outputs", "one.txt", "two.txt", "--metrics", "chrf"],
    ["library", "list"],
    ["library", "check"],
    ["annotations", "check"],
    ["campaigns"],
    ["eval", *EXPERIMENT, "--metrics", "b\x1b[31m\r"],
    ["eval", "--files", "\x1b[31m\r.txt"],
    ["eval", "--\x1b[31m"],
]
# What acts on a terminal or reorders the text around it. Bars of progress begin their line again.
ACTING = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufffe\uffff]")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An experiment, judgements and text files, with names that would colour or clear a terminal."""
    draw = random.Random(2)
    words = ["the", "cat", "sat", "on", "a", "mat", "and", "then", "it", "ran", "away"]
    references = [" ".join(draw.choices(words, k=7)) for _ in range(8)]
    rows = []
    judgements = []
    for system in ("base", HOSTILE):
        for segment, reference in enumerate(references, start=1):
            judged = {"annotator": f"a{HOSTILE}", "system": system, "segment": str(segment)}
            judgements.append({**judged, "adequacy": draw.randrange(100)})
            for run in ("r1", "r\x1b]0;t\x07\r2", "r3"):
                output = reference.split()
                output[draw.randrange(7)] = draw.choice(words)
                texts = {"hypothesis": " ".join(output), "reference": reference}
                rows.append({"system": system, "run": run, "segment": str(segment), **texts})
    for name, lines in {"outputs.jsonl": rows, "judgements.jsonl": judgements}.items():
        (tmp_path / name).write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    for name in ("ref.txt", "one.txt", "two.txt"):
        (tmp_path / name).write_text("".join(f"{text} {name}\n" for text in references), encoding="utf-8")
    return tmp_path


def shown_on_a_terminal(words: list[str], folder: Path) -> tuple[int, str]:
    """Return the exit status of a command, and all that it wrote to its terminal."""
    ours, its_own = pty.openpty()
    places = {"MTEVAL_HOME": str(folder / "home"), "PYTHONPATH": str(Path.cwd()), "TERM": "xterm"}
    process = subprocess.Popen(
        [sys.executable, "-m", "mteval", *words],
        cwd=folder,
        env={**os.environ, **places},
        stdin=its_own,
        stdout=its_own,
        stderr=its_own,
    )
    os.close(its_own)
    written = b""
    with suppress(OSError):  # Linux's answer once no program has the terminal open
        while piece := os.read(ours, 1 << 16):
            written += piece
    os.close(ours)
    return process.wait(), written.decode("utf-8").replace("\r\n", "\n")


@pytest.mark.parametrize("words", LINES, ids=lambda words: " ".join(words[:2]).encode("unicode_escape").decode())
def test_a_terminal_gets_the_programs_own_text_and_nothing_that_acts_on_it(words: list[str], folder: Path) -> None:
    status, shown = shown_on_a_terminal(words, folder)
    assert status in ((2,) if words[-1].count("\x1b") else (0, 1, 3)), shown
    assert ACTING.findall(shown) == []
    assert shown.endswith("\n")
