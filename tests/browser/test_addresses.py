"""Pages can be opened by their address."""

from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import window
from tests.browser.steps import at_rest, eventually, go_to, open_settings, set_number, shown, unchanging

pytestmark = [pytest.mark.browser, pytest.mark.long]

A_WHILE = 1.0  # seconds without a change after which nothing more of the last change is on its way


def test_the_first_visit_to_a_server_may_be_to_any_page(browser: Browser, fresh_address: str) -> None:
    with window(browser) as page:
        page.goto(f"{fresh_address}/replication")
        page.get_by_role("heading", name="Replication").wait_for()
        page.get_by_text("Nothing is loaded").wait_for()
        expect(page.get_by_role("link", name="Significance")).to_be_visible()


def expect_in_address(page: Page, **settings: str) -> None:
    """Wait until exactly these settings stand in the address."""

    def settings_in_address() -> dict[str, str]:
        return dict(parse_qsl(page.evaluate("location.search")[1:]))

    eventually(lambda: settings_in_address() == settings, f"the address never says {settings}")


def test_settings_stand_in_the_address_one_after_the_other_and_leave_it_with_their_defaults(page: Page) -> None:
    open_settings(page)
    set_number(page, "Shuffles", 2000)
    expect_in_address(page, shuffles="2000")
    set_number(page, "Bootstrap replicates", 700)
    expect_in_address(page, shuffles="2000", replicates="700")
    set_number(page, "Seed", 5)
    expect_in_address(page, shuffles="2000", replicates="700", seed="5")
    set_number(page, "Shuffles", 10_000)  # the default
    expect_in_address(page, replicates="700", seed="5")
    go_to(page, "Scores")
    expect_in_address(page, replicates="700", seed="5")

    sidebar = page.get_by_test_id("stSidebar")
    sidebar.get_by_text("Metric options").click()
    sidebar.get_by_text("Lowercase").first.click()
    chosen = {"replicates": "700", "seed": "5", "sacrebleu.bleu.lowercase": "true"}
    expect_in_address(page, **chosen)
    page.reload()
    shown(page, "Scores")
    expect_in_address(page, **chosen)


def settle(page: Page) -> None:
    """Wait until nothing more of the last change is on its way: it would take the page back to where it was made."""
    at_rest(page)
    unchanging(page, A_WHILE)
    at_rest(page)


def test_a_step_back_to_an_address_without_settings_keeps_those_that_were_chosen(page: Page) -> None:
    shuffles = page.get_by_test_id("stSidebar").get_by_role("spinbutton", name="Shuffles", exact=True)
    go_to(page, "Scores")
    open_settings(page)
    set_number(page, "Shuffles", 2000)
    expect_in_address(page, shuffles="2000")
    settle(page)

    page.go_back()
    shown(page, "Load an experiment")
    expect(shuffles).to_have_value("2000")
    expect_in_address(page, shuffles="2000")
    set_number(page, "Shuffles", 3000)
    expect_in_address(page, shuffles="3000")
    settle(page)

    page.go_forward()
    shown(page, "Scores")
    expect(shuffles).to_have_value("2000")  # the address of that step says so
    expect_in_address(page, shuffles="2000")
