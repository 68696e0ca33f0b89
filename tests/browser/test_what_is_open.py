"""Annotators work through what is open: nothing is asked twice, stays open unnoticed, or is voted by chance."""

import re
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Locator, Page, expect

from mteval.annotations import Campaign, Output, Plan, Sampled, deal_tasks, merged
from mteval.values.asker import OPERATOR
from tests.browser.steps import at_rest
from tests.browser.test_annotate import Server, is_saved, marks_of, open_page, read, server, status

pytestmark = pytest.mark.browser
__all__ = ["open_page", "server"]

N_ITEMS = 15
SAME = 10  # further pairs of the same text


@pytest.fixture
def start(server: Server) -> Callable[..., Campaign]:
    """Starts a campaign of so many segments in each protocol, as the form does."""

    def start_one(protocol: str, n_segments: int, *annotators: str, n_same: int = 0) -> Campaign:
        is_contrastive = protocol == "contrastive"
        n_outputs = {"contrastive": 3, "preference": 2}.get(protocol, 1)
        outputs = []
        for number in range(n_outputs):
            texts = [f"Output{number} says thing {segment} in its own way" for segment in range(n_segments)]
            texts += [f"All say thing {segment}" for segment in range(n_same)]
            outputs.append(Output(f"system {number}", "0", tuple(texts)))
        n_all = n_segments + n_same
        campaign = Campaign(
            uid=f"{time.monotonic_ns():032x}",
            name=f"{protocol} {time.monotonic_ns()}",
            way="esa" if is_contrastive else protocol,
            test_set="test",
            test_set_digest="d" * 32,
            outputs=tuple(outputs),
            references=(("ref",),) * n_all,
            source=tuple(f"Satz {segment}" for segment in range(n_all)),
            plan=Plan(random=n_all, side_by_side=3 if is_contrastive else 0, is_merged=True),
        )
        sample = [Sampled(segment, "random") for segment in range(n_all)]
        store = server.store
        store.add(campaign, merged(campaign, deal_tasks(campaign, sample, annotators)), OPERATOR)
        store.close()
        return campaign

    return start_one


def rest(page: Page) -> Locator:
    """The way to what is left."""
    return page.get_by_role("button", name=re.compile("left: go to the first"))


def test_next_skips_what_is_answered_and_the_end_says_what_is_left(server, open_page, start) -> None:
    campaign = start("errors", 4, "ann")
    page = open_page(campaign, "ann")
    status(page, "1 of 4")
    page.get_by_role("button", name="Skip").click()
    status(page, "2 of 4")
    page.get_by_role("button", name="Skip").click()
    status(page, "3 of 4")
    for done in (1, 2):
        read(page)
        page.keyboard.press("n")
        status(page, f"{done} done")
    status(page, "4 of 4, done · 2 done · 2 left")
    expect(rest(page)).to_have_text("2 left: go to the first")
    expect(rest(page)).to_be_in_viewport()
    rest(page).click()
    status(page, "1 of 4 · 2 done")
    read(page)
    page.keyboard.press("n")
    status(page, "2 of 4 · 3 done")
    read(page)
    page.keyboard.press("n")
    status(page, "All done")
    expect(page.get_by_text("All done")).to_have_count(1)
    expect(rest(page)).to_be_hidden()
    assert all(task.is_complete for task in server.tasks(campaign, "ann"))


def test_next_jumps_over_answered_items(server, open_page, start) -> None:
    campaign = start("errors", 4, "ann")
    page = open_page(campaign, "ann")
    status(page, "1 of 4")
    page.get_by_role("button", name="Skip").click()
    status(page, "2 of 4")
    read(page)
    page.keyboard.press("n")
    status(page, "3 of 4 · 1 done")
    page.keyboard.press("p")
    page.keyboard.press("p")
    status(page, "2 of 4, done")
    page.keyboard.press("p")
    status(page, "1 of 4 · 1 done")
    read(page)
    page.keyboard.press("n")
    status(page, "3 of 4 · 2 done")


def test_one_key_closes_all_outputs_that_have_scores(server, open_page, start) -> None:
    campaign = start("contrastive", 2, "ann")
    page = open_page(campaign, "ann")
    status(page, "1 to 3 of 6 · 0 done")
    read(page)
    sliders = page.get_by_role("slider")
    for place in range(3):
        sliders.nth(place).focus()
        page.keyboard.press("PageUp")
    page.keyboard.press("n")
    status(page, "4 to 6 of 6 · 3 done")
    read(page)
    for place in (0, 2):
        sliders.nth(place).focus()
        page.keyboard.press("PageUp")
    page.keyboard.press("n")
    is_saved(page)
    assert [task.is_complete for task in server.tasks(campaign, "ann")] == [True, True, True, True, False, True]
    assert page.locator(".item.open").count() == 1
    read(page)
    page.keyboard.press("n")  # the output without a score is the one that is worked on
    expect(sliders.nth(1)).to_be_focused()
    page.keyboard.press("PageUp")
    page.keyboard.press("n")
    status(page, "All done")


