"""``mteval app``: the dashboard's server and the browser that it opens."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PATIENCE = 60  # seconds


@contextmanager
def started(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """The command under way, and its address; a stand-in for a browser writes what it is asked to show into a file."""
    browser = folder / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {folder}/shown\n')
    browser.chmod(0o755)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {"BROWSER": str(browser), "DISPLAY": ":9", "MTEVAL_CACHE": str(folder / "cache")}
    command = [sys.executable, "-m", "mteval", "app", "--port", str(port), *options]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            command, env=environment, start_new_session=True, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        yield process, f"http://127.0.0.1:{port}"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_for_health(address: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
            return
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_the_browser_is_sent_to_the_server_and_control_c_ends_both(tmp_path: Path) -> None:
    shown = tmp_path / "shown"
    with started(tmp_path) as (process, address):
        wait_for_health(address)
        deadline = time.monotonic() + PATIENCE
        while not (shown.exists() and shown.read_text()):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert shown.read_text().strip() == address
        os.killpg(process.pid, signal.SIGINT)
        process.wait(timeout=PATIENCE)
        assert "Traceback" not in (tmp_path / "log").read_text()
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(address, timeout=5)


def test_no_browser_is_opened_where_none_is_wanted(tmp_path: Path) -> None:
    with started(tmp_path, "--no-browser") as (_, address):
        wait_for_health(address)
        time.sleep(1)
    assert not (tmp_path / "shown").exists()
