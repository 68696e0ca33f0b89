"""Whole annotations in a real browser: reloads, two people at once, a server that is killed."""

import json
import re
from collections.abc import Callable
from contextlib import closing

import pytest
from playwright.sync_api import Locator, Page, expect

from mteval.annotations import Campaign, Control, Mark, Output, Plan, prefilled, with_controls
from mteval.annotations.typology import word_spans
from tests.browser.annotating import (
    OUTPUT,
    SOURCE,
    Line,
    deal_all,
    expect_progress,
    expect_saved,
    marks_on,
    move_slider,
    new_campaign,
    read,
    read_and_close,
    words_of,
)
from tests.browser.axe import serious
from tests.browser.conftest import AnnotationServer
from tests.browser.steps import at_rest, downloaded, eventually, press

pytestmark = pytest.mark.browser

OpenCampaign = Callable[..., Page]
NASTY = "<img src=x onerror=alert(1)> **bold** [a](http://x.test) $x^2$ :smile: :red[x] `c` -> &amp;"
LATE = 0.15  # seconds each way
# Writes down every state that the marker passes through, also one that is gone before anybody looks.
WRITE_DOWN_STATES = """marker => {
  window.mtStates = [];
  const observer = new MutationObserver(() => window.mtStates.push(marker.dataset.state));
  observer.observe(marker, { attributes: true, attributeFilter: ['data-state'] });
}"""


@pytest.fixture
def start(annotation_server: AnnotationServer) -> Callable[..., Campaign]:
    """Starts a campaign of three segments for some annotators."""

    def start_campaign(way: str, *annotators: str) -> Campaign:
        systems = ["secret baseline"]
        if way == "preference":
            systems.append("secret system")
        outputs = []
        for system in systems:
            hypotheses = (f"{system} says hello to all", NASTY, f"third one of {system}")
            outputs.append(Output(system, "0", hypotheses))
        campaign = new_campaign(
            f"{way} {NASTY}", way, outputs, source=("hallo an alle", NASTY, "drittes"), documents=("doc",) * 3
        )
        annotation_server.add(campaign, deal_all(campaign, annotators))
        return campaign

    return start_campaign


@pytest.fixture
def esa_campaign(annotation_server: AnnotationServer) -> Campaign:
    """Two documents with practice, a check, and the first word of every output marked, for Ann and Bob."""
    n_segments = 4
    hypotheses = tuple(f"Sentence{segment} has words that say one thing or another" for segment in range(n_segments))
    practice = Control("training", "Quelle", "This was an elephant", 12, 20, "major", 10, 40, "It was a mouse.")
    campaign = new_campaign(
        "error spans",
        "esa",
        [Output("secret system", "0", hypotheses)],
        source=[f"Satz {segment}" for segment in range(n_segments)],
        documents=("one", "one", "two", "two"),
        plan=Plan(random=n_segments, by_document=True, checks=1, prefilled_by="xCOMET"),
        instructions=f"Mark what is wrong. {NASTY}",
        controls=(practice,),
    )
    first_word = (0, len("Sentence0"), "minor")
    tasks = prefilled(deal_all(campaign, ("ann", "bob")), "xCOMET", lambda output, segment: [first_word])
    campaign, tasks = with_controls(campaign, tasks)
    annotation_server.add(campaign, tasks)
    return campaign


def open_people(server: AnnotationServer, page: Page, campaign: Campaign, tab: str) -> Locator:
    """Come by the coordinators' link and open a tab of the People page."""
    page.goto(server.link(campaign))
    page.get_by_text("done").first.wait_for()
    page.get_by_test_id("stSidebar").get_by_role("link", name="People").click()
    page.get_by_role("tab", name=tab).click()
    page.get_by_role("tabpanel", name=tab).wait_for()
    return page.get_by_test_id("stMain")


def mark_of_output(server: AnnotationServer, campaign: Campaign) -> Mark:
    """The one mark of Ann's first output that is not an omission."""
    task = server.tasks(campaign, "ann")[0]
    (mark,) = [mark for mark in task.marks if mark.side == "hypothesis"]
    return mark


