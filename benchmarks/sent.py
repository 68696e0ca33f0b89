"""Count what pages send to the browser: bytes per visit and per opened tab, of the sample experiment.

Usage: ``python -m benchmarks.sent [--parts PAGE] [--to FILE.csv]`` from the root of the repository. Messages are
counted as the server makes them, before any compression; what the browser keeps in its cache is no message.
``--parts`` lists the elements of one page by size.
"""

import argparse
import csv
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

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
    """The messages that a page has received."""

    messages: list[bytes] = field(default_factory=list)

    def add(self, payload: bytes | str) -> None:
        """Keep a message."""
        self.messages.append(payload if isinstance(payload, bytes) else payload.encode())

    def taken(self) -> list[bytes]:
        """Return the messages since the last time."""
        messages = self.messages
        self.messages = []
        return messages


def main() -> None:
    """Measure, print, and write the table if wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", metavar="PAGE", help="list the elements of a page by size")
    parser.add_argument("--to", type=Path, metavar="FILE", help="write a table")
    options = parser.parse_args()
    rows = [("page", "what", "messages", "bytes")]
    with _scored_sample() as (page, received):
        for task, name, messages in _visits(page, received):
            n_bytes = sum(len(message) for message in messages)
            rows.append((name, task, str(len(messages)), str(n_bytes)))
            print(f"{name:14} {task:28} {len(messages):4} {n_bytes:9,}", flush=True)
            if options.parts == name:
                for part, (n, size) in _by_part(messages):
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
        with started(Path(folder), **caches) as (place, _):
            page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
            page.set_default_timeout(PATIENCE)
            received = Received()
            page.on("websocket", lambda socket: socket.on("framereceived", received.add))
            page.goto(f"http://{place}")
            page.get_by_role("button", name="Try the sample experiment").click()
            page.locator(VERDICT).first.wait_for(timeout=PATIENCE)
            _rest(page)
            yield page, received
        browser.close()


def _visits(page: Page, received: Received) -> Iterator[tuple[str, str, list[bytes]]]:
    """Yield each task with the page's name and the messages of the task; the second visit to each page counts."""
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
