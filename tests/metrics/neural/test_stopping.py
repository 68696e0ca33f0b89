"""A learned metric on the command line, by its real package: it stops when it is told to, and says what is left."""

import io
import os
import signal
import time
from pathlib import Path
from threading import Thread

import pytest

from mteval.cli import main
from mteval.metrics.neural import panel
from mteval.metrics.neural.models import Judgement
from tests.metrics.neural.conftest import N_SEGMENTS, OUTPUTS, lines

pytestmark = pytest.mark.long

N_RUNS = 60


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def words(comet_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A command line that takes a while, with nothing known."""
    monkeypatch.setenv("MTEVAL_CACHE", str(tmp_path / "cache"))
    texts = {"src": lines("source.test.txt"), "ref": lines("reference.test.txt")}
    runs = [f"run{number}" for number in range(N_RUNS)]
    texts |= {name: tuple(f"{line} {name}" for line in lines(OUTPUTS[0])) for name in runs}
    for name, of in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in of), encoding="utf-8")
    named = ["--source", "src", "--refs", "ref", "--system", "base", *runs]
    monkeypatch.chdir(tmp_path)
    return ["eval", *named, "--metrics", "comet", "--comet.batchSize", "1"]


def test_a_signal_stops_it_within_a_second_and_keeps_judgements(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[str] = []
    sent: list[float] = []
    keep, terminal = panel.keep_judgements, Terminal()

    def noted(judgements: dict[str, Judgement]) -> None:
        keep(judgements)
        judged.extend(judgements)
        if len(judged) == N_SEGMENTS:
            Thread(target=interrupt).start()

    def interrupt() -> None:
        time.sleep(0.5)  # in which the bar is drawn
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what it runs beside it ignore it
    monkeypatch.setattr(panel, "keep_judgements", noted)
    monkeypatch.setattr("sys.stderr", terminal)
    try:
        status = main(words)
    finally:
        signal.signal(signal.SIGINT, before)
    seconds = time.monotonic() - sent[0]
    assert status == 130
    assert seconds < 2
    assert "Scoring COMET on test" in terminal.getvalue()
    assert N_SEGMENTS <= len(judged) < N_RUNS * N_SEGMENTS
    assert len(panel.kept_judgements(judged)) == len(judged)
