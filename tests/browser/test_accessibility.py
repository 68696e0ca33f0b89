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
from tests.browser.places import (
    PLOTS,
    SETTLED,
    WIDER_THAN_THE_WINDOW,
    Scheme,
    look,
    misplaced,
    wider_than_their_container,
)
from tests.browser.steps import (
    FOUND,
    PATIENCE,
    at_rest,
    drop,
    eventually,
    go_to,
    payloads,
    place_of,
    score,
    unchanging,
)

pytestmark = [pytest.mark.browser, pytest.mark.long]

# Each size and each theme once: where texts stand is a matter of the size alone
SIZES: dict[Scheme, tuple[int, int]] = {"light": (1280, 900), "dark": (1920, 1080)}
OTHER: dict[Scheme, Scheme] = {"light": "dark", "dark": "light"}
LEAST_CONTRAST = 4.5
LEAST_OVERLAP = {"Scores": 1, "Replication": 2}  # pixels of height by which texts of figures may overlap
OPENED = 3_000  # milliseconds in which a part that was folded is open
PHONE = (400, 900)  # pixels
FIRST_WAYS = ("My runs", "One system only", "Scores without texts")
WHOLE = ""  # of a page without tabs
PLAY = "Play"  # a view of its tab: one number of runs at a time
LUCK = "Try your luck"
# Tabs whose content is drawn when they are opened, by page
PAGES = {
    "Load": (WHOLE,),
    "Scores": (WHOLE,),
    "Significance": ("The two tests", "Several test sets", "Equivalence", "Compare all tests", "False alarms"),
    "Replication": ("Number of runs", PLAY, "Planner", LUCK),
    "Segments": ("Segments", "Kinds of segments", "Words", "Median run", "N-best lists"),
    "People": (WHOLE,),
    "Annotate": (WHOLE,),
    "Report": (WHOLE,),
}
IS_DARK = "matchMedia('(prefers-color-scheme: dark)').matches"
ADDRESSES = """() => [...document.querySelectorAll('link[href], [src]')]
  .map(element => element.href || element.src).filter(Boolean)"""
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
    for (let part = text; part && part.tagName !== 'DIV'; part = part.parentElement) {
      all *= getComputedStyle(part).opacity;
    }
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
      const [dark, light] = [luminance(seen), luminance(page)].sort((a, b) => a - b);
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
    page.on("request", lambda request: asked.add(request.url))
    page.on("websocket", lambda socket: asked.add(socket.url))
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
    own_host = urlsplit(address).netloc
    others = set()
    for asked in addresses:
        # What a page made itself is named after its host.
        parts = urlsplit(asked.removeprefix("blob:"))
        if parts.scheme != "data" and parts.netloc != own_host:
            others.add(asked)
    return others


def in_both_themes(page: Page) -> Iterator[tuple[Scheme, bool]]:
    """Show the page in the theme it is in, then in the other; drawing it anew costs more than changing its colours.

    Yields the theme, and whether it is the second.
    """
    first: Scheme = "dark" if page.evaluate(IS_DARK) else "light"
    for scheme in (first, OTHER[first]):
        look(page, *SIZES[scheme], scheme)
        wait_until_drawn(page)
        yield scheme, scheme != first


