"""The talk: by keys alone, in both themes and on both sizes of projectors, and as a file with the network off."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, FilePayload, Page, Request, expect

from tests.browser.axe import serious
from tests.browser.places import MISPLACED, PLOTS, WIDER_THAN_THE_WINDOW, Scheme, look, misplaced
from tests.browser.steps import FOUND, PATIENCE, at_rest, drop, eventually

pytestmark = [pytest.mark.browser, pytest.mark.long]

SAMPLE = Path(__file__).parents[2] / "sample_data"
Screen = tuple[int, int, Scheme]  # width and height in pixels, and the theme
SCREENS: tuple[Screen, ...] = ((1280, 720, "light"), (1920, 1080, "dark"))
# Where colours are looked at elsewhere: a change of the theme has everything drawn anew, which takes long
LIGHT_SCREENS: tuple[Screen, ...] = ((1280, 720, "light"), (1920, 1080, "light"))
QUESTION = "Is reordering better than baseline, or did it get lucky?"
DRAWS = "One run each: what you would have published"
VERDICT = "The verdict on test"
TITLES = (
    QUESTION,
    "Runs of the same system score differently",
    DRAWS,
    "More runs, fewer surprises",
    "One run per system, or 5",
    "Which p would have been published?",
    "Where the luck comes from",
    VERDICT,
)
WITHOUT_FIGURE = (QUESTION, VERDICT)
SMALLEST = 20  # pixels, on a screen 720 pixels high
# Sizes, in pixels of the screen, of all texts of the slide that are to be read.
TYPE_SIZES = """(root) => [...document.querySelector(root).querySelectorAll('h1, p, td, th, dt, dd, b, span, text')]
  .filter(text => text.textContent.trim() && text.getClientRects().length)
  .map(text => parseFloat(getComputedStyle(text).fontSize) * (text.currentCSSZoom ?? 1))"""
BELOW_THE_BAR = """() => {
  const bar = document.querySelector('.st-key-talk-bar').getBoundingClientRect().top;
  return [...document.querySelectorAll('.mt-slide-notes, .mt-slide-beside, .js-plotly-plot')]
    .filter(part => part.getBoundingClientRect().bottom > bar + 1).map(part => part.className);
}"""
# Resolves when nothing of the page has changed for 300 milliseconds: Plotly waits for 100 after a change of the size.
REDRAWN = """() => new Promise(resolve => {
  let timer = setTimeout(resolve, 300);
  new MutationObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(resolve, 300);
  }).observe(document, { subtree: true, childList: true, attributes: true });
})"""
# In the file, all slides are there, and one of them is shown.
MISPLACED_IN_FILE = MISPLACED.replace(".js-plotly-plot", ".mt-shown .js-plotly-plot")


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """A page in a window as small as a projector, closed at the end."""
    contexts = []

    def open_page(**options: Any) -> Page:
        context = browser.new_context(viewport={"width": 1280, "height": 720}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def talk(new_page: Callable[..., Page], address: str) -> Page:
    """The talk on the sample experiment, few shuffles, reached by the one click that it takes."""
    page = new_page(accept_downloads=True)
    page.goto(f"{address}/?shuffles=200")
    page.get_by_role("heading", name="Load an experiment").wait_for()
    present(page)
    return page


def present(page: Page) -> None:
    """Go to the page of replication, and from its first view, which is drawn after the verdict, to the talk."""
    page.get_by_role("link", name="Replication").click()
    page.locator(PLOTS).first.wait_for()
    page.get_by_role("button", name="Present").click()
    wait_for_title(page, QUESTION)


def in_turn(screens: Sequence[Screen], place: int) -> Sequence[Screen]:
    """The screens in the order in which the slide at that place has the first already: that of the slide before."""
    if place % 2 == 0:
        return screens
    return screens[::-1]


def wait_for_title(page: Page, text: str) -> None:
    """Wait for the slide of that title."""
    expect(page.locator(".mt-slide-title:visible")).to_have_text(text)


def wait_until_drawn(page: Page) -> None:
    """Wait until nothing is computed for the slide, which is drawn faint meanwhile."""
    at_rest(page)
    expect(page.locator(".mt-doing")).to_have_count(0)


def expect_readable(page: Page, title: str, screen: Screen) -> None:
    """Nothing of the slide is hidden by the bar below, and every text is as large as the screen asks for."""
    height = screen[1]
    # A slide is drawn again when what later ones need has been computed; for a moment both are there
    eventually(lambda: not page.evaluate(BELOW_THE_BAR), f"{title} at {screen} is partly below the bar")
    smallest = SMALLEST * height / 720

    def is_large() -> bool:
        return min(page.evaluate(TYPE_SIZES, ".st-key-talk"), default=0) >= smallest

    eventually(is_large, f"{title} at {screen} has smaller text than {smallest}")


def test_the_whole_talk_is_given_by_keys_alone(talk: Page) -> None:
    page = talk
    problems: list[tuple[Any, ...]] = []
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    for place, title in enumerate(TITLES):
        wait_for_title(page, title)
        if title == DRAWS:
            draw_by_keys(page)
        if title not in WITHOUT_FIGURE:
            page.locator(PLOTS).first.wait_for()
            read_out = page.locator(".mt-unseen li")
            expect(read_out.first, f"what the figure of '{title}' shows is there to be read out").to_be_attached()
        for number, screen in enumerate(in_turn(SCREENS, place)):
            look(page, *screen)
            wait_until_drawn(page)
            if title not in WITHOUT_FIGURE:
                assert misplaced(page) == [], (title, screen)
            expect_readable(page, title, screen)
            for problem in serious(page, of_looks=number > 0):
                problems.append((title, screen, *problem))
        page.keyboard.press("ArrowRight")
    assert problems == []

    expect(page.get_by_role("button", name="Next")).to_be_disabled()
    page.keyboard.press("ArrowLeft")
    wait_for_title(page, TITLES[-2])
    page.keyboard.press("Escape")
    page.get_by_role("heading", name="Replication").wait_for()
    expect(page.get_by_test_id("stSidebar")).to_be_visible()


def draw_by_keys(page: Page) -> None:
    """Draw one pair of runs, then a hundred more; all combinations of runs stay beside them."""
    expect(page.get_by_text("all 900 combinations")).to_be_visible()
    page.keyboard.press("d")
    expect(page.get_by_text("so far (1)")).to_be_visible()
    page.keyboard.press("h")
    expect(page.get_by_text("so far (101)")).to_be_visible()
    expect(page.get_by_text("all 900 combinations")).to_be_visible()


def test_three_runs_a_system_are_told_by_keys_alone_as_far_as_they_go(
    new_page: Callable[..., Page], address: str, tmp_path: Path
) -> None:
    page = new_page()
    page.goto(f"{address}/?shuffles=200")
    drop(page, three_runs())
    expect(page.locator(FOUND)).to_contain_text("2 systems × 3 runs")
    present(page)

    # The number of slides depends on the runs: the talk goes on as long as there is a next one.
    heading = page.locator(".mt-slide-title:visible")
    following = page.get_by_role("button", name="Next")
    titles = [QUESTION]
    view_slide(page, titles)
    while following.is_enabled():
        page.keyboard.press("ArrowRight")
        expect(heading).not_to_have_text(titles[-1])
        titles.append(heading.inner_text())
        view_slide(page, titles)
    assert titles[-1] == VERDICT
    assert len(titles) >= 6
    expect(page.get_by_text("no clear difference").first).to_be_visible()
    plays_alone(new_page(offline=True), saved(page, tmp_path), titles, LIGHT_SCREENS)


def view_slide(page: Page, titles: Sequence[str]) -> None:
    """The slide, which has the last of these titles, can be read on both sizes of screens."""
    wait_until_drawn(page)
    for screen in in_turn(LIGHT_SCREENS, len(titles) - 1):
        look(page, *screen)
        expect_readable(page, titles[-1], screen)


def test_figure_and_talk_leave_as_files_and_runs_metric_and_test_change_by_keys(
    talk: Page, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    page = talk
    page.get_by_role("button", name="Next").click()
    wait_for_title(page, TITLES[1])
    with page.expect_download() as picture:
        page.get_by_role("button", name="SVG").click()
    assert b"<svg" in picture.value.path().read_bytes()[:500]
    plays_alone(new_page(offline=True), saved(page, tmp_path), TITLES, SCREENS)

    page.keyboard.press("ArrowRight")
    wait_for_title(page, DRAWS)
    expect(page.get_by_text("all 900 combinations")).to_be_visible()
    page.keyboard.press("n")
    wait_for_title(page, "2 runs each: what you would have published")
    page.keyboard.press("t")
    expect(page.locator(".mt-slide-notes")).to_contain_text("Test: Permutation of whole runs")
    page.keyboard.press("m")
    axis = page.get_by_text("chrF of reordering − chrF of baseline (points)").locator("visible=true")
    expect(axis).to_have_count(1)


def three_runs() -> list[FilePayload]:
    """The references and the first three runs of each system of the sample."""
    paths = [SAMPLE / "reference.test.txt", *sorted(SAMPLE.glob("*/test.opt0[0-2].txt"))]
    return [
        {"name": f"{path.parent.name}.{path.name}", "mimeType": "text/plain", "buffer": path.read_bytes()}
        for path in paths
    ]


def saved(page: Page, folder: Path) -> Path:
    """The talk as a file, handed out by the page."""
    with page.expect_download() as download:
        page.get_by_role("button", name="Download talk (HTML)").click()
    download.value.save_as(folder / "talk.html")
    return folder / "talk.html"


def plays_alone(page: Page, file: Path, titles: Sequence[str], screens: Sequence[Screen]) -> None:
    """The file tells the whole story by keys, in a window whose network is off."""
    problems: list[str] = []

    def refuse_hosts(request: Request) -> None:
        if not request.url.startswith("file:"):
            problems.append(request.url)

    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", refuse_hosts)
    page.goto(file.as_uri())
    for place, title in enumerate(titles):
        wait_for_title(page, title)
        if title == DRAWS:
            page.keyboard.press("d")
            expect(page.locator(".mt-shown").get_by_text("so far (1)")).to_be_visible()
            page.keyboard.press("h")
            expect(page.locator(".mt-shown").get_by_text("so far (100)")).to_be_visible()
        for width, height, scheme in in_turn(screens, place):
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=scheme)
            # Not wait_for_function: it evaluates a string in the page, which the policy of the file forbids.
            page.evaluate(REDRAWN)
            eventually(lambda: not page.evaluate(WIDER_THAN_THE_WINDOW), f"{title} at {width} px is cut off")
            eventually(lambda: not page.evaluate(MISPLACED_IN_FILE), f"{title} at {width} px has misplaced text")
        page.keyboard.press("ArrowRight")
    assert min(page.evaluate(TYPE_SIZES, ".mt-shown")) >= SMALLEST
    assert not problems
