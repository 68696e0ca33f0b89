"""Every page in both themes: nothing serious found by axe-core, text that can be read, no text over other text, nothing
asked of another host.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import serious
from tests.browser.places import PLOTS, SETTLED, Scheme, look, misplaced
from tests.browser.steps import FOUND, PATIENCE, at_rest, drop, eventually, payloads, score

pytestmark = [pytest.mark.browser, pytest.mark.long]

# Each size and each theme once: where texts stand is a matter of the size alone
SIZES: dict[Scheme, tuple[int, int]] = {"light": (1280, 900), "dark": (1920, 1080)}
OTHER: dict[Scheme, Scheme] = {"light": "dark", "dark": "light"}
LEAST_CONTRAST = 4.5
LEAST_OVERLAP = {"Scores": 1, "Replication": 2}  # pixels of height by which texts of figures may overlap
PLAY = "Play"  # a view of its tab: one number of runs at a time
# Tabs whose content is drawn when they are opened, by page
PAGES = {
    "Load": (),
    "Scores": (),
    "Significance": ("The two tests", "Several test sets", "Equivalence", "Compare all tests", "False alarms"),
    "Replication": ("Number of runs", PLAY, "Planner", "Try your luck"),
    "Segments": ("Segments", "Kinds of segments", "Words", "Median run", "N-best lists"),
    "People": (),
    "Annotate": (),
    "Report": (),
}
ADDRESSES = """() => [...document.querySelectorAll('link[href], [src]')]
  .map(one => one.href || one.src).filter(Boolean)"""
# The contrast of every text of the figures that axe-core does not look at, against the page behind it. Text in marks of
# its own colour has another background and is left to the figure.
FAINT_TEXTS = """(least) => {
  const numbers = color => color.match(/[\\d.]+/g).map(Number);
  const luminance = color => {
    const [r, g, b] = color.map(part => part / 255).map(p => p <= 0.03928 ? p / 12.92 : ((p + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const page = numbers(getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor).slice(0, 3);
  const opacity = text => {
    let all = 1;
    for (let one = text; one && one.tagName !== 'DIV'; one = one.parentElement) all *= getComputedStyle(one).opacity;
    return all;
  };
  return [...document.querySelectorAll('.js-plotly-plot svg text')]
    .filter(text => text.textContent.trim() && text.getClientRects().length)
    .filter(text => !text.closest('.hoverlayer, .heatmaplayer, .barlayer'))
    .filter(text => !text.closest('.js-plotly-plot:has(.heatmaplayer image) .annotation'))
    .map(text => {
      const style = getComputedStyle(text), [r, g, b, alpha = 1] = numbers(style.fill);
      const share = alpha * opacity(text) * style.fillOpacity;
      const seen = [r, g, b].map((part, place) => part * share + page[place] * (1 - share));
      const [dark, light] = [luminance(seen), luminance(page)].sort((one, other) => one - other);
      return [text.textContent, (light + 0.05) / (dark + 0.05)];
    })
    .filter(([, contrast]) => contrast < least);
}"""


@pytest.fixture(scope="module")
def scored_page(browser: Browser, address: str) -> Iterator[Page]:
    """The sample experiment, scored; it fails the test if a page asked another host."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    page = context.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    asked: set[str] = set()
    page.on("request", lambda one: asked.add(one.url))
    page.on("websocket", lambda one: asked.add(one.url))
    page.goto(f"{address}/?shuffles=500")
    page.get_by_role("button", name="Try the sample experiment").click()
    page.locator(FOUND).wait_for()
    at_rest(page)
    score(page)
    yield page
    context.close()
    assert len(asked) > 10
    assert foreign(asked, address) == set()


def foreign(addresses: set[str], address: str) -> set[str]:
    """Addresses of other hosts; a picture may carry its bytes in its own address."""
    host = urlsplit(address).netloc
    named = (one.removeprefix("blob:") for one in addresses)  # what a page made itself is named after its host
    return {one for one in named if urlsplit(one).scheme != "data" and urlsplit(one).netloc != host}


def in_both_themes(page: Page) -> Iterator[Scheme]:
    """Show the page in the theme it is in, then in the other; drawing it anew costs more than changing its colours."""
    first: Scheme = "dark" if page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") else "light"
    for scheme in (first, OTHER[first]):
        look(page, *SIZES[scheme], scheme)
        at_rest(page)
        expect(page.locator(".mt-doing")).to_have_count(0)  # meanwhile the rest is drawn faint
        at_rest(page)
        yield scheme


def hard_to_read(page: Page, of_looks: bool) -> Iterator[tuple[str, Any]]:
    """What axe-core finds serious, and faint texts of figures."""
    yield from serious(page, of_looks)
    with suppress(AssertionError):  # figures follow a change of the theme a little later than the page
        eventually(lambda: not page.evaluate(FAINT_TEXTS, LEAST_CONTRAST), "faint texts", SETTLED)
    yield from page.evaluate(FAINT_TEXTS, LEAST_CONTRAST)


def unfold(page: Page, tab: str) -> None:
    """Open a tab, and what of it is drawn on demand."""
    if tab == PLAY:
        page.get_by_test_id("stMain").get_by_text(PLAY, exact=True).click()
        page.locator(f"{PLOTS} .slider-container").wait_for()
    elif tab:
        page.get_by_role("tab", name=tab, exact=True).click()
        expect(page.get_by_role("tab", name=tab, exact=True)).to_have_attribute("aria-selected", "true")
        at_rest(page)
    folded = page.locator("[data-testid=stExpander] details:not([open]) > summary:visible")
    while folded.count():
        folded.first.press("Enter")  # a click may meet what has moved there meanwhile, such as a menu
        at_rest(page)
    if tab == "Try your luck":
        page.get_by_role("button", name="Draw 100").click()
        page.get_by_text(re.compile(r"So far \([1-9]")).wait_for()  # 200 where the test is tried again


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_serious_and_every_text_can_be_read(scored_page: Page, address: str, name: str) -> None:
    page = scored_page
    found: list[tuple[Any, ...]] = []
    page.get_by_test_id("stSidebar").get_by_role("link", name=name).click()
    page.get_by_role("heading", name=name.split()[0]).first.wait_for()
    for tab in PAGES[name] or ("",):
        unfold(page, tab)
        for place, scheme in enumerate(in_both_themes(page)):
            if name in LEAST_OVERLAP:
                expect(page.locator(f"{PLOTS} svg text").nth(5)).to_be_attached()
                found += [(tab, scheme, *texts) for texts in misplaced(page, LEAST_OVERLAP[name])]
                assert place or len(page.screenshot()) > 20_000, "an empty page is a small picture"
            if name == "Scores":  # the sample has a tuning set: the most columns
                overview = page.locator(".mt-scroll").filter(has=page.locator(".mt-overview"))
                assert overview.evaluate("box => box.scrollWidth - box.clientWidth") == 0
            found += [(tab, scheme, *one) for one in hard_to_read(page, of_looks=place > 0)]
        assert foreign(set(page.evaluate(ADDRESSES)), address) == set(), tab  # the icon is asked for unseen
    assert found == []


def test_axe_finds_nothing_serious_where_pairs_of_systems_are_compared(page: Page) -> None:
    drop(page, payloads(baseline=2, better=2, best=2))
    score(page)
    page.get_by_test_id("stSidebar").get_by_role("link", name="Significance").click()
    found: list[tuple[Any, ...]] = []
    for tab in ("All pairs", "Compare all tests"):
        unfold(page, tab)
        page.locator(f"{PLOTS} svg text").first.wait_for()
        for place, scheme in enumerate(in_both_themes(page)):
            found += [(tab, scheme, *one) for one in hard_to_read(page, of_looks=place > 0)]
    assert found == []
