"""Layers in front of Streamlit's server: static files, security headers, counts, a visitor's cookie, no paths.

Static files take a short path, since a first visit asks for a hundred of them. Only this host may serve scripts. Counts
contain no names or texts, and only this machine may read them. The cookie holds a random token that no script can read.
"""

import base64
import hashlib
import os
import re
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import streamlit
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from mteval.ui.session.browser import COOKIE, IS_TOKEN, new_token

FOLDER = Path(streamlit.__file__).parent / "static"
TYPES: Mapping[str, str] = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".woff2": "font/woff2",
}
FOREVER = "public, immutable, max-age=31536000"  # as Streamlit does: their names contain a digest


class Assets:
    """A layer that serves the files of ``FOLDER`` whose names contain a digest.

    Streamlit's own way, through four layers and a thread for each piece of a file, takes ten times as long. What is
    not among the files that were there at the start is passed on.
    """

    def __init__(self, app: ASGIApp, base_path: str = "") -> None:
        self._app = app
        before = f"/{base_path}" if base_path else ""
        self._files = {
            f"{before}/{path.relative_to(FOLDER).as_posix()}": path
            for path in (FOLDER / "static").rglob("*")
            if path.suffix in TYPES
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        path = self._files.get(scope.get("path", ""))
        if path is None or scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        answer = Response(path.read_bytes(), headers={"content-type": TYPES[path.suffix], "cache-control": FOREVER})
        await answer(scope, receive, send)


INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
# What Streamlit and Plotly need besides files of this server, and why.
SOURCES: Mapping[str, tuple[str, ...]] = {
    "default-src": ("'self'",),
    "script-src": ("'self'", "blob:"),  # components' scripts, made by Streamlit's own
    "style-src": ("'self'", "'unsafe-inline'"),  # for widgets, figures and tables; styles run no code
    "img-src": ("'self'", "data:", "blob:"),  # icons in styles, downloaded figures
    "font-src": ("'self'", "data:"),
    "connect-src": ("'self'",),
    "worker-src": ("'self'", "blob:"),  # tables are searched in a worker
    "frame-src": ("'self'",),
    "object-src": ("'none'",),
    "base-uri": ("'self'",),
    "form-action": ("'self'",),
}
OTHERS: Mapping[str, str] = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",  # addresses name systems and campaigns
}