def wait_until_drawn(page: Page) -> None:
    """Wait until nothing is computed for the page, which is drawn faint meanwhile."""
    at_rest(page)
    expect(page.locator(".mt-doing")).to_have_count(0)
    at_rest(page)


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
    elif tab != WHOLE:
        handle = page.get_by_role("tab", name=tab, exact=True)
        handle.click()
        expect(handle).to_have_attribute("aria-selected", "true")
        at_rest(page)
    folded = page.locator("[data-testid=stExpander] details:not([open]) > summary:visible")
    while n_folded := folded.count():
        folded.first.press("Enter")  # a click may meet what has moved there meanwhile, such as a menu
        with suppress(AssertionError):  # a page that is drawn anew may have missed it
            expect(folded).to_have_count(n_folded - 1, timeout=OPENED)  # a second press would fold it again
        at_rest(page)
    if tab == LUCK:
        page.get_by_role("button", name="Draw 100").click()
        page.get_by_text(re.compile(r"So far \([1-9]")).wait_for()  # 200 where the test is tried again


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_serious_and_every_text_can_be_read(scored_page: Page, address: str, name: str) -> None:
    page = scored_page
    page.get_by_test_id("stSidebar").get_by_role("link", name=name).click()
    page.get_by_role("heading", name=name.split()[0]).first.wait_for()
    problems: list[tuple[Any, ...]] = []
    for tab in PAGES[name]:
        unfold(page, tab)
        for scheme, is_second in in_both_themes(page):
            if name in LEAST_OVERLAP:
                expect(page.locator(f"{PLOTS} svg text").nth(5)).to_be_attached()
                for texts in misplaced(page, LEAST_OVERLAP[name]):
                    problems.append((tab, scheme, *texts))
                if not is_second:
                    assert len(page.screenshot()) > 20_000, "an empty page is a small picture"
            if name == "Scores":  # the sample has a tuning set: the most columns
                overview = page.locator(".mt-scroll").filter(has=page.locator(".mt-overview"))
                assert overview.evaluate("box => box.scrollWidth - box.clientWidth") == 0
            for problem in hard_to_read(page, of_looks=is_second):
                problems.append((tab, scheme, *problem))
        # The icon of a page is asked for unseen.
        assert foreign(set(page.evaluate(ADDRESSES)), address) == set(), tab
    assert problems == []


def test_axe_finds_nothing_serious_where_pairs_of_systems_are_compared(page: Page) -> None:
    drop(page, payloads(baseline=2, better=2, best=2))
    score(page)
    page.get_by_test_id("stSidebar").get_by_role("link", name="Significance").click()
    problems: list[tuple[Any, ...]] = []
    for tab in ("All pairs", "Compare all tests"):
        unfold(page, tab)
        page.locator(f"{PLOTS} svg text").first.wait_for()
        for scheme, is_second in in_both_themes(page):
            for problem in hard_to_read(page, of_looks=is_second):
                problems.append((tab, scheme, *problem))
    assert problems == []


def test_the_first_page_can_be_read_before_anything_is_loaded(page: Page) -> None:
    problems: list[tuple[Any, ...]] = []
    for way in FIRST_WAYS:
        page.get_by_role("tab", name=way).click()
        page.locator(".mt-drawing:visible").wait_for()
        for scheme, is_second in in_both_themes(page):
            for problem in hard_to_read(page, of_looks=is_second):
                problems.append((way, scheme, *problem))
        look(page, *PHONE, "light")
        at_rest(page)
        assert not page.evaluate(WIDER_THAN_THE_WINDOW), way
        assert wider_than_their_container(page) == [], way
    assert problems == []


def test_the_segments_of_a_single_system_can_be_read(page: Page) -> None:
    drop(page, payloads(base=3))
    page.get_by_role("button", name="Show scores").click()
    page.get_by_role("heading", name="All metrics").wait_for()
    go_to(page, "Segments")
    problems: list[tuple[Any, ...]] = []
    for tab in ("Segments", "Distribution", "Kinds of segments"):
        unfold(page, tab)
        for scheme, is_second in in_both_themes(page):
            for problem in hard_to_read(page, of_looks=is_second):
                problems.append((tab, scheme, *problem))
    assert problems == []


def test_a_bar_of_the_distribution_leaves_its_segments(page: Page) -> None:
    drop(page, payloads(base=3))
    page.get_by_role("button", name="Show scores").click()
    page.get_by_role("heading", name="All metrics").wait_for()
    go_to(page, "Segments")
    unfold(page, "Distribution")
    unchanging(page)
    box = place_of(page.locator(f"{PLOTS} .barlayer .point path").first)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.get_by_text(re.compile("match(es)? the filters"))).to_be_visible()
    expect(page.get_by_role("tab", name="Segments", exact=True)).to_have_attribute("aria-selected", "true")