def test_errors_are_marked_with_the_keyboard_alone_and_outlive_a_reload(
    annotation_server: AnnotationServer, open_campaign: OpenCampaign, start: Callable[..., Campaign]
) -> None:
    campaign = start("errors", "ann")
    page = open_campaign(campaign, "ann")
    expect_progress(page, "1 of 3")
    expect(page.get_by_role("listbox", name=OUTPUT)).to_be_focused()
    press(page, "ArrowRight", " ", "ArrowRight", "2")
    expect(marks_on(page)).to_have_count(1)
    expect_saved(page)
    page.reload()
    expect_progress(page, "1 of 3 · 0 done")
    expect(marks_on(page)).to_have_count(1)
    assert serious(page) == []
    words_of(page, SOURCE).nth(0).click()
    page.get_by_role("button", name="minor").click()
    expect(marks_on(page).get_by_text("Accuracy/Omission")).to_be_visible()
    read_and_close(page)
    expect_progress(page, "2 of 3 · 1 done")

    task = annotation_server.tasks(campaign, "ann")[0]
    assert {(mark.side, mark.severity) for mark in task.marks} == {("hypothesis", "major"), ("source", "minor")}
    _, second_word, third_word, *_ = word_spans(campaign.outputs[0].hypotheses[task.segment])
    mark = mark_of_output(annotation_server, campaign)
    assert (mark.start, mark.end) == (second_word[0], third_word[1])
    assert task.is_complete
    assert task.seconds is not None
    assert task.seconds >= 2

    read(page)
    page.get_by_role("button", name="No error, next").click()
    expect_progress(page, "3 of 3 · 2 done")
    page.get_by_role("button", name="Previous").click()
    expect_progress(page, "2 of 3, done")
    page.keyboard.press("p")
    expect_progress(page, "1 of 3, done")
    press(page, "ArrowRight", "w", "3")  # another category, and another severity
    expect_saved(page)
    mark = mark_of_output(annotation_server, campaign)
    assert (mark.category, mark.severity) == (campaign.typology.names[1], "critical")

    def n_kept() -> int:
        return len(annotation_server.tasks(campaign, "ann")[0].marks)

    page.get_by_role("button", name="Remove").last.click()
    expect(marks_on(page)).to_have_count(1)
    eventually(lambda: n_kept() == 1, "the mark is not taken back")
    press(page, "m", "z")
    eventually(lambda: n_kept() == 2, "the mark does not come back")


def test_ratings_are_moved_commented_and_finished(
    annotation_server: AnnotationServer, open_campaign: OpenCampaign, start: Callable[..., Campaign]
) -> None:
    campaign = start("rating", "ann")
    page = open_campaign(campaign, "ann")
    expect_progress(page, "1 of 3")
    adequacy = page.get_by_role("slider").first
    fluency = page.get_by_role("slider").nth(1)
    without_score = page.get_by_text("no score yet")
    expect(without_score).to_have_count(2)
    adequacy.focus()
    press(page, "ArrowRight", "ArrowRight", "ArrowRight")
    eventually(
        lambda: annotation_server.tasks(campaign, "ann")[0].adequacy == 53, "the slider's last place is not kept"
    )
    assert annotation_server.tasks(campaign, "ann")[0].fluency is None
    read_and_close(page)
    expect(fluency).to_be_focused()  # a score is missing

    page.reload()
    expect(adequacy).to_have_attribute("aria-valuenow", "53")
    at_rest(page)
    assert serious(page) == []
    fluency.focus()
    page.keyboard.press("ArrowLeft")
    eventually(lambda: annotation_server.tasks(campaign, "ann")[0].fluency == 49, "the slider's place is not kept")
    comment = page.get_by_role("textbox", name="Comment")
    comment.fill(NASTY)
    comment.press_sequentially(" np12")  # keys of the page elsewhere; the focus stays in the box
    eventually(
        lambda: annotation_server.tasks(campaign, "ann")[0].comment == NASTY + " np12", "the comment is not kept"
    )
    read(page)
    page.get_by_role("button", name="Done, next").click()
    expect_progress(page, "1 done")

    for n_done in (2, 3):
        expect(without_score).to_have_count(2)
        adequacy.click()  # in its middle, where Streamlit's would have begun
        fluency.click()
        read(page)
        page.get_by_role("button", name="Done, next").click()
        expect_progress(page, f"{n_done} done")
    expect_progress(page, "All done")
    tasks = annotation_server.tasks(campaign, "ann")
    assert [(task.adequacy, task.fluency) for task in tasks] == [(53, 49), (50, 50), (50, 50)]
    open_people(annotation_server, page, campaign, "Analyse")
    expect(page.get_by_text("Adequacy of each system")).to_be_visible()


