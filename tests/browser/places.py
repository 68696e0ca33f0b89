"""Where texts stand on a screen: none over another, in either theme, on a laptop and on a projector."""

from contextlib import suppress
from typing import Any, Literal

from playwright.sync_api import Page

from tests.browser.steps import at_rest, eventually

SETTLED = 30.0  # seconds in which a page has taken the size and the theme of its window, on a busy machine too
Scheme = Literal["light", "dark"]
PLOTS = ".js-plotly-plot:visible"
# Pairs of visible texts of the plots whose boxes overlap, and texts that stick out of their plot.
MISPLACED = """least => {
  const plots = [...document.querySelectorAll('.js-plotly-plot')].filter(plot => plot.getClientRects().length);
  return plots.flatMap(plot => {
    const frame = plot.getBoundingClientRect();
    const texts = [...plot.querySelectorAll('svg text')]
      .filter(text => text.textContent.trim() && text.getClientRects().length)
      .filter(text => getComputedStyle(text).visibility !== 'hidden')
      .map(text => [text.textContent, text.getBoundingClientRect()]);
    const outside = texts.filter(([, box]) => box.left < frame.left - 1 || box.right > frame.right + 1
      || box.top < frame.top - 1 || box.bottom > frame.bottom + 1).map(([text]) => [text, 'the edge of the plot']);
    const overlapping = texts.flatMap(([one, a], index) => texts.slice(index + 1)
      .filter(([, b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > (least ?? 2)).map(([other]) => [one, other]));
    return [...outside, ...overlapping];
  });
}"""
# Visible elements that reach beyond what is seen of their container, where nothing shows that one can scroll to them.
CUT_OFF = """() => {
  const clips = style => /hidden|clip/.test(style.overflowX) && style.textOverflow !== 'ellipsis';
  const scrolls = (box, style) => /auto|scroll/.test(style.overflowX) && box.scrollWidth > box.clientWidth;
  const found = [];
  const parts = '[data-testid=stMain] *, [data-testid=stSidebar][aria-expanded=true] *';
  for (const one of document.querySelectorAll(parts)) {
    const box = one.getBoundingClientRect();
    if (!box.width || !box.height || getComputedStyle(one).visibility === 'hidden') continue;
    if (one.closest('input, .mt-unseen, canvas, svg, [data-testid=stDataFrame], .st-key-page-script')) continue;
    for (let outer = one.parentElement; outer; outer = outer.parentElement) {
      const style = getComputedStyle(outer), frame = outer.getBoundingClientRect();
      if (scrolls(outer, style) || style.textOverflow === 'ellipsis' || style.position === 'fixed') break;
      if ((clips(style) || outer === document.documentElement) && box.right > frame.right + 1) {
        found.push([one.tagName, one.className.toString().slice(0, 60), Math.round(box.right - frame.right)]);
        break;
      }
    }
  }
  return found;
}"""
WIDER_THAN_THE_WINDOW = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


def look(page: Page, width: int, height: int, scheme: Scheme) -> None:
    """Give the window another size and theme, and wait until both are there."""
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=scheme)
    is_light = "> 600" if scheme == "light" else "< 200"
    background = "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    reached = f"{background}.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + +part, 0) {is_light}"
    eventually(lambda: bool(page.evaluate(reached)), f"the page is not {scheme}")


def misplaced(page: Page, least: int = 2) -> list[Any]:
    """What is out of place by more than so many pixels of height, and stays so once the plots have settled."""
    page.locator(f"{PLOTS} svg text").first.wait_for()
    page.wait_for_timeout(400)
    with suppress(AssertionError):
        eventually(
            lambda: not page.evaluate(WIDER_THAN_THE_WINDOW) and not page.evaluate(MISPLACED, least), "not in place"
        )
    assert not page.evaluate(WIDER_THAN_THE_WINDOW)
    found: list[Any] = page.evaluate(MISPLACED, least)
    return found


def wider_than_their_container(page: Page) -> list[Any]:
    """What is cut off at the right once the page is at rest: wider than its container, and no scrollbar leads there."""
    at_rest(page)
    with suppress(AssertionError):
        eventually(lambda: not page.evaluate(CUT_OFF), "something is cut off", SETTLED)
    found: list[Any] = page.evaluate(CUT_OFF)
    return found
