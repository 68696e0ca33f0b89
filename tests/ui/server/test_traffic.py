"""Counts of what is going on, told to this machine alone."""

from typing import Any

import pytest

from mteval.ui.server.layers import Traffic
from tests.coroutines import completed


async def _behind(scope: Any, receive: Any, send: Any) -> None:
    await receive()
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": scope["status"], "headers": []})


def ask(traffic: Traffic, **scope: Any) -> list[Any]:
    """What is sent in answer."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"12345"}

    whole = {"type": "http", "path": "/metrics", "client": ("127.0.0.1", 9), "headers": [], "status": 200} | scope
    completed(traffic(whole, receive, send))
    return sent


def test_requests_visits_and_errors_are_counted() -> None:
    traffic = Traffic(_behind)
    ask(traffic, path="/x")
    ask(traffic, path="/y", status=500)
    ask(traffic, type="websocket", path="/_stcore/stream")
    start, body = ask(traffic)
    assert start["status"] == 200
    values = dict(line.split() for line in body["body"].decode().splitlines() if line[0] != "#")
    expected = {"visitors": "0", "visits_total": "1", "requests_total": "2", "errors_total": "1"}
    expected["received_bytes_total"] = "10"
    assert {name: values[f"mteval_{name}"] for name in expected} == expected
    assert float(values["mteval_largest_memory_bytes"]) > 1e6


@pytest.mark.parametrize(
    "scope",
    [
        {"client": ("192.0.2.7", 9)},
        {"client": None},
        {"headers": [(b"x-forwarded-for", b"192.0.2.7")]},
        {"headers": [(b"forwarded", b"for=192.0.2.7")]},
    ],
)
def test_nobody_else_is_told(scope: dict[str, Any]) -> None:
    start, body = ask(Traffic(_behind), **scope)
    assert start["status"] == 403
    assert b"mteval_" not in body["body"]
