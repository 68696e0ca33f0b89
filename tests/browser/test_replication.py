"""The replication page on a screen: no text over other text, in either theme, on a laptop and on a projector."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.steps import PATIENCE, eventually

pytestmark = pytest.mark.browser

LOOKS: tuple[tuple[int, int, Literal["light", "dark"]], ...] = (
    (1280, 900, "light"),
    (1920, 1080, "dark"),
)  # each size and each theme once: where texts stand is a matter of the size alone
VIEWS = (
    "Observed difference",
    "Published p-value",
    "Try your luck",
    "Variance",
    "Planner",
    "Median run",
)
PLOTS = ".js-plotly-plot:visible"
# Pairs of visible texts of the plots whose boxes overlap, and texts that stick out of their plot.
MISPLACED = """() => {
  const plots = [...document.querySelectorAll('.js-plotly-plot')].filter(plot => plot.getClientRects().length);
  return plots.flatMap(plot => {
    const frame = plot.getBoundingClientRect();
    const texts = [...plot.querySelectorAll('svg text')]
      .filter(text => text.textContent.trim() && getComputedStyle(text).visibility !== 'hidden')
      .map(text => [text.textContent, text.getBoundingClientRect()]);
    const outside = texts.filter(([, box]) => box.left < frame.left - 1 || box.right > frame.right + 1
      || box.top < frame.top - 1 || box.bottom > frame.bottom + 1).map(([text]) => [text, 'the edge of the plot']);
    const overlapping = texts.flatMap(([one, a], index) => texts.slice(index + 1)
      .filter(([, b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2).map(([other]) => [one, other]));
    return [...outside, ...overlapping];
  });
}"""
WIDER_THAN_THE_WINDOW = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.fixture
def replication(browser: Browser, address: str) -> Iterator[Page]:
    """The page on the sample experiment, few shuffles."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.goto(f"{address}/?shuffles=500")
    page.get_by_role("heading", name="Load an experiment").wait_for()
    page.get_by_role("link", name="Replication").click()
    page.locator(PLOTS).first.wait_for()
    yield page
    context.close()


def look(page: Page, width: int, height: int, scheme: Literal["light", "dark"]) -> None:
    """Give the window another size and theme, and wait until both are there."""
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=scheme)
    is_light = "> 600" if scheme == "light" else "< 200"
    background = "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    reached = f"{background}.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + +part, 0) {is_light}"
    eventually(lambda: bool(page.evaluate(reached)), f"the page is not {scheme}")


def misplaced(page: Page) -> list[Any]:
    """What is out of place, and stays so once the plots have settled."""
    page.locator(f"{PLOTS} svg text").first.wait_for()
    page.wait_for_timeout(400)
    with suppress(AssertionError):
        eventually(lambda: not page.evaluate(WIDER_THAN_THE_WINDOW) and not page.evaluate(MISPLACED), "not in place")
    assert not page.evaluate(WIDER_THAN_THE_WINDOW)
    found: list[Any] = page.evaluate(MISPLACED)
    return found


def test_no_text_overlaps_another_in_any_view_size_and_theme(replication: Page, tmp_path: Path) -> None:
    page = replication
    for view in VIEWS:
        page.get_by_role("tab", name=view).click()
        if view == "Try your luck":
            page.get_by_role("button", name="Draw 100").click()
            page.get_by_text("so far (100)").wait_for()
        page.locator(PLOTS).first.wait_for()
        for width, height, scheme in LOOKS:
            look(page, width, height, scheme)
            assert misplaced(page) == [], (view, width, scheme)
            picture = page.screenshot(path=tmp_path / f"{view} {width} {scheme}.png")
            assert len(picture) > 20_000, "an empty page is a small picture"


def test_one_number_of_runs_at_a_time_has_room_for_its_slider(replication: Page) -> None:
    replication.get_by_text("One at a time").click()
    replication.locator(f"{PLOTS} .slider-container").wait_for()
    for width, height, scheme in LOOKS:
        look(replication, width, height, scheme)
        assert misplaced(replication) == [], (width, scheme)
