"""Layers that refuse requests at the door: under foreign names of the host, from other origins, and uploads too many.

A page elsewhere whose name resolves to this machine could otherwise talk to the server like its own pages. Uploads
arrive before any page sees them, so they are counted here.
"""

import ipaddress
import socket
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

from anyio.to_thread import run_sync
from msgspec import Struct
from starlette.datastructures import Headers as Received
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime

from mteval.annotations import Answer
from mteval.annotations.database import shared_store
from mteval.annotations.store import OutdatedError
from mteval.base.bounded_input import Name, Place, bounded_json, decoded
from mteval.base.errors import DataError, InputError, MtevalError, SettingsError
from mteval.library import configured_library
from mteval.ui.server.layers import is_local
from mteval.ui.session.memory import MIB
from mteval.ui.session.progress import leaving
from mteval.ui.session.visitor import sign_in_of
from mteval.values.asker import Asker
from mteval.values.service import is_demo

SAFE = ("GET", "HEAD", "OPTIONS")
USUAL_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
MOST_BYTES = 1024 * MIB  # of a session's uploads that no page has taken yet
UPLOADS = "/_stcore/upload_file/"  # followed by the session; Streamlit's
METRICS = "/_stcore/metrics"  # Streamlit's counts
PATH = "/_answers"
MOST_ANSWER_BYTES = 1 << 20
STATUS = {InputError: 400, SettingsError: 400, OutdatedError: 409, DataError: 403}  # what may be repeated has 503


class Entrance:
    """A layer that answers under known names of the host only, and to pages of its own.

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
        headers = Received(scope=scope)
        host = headers.get("host", "")
        origin = headers.get("origin")
        name = _name_of(host)
        if self._hosts is not None and not _is_known(name, self._hosts):
            return f"This server does not answer as '{name[:100]}'. Start it with --host to admit that name.\n"
        may_change_something = scope["type"] == "websocket" or scope["method"] not in SAFE
        if may_change_something and origin is not None and not _is_same(origin, host):
            return "Refused: the request comes from another origin.\n"
        if scope["path"].endswith(METRICS) and not (self._has_counts and is_local(scope)):
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
    """A layer that counts the uploads of each session until a page takes them, and refuses what is too much.

    Parameters
    ----------
    most_bytes
        Of a session.
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
        length = Received(scope=scope).get("content-length", "0")
        announced = int(length) if length.isdigit() else 0
        if self._held_bytes(session) + announced > self._most_bytes:
            text = f"A session takes {self._most_bytes / MIB:g} MB of files.\n"
            await Response(text, 413, media_type="text/plain")(scope, receive, send)
            return
        leaving().watch(session)  # so that they are given back also when no page was ever drawn
        received = 0

        async def counted_receive() -> Message:
            nonlocal received
            message = await receive()
            n_bytes = len(message.get("body", b""))
            received += n_bytes
            self._arriving[session] += n_bytes
            if self._held_bytes(session) > self._most_bytes:
                return {"type": "http.disconnect"}  # too late for a status with a reason
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


class _Sent(Struct, forbid_unknown_fields=True):
    token: Name
    task: Place
    answer: Answer


class Answers:
    """A layer that saves answers to annotators' tasks."""

    def __init__(self, app: ASGIApp, base_path: str = "") -> None:
        self._app = app
        self._path = f"/{base_path}{PATH}" if base_path else PATH

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Save an answer, or pass the request on."""
        if scope["type"] != "http" or scope["path"] != self._path or is_demo():
            await self._app(scope, receive, send)
            return
        status = 405
        content: dict[str, object] = {"error": "Send answers by POST."}
        if scope["method"] == "POST":
            body = bytearray()
            async for piece in Request(scope, receive).stream():
                body += piece
                if len(body) > MOST_ANSWER_BYTES:
                    break
            status, content = await run_sync(_save, bytes(body))
        await JSONResponse(content, status, {"cache-control": "no-store"})(scope, receive, send)


def _save(body: bytes) -> tuple[int, dict[str, object]]:
    """Return the status, and the new revision or what is wrong."""
    try:
        if len(body) > MOST_ANSWER_BYTES:
            raise InputError(f"The answer has more than {MOST_ANSWER_BYTES >> 20} MiB. Shorten it.")
        sent = decoded(_json(body), _Sent, None)
        revision = shared_store().answer(sent.task, sent.answer, Asker(token=sent.token))
    except MtevalError as error:
        # The nearest kind of error that has a status decides.
        status = next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 503)
        return status, {"error": str(error)}
    return 200, {"revision": revision}


def _json(body: bytes) -> object:
    """Return the JSON in a request.

    Raises
    ------
    InputError
        If it is no JSON.
    """
    try:
        return bounded_json(body.decode("utf-8"), is_strict=True)
    except ValueError as error:
        raise InputError(f"The answer is not JSON ({error}). Reload the page.") from error
