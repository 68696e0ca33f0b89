"""A server of the dashboard with an experiment in its library, for whoever asks it odd things."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mteval.library import Library
from mteval.library.shelf import GIB
from mteval.reporting.library.named_paths import entry_of

ROOT = Path(__file__).parents[2]
SECONDS_TO_START = 120


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, str]]:
    """Serve with all that is kept in a folder; the host with its port, and the link of the sample."""
    library = Library(folder / "home" / "library", GIB)
    link = entry_of([ROOT / "sample_data"], library, 0).uid
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "mteval.ui.server", "app.py", f"--port={port}"]
    environment = {**os.environ, "MTEVAL_HOME": str(folder / "home")}
    with (
        (folder / "log.txt").open("wb") as log,
        subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log) as server,
    ):
        try:
            _wait(f"http://127.0.0.1:{port}/_stcore/health")
            yield f"127.0.0.1:{port}", link
        finally:
            server.kill()


def _wait(health: str) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while True:
        try:
            urllib.request.urlopen(health, timeout=1).close()
            return
        except OSError:
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.2)
