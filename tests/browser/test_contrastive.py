"""Contrastive ESA by keys: two annotators in two browsers over a slow line, and a server killed while they write."""

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from mteval.annotations import Campaign, Output, Plan, Sampled, deal_tasks, merged
from mteval.annotations.typology import word_spans
from mteval.values.asker import OPERATOR
from tests.browser.axe import serious
from tests.browser.steps import at_rest, eventually
from tests.browser.test_annotate import Server, is_saved, marks_of, open_page, read, server, slowed, status

pytestmark = pytest.mark.browser
__all__ = ["open_page", "server"]
N_SEGMENTS, N_SHOWN = 2, 3
LATE = 0.15  # seconds each way
NAMES = ("ann", "bob")


@pytest.fixture
def campaign(server: Server) -> Campaign:
    """Five outputs of two segments, three of them side by side, drawn adaptively."""
    outputs = tuple(
        Output(
            f"system {number}", "0", tuple(f"Output{number} says thing {n} in its own way" for n in range(N_SEGMENTS))
        )
        for number in range(5)
    )
    one = Campaign(
        uid=f"{time.monotonic_ns():032x}", name="side by side", way="esa", test_set="test", test_set_digest="d" * 32,
        outputs=outputs, references=(("ref",),) * N_SEGMENTS, source=tuple(f"Satz {n}" for n in range(N_SEGMENTS)),
        plan=Plan(random=N_SEGMENTS, side_by_side=N_SHOWN, is_adaptive=True, is_merged=True),
    )  # fmt: skip
    sample = [Sampled(segment, "random") for segment in range(N_SEGMENTS)]
    store = server.store
    store.add(one, merged(one, deal_tasks(one, sample, NAMES)), asker=OPERATOR)
    store.close()
    return one


def judge(page: Page, n_marks: int) -> None:
    """Mark the first words of each output on the screen one by one, give a score, and go on, by keys alone."""
    read(page)
    for _ in range(N_SHOWN):
        for key in [key for place in range(n_marks) for key in ("2" if place % 2 else "1", "ArrowRight")]:
            page.keyboard.press(key)  # at once
        read(page)
        page.keyboard.press("n")  # it lacks a score, which now has the focus
        page.keyboard.press("PageUp")
        page.keyboard.press("n")


def test_two_annotators_lose_no_mark_over_a_slow_line(
    server: Server, open_page: Callable[..., Page], campaign: Campaign
) -> None:
    with slowed(server.port, LATE) as port:
        pages = {name: open_page(campaign, name, port) for name in NAMES}
        for page in pages.values():
            status(page, "1 to 3 of 6 · 0 done")
            expect(page.get_by_role("listbox")).to_have_count(N_SHOWN)
        boxes = [pages["ann"].get_by_role("listbox").nth(place).bounding_box() for place in range(N_SHOWN)]
        assert len({round(box["y"]) for box in boxes if box}) == 1  # beside each other
        assert list(serious(pages["ann"])) == []
        for at in range(N_SEGMENTS):
            for number, page in enumerate(pages.values()):
                judge(page, 3 + number)
            for page in pages.values():
                words = "4 to 6 of 6 · 3 done" if at == 0 else "All done"
                status(page, words)
        for page in pages.values():
            is_saved(page)
    for number, name in enumerate(NAMES):
        tasks = server.tasks(campaign, name)
        assert len(tasks) == N_SEGMENTS * N_SHOWN
        for task in tasks:
            words = word_spans(campaign.outputs[task.output or 0].hypotheses[task.segment])
            expected = [(*words[place], "major" if place % 2 else "minor") for place in range(3 + number)]
            assert [(mark.start, mark.end, mark.severity) for mark in task.marks] == expected
            assert (task.score, task.is_complete) == (60, True)
            assert 0 < (task.probability or 0) <= 1
        for segment in range(N_SEGMENTS):
            assert len({task.output for task in tasks if task.segment == segment}) == N_SHOWN


def test_nothing_acknowledged_is_lost_when_the_server_is_killed_in_the_middle(
    server: Server, open_page: Callable[..., Page], campaign: Campaign
) -> None:
    page = open_page(campaign, "ann")
    status(page, "1 to 3 of 6 · 0 done")
    expect(page.locator("[role=listbox]:focus")).to_have_count(1)
    for key in ("1", "ArrowRight", "2"):
        page.keyboard.press(key)
    is_saved(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("1")
    server.kill()
    try:
        there = [len(task.marks) for task in server.tasks(campaign, "ann")]
        assert sum(there) in (2, 3)  # what was acknowledged, and perhaps what was on its way
        page.keyboard.press("ArrowRight")
        page.keyboard.press("2")  # while there is no server
        expect(page.get_by_text(re.compile("does not answer"))).to_be_visible()
    finally:
        server.start()
    eventually(lambda: sum(len(task.marks) for task in server.tasks(campaign, "ann")) == 4, "marks are not sent again")
    is_saved(page)
    page.reload()
    status(page, "1 to 3 of 6 · 0 done")
    expect(marks_of(page)).to_have_count(4)
    at_rest(page)
