"""Count what pages send to the browser: bytes per visit and per opened tab, of the sample experiment.

Usage: ``python -m benchmarks.sent [--parts PAGE] [--to FILE.csv]`` from the root of the repository. Messages are
counted as the server makes them, and as they come through the connection, which is compressed. What the browser keeps
in its cache is no message. ``--parts`` lists the elements of one page by size.
"""

import argparse
import csv
import socket
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

from playwright.sync_api import Page, sync_playwright
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.dashboard import PATIENCE, VERDICT, chromium
from benchmarks.served import started
from mteval.base.kernels import code_directory
from tests.browser.steps import at_rest, unchanging

PAGES = ("Scores", "Significance", "Replication", "Segments", "People", "Report", "Load")
TITLES = {"Load": "Load an experiment"}


@dataclass
class Received:
    """The messages that a page has received, and the bytes that came through the connection."""

    messages: list[bytes] = field(default_factory=list)
    n_bytes: int = 0

    def add(self, payload: bytes | str) -> None:
        """Keep a message."""
        self.messages.append(payload if isinstance(payload, bytes) else payload.encode())

    def taken(self) -> "Received":
        """Return what was received since the last time."""
        taken = Received(self.messages, self.n_bytes)
        self.messages = []
        self.n_bytes = 0
        return taken

    def relay(self, source: socket.socket, target: socket.socket, counts: bool) -> None:
        """Pass on what comes from one side of a connection, and count it if it comes from the server."""
        with suppress(OSError):
            while piece := source.recv(65_536):
                if counts:
                    self.n_bytes += len(piece)
                target.sendall(piece)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)


def main() -> None:
    """Measure, print, and write the table if wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", metavar="PAGE", help="list the elements of a page by size")
    parser.add_argument("--to", type=Path, metavar="FILE", help="write a table")
    options = parser.parse_args()
    rows = [("page", "what", "messages", "bytes", "through the connection")]
    with _scored_sample() as (page, received):
        for task, name, taken in _visits(page, received):
            n_bytes = sum(len(message) for message in taken.messages)
            rows.append((name, task, str(len(taken.messages)), str(n_bytes), str(taken.n_bytes)))
            print(f"{name:14} {task:28} {len(taken.messages):4} {n_bytes:9,} {taken.n_bytes:9,}", flush=True)
            if options.parts == name:
                for part, (n, size) in _by_part(taken.messages):
                    print(f"    {size:9,} {n:4}  {part}")
    if options.to:
        with options.to.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)


@contextmanager
def _scored_sample() -> Iterator[tuple[Page, Received]]:
    """Yield a page that shows the scores of the sample, on a server of its own, and what it receives."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, sync_playwright() as playwright:
        caches = {"MTEVAL_CACHE": f"{folder}/cache", "NUMBA_CACHE_DIR": str(code_directory())}
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        received = Received()
        with started(Path(folder), **caches) as (place, _), _relayed(place, received) as address:
            page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
            page.set_default_timeout(PATIENCE)
            page.on("websocket", lambda connection: connection.on("framereceived", received.add))
            page.goto(address)
            page.get_by_role("button", name="Try the sample experiment").click()
            page.locator(VERDICT).first.wait_for(timeout=PATIENCE)
            _rest(page)
            yield page, received
        browser.close()


@contextmanager
def _relayed(place: str, received: Received) -> Iterator[str]:
    """Yield an address through which a server is reached, and what it sends is counted."""
    host, _, port = place.partition(":")
    listener = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        with suppress(OSError):  # once it is closed
            while True:
                browser, _ = listener.accept()
                server = socket.create_connection((host, int(port)))
                for source, target, counts in ((server, browser, True), (browser, server, False)):
                    Thread(target=received.relay, args=(source, target, counts), daemon=True).start()

    Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.close()


def _visits(page: Page, received: Received) -> Iterator[tuple[str, str, Received]]:
    """Yield each task with the page's name and what was received; files are fetched at the first visit only."""
    for visit in ("first visit", "next visit"):
        for name in PAGES:
            received.taken()
            page.get_by_test_id("stSidebar").get_by_role("link", name=name).click()
            page.get_by_role("heading", level=1).filter(has_text=TITLES.get(name, name)).wait_for()
            _rest(page)
            yield visit, name, received.taken()
            if visit == "first visit":
                continue
            for tab in _tabs(page):
                received.taken()
                page.get_by_test_id("stMain").get_by_role("tab", name=tab, exact=True).first.click()
                _rest(page)
                yield f"tab {tab}", name, received.taken()


def _tabs(page: Page) -> list[str]:
    """Return the tabs of the outermost row, the open one last."""
    rows = page.get_by_test_id("stMain").get_by_role("tablist")
    if not rows.count():
        return []
    names = [name.strip() for name in rows.first.get_by_role("tab").all_inner_texts()]
    return [*names[1:], names[0]]


def _rest(page: Page) -> None:
    """Wait until the page is drawn and no work is under way."""
    at_rest(page)
    page.wait_for_function("() => !document.querySelector('.mt-doing')")
    unchanging(page, 0.7)
    at_rest(page)


def _by_part(messages: Sequence[bytes]) -> list[tuple[str, tuple[int, int]]]:
    """Return how many messages, and bytes, each kind of element took; the largest first."""
    sizes: Counter[str] = Counter()
    numbers: Counter[str] = Counter()
    for message in messages:
        part = _part(ForwardMsg.FromString(message))
        sizes[part] += len(message)
        numbers[part] += 1
    return [(part, (numbers[part], size)) for part, size in sizes.most_common()]


def _part(message: ForwardMsg) -> str:
    """Return what a message carries: an element and its name, a container, or what else the server tells."""
    kind = message.WhichOneof("type")
    if kind != "delta":
        return str(kind)
    delta = message.delta
    if delta.WhichOneof("type") != "new_element":
        return str(delta.WhichOneof("type"))
    element = delta.new_element
    name = element.WhichOneof("type")
    content = getattr(element, name)
    for described in ("component_name", "label", "body"):
        text = getattr(content, described, "")
        if text:
            return f"{name} {text[:40]!r}"
    return str(name)


if __name__ == "__main__":
    main()
