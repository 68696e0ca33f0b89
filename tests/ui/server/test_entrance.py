"""What is refused at the door: foreign names and origins, counts, and uploads beyond what a session may have."""

from types import SimpleNamespace
from typing import Any

import pytest

from mteval.ui.server import entrance
from mteval.ui.server.entrance import Entrance, Uploads
from tests.coroutines import completed


async def _behind(scope: Any, receive: Any, send: Any) -> None:
    """The application behind the door: it reads all that is sent, and answers with 204."""
    message = {"more_body": scope["type"] == "http"}
    while message.get("more_body"):
        message = await receive()
        if message["type"] == "http.disconnect":
            return
    await send({"type": "http.response.start", "status": 204, "headers": []})


def status(layer: Any, *messages: bytes, **scope: Any) -> int:
    """The status of the answer; 403 for a websocket that is closed, 0 where there is no answer."""
    sent_messages: list[Any] = []
    request_messages = [{"type": "http.request", "body": body, "more_body": True} for body in messages]
    request_messages.append({"type": "http.request", "body": b"", "more_body": False})
    messages_to_come = iter(request_messages)

    async def send(message: Any) -> None:
        sent_messages.append(message)

    async def receive() -> Any:
        return next(messages_to_come)

    request: dict[str, Any] = {"type": "http", "method": "GET", "path": "/", "client": ("127.0.0.1", 9), "headers": []}
    request |= scope
    request["headers"] = [(name.encode(), value.encode()) for name, value in request["headers"]]
    completed(layer(request, receive, send))

    if not sent_messages:
        return 0
    if sent_messages[0]["type"] == "websocket.close":
        return 403
    return sent_messages[0]["status"]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1:8501", 204), ("localhost:8501", 204), ("[::1]:8501", 204), ("192.0.2.7", 204), ("lab.example", 204),
        ("LAB.example:443", 204), ("evil.example:8501", 403), ("", 403), ("localhost.evil.example", 403), ("[", 403),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_only_known_names_are_answered(host: str, expected: int, kind: str) -> None:
    assert status(Entrance(_behind, ["lab.example"]), type=kind, headers=[("host", host)]) == expected
    assert status(Entrance(_behind, None), type=kind, headers=[("host", host)]) == 204  # a demo is open to all


@pytest.mark.parametrize(
    ("origin", "host", "expected"),
    [
        ("http://localhost:8501", "localhost:8501", 204), ("https://lab.example", "lab.example", 204),
        ("https://lab.example", "lab.example:443", 204), ("http://localhost:3000", "localhost:8501", 403),
        ("http://127.0.0.1:8501", "localhost:8501", 403), ("null", "localhost:8501", 403), (None, "localhost", 204),
    ],
)  # fmt: skip
def test_other_origins_may_look_but_not_act(origin: str | None, host: str, expected: int) -> None:
    headers = [("host", host)]
    if origin is not None:
        headers.append(("origin", origin))
    layer = Entrance(_behind, ["lab.example"])

    assert status(layer, type="websocket", headers=headers) == expected
    assert status(layer, method="PUT", headers=headers) == expected
    assert status(layer, headers=headers) == 204


@pytest.mark.parametrize(
    ("has_counts", "client", "headers", "expected"),
    [
        (False, "127.0.0.1", [], 403), (True, "127.0.0.1", [], 204), (True, "192.0.2.7", [], 403),
        (True, "127.0.0.1", [("x-forwarded-for", "192.0.2.7")], 403),
    ],
)  # fmt: skip
def test_streamlits_counts_are_for_this_machine_alone(
    has_counts: bool, client: str, headers: list[tuple[str, str]], expected: int
) -> None:
    layer = Entrance(_behind, (), has_counts)
    headers = [("host", "localhost"), *headers]

    assert status(layer, path="/lab/_stcore/metrics", client=(client, 1), headers=headers) == expected


PUT = {"method": "PUT", "path": "/_stcore/upload_file/session/file"}


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the server holds of the session, by file."""
    files: dict[str, Any] = {}
    watched: list[str] = []
    monkeypatch.setattr(entrance, "_stored", lambda session: files)
    monkeypatch.setattr(entrance, "leaving", lambda: SimpleNamespace(watch=watched.append))
    return files


def test_uploads_count_until_a_page_takes_them(stored: dict[str, Any]) -> None:
    layer = Uploads(_behind, most_bytes=100)

    assert status(layer, b"a" * 60, **PUT) == 204
    stored["first"] = SimpleNamespace(data=b"a" * 60)

    # 40 bytes are left
    assert status(layer, b"a" * 30, b"a" * 20, **PUT) == 0  # cut off as it comes
    assert status(layer, headers=[("content-length", "50")], **PUT) == 413
    assert status(layer, b"a" * 40, headers=[("content-length", "40")], **PUT) == 204

    stored.clear()
    assert status(layer, b"a" * 90, **PUT) == 204
    assert not layer._arriving


def test_uploads_before_sign_in_are_refused(stored: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance, "_has_signed_in", lambda session: session == "known")
    layer = Uploads(_behind, needs_sign_in=True)
    assert status(layer, b"a", **PUT) == 401
    assert status(layer, b"a", method="PUT", path="/lab/_stcore/upload_file/known/file") == 204
    assert status(layer, path="/") == 204
