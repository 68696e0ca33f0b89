"""Start a dashboard server with its data in one folder, for benchmarks, fuzzing and crash tests."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mteval.base.memory import OF_A_SERVER
from mteval.library import Library
from mteval.library.started import GIB

ROOT = Path(__file__).parents[1]
SECONDS_TO_START = 600  # on a busy machine


def library_in(folder: Path) -> Library:
    """Return the library of the servers started on a folder."""
    return Library(folder / "home" / "library", GIB)


@contextmanager
def started(folder: Path, root: Path = ROOT, **variables: str) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Serve the version at a root, its data in a folder; yield host and port, and the process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "mteval.ui.server", "app.py", f"--port={port}"]
    environment = {**OF_A_SERVER, **os.environ, "MTEVAL_HOME": str(folder / "home"), **variables}
    with (
        (folder / "log.txt").open("ab") as log,
        subprocess.Popen(command, cwd=root, env=environment, stdout=log, stderr=log) as server,
    ):
        try:
            _wait(f"http://127.0.0.1:{port}/_stcore/health", server)
            yield f"127.0.0.1:{port}", server
        finally:
            server.kill()


def _wait(health: str, server: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while True:
        try:
            urllib.request.urlopen(health, timeout=1).close()
            return
        except OSError:
            assert server.poll() is None, "the server ended before it answered"
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.2)
