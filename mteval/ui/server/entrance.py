"""Layers that refuse requests at the door: under foreign names of the host, from other origins, and too many uploads.

A page elsewhere whose name resolves to this machine could otherwise talk to the server like its own pages. Uploads
arrive before any page sees them, so they are counted here.
"""

import ipaddress
import socket
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime

from mteval.base.errors import MtevalError
from mteval.library import configured_library
from mteval.ui.server.layers import is_local
from mteval.ui.session.memory import MIB
from mteval.ui.session.progress import leaving
from mteval.ui.session.visitor import sign_in_of

SAFE = ("GET", "HEAD", "OPTIONS")
USUAL_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
MOST_BYTES = 1024 * MIB  # of a session's uploads that no page has taken yet
# Addresses of Streamlit
UPLOADS = "/_stcore/upload_file/"  # followed by the session
STREAMLIT_COUNTS = "/_stcore/metrics"


class Entrance:
    """A layer that answers only under known names of the host, and only its own pages.

    Parameters
    ----------
    hosts
        Known names besides ``localhost``, this machine's name and addresses in digits; None admits any name.
    has_counts
        Whether this machine may read Streamlit's counts.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str] | None = (), has_counts: bool = False) -> None:
        self._app = app
        self._has_counts = has_counts
        self._hosts: set[str] | None = None
        if hosts is not None:
            self._hosts = {name.lower() for name in (*hosts, "localhost", socket.gethostname())}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        refusal = ""
        if scope["type"] in ("http", "websocket"):
            refusal = self._refusal(scope)
        if not refusal:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})  # before it is accepted: status 403
        else:
            await Response(refusal, 403, media_type="text/plain")(scope, receive, send)

    def _refusal(self, scope: Scope) -> str:
        """Return why a request is refused; empty if it is not."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        origin = headers.get("origin")
        name = _name_of(host)
        if self._hosts is not None and not _is_known(name, self._hosts):
            return f"This server does not answer as '{name[:100]}'. Start it with --host to admit that name.\n"
        may_change_something = scope["type"] == "websocket" or scope["method"] not in SAFE
        if may_change_something and origin is not None and not _is_same(origin, host):
            return "Refused: the request comes from another origin.\n"
        if scope["path"].endswith(STREAMLIT_COUNTS) and not (self._has_counts and is_local(scope)):
            return "Forbidden.\n"
        return ""


def _name_of(host: str) -> str:
    """Return the name in a host with an optional port; empty if it is malformed."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _is_known(name: str, hosts: Collection[str]) -> bool:
    """Return whether a name is known, or an address in digits, which cannot be made to point elsewhere."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name in hosts
    return True


def _is_same(origin: str, host: str) -> bool:
    """Return whether an origin is the host itself, with the same port."""
    try:
        page = urlsplit(origin)
        server = urlsplit(f"//{host}")
        usual_port = USUAL_PORTS.get(page.scheme)
        return (page.hostname, page.port or usual_port) == (server.hostname, server.port or usual_port)
    except ValueError:
        return False


class Uploads:
    """A layer that counts the uploads of each session until a page takes them, and refuses those above the limit.

    Parameters
    ----------
    most_bytes
        Limit per session.
    needs_sign_in
        Whether only those who signed in may upload.
    """

    def __init__(self, app: ASGIApp, most_bytes: float = MOST_BYTES, needs_sign_in: bool = False) -> None:
        self._app = app
        self._most_bytes = min(most_bytes, MOST_BYTES)
        self._needs_sign_in = needs_sign_in
        self._arriving: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        _, separator, rest = scope.get("path", "").partition(UPLOADS)
        is_for_uploads = bool(separator)
        session = rest.partition("/")[0]
        if scope["type"] != "http" or not is_for_uploads or scope["method"] in ("DELETE", *SAFE):
            await self._app(scope, receive, send)
            return
        if self._needs_sign_in and not _has_signed_in(session):
            await Response("Sign in first.\n", 401, media_type="text/plain")(scope, receive, send)
            return
        length = Headers(scope=scope).get("content-length", "0")
        announced = int(length) if length.isdigit() else 0
        if self._held_bytes(session) + announced > self._most_bytes:
            text = f"A session takes {self._most_bytes / MIB:g} MB of files.\n"
            await Response(text, 413, media_type="text/plain")(scope, receive, send)
            return
        leaving().watch(session)  # frees the files even if no page is ever drawn
        received = 0

        async def counted_receive() -> Message:
            nonlocal received
            message = await receive()
            n_bytes = len(message.get("body", b""))
            received += n_bytes
            self._arriving[session] += n_bytes
            if self._held_bytes(session) > self._most_bytes:
                # The app has begun to answer, so a status with a reason would come too late
                return {"type": "http.disconnect"}
            return message

        try:
            await self._app(scope, counted_receive, send)
        finally:
            self._arriving[session] -= received
            if not self._arriving[session]:
                del self._arriving[session]

    def _held_bytes(self, session: str) -> int:
        """Return the bytes of a session's uploads that are arriving, or that no page has taken."""
        return self._arriving[session] + sum(len(file.data) for file in _stored(session).values())


def _stored(session: str) -> Mapping[str, Any]:
    """Return the files of a session that no page has taken."""
    manager: Any = runtime.get_instance().uploaded_file_mgr
    return dict(manager.file_storage.get(session) or {})


def _has_signed_in(session: str) -> bool:
    """Return whether whoever opened a session has signed in, and not out again."""
    server: Any = runtime.get_instance()
    info = server._session_mgr.get_active_session_info(session)
    if info is None:
        return False
    sign_in = sign_in_of(info.session._user_info)
    try:
        return bool(sign_in) and not configured_library().has_ended(sign_in)
    except MtevalError:
        return False
