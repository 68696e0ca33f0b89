"""The progress bar: drawn where a person watches, nowhere else, and gone at the end."""

import io
import re

import pytest

import mteval.analysis.evaluation  # noqa: F401 - all functions that are compiled
from mteval.analysis.scoring import Progress
from mteval.base.kernels import MAKING, Kernel
from mteval.cli.output_options import progress_bar

KNOWN = [("00:30", "01:30"), ("01:00", "01:00"), ("00:10", "00:30")]  # the last of a part that began at 200 s


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True


def report_some(*, is_alone: bool = True) -> None:
    with progress_bar(is_alone=is_alone) as report:
        report(Progress("Scoring TER on test", 1, 2))
        report(Progress("Bootstrap of TER on test", 0, 2))  # a new part of the work begins
        report(Progress("Bootstrap of TER on test", 2, 2))


def test_a_terminal_gets_a_bar_that_is_wiped_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    report_some()
    assert "0%" in terminal.getvalue()
    assert terminal.getvalue().rsplit("\r", 2)[1].strip() == ""
    assert "\n" not in terminal.getvalue()


def test_the_bar_estimates_the_remaining_time(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, now = Terminal(), [0.0]
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("tqdm.std.time", lambda: now[0])
    with progress_bar() as report:
        for seconds, done in ((0, 0), (30, 0.25), (60, 0.5), (200, 0.0), (210, 0.25)):
            now[0] = seconds
            report(Progress("Scoring COMET on test", done, 1))
    told = re.findall(r"\[(\S+), (\S+) left\]", terminal.getvalue())
    assert [one for one in told if one in KNOWN] == KNOWN


def test_a_file_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    monkeypatch.setattr("sys.stderr", file)
    report_some()
    assert file.getvalue() == ""


def test_compiling_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with progress_bar():
        MAKING.info("%s", "count matches")
    assert "count matches (1)" in terminal.getvalue()
    assert not MAKING.handlers


def test_no_bar_on_a_terminal_that_shows_results(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    report_some(is_alone=False)
    assert terminal.getvalue() == ""


def test_the_bar_moves_with_what_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with progress_bar():
        for _ in range(Kernel.known // 2):
            MAKING.info("%s", "count matches")
    shares = [int(share) for share in re.findall(r"(\d+)% \|", terminal.getvalue())]
    assert shares == sorted(shares)
    assert 30 < shares[-1] <= 50