def test_keys_at_once_are_kept_and_close_nothing_unseen_at_150_ms_each_way(
    annotation_server: AnnotationServer, open_campaign: OpenCampaign, start: Callable[..., Campaign]
) -> None:
    campaign = start("errors", "ann")
    with closing(Line(annotation_server.port)) as line:
        page = open_campaign(campaign, "ann", line.port)
        expect_progress(page, "1 of 3")
        expect(page.get_by_role("listbox", name=OUTPUT)).to_be_focused()
        line.seconds = LATE
        page.keyboard.press("n")  # not read yet
        expect(page.get_by_text("Read it first.").last).to_be_visible()
        page.locator(".marker").evaluate(WRITE_DOWN_STATES)
        press(page, " ", "2", "ArrowRight", " ", "1", "ArrowRight", " ", "3")
        expect(marks_on(page)).to_have_count(3)
        assert "saving" in page.evaluate("window.mtStates")

        page.reload()  # in the middle of it
        expect_progress(page, "1 of 3")
        expect_saved(page)
        marks = annotation_server.tasks(campaign, "ann")[0].marks
        assert [mark.severity for mark in marks] == ["major", "minor", "critical"]
        expect(marks_on(page)).to_have_count(3)

        read(page)
        press(page, "n", "n", "n")
        expect_progress(page, "2 of 3 · 1 done")
        expect_saved(page)  # with whatever the second and third key might have closed
        assert [task.is_complete for task in annotation_server.tasks(campaign, "ann")] == [True, False, False]


def test_an_outdated_window_overwrites_nothing_and_says_so_until_it_is_read(
    annotation_server: AnnotationServer, open_campaign: OpenCampaign, start: Callable[..., Campaign]
) -> None:
    campaign = start("rating", "ann")
    page = open_campaign(campaign, "ann")
    outdated = open_campaign(campaign, "ann")
    expect_progress(page, "1 of 3")
    expect_progress(outdated, "1 of 3")
    move_slider(page, 0, "End")
    move_slider(page, 1, "End")
    expect_saved(page)
    read_and_close(page)
    expect_progress(page, "1 done")

    move_slider(outdated, 0, "Home")
    conflict = outdated.get_by_role("alert").get_by_text("Another window has changed this item")
    expect(conflict).to_be_visible()
    # The page is drawn anew with what the first window has said; the message outlives that.
    expect_progress(outdated, "1 of 3, done")
    expect(outdated.get_by_role("slider").first).to_have_attribute("aria-valuenow", "100")
    expect(conflict).to_be_visible()
    outdated.get_by_role("button", name="OK").click()
    expect(conflict).to_have_count(0)
    task = annotation_server.tasks(campaign, "ann")[0]
    assert (task.adequacy, task.fluency, task.is_complete) == (100, 100, True)


def mark_word(page: Page, place: int) -> None:
    """Mark a word of the output as a major error, by keys."""
    page.get_by_role("listbox", name=OUTPUT).first.focus()
    page.keyboard.press("Home")
    for _ in range(place):
        page.keyboard.press("ArrowRight")
    press(page, "Space", "2")


