"""Whole annotations in a real browser: reloads, two people at once, a server that is killed."""

import json
import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from sqlalchemy.engine import URL

from mteval.annotations import (
    AnnotationStore,
    Campaign,
    Control,
    Output,
    Plan,
    Sampled,
    Task,
    deal_tasks,
    open_store,
    prefilled,
    with_controls,
)
from mteval.annotations.typology import word_spans
from mteval.ui.annotate.tasks import MOST_DWELL
from mteval.values.asker import OPERATOR
from tests.browser.axe import serious
from tests.browser.steps import PATIENCE, at_rest, eventually

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
NASTY = "<img src=x onerror=alert(1)> **bold** [a](http://x.test) $x^2$ :smile: :red[x] `c` -> &amp;"
N_SEGMENTS = 3
# The items that are asked for have come; the time for which they are on the screen counts from then on
HAS_COME = "node => Boolean(node.mtMarker?.data) && !node.mtMarker.leaving"


class Server:
    """The app with a database of its own, which can be killed and started again on the same port."""

    def __init__(self, home: Path) -> None:
        self._home = home
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        """Start, and wait until it answers."""
        command = [sys.executable, "-m", "mteval.ui.server", "app.py", f"--port={self.port}"]
        environment = os.environ | {"MTEVAL_HOME": str(self._home), "MTEVAL_DATABASE": ""}
        with (self._home / "log.txt").open("a") as out:
            self._process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"{self.address}/_stcore/health", timeout=1):
                    return
            except OSError:
                time.sleep(0.1)
        raise AssertionError((self._home / "log.txt").read_text())

    def place(self, campaign: Campaign, annotator: str | None = None) -> str:
        """The link of an annotator, or of the coordinators."""
        store = self.store
        links = store.links(campaign.uid)
        store.close()
        token = links.coordinator if annotator is None else links.annotators[annotator]
        return f"{self.address}/annotate?{urlencode({'coordinator' if annotator is None else 'annotator': token})}"

    def kill(self) -> None:
        """As the kernel does it when memory runs out."""
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()

    @property
    def store(self) -> AnnotationStore:
        """The same database, seen from outside."""
        return open_store(URL.create("sqlite", database=str(self._home / "annotations.sqlite")))

    def tasks(self, campaign: Campaign, annotator: str) -> tuple[Task, ...]:
        """What an annotator has said."""
        store = self.store
        try:
            return store.tasks(campaign.uid, annotator)
        finally:
            store.close()


