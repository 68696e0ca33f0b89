"""The route of the server that saves annotators' answers.

The browser sends each answer by itself, so none has to wait until the page is drawn anew.
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

ANSWERS_PATH = "/_answers"
MOST_ANSWER_BYTES = 1 << 20
# Answers to errors that sending again would not help: bad input, an outdated window, and a task not open to the sender
STATUS_OF = {InputError: 400, SettingsError: 400, OutdatedError: 409, DataError: 403}
MAY_BE_REPEATED = 503  # of all other errors, e.g. a locked database


class _Sent(Struct, forbid_unknown_fields=True):
    """The body of a request: the secret of the sender's link, a task, and the answer to it."""

    token: Name
    task: Place
    answer: Answer


class Answers:
    """A layer that saves answers to annotators' tasks."""

    def __init__(self, app: ASGIApp, base_path: str = "") -> None:
        self._app = app
        self._path = f"/{base_path}{ANSWERS_PATH}" if base_path else ANSWERS_PATH

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
        return _status_of(error), {"error": str(error)}
    return 200, {"revision": revision}


def _status_of(error: MtevalError) -> int:
    """Return the status of the nearest kind of error that has one."""
    for kind in type(error).__mro__:
        if kind in STATUS_OF:
            return STATUS_OF[kind]
    return MAY_BE_REPEATED


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
