"""Layers in front of Streamlit's server: files, style, security headers, counts, a visitor's cookie, no paths.

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

from mteval.ui.kept_files import ADDRESS, address_of_style, file_at
from mteval.ui.session.browser import COOKIE, IS_TOKEN, new_token

FOLDER = Path(streamlit.__file__).parent / "static"
TYPES: Mapping[str, str] = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".woff2": "font/woff2",
}
VALIDATORS = ("etag", "last-modified")  # of Streamlit's file, which stays if the style changes
FOREVER = "public, immutable, max-age=31536000"  # as Streamlit does: their names contain a digest
INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)

# What Streamlit and Plotly need besides files of this server, and why
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
OTHER_HEADERS: Mapping[str, str] = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",  # addresses name systems and campaigns
}
PATH = "/metrics"
PASSED_ON = (b"x-forwarded-for", b"x-real-ip", b"forwarded")  # forwarded requests come from other machines
SECONDS_KEPT = 400 * 24 * 3600  # as long as browsers allow


class Assets:
    """A layer that serves the files of ``FOLDER`` whose names contain a digest, and those that browsers keep.

    Streamlit's own way, through four layers and a thread for each piece of a file, takes ten times as long. What is
    not among the files that were there at the start is passed on.
    """

    def __init__(self, app: ASGIApp, base_path: str = "") -> None:
        self._app = app
        prefix = f"/{base_path}" if base_path else ""
        self._kept = f"{prefix}/{ADDRESS}/"
        self._files: dict[str, Path] = {}  # by the path of a request
        for path in (FOLDER / "static").rglob("*"):
            if path.suffix in TYPES:
                self._files[f"{prefix}/{path.relative_to(FOLDER).as_posix()}"] = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        address = scope.get("path", "")
        content = None
        if scope["type"] == "http" and scope["method"] == "GET":
            content = self._content(address)
        if content is None:
            await self._app(scope, receive, send)
            return
        headers = {"content-type": TYPES[Path(address).suffix], "cache-control": FOREVER}
        await Response(content, headers=headers)(scope, receive, send)

    def _content(self, address: str) -> bytes | None:
        """Return what is at an address; None if it is not served here."""
        if address.startswith(self._kept):
            return file_at(address.removeprefix(self._kept))
        path = self._files.get(address)
        return None if path is None else path.read_bytes()


class Dressed:
    """A layer that puts a link to the style into the page, so that nothing is shown without it.

    The link is the last of the body: rules of the style win over Streamlit's of the same weight.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and add the link to the answer if that is a page."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        start: Message = {}
        page = bytearray()

        async def send_with_link(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_page(message):
                start = message
            elif not start:
                await send(message)
            else:
                page.extend(message.get("body", b""))
                if not message.get("more_body", False):
                    content = _with_link(bytes(page))
                    headers = MutableHeaders(scope=start)
                    headers["content-length"] = str(len(content))
                    for name in VALIDATORS:
                        del headers[name]
                    await send(start)
                    await send({"type": "http.response.body", "body": content})

        await self._app({**scope, "headers": _without_validators(scope)}, receive, send_with_link)


def _is_page(start: Message) -> bool:
    """Return whether an answer is a page as Streamlit sends it."""
    headers = MutableHeaders(scope=start)
    is_html = headers.get("content-type", "").startswith("text/html")
    return start["status"] == 200 and is_html and "content-encoding" not in headers


def _without_validators(scope: Scope) -> list[tuple[bytes, bytes]]:
    """Return the headers of a request; one for a page without what asks whether Streamlit's file has changed."""
    headers: list[tuple[bytes, bytes]] = list(scope["headers"])
    if not any(name == b"accept" and b"text/html" in value for name, value in headers):
        return headers
    return [(name, value) for name, value in headers if not name.startswith((b"if-", b"range"))]


def _with_link(page: bytes) -> bytes:
    """Return a page with the link to the style; its address is relative, like those of Streamlit's own files."""
    link = f'<link rel="stylesheet" href="./{ADDRESS}/{address_of_style()}">'
    before, end, after = page.rpartition(b"</body>")
    return before + link.encode() + end + after


class Headers:
    """A layer that adds a Content-Security-Policy and related headers to every answer.

    Parameters
    ----------
    frame_ancestors
        Who may show the dashboard in a frame, as the policy has it: ``'self'``, ``*``, or addresses.
    """

    def __init__(self, app: ASGIApp, frame_ancestors: str = "'self'") -> None:
        self._app = app
        self._headers = {"content-security-policy": policy(frame_ancestors), **OTHER_HEADERS}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and add headers to its answer."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        if scope["type"] == "http":
            await self._app(scope, receive, send_with_headers)
        else:
            await self._app(scope, receive, send)


def policy(frame_ancestors: str) -> str:
    """Return the policy; of inline scripts only those of Streamlit's page are allowed."""
    page = (FOLDER / "index.html").read_text(encoding="utf-8")
    sources_of_scripts = [*SOURCES["script-src"]]
    for script in INLINE_SCRIPT.findall(page):
        digest = hashlib.sha256(script.encode()).digest()
        sources_of_scripts.append(f"'sha256-{base64.b64encode(digest).decode()}'")
    sources = {**SOURCES, "script-src": tuple(sources_of_scripts), "frame-ancestors": (frame_ancestors,)}
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

        if scope["type"] == "websocket":
            await self._app(scope, receive, send_without_folder)
        else:
            await self._app(scope, receive, send)

    def _without_folder(self, content: bytes) -> bytes:
        """Return a message with the name of the script in place of its path, if it starts a session."""
        message = ForwardMsg.FromString(content)
        if message.WhichOneof("type") == "new_session":
            message.new_session.main_script_path = self._name
        return bytes(message.SerializeToString())


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
            await self._count_visit(scope, receive, send)
        elif scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["path"] == PATH:
            await self._answer(scope, receive, send)
        else:
            await self._count_request(scope, receive, send)

    async def _count_visit(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a connection on, and count its visitor as long as it is open."""
        self._counts.update(visits=1, visitors=1)
        try:
            await self._app(scope, receive, send)
        finally:
            self._counts["visitors"] -= 1

    async def _count_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and count it with its bytes and errors."""

        async def counted_receive() -> Message:
            message = await receive()
            self._counts["received"] += len(message.get("body", b""))
            return message

        async def counted_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._counts.update(requests=1, errors=int(message["status"] >= 500))
            await send(message)

        await self._app(scope, counted_receive, counted_send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the counts, or refuse requests from other machines."""
        if is_local(scope):
            status = 200
            body = "".join(f"{line}\n" for line in self._lines())
        else:
            status = 403
            body = "Forbidden: only this machine may read the counts.\n"
        headers = {"content-type": "text/plain; version=0.0.4; charset=utf-8"}
        await Response(body, status, headers)(scope, receive, send)

    def _lines(self) -> Iterator[str]:
        """Yield three lines per count: its explanation, its kind, its value."""
        usage = resource.getrusage(resource.RUSAGE_SELF)
        largest_memory = usage.ru_maxrss if sys.platform == "darwin" else usage.ru_maxrss * 1024  # else in KiB
        cpu_seconds = round(usage.ru_utime + usage.ru_stime, 2)
        counts = self._counts
        values = (
            ("visitors", "gauge", "open pages", counts["visitors"]),
            ("visits_total", "counter", "pages opened", counts["visits"]),
            ("requests_total", "counter", "requests answered", counts["requests"]),
            ("errors_total", "counter", "requests that failed in the server", counts["errors"]),
            ("received_bytes_total", "counter", "bytes loaded", counts["received"]),
            ("largest_memory_bytes", "gauge", "peak memory", largest_memory),
            ("cpu_seconds_total", "counter", "processor time", cpu_seconds),
            ("start_time_seconds", "gauge", "when the server was started", round(self._began)),
        )
        for name, kind, explanation, value in values:
            yield f"# HELP mteval_{name} {explanation}"
            yield f"# TYPE mteval_{name} {kind}"
            yield f"mteval_{name} {value}"


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
        """Return a new cookie, for encrypted connections only if this one is encrypted."""
        cookie = f"{COOKIE}={new_token()}; Path={self._path}; Max-Age={SECONDS_KEPT}; HttpOnly"
        if self._is_framed:  # one per embedding site
            return f"{cookie}; SameSite=None; Secure; Partitioned"
        cookie += "; SameSite=Lax"
        is_encrypted = scope["scheme"] == "https" or (b"x-forwarded-proto", b"https") in scope["headers"]
        if is_encrypted:
            cookie += "; Secure"
        return cookie
