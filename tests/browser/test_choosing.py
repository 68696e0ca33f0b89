"""Choices in a real browser: what is gone is not shown, keys go on working, a phone shows the page again."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.places import wider_than_their_container
from tests.browser.steps import at_rest, drop, eventually, payloads, place_of, score, show_load

pytestmark = pytest.mark.browser


CUT_CAPTIONS = """() => [...document.querySelectorAll('.mt-scroll caption')].filter(caption => {
  const text = document.createRange();
  text.selectNodeContents(caption);
  return text.getBoundingClientRect().right > caption.closest('.mt-scroll').getBoundingClientRect().right + 1;
}).map(caption => caption.textContent)"""


def pick(page: Page, label: str, option: str) -> None:
    """Choose an option of a select with the mouse."""
    page.get_by_role("combobox", name=label).first.click()
    page.get_by_role("option", name=option, exact=True).click()
    at_rest(page)


def test_the_old_primary_metric_is_among_the_further_ones_and_a_baseline_that_is_gone_is_not_shown(page: Page) -> None:
    pick(page, "Primary metric", "chrF")
    further = page.get_by_test_id("stSidebar").get_by_test_id("stMultiSelectTagsContainer")
    expect(further.locator("[data-tag]")).to_have_text(["BLEU", "TER", "Length"])
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
    for way in ("mouse", "keyboard"):
        before = page.url
        if way == "mouse":
            pick(page, "Metric", "chrF")
        else:
            page.get_by_role("combobox", name="Metric").focus()
            for key in ("ArrowDown", "ArrowDown", "Enter"):
                page.keyboard.press(key)
        expect(page.locator("[data-testid=stSelectbox] :focus")).to_have_count(0)
        eventually(lambda before=before: page.url != before, f"the address does not name the metric ({way})")
        at_rest(page)
        drawn = n_drawn(page)
        eventually(lambda drawn=drawn: draws(page) > drawn, f"the key does not draw ({way})")


def draws(page: Page) -> int:
    """Press the key that draws, once, and return how many were drawn. A key between two runs of a page is lost."""
    page.keyboard.press("d")
    page.wait_for_timeout(1000)
    return n_drawn(page)


def n_drawn(page: Page) -> int:
    found = re.search(r"[Ss]o far \(([\d,]+)", page.get_by_test_id("stMain").inner_text())
    return int(found[1].replace(",", "")) if found else 0


def test_on_a_phone_the_sidebar_makes_way_for_what_was_chosen(page: Page) -> None:
    drop(page, payloads(base=2, new=2))
    score(page)
    page.set_viewport_size({"width": 400, "height": 800})
    sidebar = page.get_by_test_id("stSidebar")
    for choose in (
        lambda: pick(page, "Baseline", "new"),
        lambda: page.get_by_role("link", name="Significance").click(),
    ):
        page.get_by_test_id("stExpandSidebarButton").click()
        expect(sidebar.get_by_role("link", name="Load")).to_be_in_viewport()
        place_of(sidebar.get_by_role("link", name="Load"))  # it has slid in
        choose()
        expect(page.get_by_role("link", name="Load")).not_to_be_in_viewport()
    page.get_by_role("heading", name="Significance").wait_for()
    at_rest(page)
    assert wider_than_their_container(page) == []
    assert page.evaluate(CUT_CAPTIONS) == []
