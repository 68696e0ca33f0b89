"""Hostile files dropped on a server by a visitor, and how long it lets another one wait meanwhile."""

import time
import urllib.request
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event

from playwright.sync_api import Browser, sync_playwright

from benchmarks.served import started
from tests.browser.steps import FOR_FILES, PATIENCE, at_rest

BETWEEN = 0.05  # seconds from one answer to the next question
CHROMIUM = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")


@contextmanager
def visited(folder: Path) -> Iterator[tuple[str, Browser]]:
    """A server that keeps all in a folder, and a browser; the server's host with its port."""
    path = next(filter(Path.exists, map(Path, CHROMIUM)), None)
    with started(folder) as (host, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield host, browser
        browser.close()


def dropped(host: str, browser: Browser, files: Mapping[str, bytes]) -> tuple[float, float]:
    """Seconds until the page says what has become of files, and the longest that another visitor waited."""
    page = browser.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    page.goto(f"http://{host}/")
    page.get_by_role("heading", name="Load an experiment").wait_for()
    at_rest(page)
    payload = [{"name": name, "mimeType": "text/plain", "buffer": content} for name, content in files.items()]
    is_over = Event()
    with ThreadPoolExecutor(1) as other:
        longest = other.submit(longest_wait, host, is_over)
        begun = time.perf_counter()
        page.locator(FOR_FILES).first.set_input_files(payload)
        page.get_by_role("heading", name="Files").wait_for()
        at_rest(page)
        seconds = time.perf_counter() - begun
        is_over.set()
    page.close()
    return seconds, longest.result()


def longest_wait(host: str, is_over: Event) -> float:
    """Of somebody who asks whether the server is well, again and again, in seconds."""
    longest = 0.0
    while not is_over.is_set():
        begun = time.perf_counter()
        urllib.request.urlopen(f"http://{host}/_stcore/health", timeout=60).close()
        longest = max(longest, time.perf_counter() - begun)
        time.sleep(BETWEEN)
    return longest
