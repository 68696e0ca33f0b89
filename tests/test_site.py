"""The documentation builds as a site without a warning, has every page, and asks no other host for anything."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.conftest import built_site

ROOT = Path(__file__).parent.parent
# What a browser loads by itself. A link that a reader clicks may lead anywhere.
LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}


class Addresses(HTMLParser):
    """Addresses that a page loads, and those that it links to."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "link" and attributes.get("rel") in ("canonical", "next", "prev"):
            return
        loaded = attributes.get(LOADED.get(tag, ""))
        if loaded:
            self.loaded.append(loaded)
        if tag == "a" and attributes.get("href"):
            self.linked.append(attributes["href"] or "")


def addresses_of(page: Path) -> Addresses:
    addresses = Addresses()
    addresses.feed(page.read_text(encoding="utf-8"))
    return addresses


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as ``bin/docs`` builds it, where a warning is an error."""
    return built_site(tmp_path_factory.mktemp("site"))


def test_every_document_is_in_the_navigation(site: Path) -> None:
    navigated = {unquote(link) for link in addresses_of(site / "index.html").linked}
    for document in (ROOT / "docs").rglob("*.md"):
        page = document.relative_to(ROOT / "docs").with_suffix(".html").as_posix()
        assert page in navigated, f"{page} is missing from nav in mkdocs.yml"


def test_pages_load_nothing_from_other_hosts(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        for address in addresses_of(page).loaded:
            assert not urlsplit(address).netloc, f"{page.name} loads {address}"
    for style in site.rglob("*.css"):
        for address in re.findall(r"url\(\s*[\"']?([^)\"']+)", style.read_text(encoding="utf-8")):
            assert not urlsplit(address).netloc or address.startswith("data:"), f"{style.name} loads {address}"


def test_links_within_the_site_lead_to_files_that_exist(site: Path) -> None:
    for page in site.rglob("*.html"):
        if page.name == "404.html":  # its links start at the root, wherever it is shown
            continue
        for link in addresses_of(page).linked:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or not parts.path:
                continue
            assert (page.parent / unquote(parts.path)).exists(), f"{page.name} links to {link}"


def test_functions_have_their_parameters_on_the_page_of_docstrings(site: Path) -> None:
    text = (site / "docstrings.html").read_text(encoding="utf-8")
    for name in ("compare", "gate", "replicate", "people"):
        assert re.search(rf'id="mteval\.interface\.\w+\.{name}"', text), name
    assert text.count("Parameters") >= 10
