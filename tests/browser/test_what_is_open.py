"""Annotators work through what is open: nothing is asked twice, stays open unnoticed, or is voted by chance."""

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from mteval.annotations import Campaign, Output, Plan, merged
from tests.browser.annotating import (
    OUTPUT,
    SOURCE,
    deal_all,
    expect_progress,
    expect_saved,
    marks_on,
    move_slider,
    new_campaign,
    read,
    read_and_close,
)
from tests.browser.conftest import AnnotationServer
from tests.browser.steps import press

pytestmark = pytest.mark.browser

OpenCampaign = Callable[..., Page]
N_ITEMS = 15
N_SAME = 10  # further pairs of the same text
N_BESIDE = 3  # outputs beside each other where they are contrasted
# Presses keys of the page so fast that no answer of the server comes in between.
PRESS_AT_ONCE = """keys => keys.forEach(
  key => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })))"""


@pytest.fixture
def start(annotation_server: AnnotationServer) -> Callable[..., Campaign]:
    """Starts a campaign of so many segments in each protocol, as the form does."""

    def start_campaign(protocol: str, n_segments: int, *annotators: str, n_same: int = 0) -> Campaign:
        way = protocol
        n_outputs = 1
        n_beside = 0
        if protocol == "contrastive":
            way = "esa"
            n_outputs = N_BESIDE
            n_beside = N_BESIDE
        elif protocol == "preference":
            n_outputs = 2

        outputs = []
        for number in range(n_outputs):
            hypotheses = [f"Output{number} says thing {segment} in its own way" for segment in range(n_segments)]
            hypotheses += [f"All say thing {segment}" for segment in range(n_same)]
            outputs.append(Output(f"system {number}", "0", tuple(hypotheses)))
        n_all = n_segments + n_same
        campaign = new_campaign(
            protocol,
            way,
            outputs,
            source=[f"Satz {segment}" for segment in range(n_all)],
            plan=Plan(random=n_all, side_by_side=n_beside, is_merged=True),
        )
        annotation_server.add(campaign, merged(campaign, deal_all(campaign, annotators)))
        return campaign

    return start_campaign


def way_to_rest(page: Page) -> Locator:
    """The button that leads to what is left."""
    return page.get_by_role("button", name=re.compile("left: go to the first"))


def skip(page: Page) -> None:
    """Leave an item open."""
    page.get_by_role("button", name="Skip").click()


def test_next_jumps_over_what_is_answered_and_the_end_says_what_is_left(
    annotation_server: AnnotationServer, open_campaign: OpenCampaign, start: Callable[..., Campaign]
) -> None:
    campaign = start("errors", 5, "ann")
    page = open_campaign(campaign, "ann")
    expect_progress(page, "1 of 5")
    skip(page)
    expect_progress(page, "2 of 5")
    skip(page)
    expect_progress(page, "3 of 5")
    read_and_close(page)
    expect_progress(page, "4 of 5 · 1 done")

    page.evaluate(PRESS_AT_ONCE, ["p", "p"])  # the second key is pressed on a screen that is being left
    expect_progress(page, "3 of 5, done")
    page.keyboard.press("p")
    expect_progress(page, "2 of 5 · 1 done")
    read_and_close(page)
    expect_progress(page, "4 of 5 · 2 done")  # the third is done

    skip(page)
    expect_progress(page, "5 of 5")
    read_and_close(page)
    expect_progress(page, "5 of 5, done · 3 done · 2 left")
    expect(way_to_rest(page)).to_have_text("2 left: go to the first")
    expect(way_to_rest(page)).to_be_in_viewport()
    way_to_rest(page).click()
    expect_progress(page, "1 of 5 · 3 done")
    read_and_close(page)
    expect_progress(page, "4 of 5 · 4 done")
    read_and_close(page)
    expect_progress(page, "All done")
    expect(page.get_by_text("All done")).to_have_count(1)
    expect(way_to_rest(page)).to_be_hidden()
    assert all(task.is_complete for task in annotation_server.tasks(campaign, "ann"))


def test_one_key_closes_all_outputs_that_have_scores(
    annotation_server: AnnotationServer, open_campaign: OpenCampaign, start: Callable[..., Campaign]
) -> None:
    campaign = start("contrastive", 2, "ann")
    page = open_campaign(campaign, "ann")
    expect_progress(page, "1 to 3 of 6 · 0 done")
    for place in range(N_BESIDE):
        move_slider(page, place, "PageUp")
    read_and_close(page)
    expect_progress(page, "4 to 6 of 6 · 3 done")

    move_slider(page, 0, "PageUp")
    move_slider(page, 2, "PageUp")
    read_and_close(page)
    expect_saved(page)
    tasks = annotation_server.tasks(campaign, "ann")
    assert [task.is_complete for task in tasks] == [True, True, True, True, False, True]
    expect(page.locator(".item.open")).to_have_count(1)
    read_and_close(page)  # the output without a score is the one that is worked on
    expect(page.get_by_role("slider").nth(1)).to_be_focused()
    press(page, "PageUp", "n")
    expect_progress(page, "All done")


