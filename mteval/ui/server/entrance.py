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
MOST_BYTES = 1024 * MIB  # of a session's uploads that no page has taken yet


class Entrance:
    """A layer that answers under known names of the host only, and to pages of its own.

    Parameters
    ----------
    hosts
        Known names beside ``localhost``, this machine's name and addresses in digits; None admits any name.
    has_counts
        Whether this machine may read Streamlit's counts.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str] | None = (), has_counts: bool = False) -> None:
        self._app, self._has_counts = app, has_counts
        own = ("localhost", socket.gethostname())
        self._hosts = None if hosts is None else {name.lower() for name in (*hosts, *own)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        refusal = self._refusal(scope) if scope["type"] in ("http", "websocket") else ""
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
        host, origin = headers.get("host", ""), headers.get("origin")
        if self._hosts is not None and not _is_known(_name(host), self._hosts):
            return f"This server does not answer as '{_name(host)[:100]}'. Start it with --host to admit that name.\n"
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE
        if changes and origin is not None and not _is_same(origin, host):
            return "Refused: the request comes from another origin.\n"
        if scope["path"].endswith("/_stcore/metrics") and not (self._has_counts and is_local(scope)):  # Streamlit's
            return "Forbidden.\n"
        return ""


def _name(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _is_known(name: str, hosts: Collection[str]) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name in hosts
    return True  # an address in digits cannot be made to point elsewhere


def _is_same(origin: str, host: str) -> bool:
    """Return whether an origin is the host itself, with the same port."""
    try:
        page, server = urlsplit(origin), urlsplit(f"//{host}")
        usual = {"http": 80, "https": 443, "ws": 80, "wss": 443}.get(page.scheme)
        return (page.hostname, page.port or usual) == (server.hostname, server.port or usual)
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
        self._app, self._most, self._needs_sign_in = app, min(most_bytes, MOST_BYTES), needs_sign_in
        self._arriving: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        _, found, rest = scope.get("path", "").partition("/_stcore/upload_file/")
        session = rest.partition("/")[0]
        if scope["type"] != "http" or not found or scope["method"] in ("DELETE", *SAFE):
            await self._app(scope, receive, send)
            return
        if self._needs_sign_in and not _has_signed_in(session):
            await Response("Sign in first.\n", 401, media_type="text/plain")(scope, receive, send)
            return
        length = Received(scope=scope).get("content-length", "0")
        if self._held(session) + (int(length) if length.isdigit() else 0) > self._most:
            text = f"A session takes {self._most / MIB:g} MB of files.\n"
            await Response(text, 413, media_type="text/plain")(scope, receive, send)
            return
        leaving().watch(session)  # so that they are given back also when no page was ever drawn
        came = 0

        async def counted() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            self._arriving[session] += len(message.get("body", b""))
            return {"type": "http.disconnect"} if self._held(session) > self._most else message

        try:
            await self._app(scope, counted, send)
        finally:
            self._arriving[session] -= came
            if not self._arriving[session]:
                del self._arriving[session]

    def _held(self, session: str) -> int:
        return self._arriving[session] + sum(len(file.data) for file in _stored(session).values())


def _stored(session: str) -> Mapping[str, Any]:
    """Return the files of a session that no page has taken."""
    manager: Any = runtime.get_instance().uploaded_file_mgr
    return dict(manager.file_storage.get(session) or {})


def _has_signed_in(session: str) -> bool:
    """Return whether whoever opened a session has signed in, and not out again."""
    server: Any = runtime.get_instance()
    found = server._session_mgr.get_active_session_info(session)
    sign_in = "" if found is None else sign_in_of(found.session._user_info)
    try:
        return bool(sign_in) and not configured_library().has_ended(sign_in)
    except MtevalError:
        return False


PATH = "/_answers"
MOST_ANSWER_BYTES = 1 << 20
STATUS = {InputError: 400, SettingsError: 400, OutdatedError: 409, DataError: 403}  # what may be repeated has 503


class _Sent(Struct, forbid_unknown_fields=True):
    token: Name
    task: Place
    answer: Answer


class Answers:
    """A layer that saves answers to annotators' tasks."""

    def __init__(self, app: ASGIApp, base_path: str = "") -> None:
        self._app, self._path = app, (f"/{base_path}" if base_path else "") + PATH

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Save an answer, or pass the request on."""
        if scope["type"] != "http" or scope["path"] != self._path or is_demo():
            await self._app(scope, receive, send)
            return
        status, told = 405, dict[str, object](error="Send answers by POST.")
        if scope["method"] == "POST":
            body = bytearray()
            async for piece in Request(scope, receive).stream():
                body += piece
                if len(body) > MOST_ANSWER_BYTES:
                    break
            status, told = await run_sync(_save, bytes(body))
        await JSONResponse(told, status, {"cache-control": "no-store"})(scope, receive, send)


def _save(body: bytes) -> tuple[int, dict[str, object]]:
    """Return the status, and the new revision or what is wrong."""
    try:
        if len(body) > MOST_ANSWER_BYTES:
            raise InputError(f"The answer has more than {MOST_ANSWER_BYTES >> 20} MiB. Shorten it.")
        sent = decoded(_json(body), _Sent, None)
        return 200, {"revision": shared_store().answer(sent.task, sent.answer, Asker(token=sent.token))}
    except MtevalError as error:
        status = next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 503)
        return status, {"error": str(error)}


def _json(body: bytes) -> object:
    try:
        return bounded_json(body.decode("utf-8"), is_strict=True)
    except ValueError as error:
        raise InputError(f"The answer is not JSON ({error}). Reload the page.") from error
