"""The talk: by keys alone, in both themes and on both sizes of projectors, and as a file with the network off."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from tests.browser.axe import serious
from tests.browser.places import MISPLACED, PLOTS, WIDER_THAN_THE_WINDOW, Scheme, look, misplaced
from tests.browser.steps import PATIENCE, at_rest, drop, eventually, score

pytestmark = [pytest.mark.browser, pytest.mark.long]

SAMPLE = Path(__file__).parents[2] / "sample_data"
Size = tuple[int, int, Scheme]
SIZES: tuple[Size, ...] = ((1280, 720, "light"), (1920, 1080, "dark"))
TITLES = (
    "Is reordering better than baseline, or did it get lucky?",
    "Runs of the same system score differently",
    "One run each: what you would have published",
    "More runs, fewer surprises",
    "One run per system, or 5",
    "Which p would have been published?",
    "Where the luck comes from",
    "The verdict",
)
SMALLEST = 20  # pixels, on a screen 720 pixels high
# Sizes, in pixels of the screen, of all texts of the slide that are to be read.
TYPE_SIZES = """(root) => [...document.querySelector(root).querySelectorAll('h1, p, td, th, dt, dd, b, span, text')]
  .filter(one => one.textContent.trim() && one.getClientRects().length)
  .map(one => parseFloat(getComputedStyle(one).fontSize) * (one.currentCSSZoom ?? 1))"""
BELOW_THE_BAR = """() => {
  const bar = document.querySelector('.st-key-talk-bar').getBoundingClientRect().top;
  return [...document.querySelectorAll('.mt-slide-notes, .mt-slide-beside, .js-plotly-plot')]
    .filter(one => one.getBoundingClientRect().bottom > bar + 1).map(one => one.className);
}"""


@pytest.fixture
def talk(browser: Browser, address: str) -> Iterator[Page]:
    """The talk on the sample experiment, few shuffles, reached by the one click that it takes."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.goto(f"{address}/?shuffles=200")
    page.get_by_role("heading", name="Load an experiment").wait_for()
    page.get_by_role("link", name="Replication").click()
    page.locator(PLOTS).first.wait_for()  # the first view is drawn, after the verdict
    page.get_by_role("button", name="Present").click()
    title(page, TITLES[0])
    yield page
    context.close()


def in_turn(sizes: Sequence[Size], place: int) -> Sequence[Size]:
    """The sizes in the order in which the slide at that place has the first already: it is that of the one before."""
    return sizes[::-1] if place % 2 else sizes


def title(page: Page, text: str) -> None:
    """Wait for the slide of that title."""
    expect(page.locator(".mt-slide-title:visible")).to_have_text(text)


def test_the_whole_talk_is_given_by_keys_alone(talk: Page) -> None:
    page = talk
    found: list[tuple[Any, ...]] = []
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    for place, name in enumerate(TITLES):
        title(page, name)
        if place == 2:
            expect(page.get_by_text("all 900 combinations")).to_be_visible()
            page.keyboard.press("d")
            expect(page.get_by_text("so far (1)")).to_be_visible()
            page.keyboard.press("h")
            expect(page.get_by_text("so far (101)")).to_be_visible()
            expect(page.get_by_text("all 900 combinations")).to_be_visible()
        if place not in (0, 7):
            page.locator(PLOTS).first.wait_for()
            said = page.locator(".mt-unseen li")
            expect(said.first, f"what the figure of '{name}' shows is there to be read out").to_be_attached()
        for number, (width, height, scheme) in enumerate(in_turn(SIZES, place)):
            look(page, width, height, scheme)
            at_rest(page)
            expect(page.locator(".mt-doing")).to_have_count(0)
            assert place in (0, 7) or misplaced(page) == [], (name, width, scheme)
            assert page.evaluate(BELOW_THE_BAR) == [], (name, width, scheme)
            assert min(page.evaluate(TYPE_SIZES, ".st-key-talk")) >= SMALLEST * height / 720, (name, width)
            found += [(name, scheme, *one) for one in serious(page, of_looks=number > 0)]
        page.keyboard.press("ArrowRight")
    assert found == []
    expect(page.get_by_role("button", name="Next")).to_be_disabled()
    page.keyboard.press("ArrowLeft")
    title(page, TITLES[6])
    page.keyboard.press("Escape")
    page.get_by_role("heading", name="Replication").wait_for()
    expect(page.get_by_test_id("stSidebar")).to_be_visible()


