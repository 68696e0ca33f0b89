"""Contrastive ESA by keys: two annotators in two browsers over a slow line, and a server killed while they write."""

import re
from collections.abc import Callable, Sequence
from contextlib import closing

import pytest
from playwright.sync_api import Page, expect

from mteval.annotations import Campaign, Output, Plan, Task, merged
from mteval.annotations.typology import word_spans
from tests.browser.annotating import (
    Line,
    deal_all,
    expect_progress,
    expect_saved,
    marks_on,
    new_campaign,
    read,
    read_and_close,
)
from tests.browser.axe import serious
from tests.browser.conftest import AnnotationServer
from tests.browser.steps import at_rest, eventually, press

pytestmark = pytest.mark.browser

OpenCampaign = Callable[..., Page]
N_SEGMENTS = 2
N_BESIDE = 3  # outputs beside each other
N_MARKS = {"ann": 3, "bob": 4}  # in each output
LATE = 0.15  # seconds each way


@pytest.fixture
def campaign(annotation_server: AnnotationServer) -> Campaign:
    """Five outputs of two segments, three of them side by side, drawn adaptively."""
    outputs = []
    for number in range(5):
        hypotheses = [f"Output{number} says thing {segment} in its own way" for segment in range(N_SEGMENTS)]
        outputs.append(Output(f"system {number}", "0", tuple(hypotheses)))
    campaign = new_campaign(
        "side by side",
        "esa",
        outputs,
        source=[f"Satz {segment}" for segment in range(N_SEGMENTS)],
        plan=Plan(random=N_SEGMENTS, side_by_side=N_BESIDE, is_adaptive=True, is_merged=True),
    )
    annotation_server.add(campaign, merged(campaign, deal_all(campaign, list(N_MARKS))))
    return campaign


def severity_of_word(place: int) -> str:
    """Words are marked as minor and major errors in turn."""
    return "major" if place % 2 else "minor"


def judge_screen(page: Page, n_marks: int) -> None:
    """Mark the first words of each output on the screen one by one, give a score, and go on, by keys alone."""
    read(page)
    for _ in range(N_BESIDE):
        for place in range(n_marks):
            key = {"minor": "1", "major": "2"}[severity_of_word(place)]
            press(page, key, "ArrowRight")
        read_and_close(page)  # it lacks a score, which now has the focus
        press(page, "PageUp", "n")


def expect_answers(campaign: Campaign, tasks: Sequence[Task], n_marks: int) -> None:
    """Check that the tasks of an annotator have all that ``judge_screen`` has said."""
    assert len(tasks) == N_SEGMENTS * N_BESIDE
    for task in tasks:
        assert task.output is not None
        words = word_spans(campaign.outputs[task.output].hypotheses[task.segment])
        expected = []
        for place in range(n_marks):
            start, end = words[place]
            expected.append((start, end, severity_of_word(place)))
        assert [(mark.start, mark.end, mark.severity) for mark in task.marks] == expected
        assert task.score == 60
        assert task.is_complete
        assert task.probability is not None
        assert 0 < task.probability <= 1
    for segment in range(N_SEGMENTS):
        assert len({task.output for task in tasks if task.segment == segment}) == N_BESIDE


def test_two_annotators_lose_no_mark_over_a_slow_line(
    annotation_server: AnnotationServer, open_campaign: OpenCampaign, campaign: Campaign
) -> None:
    with closing(Line(annotation_server.port)) as line:
        page_of = {name: open_campaign(campaign, name, line.port) for name in N_MARKS}
        for page in page_of.values():
            expect_progress(page, "1 to 3 of 6 · 0 done")
            expect(page.get_by_role("listbox")).to_have_count(N_BESIDE)
        tops = set()
        for output in page_of["ann"].get_by_role("listbox").all():
            box = output.bounding_box()
            assert box is not None
            tops.add(round(box["y"]))
        assert len(tops) == 1  # the outputs are beside each other
        assert serious(page_of["ann"]) == []

        line.seconds = LATE
        for progress in ("4 to 6 of 6 · 3 done", "All done"):
            for name, page in page_of.items():
                judge_screen(page, N_MARKS[name])
            for page in page_of.values():
                expect_progress(page, progress)
        for page in page_of.values():
            expect_saved(page)
    for name, n_marks in N_MARKS.items():
        expect_answers(campaign, annotation_server.tasks(campaign, name), n_marks)


def test_nothing_acknowledged_is_lost_when_the_server_is_killed_in_the_middle(
    annotation_server: AnnotationServer, open_campaign: OpenCampaign, campaign: Campaign
) -> None:
    def n_kept() -> int:
        return sum(len(task.marks) for task in annotation_server.tasks(campaign, "ann"))

    page = open_campaign(campaign, "ann")
    expect_progress(page, "1 to 3 of 6 · 0 done")
    expect(page.locator("[role=listbox]:focus")).to_have_count(1)
    press(page, "1", "ArrowRight", "2")
    expect_saved(page)
    press(page, "ArrowRight", "1")
    with annotation_server.killed():
        assert n_kept() in (2, 3)  # what was acknowledged, and perhaps what was on its way
        press(page, "ArrowRight", "2")  # while there is no server
        expect(page.get_by_text(re.compile("does not answer"))).to_be_visible()
    eventually(lambda: n_kept() == 4, "marks are not sent again")
    expect_saved(page)
    page.reload()
    expect_progress(page, "1 to 3 of 6 · 0 done")
    expect(marks_on(page)).to_have_count(4)
    at_rest(page)