def test_the_palette_shows_the_categories_of_the_text_under_the_cursor(
    annotation_server: AnnotationServer, open_campaign: OpenCampaign, start: Callable[..., Campaign]
) -> None:
    campaign = start("errors", 2, "ann")
    page = open_campaign(campaign, "ann")
    expect_progress(page, "1 of 2")
    categories = page.get_by_role("group", name="Category").get_by_role("button")
    expect(categories).to_have_count(len(campaign.typology.names))  # before anything is marked
    page.keyboard.press("w")
    expect(marks_on(page)).to_have_count(1)
    expect_saved(page)
    (mark,) = annotation_server.tasks(campaign, "ann")[0].marks
    assert mark.category == campaign.typology.names[1]
    page.get_by_role("listbox", name=SOURCE).focus()
    expect(categories).to_have_count(0)  # errors in the source are omissions
    page.get_by_role("listbox", name=OUTPUT).focus()
    expect(categories).to_have_count(len(campaign.typology.names))


def test_a_click_on_a_word_of_another_output_marks_that_word_alone(
    annotation_server: AnnotationServer, open_campaign: OpenCampaign, start: Callable[..., Campaign]
) -> None:
    campaign = start("contrastive", 1, "ann")
    page = open_campaign(campaign, "ann")
    expect_progress(page, "1 to 3 of 3 · 0 done")
    words = page.get_by_role("listbox", name="Output 2: mark errors").get_by_role("option")
    words.nth(2).click(position={"x": 1, "y": 8})  # beside the word before
    page.get_by_role("group", name="Severity").get_by_role("button", name="major").click()
    expect_saved(page)
    task = annotation_server.tasks(campaign, "ann")[1]
    (mark,) = task.marks
    assert campaign.shown_output(task)[mark.start : mark.end] == "thing"


def test_pairs_of_the_same_text_are_not_on_the_way(
    annotation_server: AnnotationServer, open_campaign: OpenCampaign, start: Callable[..., Campaign]
) -> None:
    campaign = start("preference", 3, "ann", n_same=5)
    page = open_campaign(campaign, "ann")
    for n_done in range(3):
        expect_progress(page, f"{n_done + 1} of 3 · {n_done} done")
        read(page)
        press(page, "1", "3", "3")  # the second and third are meant for nothing
    expect_progress(page, "All done")
    tasks = annotation_server.tasks(campaign, "ann")
    assert [task.preference for task in tasks if task.is_automatic] == ["equal"] * 5
    for task in tasks:
        if not task.is_automatic:  # the left one is better; it may be the output of either system
            assert task.preference == ("second" if task.is_swapped else "first")


def answer_by_keys(page: Page, protocol: str) -> int:
    """Answer one screen by keys; their number."""
    read(page)
    if protocol == "preference":
        page.keyboard.press("1")
        return 1
    n_keys = mark_first_word(page, protocol)
    for place in range(page.get_by_role("slider").count()):
        move_slider(page, place, "PageUp")
        n_keys += 2  # one of them is Tab, for the way there
    page.keyboard.press("n")
    return n_keys + 1


def answer_by_mouse(page: Page, protocol: str) -> int:
    """Answer one screen by mouse, but for the mark; the number of clicks and keys."""
    read(page)
    if protocol == "preference":
        page.get_by_role("button", name="Left is better").click()
        return 1
    n_used = mark_first_word(page, protocol)
    for slider in page.get_by_role("slider").all():
        slider.click()
        n_used += 1
    page.get_by_role("button", name=re.compile("^N .*next")).first.click()
    return n_used + 1


def mark_first_word(page: Page, protocol: str) -> int:
    """Mark the word that has the focus, in protocols with marks; the number of keys."""
    if protocol == "rating":
        return 0
    page.keyboard.press("2")
    return 1


@pytest.mark.long
@pytest.mark.parametrize("protocol", ["errors", "esa", "rating", "contrastive", "preference"])
def test_three_annotators_leave_nothing_open_and_touch_no_pair_of_the_same_text(
    protocol: str,
    annotation_server: AnnotationServer,
    open_campaign: OpenCampaign,
    start: Callable[..., Campaign],
    capsys: pytest.CaptureFixture[str],
) -> None:
    n_per_screen = N_BESIDE if protocol == "contrastive" else 1
    n_same = N_SAME if protocol == "preference" else 0
    way_of_answering = {"ann": answer_by_keys, "bob": answer_by_keys, "cay": answer_by_mouse}
    campaign = start(protocol, N_ITEMS // n_per_screen, *way_of_answering, n_same=n_same)
    for name, answer in way_of_answering.items():
        page = open_campaign(campaign, name)
        expect_progress(page, f"of {N_ITEMS} · 0 done")
        begun = time.monotonic()
        n_used = 0
        for n_done in range(n_per_screen, N_ITEMS + 1, n_per_screen):
            n_used += answer(page, protocol)
            expect_progress(page, f"{n_done} done")
        expect_progress(page, "All done")
        expect_saved(page)
        seconds = time.monotonic() - begun

        tasks = annotation_server.tasks(campaign, name)
        n_open = sum(not task.is_complete for task in tasks)
        assert n_open == 0
        automatic = [task for task in tasks if task.is_automatic]
        assert len(automatic) == n_same
        assert all(task.revision == 0 for task in automatic)  # never answered
        with capsys.disabled():
            print(f"\n{protocol}, {name}: {n_used} keys and clicks, {seconds:.0f} s, {n_open} open")