@contextmanager
def slowed(port: int, seconds: float) -> Iterator[int]:
    """Pass connections on to a port, each byte so late, both ways; the port to connect to."""
    listening = socket.create_server(("127.0.0.1", 0))
    opened = [listening]

    def pass_on(one: socket.socket, other: socket.socket) -> None:
        waiting: queue.Queue[tuple[float, bytes]] = queue.Queue()

        def deliver() -> None:
            while True:
                due, data = waiting.get()
                time.sleep(max(0.0, due - time.monotonic()))
                try:
                    other.sendall(data) if data else other.shutdown(socket.SHUT_WR)
                except OSError:
                    return
                if not data:
                    return

        threading.Thread(target=deliver, daemon=True).start()
        data = b"-"
        while data:
            try:
                data = one.recv(1 << 16)
            except OSError:
                data = b""
            waiting.put((time.monotonic() + seconds, data))

    def accept() -> None:
        while True:
            try:
                near, _ = listening.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", port))
            opened.extend((near, far))
            for pair in ((near, far), (far, near)):
                threading.Thread(target=pass_on, args=pair, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield int(listening.getsockname()[1])
    finally:
        for one in tuple(opened):
            with suppress(OSError):  # the other side has left
                one.shutdown(socket.SHUT_RDWR)
            one.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    one = Server(tmp_path_factory.mktemp("annotate-home"))
    try:
        yield one
    finally:
        one.kill()


@pytest.fixture
def open_page(server: Server, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens the annotate page in a window of its own, as that person; text must never run as a script."""
    contexts, dialogs = [], []

    def open_one(campaign: Campaign, annotator: str | None = None, port: int | None = None) -> Page:
        contexts.append(browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True))
        page = contexts[-1].new_page()
        page.set_default_timeout(PATIENCE * 1000)
        page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        place = server.place(campaign, annotator)
        page.goto(place if port is None else place.replace(str(server.port), str(port), 1))
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert not dialogs, f"text ran as a script: {dialogs}"


@pytest.fixture
def start(server: Server) -> Callable[..., Campaign]:
    """Starts a campaign for some annotators."""

    def start_one(way: str, *annotators: str) -> Campaign:
        outputs = tuple(
            Output(name, "0", (f"{name} says hello to all", NASTY, f"third one of {name}"))
            for name in ("secret baseline", "secret system")
        )
        number = time.monotonic_ns()
        campaign = Campaign(
            uid=f"{number:032x}",
            name=f"{way} {number} {NASTY}",
            way=way,
            test_set="test",
            test_set_digest="d" * 32,
            outputs=outputs if way == "preference" else outputs[:1],
            references=(("ref",),) * N_SEGMENTS,
            source=("hallo an alle", NASTY, "drittes"),
            documents=("doc",) * N_SEGMENTS,
        )
        sample = [Sampled(segment, "random") for segment in range(N_SEGMENTS)]
        store = server.store
        store.add(campaign, deal_tasks(campaign, sample, annotators), asker=OPERATOR)
        store.close()
        return campaign

    return start_one


@pytest.fixture
def start_esa(server: Server) -> Callable[..., Campaign]:
    """Starts a campaign of two documents with practice, a check, and the first word of every output marked."""

    def start_one(*annotators: str) -> Campaign:
        hypotheses = tuple(f"Sentence{n} has words that say one thing or another" for n in range(4))
        practice = Control("training", "Quelle", "This was an elephant", 12, 20, "major", 10, 40, "It was a mouse.")
        campaign = Campaign(
            uid=f"{time.monotonic_ns():032x}",
            name="error spans",
            way="esa",
            test_set="test",
            test_set_digest="d" * 32,
            outputs=(Output("secret system", "0", hypotheses),),
            references=(("ref",),) * 4,
            source=tuple(f"Satz {n}" for n in range(4)),
            documents=("one", "one", "two", "two"),
            plan=Plan(random=4, by_document=True, checks=1, prefilled_by="xCOMET"),
            instructions=f"Mark what is wrong. {NASTY}",
            controls=(practice,),
        )
        sample = [Sampled(segment, "random") for segment in range(4)]
        tasks = deal_tasks(campaign, sample, annotators)
        found = prefilled(tasks, "xCOMET", lambda output, segment: [(0, 9, "minor")])
        campaign, tasks = with_controls(campaign, found)
        store = server.store
        store.add(campaign, tasks, asker=OPERATOR)
        store.close()
        return campaign

    return start_one


def status(page: Page, words: str) -> None:
    """Wait until the page says how far somebody is, and has drawn the rest of the segment, too."""
    expect(page.get_by_test_id("stMain").get_by_role("status").last).to_contain_text(words)
    at_rest(page)


def results(server: Server, page: Page, campaign: Campaign, tab: str) -> Locator:
    """Come by the coordinators' link and open a tab of the People page."""
    page.goto(server.place(campaign))
    page.get_by_text("done").first.wait_for()
    page.get_by_test_id("stSidebar").get_by_role("link", name="People").click()
    page.get_by_role("tab", name=tab).click()
    page.get_by_role("tabpanel", name=tab).wait_for()
    return page.get_by_test_id("stMain")


def words_of(page: Page, label: str) -> Locator:
    return page.get_by_role("listbox", name=label).get_by_role("option")


def is_saved(page: Page) -> None:
    """Wait until the server has acknowledged everything."""
    expect(page.locator(".marker")).to_have_attribute("data-state", "saved")


def marks_of(page: Page) -> Locator:
    return page.locator(".marks li")


def read(page: Page) -> None:
    """Look at an item as long as it takes to be closed, by the clock of the page."""
    marker = page.locator(".marker")
    eventually(lambda: marker.evaluate(HAS_COME), "the items do not come")
    page.evaluate("milliseconds => window.mtPutForward(milliseconds)", 1000 * MOST_DWELL)


def test_errors_are_marked_with_the_keyboard_alone_and_outlive_a_reload(server, open_page, start) -> None:
    campaign = start("errors", "ann")
    page = open_page(campaign, "ann")
    status(page, "1 of 3")
    expect(page.get_by_role("listbox", name="Output: mark errors")).to_be_focused()
    for key in ("ArrowRight", " ", "ArrowRight", "2"):  # at once
        page.keyboard.press(key)
    expect(marks_of(page)).to_have_count(1)
    is_saved(page)
    page.reload()
    status(page, "1 of 3 · 0 done")
    expect(marks_of(page)).to_have_count(1)
    at_rest(page)
    assert list(serious(page)) == []
    words_of(page, "Source: mark omissions").nth(0).click()
    page.get_by_role("button", name="minor").click()
    expect(marks_of(page).get_by_text("Accuracy/Omission")).to_be_visible()
    read(page)
    page.keyboard.press("n")
    status(page, "2 of 3 · 1 done")

    first = server.tasks(campaign, "ann")[0]
    text = campaign.outputs[0].hypotheses[first.segment]
    assert {(mark.side, mark.severity) for mark in first.marks} == {("hypothesis", "major"), ("source", "minor")}
    (one,) = [mark for mark in first.marks if mark.side == "hypothesis"]
    assert (one.start, one.end) == (word_spans(text)[1][0], word_spans(text)[2][1])
    assert first.is_complete
    assert first.seconds is not None
    assert first.seconds >= 2

    read(page)
    page.get_by_role("button", name="No error, next").click()
    status(page, "3 of 3 · 2 done")
    page.get_by_role("button", name="Previous").click()
    status(page, "2 of 3, done")
    page.keyboard.press("p")
    status(page, "1 of 3, done")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("w")  # another category, and another severity
    page.keyboard.press("3")
    is_saved(page)
    (one,) = [mark for mark in server.tasks(campaign, "ann")[0].marks if mark.side == "hypothesis"]
    assert (one.category, one.severity) == (campaign.typology.names[1], "critical")
    page.get_by_role("button", name="Remove").last.click()
    expect(marks_of(page)).to_have_count(1)
    eventually(lambda: len(server.tasks(campaign, "ann")[0].marks) == 1, "the mark is not taken back")
    page.keyboard.press("m")
    page.keyboard.press("z")
    eventually(lambda: len(server.tasks(campaign, "ann")[0].marks) == 2, "the mark does not come back")


def test_ratings_are_moved_commented_and_finished(server, open_page, start) -> None:
    campaign = start("rating", "ann")
    page = open_page(campaign, "ann")
    status(page, "1 of 3")
    expect(page.get_by_text("no score yet")).to_have_count(2)
    page.get_by_role("slider").first.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    eventually(lambda: server.tasks(campaign, "ann")[0].adequacy == 53, "the slider's last place is not kept")
    assert server.tasks(campaign, "ann")[0].fluency is None
    read(page)
    page.keyboard.press("n")
    expect(page.get_by_role("slider").nth(1)).to_be_focused()  # a score is missing
    page.reload()
    expect(page.get_by_role("slider").first).to_have_attribute("aria-valuenow", "53")
    at_rest(page)
    assert list(serious(page)) == []
    page.get_by_role("slider").nth(1).focus()
    page.keyboard.press("ArrowLeft")
    eventually(lambda: server.tasks(campaign, "ann")[0].fluency == 49, "the slider's place is not kept")
    comment = page.get_by_role("textbox", name="Comment")
    comment.fill(NASTY)
    comment.press_sequentially(" np12")  # keys of the page elsewhere; nobody leaves the box
    eventually(lambda: server.tasks(campaign, "ann")[0].comment == NASTY + " np12", "the comment is not kept")
    read(page)
    page.get_by_role("button", name="Done, next").click()
    status(page, "1 done")
    for done in (2, 3):
        expect(page.get_by_text("no score yet")).to_have_count(2)
        for slider in page.get_by_role("slider").all():  # in its middle, where Streamlit's would have begun
            slider.click()
        read(page)
        page.get_by_role("button", name="Done, next").click()
        status(page, f"{done} done")
    status(page, "All done")
    said = server.tasks(campaign, "ann")
    assert [(task.adequacy, task.fluency) for task in said] == [(53, 49), (50, 50), (50, 50)]
    results(server, page, campaign, "Analyse")
    expect(page.get_by_text("Adequacy of each system")).to_be_visible()


def test_keys_at_once_are_kept_and_close_nothing_unseen_at_150_ms_each_way(server, open_page, start) -> None:
    campaign = start("errors", "ann")
    with slowed(server.port, 0.15) as port:
        page = open_page(campaign, "ann", port)
        status(page, "1 of 3")
        expect(page.get_by_role("listbox", name="Output: mark errors")).to_be_focused()
        page.keyboard.press("n")  # not read yet
        expect(page.get_by_text("Read it first.").last).to_be_visible()
        for key in (" ", "2", "ArrowRight", " ", "1", "ArrowRight", " ", "3"):
            page.keyboard.press(key)
        assert page.locator(".marker").get_attribute("data-state") == "saving"
        expect(marks_of(page)).to_have_count(3)
        page.reload()  # in the middle of it
        status(page, "1 of 3")
        is_saved(page)
        assert [mark.severity for mark in server.tasks(campaign, "ann")[0].marks] == ["major", "minor", "critical"]
        expect(marks_of(page)).to_have_count(3)
        read(page)
        for _ in range(3):
            page.keyboard.press("n")
        status(page, "2 of 3 · 1 done")
        page.wait_for_timeout(1500)
        assert [task.is_complete for task in server.tasks(campaign, "ann")] == [True, False, False]


def test_an_outdated_window_overwrites_nothing(server, open_page, start) -> None:
    campaign = start("rating", "ann")
    page, other = open_page(campaign, "ann"), open_page(campaign, "ann")
    for one in (page, other):
        status(one, "1 of 3")
    for slider in page.get_by_role("slider").all():
        slider.focus()
        slider.press("End")
    is_saved(page)
    read(page)
    page.keyboard.press("n")
    status(page, "1 done")
    other.get_by_role("slider").first.focus()
    other.keyboard.press("Home")
    expect(other.get_by_role("alert").get_by_text("Another window has changed this item")).to_be_visible()
    expect(other.get_by_role("slider").first).to_have_attribute("aria-valuenow", "100")
    said = server.tasks(campaign, "ann")[0]
    assert (said.adequacy, said.fluency, said.is_complete) == (100, 100, True)


def mark_by_keys(page: Page, first: int, last: int, severity: str) -> None:
    """Choose words of the output by their places and mark them."""
    page.get_by_role("listbox", name="Output: mark errors").first.focus()
    page.keyboard.press("Home")
    for _ in range(first):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    for _ in range(last - first):
        page.keyboard.press("ArrowRight")
    page.keyboard.press({"minor": "1", "major": "2"}[severity])


@pytest.mark.long
def test_annotators_practise_and_read_documents_on_one_screen(server, open_page, start_esa) -> None:
    campaign = start_esa("ann", "bob")
    for name, practice in (("ann", "As expected. “elephant” is wrong, a major error"), ("bob", "Another answer was")):
        page = open_page(campaign, name)
        status(page, "1 of 6 · 0 done · Practice")
        expect(page.get_by_text(NASTY, exact=False).first).to_be_visible()
        mark_by_keys(page, 3, 3, "major")
        expect(marks_of(page)).to_have_count(1)
        page.get_by_role("slider").focus()
        for _ in range(4):
            page.keyboard.press("PageDown" if name == "ann" else "PageUp")
        read(page)
        page.keyboard.press("n")
        expect(page.get_by_text(practice)).to_be_visible()
        at_rest(page)
        assert list(serious(page)) == []
        page.keyboard.press("n")
        done = 1
        while done < 6:
            status(page, f" of 6 · {done} done")
            n_items = page.locator(".item:not(.context)").count()
            read(page)
            for place in range(n_items):
                item = page.locator(".item:not(.context)").nth(place)
                if name == "bob":
                    item.get_by_role("button", name="Remove").first.click()
                    expect(item.get_by_role("button", name="Restore")).to_be_visible()
                item.get_by_role("slider").focus()
                page.keyboard.press("PageUp")
                read(page)
                page.keyboard.press("n")
            done += n_items
        status(page, "6 done · All done")
        judged = [task for task in server.tasks(campaign, name) if task.control is None]
        documents = [campaign.documents[task.segment] for task in judged]
        assert documents in (["one", "one", "two", "two"], ["two", "two", "one", "one"])
        assert [len(task.rejected) for task in judged] == [int(name == "bob")] * 4
        assert all(task.is_complete and task.score == 60 for task in judged)
    main = results(server, page, campaign, "Collect")
    expect(main.get_by_role("table", name="Progress of each annotator")).to_be_visible()
    cells = main.get_by_role("table", name="Progress of each annotator").get_by_role("row")
    expect(cells.nth(1)).to_have_text(re.compile(r"ann\s*6 of 6\s*0\s*1 of 1 \(100%\)\s*0 of 1 \(0%\)"))
    expect(cells.nth(2)).to_have_text(re.compile(r"bob\s*6 of 6\s*0\s*0 of 1 \(0%\)\s*0 of 1 \(0%\)"))
    at_rest(page)
    assert list(serious(page)) == []


def test_a_preference_hides_names_to_the_end_and_outlives_a_killed_server(server, open_page, start) -> None:
    campaign = start("preference", "ann", "bob")
    page = open_page(campaign, "ann")
    status(page, "1 of 3")
    read(page)
    page.get_by_role("button", name="Left is better").click()
    status(page, "2 of 3 · 1 done")
    page.reload()
    status(page, "2 of 3 · 1 done")
    read(page)
    page.keyboard.press("2")
    status(page, "3 of 3 · 2 done")
    server.kill()
    assert server.tasks(campaign, "ann")[1].preference == "equal"
    server.start()
    page.goto(server.place(campaign, "ann"))
    status(page, "3 of 3 · 2 done")
    read(page)
    page.keyboard.press("3")
    status(page, "All done")
    first, second, third = server.tasks(campaign, "ann")
    assert first.preference == ("second" if first.is_swapped else "first")
    assert second.preference == "equal"
    assert third.preference == ("first" if third.is_swapped else "second")
    main = results(server, page, campaign, "Collect")
    expect(main.get_by_text("stay hidden until everyone is done")).to_be_visible()
    assert "secret system" not in main.inner_text()
    main.get_by_role("button", name="Close campaign and show names").click()
    expect(main.get_by_text("stay hidden until everyone is done")).to_have_count(0)
    at_rest(page)
    page.get_by_role("tab", name="Analyse").click()
    expect(main.get_by_text(re.compile("votes? for .*secret system"))).to_be_visible()


def test_a_link_opens_what_it_is_for_and_nothing_else(server, open_page, start) -> None:
    campaign = start("preference", "ann", "bob")
    coordinator = open_page(campaign)
    coordinator.get_by_text("0 of 3 done").first.wait_for()
    expect(coordinator.get_by_test_id("stSidebar")).to_be_visible()
    expect(coordinator.get_by_test_id("stCode")).to_have_count(3)
    links = [code.inner_text().strip() for code in coordinator.get_by_test_id("stCode").all()]
    assert links == [server.place(campaign, name) for name in ("ann", "bob", None)]
    with coordinator.expect_popup() as opened:
        coordinator.get_by_role("link", name="Open").first.click()
    page = opened.value
    status(page, "1 of 3")
    read(page)
    page.get_by_role("button", name="Left is better").click()
    status(page, "2 of 3 · 1 done")
    for hidden in ("stSidebar", "stSidebarNav", "stSelectbox"):
        expect(page.get_by_test_id(hidden)).to_have_count(0)
    text = page.locator("body").inner_text()
    assert "ann" in text
    assert "bob" not in text
    page.goto(page.url.replace("/annotate", "/scores"))  # leads back to the tasks
    status(page, "2 of 3 · 1 done")

    coordinator.goto(f"{server.address}/annotate")  # the browser is known by now
    coordinator.get_by_text("1 of 3 done").wait_for()
    stranger = open_page(campaign, "bob")
    status(stranger, "1 of 3 · 0 done")
    stranger.goto(f"{server.address}/annotate")
    stranger.get_by_text("No campaigns yet").wait_for()
    assert campaign.name not in stranger.locator("body").inner_text()
    wrong = stranger.context.new_page()
    wrong.goto(f"{server.address}/annotate?annotator=ann")
    wrong.get_by_text("This link no longer works").wait_for()


def test_hostile_text_is_shown_as_it_is_and_comes_out_as_it_went_in(server, open_page, start) -> None:
    campaign = start("errors", "ann")
    page = open_page(campaign, "ann")
    page.get_by_role("listbox", name="Output: mark errors").wait_for()
    nasty = next(task for task in server.tasks(campaign, "ann") if task.segment == 1)
    for position in range(nasty.position):
        status(page, f"{position + 1} of 3")
        page.get_by_role("button", name="Skip").click()
    status(page, f"{nasty.position + 1} of 3")
    box = page.get_by_role("listbox", name="Output: mark errors")
    expect(box).to_have_text(NASTY)
    assert box.locator("img, strong, a, code").count() == 0
    words_of(page, "Output: mark errors").nth(0).click()
    words_of(page, "Output: mark errors").last.click(modifiers=["Shift"])
    page.get_by_role("button", name="critical").click()
    expect(marks_of(page)).to_contain_text(NASTY)
    read(page)
    page.get_by_role("button", name="Done, next").click()
    is_saved(page)
    results(server, page, campaign, "Report")
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download campaign (JSON)").click()
    data = json.loads(downloading.value.path().read_text())
    marks = [mark for task in data["tasks"] for mark in task["marks"]]
    assert [(mark["start"], mark["end"], mark["severity"]) for mark in marks] == [(0, len(NASTY), "critical")]
    assert data["campaign"]["outputs"][0]["hypotheses"][1] == NASTY
