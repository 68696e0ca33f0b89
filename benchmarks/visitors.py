"""Measure waiting times with several visitors: ``python -m benchmarks.visitors 1 5 20 100`` writes
``visitors.md`` beside this file.

Visitors speak the server's own protocol, so that no browser shares its cores. Each opens the first page, loads the
sample, has it scored, waits for the numbers, and reads all pages again and again.
"""

import argparse
import asyncio
import re
import statistics
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from streamlit.proto.AutoRerun_pb2 import AutoRerun
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

from benchmarks.report import machine
from benchmarks.served import started

RESULTS = Path(__file__).with_name("visitors.md")
PAGES = ("scores", "significance", "replication", "segments", "report")
ROUNDS = 2
SECONDS_AFTER = 60
# Keys of the buttons.
SAMPLE = "sample"
START = "start"
NUMBERS = b'class="mt-table mt-overview"'  # of the table of scores
BUTTON = re.compile(rb"\$\$ID-[0-9a-f]+-(sample|start)\b")
ZONE = re.compile(rb"\$\$ID-[0-9a-f]+-(files-\d+)")  # where files are dropped; numbered anew when they are loaded
PLACE = re.compile(rb"(?:Waiting|visitors): (\d+) ahead in the queue")
PATIENCE = 900  # seconds that a visitor waits for the numbers
HEAD = """\
# Waiting times with several visitors

{machine}. The visitors run in a process on the same cores. Each loads
the sample, scores it, waits for the numbers and reads {pages} pages. *page*: seconds until a page is drawn. *numbers*:
seconds from the button to the table of scores. *queue*: longest queue shown to a visitor. *health*: seconds of the
slowest health check. Memory is the server's, in MiB: before, at most, and {after} s after all have left.
Written by `python -m benchmarks.visitors {numbers}`.

| visitors | page | longest | numbers | longest | queue | health | MiB before | at most | after |
|---|---|---|---|---|---|---|---|---|---|
"""


@dataclass
class Visitor:
    """A visitor with the page open.

    Parameters
    ----------
    address
        What stands after its question mark.

    Attributes
    ----------
    waits
        Seconds until each page was drawn.
    waited
        Seconds from the button to the numbers.
    place
        How many were before it in the queue, at most.
    progress
        The part of the page that says how far work is, and how often it is to be drawn; None where none is under way.
    has_numbers
        Whether the page drawn last has the table of scores.
    session
        The server's name for this connection.
    zones
        The widgets that took files so far, by key; the last is the one on the page.
    """

    link: ClientConnection
    address: str = ""
    waits: list[float] = field(default_factory=list)
    waited: float = 0.0
    place: int = 0
    pages: dict[str, str] = field(default_factory=dict)
    buttons: dict[str, str] = field(default_factory=dict)
    progress: AutoRerun | None = None
    has_numbers: bool = False
    session: str = ""
    zones: dict[str, str] = field(default_factory=dict)

    @property
    def is_working(self) -> bool:
        """Return whether the last page shows work in progress."""
        return self.progress is not None

    async def ask(self, page: str = "", button: str = "", part: str = "", names: Sequence[str] = ()) -> float:
        """Have the page or a part of it drawn, perhaps with a button pressed or files dropped; how long it took.

        ``names`` are the names of files that were uploaded under these names.
        """
        message = BackMsg()
        message.rerun_script.query_string = self.address
        message.rerun_script.page_script_hash = self.pages.get(page, "")
        message.rerun_script.fragment_id = part
        widgets = message.rerun_script.widget_states.widgets
        if button in self.buttons:  # scoring starts by itself where nothing is open
            widgets.append(WidgetState(id=self.buttons[button], trigger_value=True))
        if names:
            *_, last_zone = self.zones.values()
            drop = WidgetState(id=last_zone)
            files = drop.file_uploader_state_value.uploaded_file_info
            files.extend(UploadedFileInfo(file_id=name, name=name, size=1) for name in names)
            widgets.append(drop)
        begun = time.perf_counter()
        if not part:
            self.progress = None
            self.has_numbers = False
        await self.link.send(message.SerializeToString())
        while True:
            answer = ForwardMsg()
            answer.ParseFromString(await self.link.recv())
            self._note(answer)
            if is_drawn(answer):
                return time.perf_counter() - begun

    def _note(self, answer: ForwardMsg) -> None:
        """Remember what an answer says about the session, the pages, and the work under way."""
        kind = answer.WhichOneof("type")
        if kind == "new_session":
            self.session = answer.new_session.initialize.session_id
        if kind == "navigation":
            self.pages = {page.url_pathname: page.page_script_hash for page in answer.navigation.app_pages}
        elif kind == "script_finished" and not is_drawn(answer):
            self.progress = None  # a part that had the whole page drawn anew
        elif kind == "auto_rerun":
            self.progress = answer.auto_rerun
        elif kind == "delta":
            self._read(answer.SerializeToString())

    def _read(self, content: bytes) -> None:
        """Remember the buttons, zones, numbers and place in the queue that a part of the page shows."""
        button = BUTTON.search(content)
        if button:
            self.buttons[button[1].decode()] = button[0].decode()
        for zone in ZONE.finditer(content):
            self.zones[zone[1].decode()] = zone[0].decode()
        place = PLACE.search(content)
        if place:
            self.place = max(self.place, int(place[1]))
        if NUMBERS in content:
            self.has_numbers = True

    async def visit(self) -> None:
        """Load, score and read."""
        self.waits.append(await self.ask())
        self.waits.append(await self.ask(button=SAMPLE))
        if START not in self.buttons:
            await self.ask()
        await self.score()
        for page in PAGES * ROUNDS:
            self.waits.append(await self.ask(page))

    async def score(self) -> None:
        """Have what is loaded scored, and wait for the numbers.

        Raises
        ------
        TimeoutError
            Where they do not come.
        """
        begun = time.perf_counter()
        await self.ask(button=START)
        while not self.has_numbers:
            if time.perf_counter() - begun > PATIENCE:
                raise TimeoutError(f"no numbers within {PATIENCE} s")
            if self.progress is None:
                self.waits.append(await self.ask("scores"))
            else:  # as a browser does
                await asyncio.sleep(self.progress.interval)
                await self.ask("scores", part=self.progress.fragment_id)
        self.waited = time.perf_counter() - begun


