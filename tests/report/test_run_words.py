"""Reports and what commands print speak of runs in the user's word."""

import html
import re
from pathlib import Path

import pytest

from mteval.cli import main
from tests.report.shown_experiment import write_experiment

TECHNICAL = re.compile(r"run_word|runs:\d+")  # name of the setting; part of a signature


def stray(text: str) -> list[str]:
    """Lines that say run."""
    return [line for line in text.splitlines() if re.search(r"\b[Rr]uns?\b", TECHNICAL.sub("", line))]


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One whose runs are checkpoints."""
    path = write_experiment(tmp_path_factory.mktemp("checkpoints"))
    text = path.read_text(encoding="utf-8")
    assert "[settings]\n" in text
    path.write_text(text.replace("[settings]\n", '[settings]\nrun_word = "checkpoint"\n'), encoding="utf-8")
    return path


@pytest.mark.long
def test_a_report_says_checkpoint_in_texts_tables_and_figures(experiment: Path, tmp_path: Path) -> None:
    assert main(["report", str(experiment), "--to", str(tmp_path), "--only", "html", "latex", "methods"]) == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    figures = "\n".join(re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.S))
    spoken = re.findall(r'"(?:text|name|hovertemplate|prefix|label)":"([^"]*)"', figures)
    read_out = re.findall(r'(?:title|aria-label)="([^"]*)"', page)
    page = page.replace("<wbr>", "")
    body = re.sub(r"<(script|style).*?</\1>|<[^>]*>", "\n", page, flags=re.S)
    assert stray("\n".join([html.unescape(body), *spoken, *read_out])) == []
    for written in tmp_path.glob("*.t*"):  # TeX and the methods
        assert stray(written.read_text(encoding="utf-8")) == []
    assert "checkpoints" in body
    assert "variances over checkpoints" in (tmp_path / "methods.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "words",
    [
        ("run", "{}"),
        ("claim", "{}", "--test-sets", "dev", "test"),
        *(
            (command, "--refs", "test.ref", "--hyps-baseline", *(f"test.zebra.{run}" for run in range(3)),
             "--hyps-sys1", *(f"test.mango.{run}" for run in range(3)), "--run-word", "checkpoint", *more)
            for command, *more in (
                ("eval", "--metrics", "bleu"), ("compare",), ("replicate", "--target", "1"),
            )
        ),
    ],
    ids=lambda words: words[0],
)  # fmt: skip
def test_commands_say_checkpoint(
    words: tuple[str, ...], experiment: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(experiment.parent)
    assert main([word.format(experiment) for word in words]) == 0
    printed = capsys.readouterr().out
    assert stray(printed) == []
    assert re.search("[Cc]heckpoint", printed)