def practise(page: Page, score_key: str, answer: str) -> None:
    """Find the error of the first item, give it a score, and be told the answer before the campaign begins."""
    expect_progress(page, "1 of 6 · 0 done · Practice")
    expect(page.get_by_text(NASTY, exact=False).first).to_be_visible()
    mark_word(page, 3)
    expect(marks_on(page)).to_have_count(1)
    page.get_by_role("slider").focus()
    press(page, score_key, score_key, score_key, score_key)
    read_and_close(page)
    expect(page.get_by_text(answer)).to_be_visible()
    at_rest(page)
    assert serious(page) == []
    page.keyboard.press("n")


def judge_documents(page: Page, rejects_marks: bool) -> None:
    """Give every item that follows the practice a score of 60, and take back the marks that were there, or not."""
    n_done = 1
    while n_done < 6:
        expect_progress(page, f" of 6 · {n_done} done")
        items = page.locator(".item:not(.context)")
        n_items = items.count()
        read(page)
        for place in range(n_items):
            item = items.nth(place)
            if rejects_marks:
                item.get_by_role("button", name="Remove").first.click()
                expect(item.get_by_role("button", name="Restore")).to_be_visible()
            item.get_by_role("slider").focus()
            page.keyboard.press("PageUp")
            read_and_close(page)
        n_done += n_items
    expect_progress(page, "6 done · All done")


@pytest.mark.long
def test_annotators_practise_and_read_documents_on_one_screen(
    annotation_server: AnnotationServer, open_campaign: OpenCampaign, esa_campaign: Campaign
) -> None:
    page_of_ann = open_campaign(esa_campaign, "ann")
    practise(page_of_ann, "PageDown", answer="As expected. “elephant” is wrong, a major error")
    judge_documents(page_of_ann, rejects_marks=False)
    page_of_bob = open_campaign(esa_campaign, "bob")
    practise(page_of_bob, "PageUp", answer="Another answer was")
    judge_documents(page_of_bob, rejects_marks=True)

    for name, n_rejected in (("ann", 0), ("bob", 1)):
        judged = [task for task in annotation_server.tasks(esa_campaign, name) if task.control is None]
        documents = [esa_campaign.documents[task.segment] for task in judged]
        assert documents in (["one", "one", "two", "two"], ["two", "two", "one", "one"])
        assert [len(task.rejected) for task in judged] == [n_rejected] * 4
        assert all(task.is_complete and task.score == 60 for task in judged)

    main = open_people(annotation_server, page_of_bob, esa_campaign, "Collect")
    progress = main.get_by_role("table", name="Progress of each annotator")
    expect(progress).to_be_visible()
    rows = progress.get_by_role("row")
    # Done, left, practice passed, checks passed: a check has the words of another segment, so it is not marked.
    expect(rows.nth(1)).to_have_text(re.compile(r"ann\s*6 of 6\s*0\s*1 of 1 \(100%\)\s*0 of 1 \(0%\)"))
    expect(rows.nth(2)).to_have_text(re.compile(r"bob\s*6 of 6\s*0\s*0 of 1 \(0%\)\s*0 of 1 \(0%\)"))
    at_rest(page_of_bob)
    assert serious(page_of_bob) == []


def test_a_preference_hides_names_to_the_end_and_outlives_a_killed_server(
    annotation_server: AnnotationServer, open_campaign: OpenCampaign, start: Callable[..., Campaign]
) -> None:
    campaign = start("preference", "ann", "bob")
    page = open_campaign(campaign, "ann")
    expect_progress(page, "1 of 3")
    read(page)
    page.get_by_role("button", name="Left is better").click()
    expect_progress(page, "2 of 3 · 1 done")
    page.reload()
    expect_progress(page, "2 of 3 · 1 done")
    read(page)
    page.keyboard.press("2")
    expect_progress(page, "3 of 3 · 2 done")
    with annotation_server.killed():
        assert annotation_server.tasks(campaign, "ann")[1].preference == "equal"
    page.goto(annotation_server.link(campaign, "ann"))
    expect_progress(page, "3 of 3 · 2 done")
    read(page)
    page.keyboard.press("3")
    expect_progress(page, "All done")

    # The left one was preferred, then neither, then the right one. Either output may stand on the left.
    first, second, third = annotation_server.tasks(campaign, "ann")
    assert first.preference == ("second" if first.is_swapped else "first")
    assert second.preference == "equal"
    assert third.preference == ("first" if third.is_swapped else "second")

    main = open_people(annotation_server, page, campaign, "Collect")
    hidden = main.get_by_text("stay hidden until everyone is done")
    expect(hidden).to_be_visible()
    assert "secret system" not in main.inner_text()
    main.get_by_role("button", name="Close campaign and show names").click()
    expect(hidden).to_have_count(0)
    at_rest(page)
    page.get_by_role("tab", name="Analyse").click()
    expect(main.get_by_text(re.compile("votes? for .*secret system"))).to_be_visible()


