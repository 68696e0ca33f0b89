"""An experiment outlives a reload, its server and its browser."""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from mteval.library import Library
from tests.browser.conftest import free_port, started
from tests.browser.steps import COMPILING, PATIENCE, at_rest, drop, eventually, score, shown_table

pytestmark = [pytest.mark.browser, pytest.mark.long]

SENTENCE = "the quick brown fox jumps over the lazy dog while it rains on every roof of this old town"


def write_files(folder: Path) -> list[Path]:
    """References and three runs of two systems."""
    references = [" ".join(SENTENCE.split()[number % 7 :]) for number in range(12)]
    texts = {"refs": references}
    for system, every in {"base": 5, "new": 7}.items():
        for run in range(3):
            texts[f"{system}.opt{run}"] = [_thinned(line, every, at + 3 * run) for at, line in enumerate(references)]
    for name, lines in texts.items():
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")
    return sorted(folder.glob("*.txt"))


def _thinned(line: str, every: int, start: int) -> str:
    return " ".join(word for place, word in enumerate(line.split()) if (place + start) % every)


@pytest.fixture
def visit(browser: Browser) -> Iterator["list[Page]"]:
    """Pages of visitors, closed at the end."""
    pages: list[Page] = []
    yield pages
    for page in pages:
        page.context.close()


def open_as_another(browser: Browser, pages: list[Page], address: str) -> Page:
    """A browser that has never been here opens an address."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(PATIENCE * 1000)
    pages.append(page)
    page.goto(address)
    return page


def named(page: Page) -> dict[str, str]:
    """What stands in the address."""
    return {name: values[-1] for name, values in parse_qs(urlsplit(page.url).query).items()}


def opened_segment(page: Page) -> str:
    """The number of the segment that is open, as its field says it."""
    box = page.get_by_role("spinbutton", name="Segment", exact=True)
    box.wait_for()
    at_rest(page)
    return box.input_value()


def test_an_experiment_outlives_reload_server_and_browser(browser: Browser, tmp_path: Path, visit: list[Page]) -> None:
    (tmp_path / "files").mkdir()
    port, home = free_port(), {"MTEVAL_HOME": str(tmp_path / "home")}
    with started(tmp_path, port=port, **home) as (server, address):
        page = open_as_another(browser, visit, f"{address}/?shuffles=200&replicates=100")
        page.get_by_role("heading", name="Load an experiment").wait_for()
        drop(page, write_files(tmp_path / "files"))
        score(page)
        eventually(lambda: named(page).get("shuffles") == "200", "the address does not name the settings")
        table, link = shown_table(page), named(page)["experiment"]
        assert len(link) >= 22

        page.get_by_role("link", name="Segments").click()
        first = opened_segment(page)
        page.get_by_role("button", name="Next").first.click()
        eventually(lambda: opened_segment(page) != first, "the next segment is not opened")
        segment = opened_segment(page)
        eventually(lambda: named(page).get("seg-open") == segment, "the address does not name the segment")
        page.reload()
        assert opened_segment(page) == segment

        page.go_back()  # one step a page, whatever the address of the page was made to say
        page.get_by_role("heading", name="Scores", exact=True).wait_for()
        assert shown_table(page) == table
        page.go_forward()
        assert opened_segment(page) == segment
        there = page.url
        os.kill(server.pid, signal.SIGKILL)

    with started(tmp_path, port=port, **home):
        page.goto(there)
        assert opened_segment(page) == segment
        stranger = open_as_another(browser, visit, there)  # an address opens nothing for others
        stranger.get_by_text("No experiment at this link").first.wait_for()
        (entry,) = Library(tmp_path / "home" / "library", 1 << 30).listed()
        with_key = there.replace("/segments", "/scores").replace(f"experiment={entry.uid}", f"key={entry.editor}")
        other = open_as_another(browser, visit, with_key)
        other.locator("table.mt-overview").first.wait_for(timeout=COMPILING)
        assert shown_table(other) == table
        at_rest(other)
        expect(other.get_by_role("button", name=re.compile("^Score "))).to_have_count(0)

        page.get_by_role("link", name="Load").click()
        page.get_by_role("button", name="Share").click()
        shared = page.locator("code.mt-share").first
        eventually(lambda: shared.inner_text().startswith("http"), "the link for readers is not whole")
        reader = open_as_another(browser, visit, shared.inner_text())
        reader.get_by_text("This link is read-only").wait_for()
        at_rest(reader)
        reader.locator(".st-key-entry-menu button").first.click()
        reader.get_by_role("button", name="Export experiment").wait_for()
        expect(reader.get_by_role("button", name="Delete experiment")).to_have_count(0)
        assert entry.editor not in reader.content()
        assert entry.reader not in reader.url
        assert named(reader)["experiment"] == link
