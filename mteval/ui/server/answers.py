"""The route by which annotators' answers arrive, authorised by the token of their link.

An answer is acknowledged once the database has it. The browser keeps and repeats what is not acknowledged.
"""

from anyio.to_thread import run_sync
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from mteval.annotations import Answer
from mteval.annotations.database import shared_store
from mteval.annotations.store import OutdatedError
from mteval.base.bounded_input import Name, Place, bounded_json, decoded
from mteval.base.errors import DataError, InputError, MtevalError, SettingsError
from mteval.values.asker import Asker
from mteval.values.service import is_demo

PATH = "/_answers"
MOST_BYTES = 1 << 20
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
                if len(body) > MOST_BYTES:
                    break
            status, told = await run_sync(_save, bytes(body))
        await JSONResponse(told, status, {"cache-control": "no-store"})(scope, receive, send)


def _save(body: bytes) -> tuple[int, dict[str, object]]:
    """Return the status, and the new revision or what is wrong."""
    try:
        if len(body) > MOST_BYTES:
            raise InputError(f"The answer has more than {MOST_BYTES >> 20} MiB. Shorten it.")
        sent = decoded(_json(body), _Sent, None)
        return 200, {"revision": shared_store().answer(sent.task, sent.answer, Asker(token=sent.token))}
    except MtevalError as error:
        status = next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 503)
        return status, {"error": str(error)}


def _json(body: bytes) -> object:
    try:
        return bounded_json(body.decode("utf-8"))
    except ValueError as error:
        raise InputError(f"The answer is not JSON ({error}). Reload the page.") from error
