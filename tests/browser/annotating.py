"""Campaigns that the browser tests start, what annotators do in them, and a slow line to the server."""

import queue
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from playwright.sync_api import Locator, Page, expect

from mteval.annotations import Campaign, Output, Sampled, Task, deal_tasks
from mteval.ui.annotate.tasks import MOST_DWELL
from tests.browser.steps import at_rest, eventually

# The items that are asked for have come; the time for which they are on the screen counts from then on
HAS_COME = "marker => Boolean(marker.mtMarker?.data) && !marker.mtMarker.leaving"
OUTPUT = "Output: mark errors"
SOURCE = "Source: mark omissions"


# -- campaigns --------------------------------------------------------------------------------------------------------


def new_campaign(name: str, way: str, outputs: Sequence[Output], source: Sequence[str], **fields: Any) -> Campaign:
    """A campaign about outputs of a source, told from all others by a number in its name."""
    number = time.monotonic_ns()
    return Campaign(
        uid=f"{number:032x}",
        name=f"{name} {number}",
        way=way,
        test_set="test",
        test_set_digest="d" * 32,
        outputs=tuple(outputs),
        references=(("ref",),) * len(source),
        source=tuple(source),
        **fields,
    )


def deal_all(campaign: Campaign, annotators: Sequence[str]) -> tuple[Task, ...]:
    """The tasks of annotators who judge all segments of a campaign."""
    sample = [Sampled(segment, "random") for segment in range(len(campaign.references))]
    return deal_tasks(campaign, sample, annotators)


# -- what is on the screen of an annotator ----------------------------------------------------------------------------


def expect_progress(page: Page, words: str) -> None:
    """Wait until the page says how far somebody is, and until the items that it speaks of take keys."""
    expect(page.get_by_test_id("stMain").get_by_role("status").last).to_contain_text(words)
    at_rest(page)
    wait_for_items(page)


def wait_for_items(page: Page) -> None:
    """Wait until the items that were asked for are on the screen: keys before that are meant for no item."""
    marker = page.locator(".marker")
    eventually(lambda: marker.evaluate(HAS_COME), "the items do not come")


def expect_saved(page: Page) -> None:
    """Wait until the server has acknowledged everything."""
    expect(page.locator(".marker")).to_have_attribute("data-state", "saved")


def words_of(page: Page, label: str) -> Locator:
    """The words of a text that can be marked."""
    return page.get_by_role("listbox", name=label).get_by_role("option")


def marks_on(page: Page) -> Locator:
    """The list of marked errors."""
    return page.locator(".marks li")


# -- what annotators do -----------------------------------------------------------------------------------------------


def read(page: Page) -> None:
    """Look at an item as long as it takes to be closed, by the clock of the page."""
    wait_for_items(page)
    page.evaluate("milliseconds => window.mtPutForward(milliseconds)", 1000 * MOST_DWELL)


def read_and_close(page: Page) -> None:
    """Look at an item, and close it as it is by a key."""
    read(page)
    page.keyboard.press("n")


def move_slider(page: Page, place: int, key: str) -> None:
    """Press a key on one of the sliders."""
    page.get_by_role("slider").nth(place).focus()
    page.keyboard.press(key)


# -- the line to the server -------------------------------------------------------------------------------------------


class Line:
    """Passes connections on to a server, each byte so many seconds late, both ways.

    Parameters
    ----------
    port
        Of the server.
    seconds
        May be changed at any time: pages are opened faster while it is 0.
    """

    def __init__(self, port: int, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self._port_of_server = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._connections: list[socket.socket] = []
        self.port = int(self._listening.getsockname()[1])
        _start(self._accept)

    def close(self) -> None:
        """End all connections."""
        for open_socket in (self._listening, *self._connections):
            with suppress(OSError):  # the other side has left
                open_socket.shutdown(socket.SHUT_RDWR)
            open_socket.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:  # no longer listened to
                return
            far = socket.create_connection(("127.0.0.1", self._port_of_server))
            self._connections.extend([near, far])
            _start(self._pass_on, near, far)
            _start(self._pass_on, far, near)

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        """Send what comes out of one socket into another, late, until nothing comes any more."""
        on_the_way: queue.Queue[tuple[float, bytes]] = queue.Queue()
        _start(_deliver, on_the_way, target)
        data = b"-"
        while data:
            try:
                data = source.recv(1 << 16)
            except OSError:
                data = b""
            on_the_way.put((time.monotonic() + self.seconds, data))


def _deliver(on_the_way: queue.Queue[tuple[float, bytes]], target: socket.socket) -> None:
    """Send data when they are due; empty data are the end of what is sent."""
    data = b"-"
    while data:
        due, data = on_the_way.get()
        time.sleep(max(0.0, due - time.monotonic()))
        try:
            if data:
                target.sendall(data)
            else:
                target.shutdown(socket.SHUT_WR)
        except OSError:  # the other side has left
            return


def _start(work: Callable[..., None], *arguments: Any) -> None:
    threading.Thread(target=work, args=arguments, daemon=True).start()
