"""From a picture to its sentences: a dot, a bar or a cell opens Segments with its runs."""

import random
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.steps import COMPILING, at_rest, drop, go_to, place_of, scored, text_file, unchanging

pytestmark = pytest.mark.browser

RUN = re.compile(r"^(\S+) · (\S+) vs (\S+) · (\S+)$")
LEAST_HEIGHT = 40  # pixels of a bar that can be hit
SYSTEM = "reordering"


@pytest.fixture
def sample(page: Page) -> Page:
    """The scores of the sample."""
    page.get_by_role("button", name="Try the sample experiment").click()
    page.get_by_role("heading", name="All metrics").wait_for(timeout=COMPILING)
    scored(page)
    return page


def back_to_scores(page: Page) -> None:
    """Return to the scores, and wait until their figures stand still."""
    go_to(page, "Scores")
    scored(page)
    unchanging(page)


def shown_runs(page: Page) -> tuple[str, ...]:
    """The runs that Segments compares, once it is drawn: system and run of both sides."""
    page.get_by_role("heading", name="Segments", exact=True).wait_for()
    at_rest(page)
    heading = page.get_by_role("heading", name=re.compile(" vs "))
    expect(heading).to_have_text(RUN)
    return RUN.match(heading.inner_text()).groups()


def click(page: Page, mark: Locator) -> None:
    """Click the middle of a mark of a figure."""
    box = place_of(mark)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_a_cell_of_the_grid_opens_its_test_set_by_click_and_by_key(sample: Page) -> None:
    page = sample
    cells = page.locator(f".mt-grid button[data-opens*={SYSTEM}]")
    expect(cells).to_have_count(2)
    cells.first.click()
    first = shown_runs(page)
    assert (first[0], first[2]) == ("baseline", SYSTEM)
    expect(page).not_to_have_url(re.compile("test-set=test2"))
    page.get_by_role("spinbutton", name="Segment", exact=True).fill("27")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("seg-open=27"))

    back_to_scores(page)
    cells.nth(1).focus()
    page.keyboard.press("Enter")
    shown_runs(page)
    expect(page).to_have_url(re.compile("test-set=test2"))
    expect(page).not_to_have_url(re.compile("seg-open=27"))  # but at the first segment of the table


def test_a_dot_opens_its_run_and_a_bar_a_run_within_it(sample: Page) -> None:
    page = sample
    unchanging(page)
    dots = page.locator(".st-key-bleu-runs .scatterlayer .trace").filter(has=page.locator(".point:nth-child(30)"))
    dot = dots.nth(1).locator(".point").nth(4)
    dot.scroll_into_view_if_needed()
    click(page, dot)
    assert shown_runs(page)[2:] == (SYSTEM, "04")

    back_to_scores(page)
    bars = page.locator("[class*=st-key-bleu-histogram] .barlayer .trace").nth(1).locator(".point path")
    bars.first.scroll_into_view_if_needed()
    tallest = max(range(bars.count()), key=lambda place: (bars.nth(place).bounding_box() or {"height": 0})["height"])
    assert place_of(bars.nth(tallest))["height"] > LEAST_HEIGHT
    click(page, bars.nth(tallest))
    assert shown_runs(page)[2] == SYSTEM


def test_a_system_of_the_forest_and_a_cell_of_all_pairs_open_their_systems(page: Page) -> None:
    draw = random.Random(6)
    references = [f"a{n} b{n} c{n} d{n} e{n} f{n}".split() for n in range(40)]
    files = [text_file("ref.txt", "".join(f"{' '.join(words)}\n" for words in references))]
    for place, system in enumerate(("base", "one", "two", "three")):
        for run in "123":
            lines = [" ".join([*words[: place + draw.choice([1, 2])], "x", "y"]) for words in references]
            files.append(text_file(f"{system}.{run}.txt", "".join(f"{line}\n" for line in lines)))
    drop(page, files)
    scored(page)
    unchanging(page)
    # The legend's groups in the order of the verdicts; only systems have marks on the plot
    marks = page.locator(".st-key-bleu-forest .scatterlayer .trace .point")
    marks.first.scroll_into_view_if_needed()
    click(page, marks.first)
    (left, _, right, _) = shown_runs(page)
    assert left == "base"
    assert right in ("one", "two", "three")

    go_to(page, "Significance")
    page.get_by_role("tab", name="All pairs").click()
    cells = page.locator(".st-key-pairs .scatterlayer .trace .point")
    expect(cells).to_have_count(6)
    unchanging(page)
    cells.nth(0).scroll_into_view_if_needed()
    click(page, cells.nth(0))
    (left, _, right, _) = shown_runs(page)
    assert (left, right) == ("two", "three"), "the best two systems, of which none is the baseline"


def test_a_test_set_in_the_figure_of_a_claim_opens_its_segments(sample: Page) -> None:
    page = sample
    go_to(page, "Significance")
    page.get_by_role("tab", name="Several test sets").click()
    page.get_by_text("Click the square of a test set to see its segments beside").wait_for(timeout=COMPILING)
    unchanging(page)
    squares = page.locator("[class*=st-key-claim-] .scatterlayer .trace").filter(
        has=page.locator(".point:nth-child(2)")
    )
    square = squares.first.locator(".point").nth(1)
    square.scroll_into_view_if_needed()
    click(page, square)
    assert shown_runs(page)[::2] == ("baseline", SYSTEM)
    expect(page).to_have_url(re.compile("test-set=test2"))


def test_a_bar_of_differences_opens_two_runs(sample: Page) -> None:
    page = sample
    go_to(page, "Replication")
    page.get_by_text("Click a bar to see two runs").wait_for(timeout=COMPILING)
    unchanging(page)
    bars = page.locator("[class*=st-key-spread] .barlayer .trace").first.locator(".point path")
    bars.first.scroll_into_view_if_needed()
    tallest = max(range(bars.count()), key=lambda place: (bars.nth(place).bounding_box() or {"height": 0})["height"])
    click(page, bars.nth(tallest))
    assert shown_runs(page)[::2] == ("baseline", SYSTEM)
