"""Where texts stand on a screen: none over another, in either theme, on a laptop and on a projector."""

from contextlib import suppress
from typing import Any, Literal

from playwright.sync_api import Page

from tests.browser.steps import at_rest, eventually

SETTLED = 30.0  # seconds in which a page has taken the size and the theme of its window, on a busy machine too
REDRAWN = 400  # milliseconds after which plots begin to take the size of their window; what follows is waited for
Scheme = Literal["light", "dark"]
PLOTS = ".js-plotly-plot:visible"
# Pairs of visible texts of the plots whose boxes overlap, and texts that stick out of their plot.
MISPLACED = """least => {
  // What is folded away takes the size of its window when it is opened
  const isVisible = element => element.checkVisibility({ visibilityProperty: true });
  const isOutside = (box, frame) => box.left < frame.left - 1 || box.right > frame.right + 1
    || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
  const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > (least ?? 2);
  const misplaced = [];
  for (const plot of document.querySelectorAll('.js-plotly-plot')) {
    if (!plot.getClientRects().length) continue;
    const frame = plot.getBoundingClientRect();
    const texts = [...plot.querySelectorAll('svg text')]
      .filter(text => text.textContent.trim() && isVisible(text))
      .map(text => ({ words: text.textContent, box: text.getBoundingClientRect() }));
    for (const [index, text] of texts.entries()) {
      if (isOutside(text.box, frame)) misplaced.push([text.words, 'the edge of the plot']);
      for (const later of texts.slice(index + 1)) {
        if (overlap(text.box, later.box)) misplaced.push([text.words, later.words]);
      }
    }
  }
  return misplaced;
}"""
# Visible elements that reach beyond what is seen of their container, where nothing shows that one can scroll to them.
CUT_OFF = """() => {
  const clips = style => /hidden|clip/.test(style.overflowX) && style.textOverflow !== 'ellipsis';
  const scrolls = (box, style) => /auto|scroll/.test(style.overflowX) && box.scrollWidth > box.clientWidth;
  const parts = '[data-testid=stMain] *, [data-testid=stSidebar][aria-expanded=true] *';
  const exempt = 'input, .mt-unseen, canvas, svg, [data-testid=stDataFrame], .st-key-page-script';
  const cutOff = [];
  for (const element of document.querySelectorAll(parts)) {
    const box = element.getBoundingClientRect();
    if (!box.width || !box.height || getComputedStyle(element).visibility === 'hidden') continue;
    if (element.closest(exempt)) continue;
    for (let outer = element.parentElement; outer; outer = outer.parentElement) {
      const style = getComputedStyle(outer);
      const frame = outer.getBoundingClientRect();
      if (scrolls(outer, style) || style.textOverflow === 'ellipsis' || style.position === 'fixed') break;
      const isClipped = clips(style) || outer === document.documentElement;
      if (isClipped && box.right > frame.right + 1) {
        cutOff.push([element.tagName, element.className.toString().slice(0, 60), Math.round(box.right - frame.right)]);
        break;
      }
    }
  }
  return cutOff;
}"""
WIDER_THAN_THE_WINDOW = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
# Red, green and blue of the background, added up: 765 on a white page
BRIGHTNESS = """() => {
  const app = document.querySelector('[data-testid=stApp]');
  const [red, green, blue] = getComputedStyle(app).backgroundColor.match(/\\d+/g).map(Number);
  return red + green + blue;
}"""
DARKEST_OF_LIGHT = 600
LIGHTEST_OF_DARK = 200


def look(page: Page, width: int, height: int, scheme: Scheme) -> None:
    """Give the window another size and theme, and wait until both are there."""

    def has_theme() -> bool:
        brightness: int = page.evaluate(BRIGHTNESS)
        if scheme == "light":
            return brightness > DARKEST_OF_LIGHT
        return brightness < LIGHTEST_OF_DARK

    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=scheme)
    eventually(has_theme, f"the page is not {scheme}")


def misplaced(page: Page, least: int = 2) -> list[Any]:
    """What is out of place by more than so many pixels of height, and stays so once the plots have settled."""

    def is_in_place() -> bool:
        return not page.evaluate(WIDER_THAN_THE_WINDOW) and not page.evaluate(MISPLACED, least)

    page.locator(f"{PLOTS} svg text").first.wait_for()
    page.wait_for_timeout(REDRAWN)
    with suppress(AssertionError):  # the caller says what is out of place
        eventually(is_in_place, "not in place")
    assert not page.evaluate(WIDER_THAN_THE_WINDOW)
    texts: list[Any] = page.evaluate(MISPLACED, least)
    return texts


def wider_than_their_container(page: Page) -> list[Any]:
    """What is cut off at the right once the page is at rest: wider than its container, and no scrollbar leads there."""

    def is_whole() -> bool:
        return not page.evaluate(CUT_OFF)

    at_rest(page)
    with suppress(AssertionError):  # the caller says what is cut off
        eventually(is_whole, "something is cut off", SETTLED)
    elements: list[Any] = page.evaluate(CUT_OFF)
    return elements
