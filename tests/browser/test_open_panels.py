"""A click on the link of a page closes an open panel, and leads to the page."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import COMPILING, at_rest, go_to, scored, unchanging

pytestmark = pytest.mark.browser

PANELS = {  # what is in each
    "More": "Improvement in",
    "Share": "Read-only link to all pages",
    "History": "Restoring adds a state",
}


def test_an_open_panel_does_not_swallow_the_click_on_another_page(page: Page) -> None:
    page.get_by_role("button", name="Try the sample experiment").click()
    page.get_by_role("heading", name="All metrics").wait_for(timeout=COMPILING)
    scored(page)
    for panel, content in PANELS.items():
        go_to(page, "Segments")
        unchanging(page)
        page.get_by_test_id("stApp").get_by_text(panel, exact=True).first.click(timeout=15_000)
        expect(page.get_by_text(content).first).to_be_visible(timeout=15_000)
        at_rest(page)
        page.get_by_test_id("stSidebar").get_by_role("link", name="Significance").click()
        page.get_by_role("heading", name="Significance", exact=True).wait_for()
        unchanging(page)
        expect(page.get_by_text("Could luck explain the differences?")).to_be_visible()
