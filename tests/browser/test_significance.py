"""Twelve systems with one run each, in a real browser: the matrix of all pairs."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.places import wider_than_their_container
from tests.browser.steps import FOUND, drop, place_of, score

pytestmark = pytest.mark.browser

LAPTOP = {"width": 1280, "height": 720}
PHONE = {"width": 400, "height": 800}
IS_SHOWN_WHOLE = "table => table.scrollWidth <= table.parentElement.clientWidth"


def write_files(folder: Path, data: Path) -> list[Path]:
    """The outputs of all systems of WMT23 he-en, as runs by their names, and the references."""
    wmt = data / "data" / "wmt23-he-en"
    paths = []
    for output in sorted((wmt / "system-outputs").iterdir()):
        path = folder / f"{output.stem}.opt0.txt"
        path.write_bytes(output.read_bytes())
        paths.append(path)
    references = folder / "refs.txt"
    references.write_bytes((wmt / "refA.en.txt").read_bytes())
    return [*paths, references]


def test_twelve_systems_are_compared_pair_by_pair(page: Page, data_directory: Path, tmp_path: Path) -> None:
    drop(page, write_files(tmp_path, data_directory))
    expect(page.locator(FOUND)).to_contain_text("12 systems × 1 run, 1,910 segments")
    score(page)
    forest = page.locator(".js-plotly-plot").first
    expect(forest.locator("g.annotation")).to_have_count(25)  # names, ranks, and their heading
    expect(page.locator("section.mt-verdict:visible")).to_have_count(0)

    # The table has all systems on one screen, and all metrics without a scrollbar; the matrix of pairs is folded.
    crossed = page.locator("table.mt-crossed:visible")
    expect(crossed.locator("tbody tr")).to_have_count(12)
    page.set_viewport_size(LAPTOP)
    crossed.scroll_into_view_if_needed()
    assert place_of(crossed)["height"] < LAPTOP["height"]
    assert crossed.evaluate(IS_SHOWN_WHOLE)

    expect(page.get_by_text("Training luck unknown: one run per system.")).to_have_count(1)
    expect(page.get_by_text("no verdict")).to_have_count(0)
    assert wider_than_their_container(page) == []
    page.set_viewport_size(PHONE)
    assert wider_than_their_container(page) == []
    page.set_viewport_size(LAPTOP)

    page.get_by_role("link", name="Significance").click()
    page.get_by_role("tab", name="All pairs").click()
    expect(page.get_by_text("all 66 pairs of 12 systems in both directions, 132 comparisons")).to_be_attached()
    chart = page.locator(".js-plotly-plot")
    names = chart.locator(".yaxislayer-above .ytick text")
    expect(names).to_have_count(12)
    expect(names.first).to_have_text("ONLINE-B")
    expect(chart.locator("g.annotation")).to_have_count(66)
