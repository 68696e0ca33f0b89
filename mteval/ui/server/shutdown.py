"""The end of the server: soon after it is told to stop, with all that it started."""

import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Timer
from types import FrameType
from typing import Any, NoReturn

SIGNALS = (signal.SIGINT, signal.SIGTERM)
LONGEST_GOODBYE = 3.0  # seconds for visitors to be told and transfers to end
LAST_WORDS = 0.5  # seconds for programs to end by themselves


def hasten(leave_now: Callable[[], None]) -> None:
    """Let the server end soon after a signal, though somebody's connection stays open. Called once it runs.

    The server's own handlers wait for all connections.
    """
    for number in SIGNALS:
        signal.signal(number, _with_a_limit(signal.getsignal(number), leave_now))


def _with_a_limit(handler: Any, leave_now: Callable[[], None]) -> Callable[[int, FrameType | None], None]:
    def handle(number: int, frame: FrameType | None) -> None:
        limit = Timer(LONGEST_GOODBYE, leave_now)
        limit.daemon = True
        limit.start()
        if callable(handler):
            handler(number, frame)

    return handle


def leave(spared: Collection[int] = (), folder: Path | None = None) -> NoReturn:
    """End this process and all that it started, but for some, at once: threads would finish their work first.

    What is kept is written so that it is whole at any moment; a folder that is not to be kept is removed.
    """
    for number in (signal.SIGTERM, signal.SIGKILL):
        others = tuple(_descendants(os.getpid(), spared))
        for process in others:
            with suppress(OSError):
                os.kill(process, number)
        if not others:
            break
        time.sleep(LAST_WORDS)
    with suppress(ChildProcessError):  # none is left as one that ended and whom nobody asked why
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _descendants(process: int, spared: Collection[int]) -> Iterator[int]:
    """Processes that this one started, and those that they did; where the system does not tell, none."""
    parents: dict[int, int] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            state, parent, *_ = status.read_text(errors="replace").rpartition(")")[2].split()
            if state != "Z":
                parents[int(status.parent.name)] = int(parent)
    found = [process]
    for one in found:
        new = [child for child, parent in parents.items() if parent == one and child not in spared]
        found += new
        yield from new