def test_three_runs_a_system_are_told_by_keys_alone_as_far_as_they_go(
    browser: Browser, address: str, tmp_path: Path
) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.goto(f"{address}/?shuffles=200")
    drop(page, three_runs())
    score(page)
    page.get_by_role("link", name="Replication").click()
    page.locator(PLOTS).first.wait_for()
    page.get_by_role("button", name="Present").click()
    told = []
    title(page, TITLES[0])
    while not told or page.get_by_role("button", name="Next").is_enabled():
        if told:
            page.keyboard.press("ArrowRight")
        expect(page.locator(".mt-slide-title:visible")).not_to_have_text(told[-1] if told else "")
        told.append(page.locator(".mt-slide-title:visible").inner_text())
        at_rest(page)
        expect(page.locator(".mt-doing")).to_have_count(0)
        for width, height, scheme in in_turn(SIZES, len(told) - 1):
            look(page, width, height, scheme)
            assert page.evaluate(BELOW_THE_BAR) == [], (told[-1], width, scheme)
            assert min(page.evaluate(TYPE_SIZES, ".st-key-talk")) >= SMALLEST * height / 720, (told[-1], width)
    assert told[-1] == "The verdict"
    assert len(told) >= 6
    expect(page.get_by_text("no clear difference").first).to_be_visible()
    plays_alone(browser, saved(page, tmp_path), told, SIZES)
    context.close()


def test_figure_and_talk_leave_as_files_and_runs_metric_and_test_change_by_keys(
    talk: Page, browser: Browser, tmp_path: Path
) -> None:
    page = talk
    page.get_by_role("button", name="Next").click()
    title(page, TITLES[1])
    with page.expect_download() as picture:
        page.get_by_role("button", name="SVG").click()
    assert b"<svg" in picture.value.path().read_bytes()[:500]
    plays_alone(browser, saved(page, tmp_path), TITLES, SIZES)
    page.keyboard.press("ArrowRight")
    title(page, TITLES[2])
    expect(page.get_by_text("all 900 combinations")).to_be_visible()
    page.keyboard.press("n")
    title(page, "2 runs each: what you would have published")
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


def plays_alone(browser: Browser, file: Path, titles: Sequence[str], sizes: Sequence[Size]) -> None:
    """The file tells the whole story by keys, the network being off."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, offline=True)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: request.url.startswith("file:") or problems.append(request.url))
    page.goto(file.as_uri())
    for place, name in enumerate(titles):
        title(page, name)
        if name == TITLES[2]:
            page.keyboard.press("d")
            expect(page.locator(".mt-shown").get_by_text("so far (1)")).to_be_visible()
            page.keyboard.press("h")
            expect(page.locator(".mt-shown").get_by_text("so far (100)")).to_be_visible()
        for width, height, scheme in in_turn(sizes, place):
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=scheme)
            page.wait_for_timeout(300)
            # Not wait_for_function: it evaluates a string in the page, which the policy of the file forbids.
            eventually(lambda: not page.evaluate(WIDER_THAN_THE_WINDOW), f"{name} at {width} px is cut off")
            misplaced = MISPLACED.replace(".js-plotly-plot", ".mt-shown .js-plotly-plot")
            eventually(lambda script=misplaced: not page.evaluate(script), f"{name} at {width} px has misplaced text")
        page.keyboard.press("ArrowRight")
    assert min(page.evaluate(TYPE_SIZES, ".mt-shown")) >= SMALLEST
    assert not problems
    context.close()
