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
# Resolves once nothing has changed on the page for so many milliseconds, or after so many at the latest.
NOTHING_CHANGES = """([quiet, latest]) => new Promise(resolve => {
  const end = () => {
    observer.disconnect();
    clearTimeout(deadline);
    resolve();
  };
  let timer = setTimeout(end, quiet);
  const deadline = setTimeout(end, latest);
  const observer = new MutationObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(end, quiet);
  });
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
})"""


def drop(page: Page, files: list[Path] | list[FilePayload]) -> None:
    """Hand files to the first page, and wait until they are loaded; where nothing is open they are scored."""
    page.locator(FOR_FILES).first.set_input_files(files)
    page.locator(FOUND).wait_for()
    at_rest(page)


def payloads(**n_runs: int) -> list[FilePayload]:
    """References and so many runs of each system, to be dropped."""
    return [text_file(name.replace("/", "."), text) for name, text in systems(**n_runs).items()]


def text_file(name: str, text: str) -> FilePayload:
    """A file of text, to be dropped."""
    return {"name": name, "mimeType": "text/plain", "buffer": text.encode()}


def go_to(page: Page, link: str) -> None:
    """Go to a page by its link in the sidebar, and wait until it is drawn."""
    page.get_by_test_id("stSidebar").get_by_role("link", name=link).click()
    shown(page, link)


def shown(page: Page, title: str) -> None:
    """Wait for a page by its title, until it is drawn."""
    page.get_by_role("heading", name=title, exact=True).first.wait_for()
    at_rest(page)


def show_load(page: Page) -> None:
    """Go to the first page and wait for the check of the data."""
    page.get_by_role("link", name="Load").click()
    page.get_by_role("heading", name="Data check").wait_for()
    at_rest(page)


def open_settings(page: Page) -> None:
    """Unfold the settings in the sidebar."""
    page.get_by_test_id("stSidebar").get_by_text("Settings", exact=True).click()


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


def shown_table(page: Page) -> dict[tuple[str, str], list[str]]:
    """The numbers of Table 1 by metric and system, as the page shows it without a tuning set, once it is there.

    They begin with the number of runs and the average.
    """
    rows: list[list[str]] = []

    def is_there() -> bool:
        rows[:] = page.evaluate(TABLE_1)
        return bool(rows)

    eventually(is_there, "there is no table of scores")
    n_columns = max(len(cells) for cells in rows)
    table: dict[tuple[str, str], list[str]] = {}
    metric = ""
    for cells in rows:
        # The cell of a metric spans the rows of its systems: the first of these rows has it, the others are shorter.
        if len(cells) == n_columns:
            metric = cells.pop(0).split()[0]
        system, _, *numbers = cells  # the second cell has a drawing of the runs
        table[metric, system] = numbers
    return table


def set_number(page: Page, label: str, value: int) -> None:
    """Write a number into its box."""
    box = page.get_by_role("spinbutton", name=label, exact=True)
    box.fill(str(value))
    expect(box).to_have_value(str(value))
    box.press("Enter")


def press(page: Page, *keys: str) -> None:
    """Press keys one after the other, without waiting for what they do."""
    for key in keys:
        page.keyboard.press(key)


def downloaded(page: Page, button: str) -> str:
    """The text of the file that a button hands out."""
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    return download.value.path().read_text(encoding="utf-8")


def at_rest(page: Page) -> None:
    """Wait until no script of the page runs any more: what is there is what is meant to be there."""
    page.locator(AT_REST).wait_for()


def unchanging(page: Page, seconds: float = STILL) -> None:
    """Wait until nothing has changed on the page for so long: figures are drawn after the script has ended.

    A page that never stops changing, e.g. because it shows how far something is, is waited for ten seconds.
    """
    page.evaluate(NOTHING_CHANGES, [1000 * seconds, 10_000])


def place_of(locator: Locator) -> FloatRect:
    """Where something is on the screen, in pixels, once it has come to rest there."""
    locator.wait_for()
    at_rest(locator.page)
    last_place = locator.bounding_box()
    since = time.monotonic()

    def rests() -> bool:
        nonlocal last_place, since
        place = locator.bounding_box()
        if place is None or place != last_place:
            last_place = place
            since = time.monotonic()
        return time.monotonic() - since > STILL

    eventually(rests, "it does not come to rest")
    assert last_place is not None
    return last_place


def eventually(is_so: Callable[[], bool], otherwise: str, patience: float = PATIENCE) -> None:
    """Wait until something is so; what does not come true in so many seconds fails with these words."""
    deadline = time.monotonic() + patience
    while not is_so():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.1)