def test_the_palette_shows_the_categories_of_the_text_under_the_cursor(server, open_page, start) -> None:
    campaign = start("errors", 2, "ann")
    page = open_page(campaign, "ann")
    status(page, "1 of 2")
    categories = page.get_by_role("group", name="Category").get_by_role("button")
    expect(categories).to_have_count(len(campaign.typology.names))  # before anything is marked
    page.keyboard.press("w")
    expect(marks_of(page)).to_have_count(1)
    is_saved(page)
    (mark,) = server.tasks(campaign, "ann")[0].marks
    assert mark.category == campaign.typology.names[1]
    page.get_by_role("listbox", name="Source: mark omissions").focus()
    expect(categories).to_have_count(0)  # errors in the source are omissions
    page.get_by_role("listbox", name="Output: mark errors").focus()
    expect(categories).to_have_count(len(campaign.typology.names))


def test_a_click_on_a_word_of_another_output_marks_that_word_alone(server, open_page, start) -> None:
    campaign = start("contrastive", 1, "ann")
    page = open_page(campaign, "ann")
    status(page, "1 to 3 of 3 · 0 done")
    words = page.get_by_role("listbox", name="Output 2: mark errors").get_by_role("option")
    words.nth(2).click(position={"x": 1, "y": 8})  # beside the word before
    page.get_by_role("group", name="Severity").get_by_role("button", name="major").click()
    is_saved(page)
    task = server.tasks(campaign, "ann")[1]
    (mark,) = task.marks
    assert campaign.shown_output(task)[mark.start : mark.end] == "thing"


def test_a_conflict_stays_until_it_is_read(server, open_page, start) -> None:
    campaign = start("rating", 2, "ann")
    page, other = open_page(campaign, "ann"), open_page(campaign, "ann")
    for window in (page, other):
        status(window, "1 of 2")
    page.get_by_role("slider").first.focus()
    page.keyboard.press("End")
    is_saved(page)
    other.get_by_role("slider").first.focus()
    other.keyboard.press("Home")
    said = other.get_by_role("alert").get_by_text("Another window has changed this item")
    expect(said).to_be_visible()
    at_rest(other)
    other.wait_for_timeout(2000)  # it was drawn anew meanwhile
    expect(said).to_be_visible()
    other.get_by_role("button", name="OK").click()
    expect(said).to_have_count(0)


def test_pairs_of_the_same_text_are_not_on_the_way(server, open_page, start) -> None:
    campaign = start("preference", 3, "ann", n_same=5)
    page = open_page(campaign, "ann")
    for done in range(3):
        status(page, f"{done + 1} of 3 · {done} done")
        read(page)
        for key in "133":  # the second and third are meant for nothing
            page.keyboard.press(key)
    status(page, "All done")
    tasks = server.tasks(campaign, "ann")
    assert [task.preference for task in tasks if task.is_automatic] == ["equal"] * 5
    said = [task for task in tasks if not task.is_automatic]
    assert all(task.preference == ("second" if task.is_swapped else "first") for task in said)


def answer(page: Page, protocol: str, is_by_mouse: bool) -> int:
    """Answer one screen, by keys or by mouse; the number of keys and clicks."""
    read(page)
    if protocol == "preference":
        if is_by_mouse:
            page.get_by_role("button", name="Left is better").click()
        else:
            page.keyboard.press("1")
        return 1
    n_used = 0
    if protocol in ("errors", "esa", "contrastive"):
        page.keyboard.press("2")
        n_used += 1
    sliders = page.get_by_role("slider")
    for place in range(sliders.count()):
        if is_by_mouse:
            sliders.nth(place).click()
        else:
            sliders.nth(place).focus()
            page.keyboard.press("PageUp")
            n_used += 1  # the way there, by Tab
        n_used += 1
    if is_by_mouse:
        page.get_by_role("button", name=re.compile("^N .*next")).first.click()
    else:
        page.keyboard.press("n")
    return n_used + 1


@pytest.mark.long
@pytest.mark.parametrize("protocol", ["errors", "esa", "rating", "contrastive", "preference"])
def test_three_annotators_leave_nothing_open_and_touch_no_pair_of_the_same_text(
    protocol: str, server, open_page, start, capsys: pytest.CaptureFixture[str]
) -> None:
    n_screens = N_ITEMS // 3 if protocol == "contrastive" else N_ITEMS
    n_same = SAME if protocol == "preference" else 0
    names = ("ann", "bob", "cay")
    campaign = start(protocol, n_screens, *names, n_same=n_same)
    for number, name in enumerate(names):
        page = open_page(campaign, name)
        status(page, f"of {N_ITEMS} · 0 done")
        begun = time.monotonic()
        n_used = 0
        for screen in range(n_screens):
            n_used += answer(page, protocol, is_by_mouse=number == 2)
            n_done = (screen + 1) * (N_ITEMS // n_screens)
            status(page, f"{n_done} done")
        status(page, "All done")
        is_saved(page)
        tasks = server.tasks(campaign, name)
        n_open = sum(not task.is_complete for task in tasks)
        automatic = [task for task in tasks if task.is_automatic]
        assert n_open == 0
        assert [replace(task, revision=0) for task in automatic] == automatic  # nobody has touched them
        assert len(automatic) == n_same
        with capsys.disabled():
            seconds = time.monotonic() - begun
            print(f"\n{protocol}, {name}: {n_used} keys and clicks, {seconds:.0f} s, {n_open} open")
