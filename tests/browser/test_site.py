"""The documentation as a site in a real browser: nothing serious found by axe-core, and a search that finds."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import serious
from tests.browser.conftest import window
from tests.browser.steps import eventually
from tests.conftest import ROOT, built_site

pytestmark = [pytest.mark.browser, pytest.mark.long]


DOCS = ROOT / "docs"
DOCUMENTS = sorted(path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md"))
SCHEME = "body[data-md-color-scheme={}]"
DARKEN = "document.body.setAttribute('data-md-color-scheme', 'slate')"
WHOLE = ("404", "index", "people")  # with the frame, which is the same around all pages


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files without a line per request."""

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the built site is served."""
    folder = built_site(tmp_path_factory.mktemp("site"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A window of its own."""
    with window(browser) as page:
        yield page


@pytest.mark.parametrize("name", ["404", *DOCUMENTS])
def test_axe_finds_nothing_serious_in_either_theme(name: str, site: str, page: Page) -> None:
    hosts: set[str] = set()
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    page.route("**/search_index.json", lambda route: route.abort())  # every page would spend seconds on an index
    page.emulate_media(color_scheme="light")
    page.goto(f"{site}/{name}.html")
    expect(page.locator(SCHEME.format("default"))).to_be_visible()
    within = "html" if name in WHOLE else "article"
    assert serious(page, within=within) == []
    page.evaluate(DARKEN)
    assert serious(page, of_looks=True, within=within) == []
    assert hosts == {urlsplit(site).netloc}


def test_a_search_leads_to_the_page_that_answers(site: str, page: Page) -> None:
    page.goto(f"{site}/index.html")
    box = page.get_by_role("textbox", name="Search")
    result = page.locator(".md-search-result__link").filter(has_text="Release gate").first

    def is_found() -> bool:
        """Type anew: on a busy machine the first letters come before the script that listens to them."""
        box.fill("")
        box.fill("retrained model release")
        page.wait_for_timeout(500)
        return result.is_visible()

    eventually(is_found, "the search does not find the page")
    result.click()
    expect(page.get_by_role("heading", name="Release gate", exact=False).first).to_be_visible()
    assert urlsplit(page.url).path == "/gate.html"


def test_the_colours_can_be_changed_by_hand(site: str, page: Page) -> None:
    page.emulate_media(color_scheme="light")
    page.goto(f"{site}/index.html")
    page.locator("label[title='Use dark colours']:visible").click()
    expect(page.locator(SCHEME.format("slate"))).to_be_visible()


def test_the_colours_follow_those_of_the_system(site: str, page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(f"{site}/index.html")
    expect(page.locator(SCHEME.format("slate"))).to_be_visible()
