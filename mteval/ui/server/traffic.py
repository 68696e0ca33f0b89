"""What is written into the log: what went wrong and where in the program, and nothing of what visitors loaded.

The end of the server: soon after it is told to stop, with all that it started.

How much is going on, for whoever runs the server: counts without names or texts, told to this machine alone.

Browsers are known again: each gets a name that nobody guesses, in a cookie that no script reads.
"""

import logging
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from threading import Timer
from types import FrameType, TracebackType
from typing import Any, NoReturn

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mteval.ui.session.visitor import COOKIE, IS_TOKEN, new_token


def keep_texts_out() -> None:
    """Let all records say of an error its kind and its place. Its words may quote a file, or a name that was typed."""
    make = logging.getLogRecordFactory()

    def make_without_texts(*values: Any, **named: Any) -> logging.LogRecord:
        record = make(*values, **named)
        if record.exc_info and record.exc_info[1] is not None:
            record.exc_text, record.exc_info = without_words(record.exc_info[1]), None
        return record

    logging.setLogRecordFactory(make_without_texts)


def without_words(error: BaseException) -> str:
    """The kind of an error and where it was raised, after the same of what led to it."""
    before = error.__cause__ or error.__context__
    earlier = f"{without_words(before)}\n\nand then:\n\n" if before is not None else ""
    return f"{earlier}{_places(error.__traceback__)}{type(error).__module__}.{type(error).__qualname__}"


def _places(where: TracebackType | None) -> str:
    return "".join(f"  {frame.filename}:{frame.lineno} in {frame.name}\n" for frame in traceback.extract_tb(where))


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


PATH = "/metrics"
LOCAL = ("127.0.0.1", "::1")
PASSED_ON = (b"x-forwarded-for", b"x-real-ip", b"forwarded")  # a proxy's requests are somebody else's


class Traffic:
    """A layer in front of the server that counts, and answers for ``PATH`` in the form that Prometheus reads."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._began = time.time()
        self._counts: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or count it and leave it to the server behind."""
        if scope["type"] == "websocket":
            await self._visit(scope, receive, send)
        elif scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["path"] == PATH:
            await self._tell(scope, send)
        else:
            await self._request(scope, receive, send)

    async def _visit(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._counts.update(visits=1, visitors=1)
        try:
            await self._app(scope, receive, send)
        finally:
            self._counts["visitors"] -= 1

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def counted_receive() -> Message:
            message = await receive()
            self._counts["received"] += len(message.get("body", b""))
            return message

        async def counted_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._counts.update(requests=1, errors=int(message["status"] >= 500))
            await send(message)

        await self._app(scope, counted_receive, counted_send)

    async def _tell(self, scope: Scope, send: Send) -> None:
        client = (scope.get("client") or ("",))[0]
        is_local = client in LOCAL and not any(name in PASSED_ON for name, _ in scope["headers"])
        body = "".join(f"{line}\n" for line in self._lines()) if is_local else "Only this machine is told.\n"
        headers = [(b"content-type", b"text/plain; version=0.0.4; charset=utf-8")]
        await send({"type": "http.response.start", "status": 200 if is_local else 403, "headers": headers})
        await send({"type": "http.response.body", "body": body.encode()})

    def _lines(self) -> Iterator[str]:
        unit = 1 if sys.platform == "darwin" else 1024
        values = {
            ("visitors", "gauge", "pages that are open now"): self._counts["visitors"],
            ("visits_total", "counter", "pages that were opened"): self._counts["visits"],
            ("requests_total", "counter", "requests answered"): self._counts["requests"],
            ("errors_total", "counter", "requests that failed in the server"): self._counts["errors"],
            ("received_bytes_total", "counter", "bytes of what was loaded"): self._counts["received"],
            ("largest_memory_bytes", "gauge", "most memory so far"): _usage().ru_maxrss * unit,
            ("cpu_seconds_total", "counter", "time of the processor"): round(_usage().ru_utime + _usage().ru_stime, 2),
            ("start_time_seconds", "gauge", "when the server was started"): round(self._began),
        }
        for (name, kind, words), value in values.items():
            yield f"# HELP mteval_{name} {words}"
            yield f"# TYPE mteval_{name} {kind}"
            yield f"mteval_{name} {value}"


def _usage() -> resource.struct_rusage:
    return resource.getrusage(resource.RUSAGE_SELF)


SECONDS_KEPT = 400 * 24 * 3600  # as long as browsers allow


class Visitors:
    """A layer in front of the server that gives a cookie to browsers that ask for the page and have none."""

    def __init__(self, app: ASGIApp, base_path: str = "", is_framed: bool = False) -> None:
        self._app = app
        self._path = f"/{base_path}"
        self._is_framed = is_framed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Leave a request to the server behind, and add to its answer."""
        if scope["type"] != "http" or _is_known(scope):
            await self._app(scope, receive, send)
            return

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_page(message):
                headers = [*message["headers"], (b"set-cookie", self._cookie(scope).encode())]
                message = {**message, "headers": headers}
            await send(message)

        await self._app(scope, receive, send_with_cookie)

    def _cookie(self, scope: Scope) -> str:
        is_encrypted = scope["scheme"] == "https" or (b"x-forwarded-proto", b"https") in scope["headers"]
        cookie = f"{COOKIE}={new_token()}; Path={self._path}; Max-Age={SECONDS_KEPT}; HttpOnly"
        if self._is_framed:  # browsers keep it apart for each site that has the frame
            return f"{cookie}; SameSite=None; Secure; Partitioned"
        return f"{cookie}; SameSite=Lax" + ("; Secure" if is_encrypted else "")


def _is_known(scope: Scope) -> bool:
    given = b"; ".join(value for name, value in scope["headers"] if name == b"cookie").decode("latin-1")
    try:
        cookies = SimpleCookie(given)
    except CookieError:
        return False
    return COOKIE in cookies and IS_TOKEN.fullmatch(cookies[COOKIE].value) is not None


def _is_page(message: Message) -> bool:
    return any(name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in message["headers"])
