"""Twelve systems with one run each, in a real browser: the matrix of all pairs."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.places import wider_than_their_container
from tests.browser.steps import FOUND, drop, place_of, score

pytestmark = pytest.mark.browser


def test_twelve_systems_are_compared_pair_by_pair(page: Page, data_directory: Path, tmp_path: Path) -> None:
    folder = data_directory / "data" / "wmt23-he-en"
    files = []
    for path in sorted((folder / "system-outputs").iterdir()):
        files.append(tmp_path / f"{path.stem}.opt0.txt")
        files[-1].write_bytes(path.read_bytes())
    (tmp_path / "refs.txt").write_bytes((folder / "refA.en.txt").read_bytes())
    drop(page, [*files, tmp_path / "refs.txt"])
    expect(page.locator(FOUND)).to_contain_text("12 systems × 1 run, 1,910 segments")
    score(page)
    forest = page.locator(".js-plotly-plot").first
    expect(forest.locator("g.annotation")).to_have_count(25)  # names, ranks, and their heading
    expect(page.locator("section.mt-verdict:visible")).to_have_count(0)
    crossed = page.locator("table.mt-crossed:visible")  # the matrix of pairs is folded
    expect(crossed.locator("tbody tr")).to_have_count(12)
    page.set_viewport_size({"width": 1280, "height": 720})
    crossed.scroll_into_view_if_needed()
    assert place_of(crossed)["height"] < 720, "all systems fit a screen"
    assert crossed.evaluate("table => table.scrollWidth <= table.parentElement.clientWidth"), "so do all metrics"

    expect(page.get_by_text("Training luck unknown: one run per system.")).to_have_count(1)
    expect(page.get_by_text("no verdict")).to_have_count(0)
    assert wider_than_their_container(page) == []
    page.set_viewport_size({"width": 400, "height": 800})
    assert wider_than_their_container(page) == []
    page.set_viewport_size({"width": 1280, "height": 720})

    page.get_by_role("link", name="Significance").click()
    page.get_by_role("tab", name="All pairs").click()
    expect(page.get_by_text("all 66 pairs of 12 systems in both directions, 132 comparisons")).to_be_attached()
    chart = page.locator(".js-plotly-plot")
    names = chart.locator(".yaxislayer-above .ytick text")
    expect(names).to_have_count(12)
    expect(names.first).to_have_text("ONLINE-B")
    expect(chart.locator("g.annotation")).to_have_count(66)
