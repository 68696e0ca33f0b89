"""The layer that sends Streamlit's own files."""

from typing import Any

import pytest

from mteval.ui.server.layers import FOLDER, Assets
from tests.coroutines import completed

FONT = next(path for path in sorted((FOLDER / "static").rglob("*.woff2")))
SCRIPT = next(path for path in sorted((FOLDER / "static").rglob("*.js")))


def path_of(file: Any) -> str:
    return f"/{file.relative_to(FOLDER).as_posix()}"


def asked(scope: dict[str, Any], base_path: str = "") -> list[Any]:
    """What is sent in answer; the word "passed on" where the server behind was asked."""
    sent: list[Any] = []

    async def behind(scope: Any, receive: Any, send: Any) -> None:
        sent.append("passed on")

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError("nothing is to be read")

    completed(Assets(behind, base_path)(scope, receive, send))
    return sent


@pytest.mark.parametrize(("file", "content_type"), [(FONT, b"font/woff2"), (SCRIPT, b"text/javascript; charset=utf-8")])
def test_a_file_is_sent_whole_with_its_type_and_may_be_kept(file: Any, content_type: bytes) -> None:
    start, body = asked({"type": "http", "method": "GET", "path": path_of(file)})
    headers = dict(start["headers"])
    assert start["status"] == 200
    assert headers[b"content-type"] == content_type
    assert headers[b"content-length"] == str(file.stat().st_size).encode()
    assert b"immutable" in headers[b"cache-control"]
    assert body["body"] == file.read_bytes()


@pytest.mark.parametrize(
    "scope",
    [
        {"type": "http", "method": "GET", "path": "/"},
        {"type": "http", "method": "GET", "path": "/index.html"},
        {"type": "http", "method": "GET", "path": "/static/js/none.js"},
        {"type": "http", "method": "GET", "path": "/static/../../config.py"},
        {"type": "http", "method": "HEAD", "path": path_of(SCRIPT)},
        {"type": "websocket", "path": path_of(SCRIPT)},
        {"type": "lifespan"},
    ],
)
def test_all_else_is_left_to_the_server(scope: dict[str, Any]) -> None:
    assert asked(scope) == ["passed on"]


def test_below_a_base_path_they_have_it_before_them() -> None:
    scope = {"type": "http", "method": "GET"}
    assert len(asked(scope | {"path": f"/lab/mteval{path_of(SCRIPT)}"}, "lab/mteval")) == 2
    assert asked(scope | {"path": path_of(SCRIPT)}, "lab/mteval") == ["passed on"]
