"""A metric of another package may raise anything: the command says which package it was, and ends with status 2."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.metrics.test_own_metric import ROOT, code_block, evaluated, install
from tests.metrics.test_own_metric import texts as texts
from tests.patience import OUTER_LIMIT

ERRORS = """
class Sudden(BaseException):
    pass


class Interrupt(KeyboardInterrupt):
    pass


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no message")


class Silent(Exception):
    def __str__(self):
        raise Sudden


class Numeric(Exception):
    def __str__(self):
        return 5
"""
RAISED = {
    "raise Sudden('it is over')": "Sudden: it is over",
    "raise Interrupt('not yours')": "Interrupt: not yours",
    "raise SystemExit(0)": "SystemExit: 0",
    "raise GeneratorExit": "GeneratorExit",
    "raise StopIteration": "StopIteration",
    "raise BrokenPipeError": "BrokenPipeError",
    "1 / 0": "ZeroDivisionError: division by zero",
    "raise Unspeakable": "Unspeakable, whose message cannot be shown",
    "raise Silent": "Silent, whose message cannot be shown",
    "raise Numeric": "Numeric, whose message cannot be shown",
    r"raise ValueError('\x1b[31m two\nlines')": "ValueError: ⟨U+001B⟩[31m two lines",
}
METHODS = ("score", "prepare", "signature", "configure")


def failing(method: str, statement: str) -> str:
    """Return the module of the documentation with a statement at the start of a function.

    It has another version, since the statistics of a working one may be cached already.
    """
    code = code_block("python").replace('VERSION = "1.0"', f'VERSION = "failing-{method}"')
    assert "failing" in code
    head, sign, rest = code.partition(f"def {method}(")
    assert sign
    line, colon, body = rest.partition(":\n")
    indent = body[: len(body) - len(body.lstrip(" "))]
    return f"{ERRORS}\n{head}{sign}{line}{colon}{indent}{statement}\n{body}"


def refused(done: "subprocess.CompletedProcess[str]") -> str:
    """Return the one line that says what is wrong."""
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize("statement", RAISED)
def test_whatever_a_metric_raises_is_said_with_its_package(tmp_path: Path, texts: Path, statement: str) -> None:
    install(tmp_path, failing("statistics", statement))
    line = refused(evaluated(tmp_path, texts, "exact"))
    assert f"Metric 'exact' of package 'mteval-exact' failed ({RAISED[statement]}). " in line


@pytest.mark.parametrize("method", METHODS)
def test_it_does_not_matter_where_it_is_raised(tmp_path: Path, texts: Path, method: str) -> None:
    install(tmp_path, failing(method, "raise Silent"))
    line = refused(evaluated(tmp_path, texts, "exact"))
    assert "'mteval-exact' failed (Silent, whose message cannot be shown). " in line


@pytest.mark.parametrize("statement", ["raise Sudden('it is over')", "raise Interrupt('not yours')", "raise Silent"])
def test_a_package_that_raises_while_it_loads_is_ignored(tmp_path: Path, texts: Path, statement: str) -> None:
    install(tmp_path, f"{ERRORS}\n{statement}\n")
    done = evaluated(tmp_path, texts, "length")
    assert done.returncode == 0, done.stderr
    assert f"metric 'exact' of package 'mteval-exact' (mteval_exact:SPEC): it does not load ({RAISED[statement]})." in (
        done.stderr
    )


def test_ctrl_c_stops_a_metric(tmp_path: Path, texts: Path) -> None:
    started = tmp_path / "started"
    wait = f"import time; open({str(started)!r}, 'w').close(); time.sleep({OUTER_LIMIT})"
    install(tmp_path, failing("prepare", wait))
    files = ["--refs", f"{texts}/ref.txt", "--hyps-baseline", f"{texts}/base.txt", "--hyps-sys1", f"{texts}/new.txt"]
    command = [sys.executable, "-m", "mteval", "eval", *files, "--metrics", "exact"]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell has its programs in the background ignore Ctrl-C, and those that they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        deadline = time.monotonic() + OUTER_LIMIT
        while not started.exists():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=OUTER_LIMIT)
    assert process.returncode == 130
    assert "stopped" in said
    assert "Traceback" not in said
