"""A server of the app on a free port, and a browser that looks at it."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from mteval.base.paths import cache_directory
from tests.browser.steps import PATIENCE

ROOT = Path(__file__).parents[2]

# A busy machine may take its time; what never comes true still fails
expect.set_options(timeout=PATIENCE * 1000)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def serving(folder: Path, *options: str, port: int | None = None, **variables: str) -> Iterator[str]:
    """Serve the app on a free port, its log and cache in a folder; the address."""
    with started(folder, *options, port=port, **variables) as (_, address):
        yield address


@contextmanager
def started(
    folder: Path, *options: str, port: int | None = None, **variables: str
) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """The same with the process, which leads a group of its own; the address is that of the first page."""
    port = port or free_port()
    base_path = next((f"/{word.partition('=')[2]}" for word in options if word.startswith("--base-path=")), "")
    address = f"http://127.0.0.1:{port}{base_path}"
    log = folder / "log.txt"
    command = [sys.executable, "-m", "mteval.ui.server", "app.py", f"--port={port}", *options]
    environment = os.environ | {"MTEVAL_CACHE": str(_cache_in(folder))} | variables
    with log.open("w") as out:
        server = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        _wait_until_up(f"{address}/_stcore/health", server, log)
        yield server, address
    finally:
        server.kill()  # it would wait for visitors to leave
        server.wait()


def _cache_in(folder: Path) -> Path:
    """A cache where nothing is known but METEOR's index, of which each server would build one of its own."""
    index, cache = cache_directory() / "meteor", folder / "cache"
    if index.is_dir() and not cache.exists():
        shutil.copytree(index, cache / "meteor", copy_function=os.link)
    return cache


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the app is served, for the length of the test run."""
    with serving(tmp_path_factory.mktemp("server")) as address:
        yield address


@pytest.fixture
def fresh_address(tmp_path: Path) -> Iterator[str]:
    """Where the app is served by a server that nobody has visited."""
    with serving(tmp_path) as address:
        yield address


def _wait_until_up(health: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert server.poll() is None, f"the server ended: {log.read_text()}"
        try:
            with urllib.request.urlopen(health, timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"the server does not answer: {log.read_text()}")


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The app on its first page, in a window of its own; it fails the test if a script of the page failed."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.goto(address)
    page.get_by_role("heading", name="Load an experiment").wait_for()
    yield page
    context.close()
    assert not dialogs, f"text from a file ran as a script: {dialogs}"
