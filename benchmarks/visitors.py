"""How long visitors wait when several come at once: ``python -m benchmarks.visitors 1 5 20``.

Visitors speak the server's own protocol, so that no browser shares its cores. Each opens the first page, loads the
sample, has it scored, and reads all pages again and again. A line for each number of visitors: the median and the
longest wait for a page, the longest wait for the server to say that it is well, and its memory before, at most, and a
while after they left.
"""

import argparse
import asyncio
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

ROOT = Path(__file__).parents[1]
PAGES = ("scores", "significance", "replication", "segments", "report")
ROUNDS = 2
SECONDS_AFTER = 60
SAMPLE, START = "sample", "start"  # keys of the buttons


@dataclass
class Visitor:
    """One who has the page open, at an address with this after the question mark; ``waits`` are seconds a page."""

    link: ClientConnection
    address: str = ""
    waits: list[float] = field(default_factory=list)
    pages: dict[str, str] = field(default_factory=dict)
    buttons: dict[str, str] = field(default_factory=dict)
    is_working: bool = False

    async def ask(self, page: str = "", button: str = "") -> float:
        """Have the page drawn, perhaps with a button pressed; how long it took."""
        message = BackMsg()
        message.rerun_script.query_string = self.address
        message.rerun_script.page_script_hash = self.pages.get(page, "")
        if button:
            pressed = WidgetState(id=self.buttons[button], trigger_value=True)
            message.rerun_script.widget_states.widgets.append(pressed)
        begun = time.perf_counter()
        self.is_working = False
        await self.link.send(message.SerializeToString())
        while True:
            answer = ForwardMsg()
            answer.ParseFromString(await self.link.recv())  # type: ignore[arg-type]
            self._note(answer)
            if answer.WhichOneof("type") == "script_finished":
                return time.perf_counter() - begun

    def _note(self, answer: ForwardMsg) -> None:
        kind = answer.WhichOneof("type")
        if kind == "navigation":
            self.pages = {page.url_pathname: page.page_script_hash for page in answer.navigation.app_pages}
        elif kind == "auto_rerun":
            self.is_working = True
        elif kind == "delta":
            found = re.search(rb"\$\$ID-[0-9a-f]+-(sample|start)\b", answer.SerializeToString())
            if found:
                self.buttons[found[1].decode()] = found[0].decode()

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
        """Have what is loaded scored, and wait for the numbers."""
        await self.ask(button=START)
        while True:
            self.waits.append(await self.ask("scores"))
            if not self.is_working:
                return
            await asyncio.sleep(0.5)


def connected(address: str) -> connect:
    """A connection with the server's own protocol."""
    return connect(f"ws://{address}/_stcore/stream", subprotocols=["streamlit"], max_size=None)  # type: ignore[list-item]


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


def memory(pid: int, what: str = "VmRSS") -> int:
    """MiB that a process has."""
    found = re.search(rf"{what}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) >> 10


def main() -> None:
    """Measure, a server for each number."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("numbers", type=int, nargs="+")
    print("visitors | median s | longest s | health s | MiB before | at most | after")
    for number in parser.parse_args().numbers:
        with socket.socket() as free, tempfile.TemporaryDirectory() as folder:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
            free.close()
            told = {**os.environ, "MTEVAL_HOME": folder}
            command = [sys.executable, "-m", "mteval.ui.server", "app.py", f"--port={port}"]
            with subprocess.Popen(command, cwd=ROOT, env=told, stdout=subprocess.DEVNULL) as server:
                try:
                    report(number, f"127.0.0.1:{port}", server.pid)
                finally:
                    server.kill()


def report(number: int, address: str, pid: int) -> None:
    """Print one line."""
    for _ in range(600):
        try:
            urllib.request.urlopen(f"http://{address}/_stcore/health", timeout=5)
            break
        except OSError:
            time.sleep(0.2)
    asyncio.run(all_visits(address, 1))  # what is loaded once is not the visitors' memory
    time.sleep(SECONDS_AFTER)
    before = memory(pid)
    visitors, health = asyncio.run(with_health(address, number))
    most = memory(pid, "VmHWM")
    time.sleep(SECONDS_AFTER)
    waits = [wait for visitor in visitors for wait in visitor.waits]
    numbers = f"{statistics.median(waits):.2f} | {max(waits):.1f} | {health:.2f} | {before} | {most} | {memory(pid)}"
    print(f"{number} | {numbers}", flush=True)


if __name__ == "__main__":
    main()
