"""An interpreter that has the packages of learned metrics loaded, of which each script gets a copy of its own.

Loading them takes seconds, and the tests start models again and again. ``serve`` is run by the interpreter that has the
packages: it loads them once, and forks for each script that ``run`` asks it for. ``run`` stands in the place of that
interpreter: what it is told to do is done in the copy, with its files, its folder and its environment, and where it is
killed the copy dies with it. Where nobody serves, and for what is no script, the interpreter itself does it.
"""

import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

PACKAGES = ("comet", "comet.cli.score", "pkg_resources", "bert_score", "bert_score_cli.score", "sentencepiece")
N_FILES = 3  # standard input, output and errors
SECONDS_TO_LOAD = 300


def warm_python(python: Path, folder: Path, watched: int) -> Path:
    """Start one that ends after the watched process; the command, in a folder, that takes the interpreter's place."""
    script, place, command = Path(__file__), folder / "warm", folder / "bin" / "python"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{python}" -I -S "{script}" run "{place}" "{python}" "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    words = [python, "-I", script, "serve", place, str(watched)]
    log = folder / "warm.log"
    subprocess.run(["sh", "-c", 'log=$1; shift; "$@" </dev/null >"$log" 2>&1 &', "sh", log, *words], check=True)
    end = time.monotonic() + SECONDS_TO_LOAD
    while not place.exists():
        assert time.monotonic() < end, log.read_text(encoding="utf-8")
        time.sleep(0.1)
    return command


def serve(place: str, watched: str) -> None:
    """Load the packages and fork for whoever asks, until the process that is watched has ended."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who keep the copies
    for package in PACKAGES:
        importlib.import_module(package)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(place)  # from here on there is a file
    listener.listen()
    listener.settimeout(1)
    while _is_running(int(watched)):
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            continue
        if os.fork() == 0:
            listener.close()
            os._exit(_keep(connection))
        connection.close()


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def _keep(connection: socket.socket) -> int:
    """Start a copy, tell how it ended, and end it where nobody waits for it any more."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    connection.settimeout(None)
    request, files, _, _ = socket.recv_fds(connection, 1 << 20, N_FILES)
    asked = json.loads(request)
    copy = os.fork()
    if copy == 0:
        connection.close()
        _become(asked, files)
    with selectors.DefaultSelector() as both:
        both.register(os.pidfd_open(copy), selectors.EVENT_READ)
        both.register(connection, selectors.EVENT_READ)
        for file in files:
            os.close(file)
        if any(key.fileobj is connection for key, _ in both.select()):
            os.kill(copy, signal.SIGKILL)
    _, status = os.waitpid(copy, 0)
    try:
        connection.sendall(str(os.waitstatus_to_exitcode(status)).encode())
    except OSError:  # who asked was killed
        return 1
    return 0


def _become(asked: dict[str, Any], files: list[int]) -> None:
    """Run a script as the interpreter would that was asked to."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115 - as long as the copy lives
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    sys.argv = asked["words"]
    status = 0
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status)


def run(place: str, python: str, *words: str) -> None:
    """Have a script run by a copy; anything else, and where nobody serves, by the interpreter."""
    script = next((number for number, word in enumerate(words) if word.endswith(".py")), None)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        if script is None or "-c" in words:
            raise ConnectionError("no script")
        connection.connect(place)
    except OSError:
        os.execv(python, [python, *words])
    asked = {"words": words[script:], "folder": os.getcwd(), "environment": dict(os.environ)}
    socket.send_fds(connection, [json.dumps(asked).encode()], range(N_FILES))
    status = int(connection.recv(16) or b"1")
    if status < 0:
        os.kill(os.getpid(), -status)
    os._exit(status)


if __name__ == "__main__":
    {"serve": serve, "run": run}[sys.argv[1]](*sys.argv[2:])