class Headers:
    """A layer that adds a Content-Security-Policy and related headers to every answer.

    Parameters
    ----------
    frame_ancestors
        Who may show the dashboard in a frame, as the policy has it: ``'self'``, ``*``, or addresses.
    """

    def __init__(self, app: ASGIApp, frame_ancestors: str = "'self'") -> None:
        self._app = app
        self._headers = {"content-security-policy": policy(frame_ancestors), **OTHERS}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and add headers to its answer."""

        async def send_more(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        await self._app(scope, receive, send_more if scope["type"] == "http" else send)


def policy(frame_ancestors: str) -> str:
    """Return the policy; of inline scripts only those of Streamlit's page are allowed."""
    page = (FOLDER / "index.html").read_text(encoding="utf-8")
    digests = (hashlib.sha256(script.encode()).digest() for script in INLINE_SCRIPT.findall(page))
    scripts = (f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    sources = {**SOURCES, "script-src": (*SOURCES["script-src"], *scripts), "frame-ancestors": (frame_ancestors,)}
    return "; ".join(f"{name} {' '.join(allowed)}" for name, allowed in sources.items())


class ScriptName:
    """A layer that tells browsers the name of the app's script, for which Streamlit gives its absolute path."""

    def __init__(self, app: ASGIApp, script: Path) -> None:
        self._app = app
        self._name = script.name
        self._paths = {os.fsencode(script), os.fsencode(script.resolve())}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a connection on, and shorten the path in what is sent."""

        async def send_without_folder(message: Message) -> None:
            content = message.get("bytes") or b""
            if any(path in content for path in self._paths):
                message = {**message, "bytes": self._without_folder(content)}
            await send(message)

        await self._app(scope, receive, send_without_folder if scope["type"] == "websocket" else send)

    def _without_folder(self, content: bytes) -> bytes:
        message = ForwardMsg.FromString(content)
        if message.WhichOneof("type") == "new_session":
            message.new_session.main_script_path = self._name
        return bytes(message.SerializeToString())


PATH = "/metrics"
PASSED_ON = (b"x-forwarded-for", b"x-real-ip", b"forwarded")  # forwarded requests come from other machines


def is_local(scope: Scope) -> bool:
    """Return whether a request comes from this machine, not passed on by a proxy."""
    client = (scope.get("client") or ("",))[0]
    return client in ("127.0.0.1", "::1") and not any(name in PASSED_ON for name, _ in scope["headers"])


class Traffic:
    """A layer that counts requests, and answers for ``PATH`` in Prometheus' format."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._began = time.time()
        self._counts: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or count it and pass it on."""
        if scope["type"] == "websocket":
            await self._visit(scope, receive, send)
        elif scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["path"] == PATH:
            await self._tell(scope, receive, send)
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

    async def _tell(self, scope: Scope, receive: Receive, send: Send) -> None:
        may_read = is_local(scope)
        body = (
            "".join(f"{line}\n" for line in self._lines())
            if may_read
            else "Forbidden: only this machine may read the counts.\n"
        )
        kind = "text/plain; version=0.0.4; charset=utf-8"
        await Response(body, 200 if may_read else 403, {"content-type": kind})(scope, receive, send)

    def _lines(self) -> Iterator[str]:
        used, unit = resource.getrusage(resource.RUSAGE_SELF), 1 if sys.platform == "darwin" else 1024
        values = {
            ("visitors", "gauge", "pages that are open now"): self._counts["visitors"],
            ("visits_total", "counter", "pages that were opened"): self._counts["visits"],
            ("requests_total", "counter", "requests answered"): self._counts["requests"],
            ("errors_total", "counter", "requests that failed in the server"): self._counts["errors"],
            ("received_bytes_total", "counter", "bytes of what was loaded"): self._counts["received"],
            ("largest_memory_bytes", "gauge", "most memory so far"): used.ru_maxrss * unit,
            ("cpu_seconds_total", "counter", "time of the processor"): round(used.ru_utime + used.ru_stime, 2),
            ("start_time_seconds", "gauge", "when the server was started"): round(self._began),
        }
        for (name, kind, words), value in values.items():
            yield f"# HELP mteval_{name} {words}"
            yield f"# TYPE mteval_{name} {kind}"
            yield f"mteval_{name} {value}"


SECONDS_KEPT = 400 * 24 * 3600  # as long as browsers allow


class Visitors:
    """A layer that gives a cookie to browsers without one."""

    def __init__(self, app: ASGIApp, base_path: str = "", is_framed: bool = False) -> None:
        self._app = app
        self._path = f"/{base_path}"
        self._is_framed = is_framed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and add the cookie to its answer."""
        if scope["type"] != "http" or IS_TOKEN.fullmatch(HTTPConnection(scope).cookies.get(COOKIE, "")):
            await self._app(scope, receive, send)
            return

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append("set-cookie", self._cookie(scope))
            await send(message)

        await self._app(scope, receive, send_with_cookie)

    def _cookie(self, scope: Scope) -> str:
        is_encrypted = scope["scheme"] == "https" or (b"x-forwarded-proto", b"https") in scope["headers"]
        cookie = f"{COOKIE}={new_token()}; Path={self._path}; Max-Age={SECONDS_KEPT}; HttpOnly"
        if self._is_framed:  # one per embedding site
            return f"{cookie}; SameSite=None; Secure; Partitioned"
        return f"{cookie}; SameSite=Lax" + ("; Secure" if is_encrypted else "")