def is_drawn(answer: ForwardMsg) -> bool:
    """Return whether a message states that a page is complete, and its script does not start again."""
    is_finished = answer.WhichOneof("type") == "script_finished"
    return is_finished and answer.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN


def connected(address: str, cookie: str = "") -> connect:
    """Return a connection in the server's own protocol, perhaps of a known browser."""
    headers = {}
    if cookie:
        headers["Cookie"] = cookie
    options: dict[str, Any] = {"subprotocols": ["streamlit"], "max_size": None, "additional_headers": headers}
    return connect(f"ws://{address}/_stcore/stream", **options)


async def all_visits(address: str, number: int) -> list[Visitor]:
    """So many visitors at once; they leave when all have read."""
    links = [await connected(address) for _ in range(number)]
    visitors = [Visitor(link) for link in links]
    await asyncio.gather(*(visitor.visit() for visitor in visitors))
    await asyncio.gather(*(link.close() for link in links))
    return visitors


async def with_health(address: str, number: int) -> tuple[list[Visitor], float]:
    """The same, and how long the server took at most to say that it is well meanwhile."""
    longest = 0.0
    visits = asyncio.create_task(all_visits(address, number))
    while not visits.done():
        begun = time.perf_counter()
        await asyncio.to_thread(urllib.request.urlopen, f"http://{address}/_stcore/health", timeout=60)
        longest = max(longest, time.perf_counter() - begun)
        await asyncio.sleep(0.2)
    return visits.result(), longest


def memory(pid: int, field: str = "VmRSS") -> int:
    """Return the memory of a process in MiB: what it has now, or another field of its status."""
    kibibytes = re.search(rf"{field}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert kibibytes is not None
    return int(kibibytes[1]) >> 10


def main() -> None:
    """Measure with one server per number of visitors; print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("numbers", type=int, nargs="+")
    numbers = parser.parse_args().numbers
    table = HEAD.format(
        machine=machine(),
        pages=len(PAGES * ROUNDS),
        after=SECONDS_AFTER,
        numbers=" ".join(map(str, numbers)),
    )
    for number in numbers:
        with tempfile.TemporaryDirectory() as folder, started(Path(folder)) as (address, server):
            row = measured(number, address, server.pid)
        print(row, flush=True)
        table += f"{row}\n"
    RESULTS.write_text(table, encoding="utf-8")


def measured(number: int, address: str, pid: int) -> str:
    """Return a row of the table."""
    asyncio.run(all_visits(address, 1))  # what is loaded once is not the visitors' memory
    time.sleep(SECONDS_AFTER)
    memory_before = memory(pid)
    visitors, slowest_check = asyncio.run(with_health(address, number))
    most_memory = memory(pid, "VmHWM")
    time.sleep(SECONDS_AFTER)
    memory_after = memory(pid)

    for_pages = list(chain.from_iterable(visitor.waits for visitor in visitors))
    for_numbers = [visitor.waited for visitor in visitors]
    longest_queue = max(visitor.place for visitor in visitors)
    cells = [
        f"{number}",
        f"{statistics.median(for_pages):.2f}",
        f"{max(for_pages):.2f}",
        f"{statistics.median(for_numbers):.2f}",
        f"{max(for_numbers):.2f}",
        f"{longest_queue}",
        f"{slowest_check:.2f}",
        f"{memory_before}",
        f"{most_memory}",
        f"{memory_after}",
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
