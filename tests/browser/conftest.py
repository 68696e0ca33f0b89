"""Servers of the app on free ports, and windows of a browser that look at them."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect
from sqlalchemy.engine import URL

from mteval.annotations import AnnotationStore, Campaign, Task, open_store
from mteval.base.paths import cache_directory
from mteval.values.asker import OPERATOR
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
    if port is None:
        port = free_port()
    address = f"http://127.0.0.1:{port}{_base_path(options)}"
    command = [sys.executable, "-m", "mteval.ui.server", "app.py", f"--port={port}", *options]
    environment = os.environ | {"MTEVAL_CACHE": str(_cache_in(folder))} | variables
    log = folder / "log.txt"
    with log.open("w") as out:
        server = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        wait_until_up(f"{address}/_stcore/health", server, log)
        yield server, address
    finally:
        server.kill()  # it would wait for visitors to leave
        server.wait()


def _base_path(options: Sequence[str]) -> str:
    """The path below which the app is served, with a slash before it; empty unless an option names it."""
    for option in options:
        if option.startswith("--base-path="):
            return "/" + option.removeprefix("--base-path=")
    return ""


def _cache_in(folder: Path) -> Path:
    """A cache where nothing is known but METEOR's index, of which each server would build one of its own."""
    index = cache_directory() / "meteor"
    cache = folder / "cache"
    if index.is_dir() and not cache.exists():
        shutil.copytree(index, cache / "meteor", copy_function=os.link)
    return cache


def wait_until_up(health: str, server: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until a server answers; one that ended, or never answers, fails with its log."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert server.poll() is None, f"the server ended: {log.read_text()}"
        try:
            with urllib.request.urlopen(health, timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"the server does not answer: {log.read_text()}")


class AnnotationServer:
    """The app with a database of its own, which can be killed and started again on the same port."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        """Start, and wait until it answers."""
        self._running = ExitStack()
        self._running.enter_context(
            started(self._home, port=self.port, MTEVAL_HOME=str(self._home), MTEVAL_DATABASE="")
        )

    def kill(self) -> None:
        """End at once, as the kernel does it when memory runs out."""
        self._running.close()

    @contextmanager
    def killed(self) -> Iterator[None]:
        """Kill the server, and start it again at the end of the block, whatever happens there."""
        self.kill()
        try:
            yield
        finally:
            self.start()

    def add(self, campaign: Campaign, tasks: Sequence[Task]) -> None:
        """Start a campaign."""
        with self._database() as store:
            store.add(campaign, tasks, asker=OPERATOR)

    def tasks(self, campaign: Campaign, annotator: str) -> tuple[Task, ...]:
        """The tasks of an annotator with the answers, read from the database past the app."""
        with self._database() as store:
            return store.tasks(campaign.uid, annotator)

    def link(self, campaign: Campaign, annotator: str | None = None) -> str:
        """The link of an annotator, or of the coordinators."""
        with self._database() as store:
            links = store.links(campaign.uid)
        if annotator is None:
            parameters = {"coordinator": links.coordinator}
        else:
            parameters = {"annotator": links.annotators[annotator]}
        return f"{self.address}/annotate?{urlencode(parameters)}"

    def _database(self) -> closing[AnnotationStore]:
        return closing(open_store(URL.create("sqlite", database=str(self._home / "annotations.sqlite"))))


@contextmanager
def window(browser: Browser) -> Iterator[Page]:
    """A window of a visitor of its own; the test fails if text ran as a script in it."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    context.set_default_timeout(PATIENCE * 1000)
    dialogs: list[str] = []

    def refuse(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    context.on("dialog", refuse)
    try:
        yield context.new_page()
    finally:
        context.close()
    assert not dialogs, f"text ran as a script: {dialogs}"


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


@pytest.fixture(scope="session")
def annotation_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AnnotationServer]:
    """The app with a database of annotations, for the length of the test run: tests share it, but no campaign."""
    server = AnnotationServer(tmp_path_factory.mktemp("annotate-home"))
    yield server
    server.kill()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The app on its first page, in a window of its own."""
    with window(browser) as page:
        page.goto(address)
        page.get_by_role("heading", name="Load an experiment").wait_for()
        yield page


@pytest.fixture
def open_campaign(annotation_server: AnnotationServer, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a campaign in a window of its own, as an annotator or the coordinators, perhaps through another port."""
    with ExitStack() as windows:

        def open_link(campaign: Campaign, annotator: str | None = None, port: int | None = None) -> Page:
            link = annotation_server.link(campaign, annotator)
            if port is not None:
                link = link.replace(str(annotation_server.port), str(port), 1)
            page = windows.enter_context(window(browser))
            page.goto(link)
            return page

        yield open_link