def test_a_link_opens_what_it_is_for_and_nothing_else(
    annotation_server: AnnotationServer, open_campaign: OpenCampaign, start: Callable[..., Campaign]
) -> None:
    campaign = start("preference", "ann", "bob")
    coordinator = open_campaign(campaign)
    coordinator.get_by_text("0 of 3 done").first.wait_for()
    expect(coordinator.get_by_test_id("stSidebar")).to_be_visible()
    links = coordinator.get_by_test_id("stCode")
    expect(links).to_have_text([annotation_server.link(campaign, name) for name in ("ann", "bob", None)])

    with coordinator.expect_popup() as popup:
        coordinator.get_by_role("link", name="Open").first.click()
    page = popup.value
    expect_progress(page, "1 of 3")
    read(page)
    page.get_by_role("button", name="Left is better").click()
    expect_progress(page, "2 of 3 · 1 done")
    for part in ("stSidebar", "stSidebarNav", "stSelectbox"):
        expect(page.get_by_test_id(part)).to_have_count(0)
    text = page.locator("body").inner_text()
    assert "ann" in text
    assert "bob" not in text
    page.goto(page.url.replace("/annotate", "/scores"))  # leads back to the tasks
    expect_progress(page, "2 of 3 · 1 done")

    coordinator.goto(f"{annotation_server.address}/annotate")  # the browser is known by now
    coordinator.get_by_text("1 of 3 done").wait_for()
    stranger = open_campaign(campaign, "bob")
    expect_progress(stranger, "1 of 3 · 0 done")
    stranger.goto(f"{annotation_server.address}/annotate")
    stranger.get_by_text("No campaigns yet").wait_for()
    assert campaign.name not in stranger.locator("body").inner_text()
    page_of_wrong_link = stranger.context.new_page()
    page_of_wrong_link.goto(f"{annotation_server.address}/annotate?annotator=ann")
    page_of_wrong_link.get_by_text("This link no longer works").wait_for()


def test_hostile_text_is_shown_as_it_is_and_comes_out_as_it_went_in(
    annotation_server: AnnotationServer, open_campaign: OpenCampaign, start: Callable[..., Campaign]
) -> None:
    campaign = start("errors", "ann")
    page = open_campaign(campaign, "ann")
    nasty_task = next(task for task in annotation_server.tasks(campaign, "ann") if task.segment == 1)
    for position in range(nasty_task.position):
        expect_progress(page, f"{position + 1} of 3")
        page.get_by_role("button", name="Skip").click()
    expect_progress(page, f"{nasty_task.position + 1} of 3")
    output = page.get_by_role("listbox", name=OUTPUT)
    expect(output).to_have_text(NASTY)
    assert output.locator("img, strong, a, code").count() == 0
    words = words_of(page, OUTPUT)
    words.nth(0).click()
    words.last.click(modifiers=["Shift"])
    page.get_by_role("button", name="critical").click()
    expect(marks_on(page)).to_contain_text(NASTY)
    read(page)
    page.get_by_role("button", name="Done, next").click()
    expect_saved(page)

    open_people(annotation_server, page, campaign, "Report")
    data = json.loads(downloaded(page, "Download campaign (JSON)"))
    marks = [mark for task in data["tasks"] for mark in task["marks"]]
    assert [(mark["start"], mark["end"], mark["severity"]) for mark in marks] == [(0, len(NASTY), "critical")]
    assert data["campaign"]["outputs"][0]["hypotheses"][1] == NASTY
