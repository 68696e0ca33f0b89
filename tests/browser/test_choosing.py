"""Choices in a real browser: what is gone is not shown, keys go on working, a phone shows the page again."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.places import wider_than_their_container
from tests.browser.steps import (
    at_rest,
    drop,
    eventually,
    payloads,
    place_of,
    press,
    score,
    show_load,
    shown,
    unchanging,
)

pytestmark = pytest.mark.browser

# Captions of which a part is to be seen only after scrolling
CUT_CAPTIONS = """() => [...document.querySelectorAll('.mt-scroll caption')].filter(caption => {
  const text = document.createRange();
  text.selectNodeContents(caption);
  const table = caption.closest('.mt-scroll');
  return text.getBoundingClientRect().right > table.getBoundingClientRect().right + 1;
}).map(caption => caption.textContent)"""


def pick(page: Page, label: str, option: str) -> None:
    """Choose an option of a select with the mouse."""
    page.get_by_role("combobox", name=label).first.click()
    page.get_by_role("option", name=option, exact=True).click()
    at_rest(page)


def test_the_old_primary_metric_is_among_the_further_ones_and_a_baseline_that_is_gone_is_not_shown(page: Page) -> None:
    pick(page, "Primary metric", "chrF")
    further_metrics = page.get_by_test_id("stSidebar").get_by_test_id("stMultiSelectTagsContainer")
    expect(further_metrics.locator("[data-tag]")).to_have_text(["BLEU", "TER", "Length"])

    drop(page, payloads(old=2, other=2))
    pick(page, "Baseline", "old")
    show_load(page)
    page.locator(".st-key-entry-menu button").first.click()
    page.get_by_role("button", name="Start over", exact=True).click()
    page.get_by_role("button", name="Try the sample experiment").wait_for()
    drop(page, payloads(renamed=2, system=2))
    expect(page.get_by_role("combobox", name="Baseline")).to_have_value("renamed")


def test_keys_are_not_typed_into_a_select_that_was_chosen_from(page: Page) -> None:
    drop(page, payloads(base=3, new=3))
    page.get_by_role("link", name="Replication").click()
    page.get_by_role("tab", name="Try your luck").click()
    page.get_by_role("button", name="Draw 100").wait_for()
    at_rest(page)

    address = page.url
    pick(page, "Metric", "chrF")
    expect_metric_is_chosen(page, address)
    expect_key_draws(page)

    address = page.url
    page.get_by_role("combobox", name="Metric").focus()
    press(page, "ArrowDown", "ArrowDown", "Enter")
    expect_metric_is_chosen(page, address)
    expect_key_draws(page)


def expect_metric_is_chosen(page: Page, address_before: str) -> None:
    """Wait until no select has the focus any more, and until the address names another metric."""
    expect(page.locator("[data-testid=stSelectbox] :focus")).to_have_count(0)
    eventually(lambda: page.url != address_before, "the address does not name the metric")
    at_rest(page)


def expect_key_draws(page: Page) -> None:
    """Press the key that draws until something is drawn: a key between two runs of a page is lost."""
    n_before = n_drawn(page)

    def draws() -> bool:
        page.keyboard.press("d")
        unchanging(page)
        at_rest(page)
        return n_drawn(page) > n_before

    eventually(draws, "the key does not draw")


def n_drawn(page: Page) -> int:
    """How many replications the page says were drawn."""
    sentence = re.search(r"[Ss]o far \(([\d,]+)", page.get_by_test_id("stMain").inner_text())
    if sentence is None:
        return 0
    return int(sentence[1].replace(",", ""))


def test_on_a_phone_the_sidebar_makes_way_for_what_was_chosen(page: Page) -> None:
    drop(page, payloads(base=2, new=2))
    score(page)
    page.set_viewport_size({"width": 400, "height": 800})
    link_in_sidebar = page.get_by_test_id("stSidebar").get_by_role("link", name="Load")

    def open_sidebar() -> None:
        page.get_by_test_id("stExpandSidebarButton").click()
        expect(link_in_sidebar).to_be_in_viewport()
        place_of(link_in_sidebar)  # it has slid in

    open_sidebar()
    pick(page, "Baseline", "new")
    expect(link_in_sidebar).not_to_be_in_viewport()
    open_sidebar()
    page.get_by_role("link", name="Significance").click()
    expect(link_in_sidebar).not_to_be_in_viewport()

    shown(page, "Significance")
    assert wider_than_their_container(page) == []
    assert page.evaluate(CUT_CAPTIONS) == []
