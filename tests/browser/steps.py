"""What the browser tests do and read again and again; everything here waits until the page shows what it is about.

A page arrives piece by piece, on a busy machine seconds apart: a test never reads off what merely *was* there.
"""

import re
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import FilePayload, FloatRect, Locator, Page, expect

from tests.pages.conftest import systems

COMPILING = 600_000  # milliseconds: the first work after an installation waits for the compiler
PATIENCE = 120  # seconds, for what takes a moment on an idle machine
STILL = 0.3  # seconds for which something that has come to rest has not moved
FOR_FILES = "[data-testid=stFileUploaderDropzoneInput]:not([webkitdirectory])"  # not the one for a folder
FOUND = ".st-key-recap [data-testid=stPopover]:visible"  # what was found in the files, in one line
AT_REST = "[data-testid=stApp][data-test-script-state=notRunning]"

TABLE_1 = """() => [...document.querySelectorAll('table.mt-overview tbody tr')]
  .map(row => [...row.querySelectorAll('th, td')].map(cell => cell.innerText))"""


def drop(page: Page, files: list[Path] | list[FilePayload]) -> None:
    """Hand files to the first page, and wait until they are loaded; where nothing is open they are scored."""
    page.locator(FOR_FILES).first.set_input_files(files)
    page.locator(FOUND).wait_for()
    at_rest(page)


def show_load(page: Page) -> None:
    """Go to the first page and wait for the check of the data."""
    page.get_by_role("link", name="Load").click()
    page.get_by_role("heading", name="Data check").wait_for()
    at_rest(page)


def payloads(**n_runs: int) -> list[FilePayload]:
    """References and so many runs of each system, to be dropped."""
    return [
        {"name": name.replace("/", "."), "mimeType": "text/plain", "buffer": text.encode()}
        for name, text in systems(**n_runs).items()
    ]


def score(page: Page) -> None:
    """Press the button that computes what waits for it, if any does, and wait for the table of scores."""
    start = page.get_by_test_id("stMain").get_by_role("button", name=re.compile("^Score "))
    if start.count():
        start.click()
    else:
        page.get_by_role("link", name="Scores").click()
    scored(page)


def scored(page: Page) -> None:
    """Wait for the table of scores; it comes without a click if nothing is left to choose."""
    page.get_by_role("heading", name="All metrics").wait_for(timeout=COMPILING)
    page.locator("table.mt-overview:visible, table.mt-crossed:visible").first.wait_for()
    at_rest(page)


def at_rest(page: Page) -> None:
    """Wait until no script of the page runs any more: what is there is what is meant to be there."""
    page.locator(AT_REST).wait_for()


def shown_table(page: Page) -> dict[tuple[str, str], list[str]]:
    """Table 1 by metric and system, as the page shows it without a tuning set, once it is there."""
    rows: list[list[str]] = []
    eventually(lambda: bool(rows.extend(page.evaluate(TABLE_1)) or rows), "there is no table of scores")
    table: dict[tuple[str, str], list[str]] = {}
    metric, widest = "", max(map(len, rows))
    for cells in rows:
        if len(cells) == widest:
            metric = cells.pop(0).split()[0]
        table[metric, cells[0]] = cells[2:]
    return table


def set_number(page: Page, label: str, value: int) -> None:
    """Write a number into its box."""
    box = page.get_by_role("spinbutton", name=label, exact=True)
    box.fill(str(value))
    expect(box).to_have_value(str(value))
    box.press("Enter")


def place_of(locator: Locator) -> FloatRect:
    """Where something is on the screen, in pixels, once it has come to rest there."""
    locator.wait_for()
    at_rest(locator.page)
    seen = locator.bounding_box()
    since = time.monotonic()

    def rests() -> bool:
        nonlocal seen, since
        now = locator.bounding_box()
        if now is None or now != seen:
            seen, since = now, time.monotonic()
        return time.monotonic() - since > STILL

    eventually(rests, "it does not come to rest")
    assert seen is not None
    return seen


def eventually(is_so: Callable[[], bool], otherwise: str, patience: float = PATIENCE) -> None:
    """Wait until something is so; what does not come true in so many seconds fails with these words."""
    deadline = time.monotonic() + patience
    while not is_so():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.1)
