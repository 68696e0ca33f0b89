"""Pages can be opened by their address."""

import pytest
from playwright.sync_api import Browser, expect

pytestmark = pytest.mark.browser


def test_the_first_visit_to_a_server_may_be_to_any_page(browser: Browser, fresh_address: str) -> None:
    page = browser.new_page()
    page.goto(f"{fresh_address}/replication")
    page.get_by_role("heading", name="Replication").wait_for()
    page.get_by_text("Nothing loaded yet.").wait_for()
    expect(page.get_by_role("link", name="Significance")).to_be_visible()
    page.close()
