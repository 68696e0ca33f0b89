"""Pages can be opened by their address."""

from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.steps import PATIENCE, at_rest, eventually, set_number

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_the_first_visit_to_a_server_may_be_to_any_page(browser: Browser, fresh_address: str) -> None:
    page = browser.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.goto(f"{fresh_address}/replication")
    page.get_by_role("heading", name="Replication").wait_for()
    page.get_by_text("Nothing is loaded").wait_for()
    expect(page.get_by_role("link", name="Significance")).to_be_visible()
    page.close()


def says(page: Page, **settings: str) -> None:
    """Wait until exactly these settings stand in the address."""
    eventually(
        lambda: dict(parse_qsl(page.evaluate("location.search")[1:])) == settings, f"the address never says {settings}"
    )


def test_settings_stand_in_the_address_one_after_the_other_and_leave_it_with_their_defaults(page: Page) -> None:
    sidebar = page.get_by_test_id("stSidebar")
    sidebar.get_by_text("Settings", exact=True).click()
    set_number(page, "Shuffles", 2000)
    says(page, shuffles="2000")
    set_number(page, "Bootstrap replicates", 700)
    says(page, shuffles="2000", replicates="700")
    set_number(page, "Seed", 5)
    says(page, shuffles="2000", replicates="700", seed="5")
    set_number(page, "Shuffles", 10_000)
    says(page, replicates="700", seed="5")
    page.get_by_role("link", name="Scores").click()
    page.get_by_role("heading", name="Scores").wait_for()
    at_rest(page)
    says(page, replicates="700", seed="5")
    sidebar.get_by_text("Metric options").click()
    sidebar.get_by_text("Lowercase").first.click()
    chosen = {"replicates": "700", "seed": "5", "sacrebleu.bleu.lowercase": "true"}
    says(page, **chosen)
    page.reload()
    page.get_by_role("heading", name="Scores").wait_for()
    at_rest(page)
    says(page, **chosen)


def settled(page: Page) -> None:
    """Wait until nothing more of the last change is on its way: it would take the page back to where it was made."""
    at_rest(page)
    page.wait_for_timeout(1_000)
    at_rest(page)


def test_a_step_back_to_an_address_without_settings_keeps_those_that_were_chosen(page: Page) -> None:
    sidebar = page.get_by_test_id("stSidebar")
    sidebar.get_by_role("link", name="Scores").click()
    page.get_by_role("heading", name="Scores").wait_for()
    at_rest(page)
    sidebar.get_by_text("Settings", exact=True).click()
    set_number(page, "Shuffles", 2000)
    says(page, shuffles="2000")
    settled(page)
    page.go_back()
    page.get_by_role("heading", name="Load an experiment").wait_for()
    at_rest(page)
    shuffles = sidebar.get_by_role("spinbutton", name="Shuffles", exact=True)
    expect(shuffles).to_have_value("2000")
    says(page, shuffles="2000")
    set_number(page, "Shuffles", 3000)
    says(page, shuffles="3000")
    settled(page)
    page.go_forward()
    page.get_by_role("heading", name="Scores").wait_for()
    at_rest(page)
    expect(shuffles).to_have_value("2000")  # the address of that step says so
    says(page, shuffles="2000")
