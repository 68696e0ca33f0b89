"""A running worker: what it is told, and what it answers, line by line."""

import json
import queue
import subprocess
import weakref
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

from mteval.metrics.neural.environment import command, variables

_SECONDS_TO_END = 1.0


class DiedError(Exception):
    """The process ended: with what status."""


class WorkerProcess:
    """A running worker, and the lines that it has written."""

    def __init__(self, python: Path) -> None:
        self._process = subprocess.Popen(
            command(python),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=variables(),
            encoding="ascii",
        )
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        listener = Thread(target=_listen, args=(self._process, self._lines), daemon=True)
        self.end = weakref.finalize(self, _end, self._process, listener)
        listener.start()

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def say(self, request: Mapping[str, Any]) -> None:
        with suppress(OSError, ValueError):  # it ended before it was asked, which shows when it is listened to
            print(json.dumps(request), file=self._process.stdin, flush=True)

    def answer(self, seconds: float) -> Any:
        """The next line as a value, None where none came in time."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            return None
        if not line:
            raise DiedError(str(self._process.wait()))
        return json.loads(line)


def _listen(process: "subprocess.Popen[str]", lines: "queue.SimpleQueue[str]") -> None:
    """Put lines into the queue; the last is empty."""
    with suppress(OSError, ValueError):  # closed by the other thread
        for line in process.stdout or ():
            lines.put(line)
    lines.put("")


def _end(process: "subprocess.Popen[str]", listener: Thread) -> None:
    process.kill()
    process.wait()
    listener.join(_SECONDS_TO_END)  # it is at the end of the lines
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # what was not sent yet has no reader any more
                pipe.close()
