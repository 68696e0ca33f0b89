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
    """References and three runs of two systems, whose outputs lack words, each run other ones."""
    words = SENTENCE.split()
    references = [words[number % 7 :] for number in range(12)]
    sentences_of = {"refs": references}
    for system, every in {"base": 5, "new": 7}.items():
        for run in range(3):
            sentences_of[f"{system}.opt{run}"] = [
                thinned(reference, every, start=number + 3 * run) for number, reference in enumerate(references)
            ]

    paths = []
    for name, sentences in sentences_of.items():
        path = folder / f"{name}.txt"
        path.write_text("".join(f"{' '.join(sentence)}\n" for sentence in sentences))
        paths.append(path)
    return sorted(paths)


def thinned(words: list[str], every: int, start: int) -> list[str]:
    """A sentence without every so-manieth word, counted from a start."""
    return [word for place, word in enumerate(words) if (place + start) % every]


@pytest.fixture
def visitors(browser: Browser) -> Iterator[list[Page]]:
    """Pages of visitors, closed at the end."""
    pages: list[Page] = []
    yield pages
    for page in pages:
        page.context.close()


def open_as_another(browser: Browser, visitors: list[Page], address: str) -> Page:
    """A browser that has never been here opens an address."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(PATIENCE * 1000)
    visitors.append(page)
    page.goto(address)
    return page


def settings_in_address(page: Page) -> dict[str, str]:
    """The query of the address: the last value of each name."""
    return {name: values[-1] for name, values in parse_qs(urlsplit(page.url).query).items()}


def opened_segment(page: Page) -> str:
    """The number of the segment that is open, as its field shows it."""
    box = page.get_by_role("spinbutton", name="Segment", exact=True)
    box.wait_for()
    at_rest(page)
    return box.input_value()


def open_next_segment(page: Page) -> str:
    """Open the next segment, and wait until the address names it; its number."""
    first = opened_segment(page)
    page.get_by_role("button", name="Next").first.click()
    eventually(lambda: opened_segment(page) != first, "the next segment is not opened")
    segment = opened_segment(page)
    eventually(
        lambda: settings_in_address(page).get("seg-open") == segment,
        "the address does not name the segment",
    )
    return segment


def link_for_readers(page: Page) -> str:
    """The link that the first page hands out."""
    page.get_by_role("link", name="Load").click()
    page.get_by_role("button", name="Share").click()
    shared = page.locator("code.mt-share").first
    eventually(lambda: shared.inner_text().startswith("http"), "the link for readers is not whole")
    return shared.inner_text()


def test_an_experiment_outlives_reload_server_and_browser(
    browser: Browser, tmp_path: Path, visitors: list[Page]
) -> None:
    files = tmp_path / "files"
    files.mkdir()
    home = tmp_path / "home"
    port = free_port()  # both servers have the same address
    with started(tmp_path, port=port, MTEVAL_HOME=str(home)) as (server, address):
        page = open_as_another(browser, visitors, f"{address}/?shuffles=200&replicates=100")
        page.get_by_role("heading", name="Load an experiment").wait_for()
        drop(page, write_files(files))
        score(page)
        eventually(
            lambda: settings_in_address(page).get("shuffles") == "200",
            "the address does not name the settings",
        )
        table = shown_table(page)
        link = settings_in_address(page)["experiment"]
        assert len(link) >= 22  # characters: 128 bits, too many to guess

        page.get_by_role("link", name="Segments").click()
        segment = open_next_segment(page)
        page.reload()
        assert opened_segment(page) == segment

        # Back and forward take one step per page, however often the address of a page has changed.
        page.go_back()
        page.get_by_role("heading", name="Scores", exact=True).wait_for()
        assert shown_table(page) == table
        page.go_forward()
        assert opened_segment(page) == segment
        address_of_segment = page.url
        os.kill(server.pid, signal.SIGKILL)

    with started(tmp_path, port=port, MTEVAL_HOME=str(home)):
        # The same browser finds all as it was; its address opens nothing for others.
        page.goto(address_of_segment)
        assert opened_segment(page) == segment
        stranger = open_as_another(browser, visitors, address_of_segment)
        stranger.get_by_text("No experiment at this link").first.wait_for()

        # With the key of an editor, another browser sees the same scores, and nothing is left to compute.
        (entry,) = Library(home / "library", 1 << 30).listed()
        address_of_scores = address_of_segment.replace("/segments", "/scores")
        address_with_key = address_of_scores.replace(f"experiment={entry.uid}", f"key={entry.editor}")
        editor = open_as_another(browser, visitors, address_with_key)
        editor.locator("table.mt-overview").first.wait_for(timeout=COMPILING)
        assert shown_table(editor) == table
        at_rest(editor)
        expect(editor.get_by_role("button", name=re.compile("^Score "))).to_have_count(0)

        # A reader may export and cannot delete, and sees no key.
        reader = open_as_another(browser, visitors, link_for_readers(page))
        reader.get_by_text("This link is read-only").wait_for()
        at_rest(reader)
        reader.locator(".st-key-entry-menu button").first.click()
        reader.get_by_role("button", name="Export experiment").wait_for()
        expect(reader.get_by_role("button", name="Delete experiment")).to_have_count(0)
        assert entry.editor not in reader.content()
        assert entry.reader not in reader.url
        assert settings_in_address(reader)["experiment"] == link
