"""The cookie by which a browser is known again."""

from http.cookies import SimpleCookie
from typing import Any

import pytest

from mteval.ui.server.layers import Visitors
from mteval.ui.session.browser import COOKIE, IS_TOKEN, new_token
from tests.coroutines import completed

PAGE = [(b"content-type", b"text/html; charset=utf-8")]


def cookies_given(answer: list[Any] = PAGE, base_path: str = "", is_framed: bool = False, **scope: Any) -> SimpleCookie:
    """What a browser is given with an answer of those headers."""
    sent_messages: list[Any] = []

    async def behind(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": answer})
        await send({"type": "http.response.body", "body": b"x"})

    async def send(message: Any) -> None:
        sent_messages.append(message)

    async def receive() -> Any:
        raise AssertionError("nothing is to be read")

    request = {"type": "http", "method": "GET", "path": "/", "scheme": "http", "headers": []} | scope
    completed(Visitors(behind, base_path, is_framed)(request, receive, send))

    start, body = sent_messages
    assert "body" not in start
    assert body["body"] == b"x"
    cookies = b"; ".join(value for name, value in start["headers"] if name == b"set-cookie").decode()
    return SimpleCookie(cookies.removesuffix("; Partitioned"))  # a word that Python's parser learns in 3.14


def test_a_new_browser_gets_a_name_that_no_script_reads() -> None:
    cookie = cookies_given()[COOKIE]
    cookie_of_another_browser = cookies_given()[COOKIE]

    assert IS_TOKEN.fullmatch(cookie.value)
    assert cookie.value != cookie_of_another_browser.value
    assert cookie["httponly"] is True
    assert cookie["samesite"] == "Lax"
    assert cookie["path"] == "/"
    assert cookie["secure"] == ""


def test_it_holds_below_the_base_path_and_only_encrypted_where_the_page_was() -> None:
    forwarded = [(b"x-forwarded-proto", b"https")]
    cookie = cookies_given(base_path="lab/mteval", headers=forwarded)[COOKIE]

    assert cookie["path"] == "/lab/mteval"
    assert cookie["secure"] is True
    assert cookies_given(scheme="https")[COOKIE]["secure"]


def test_in_a_frame_of_another_site_it_is_kept_for_that_site() -> None:
    cookie = cookies_given(is_framed=True)[COOKIE]

    assert cookie["samesite"] == "None"
    assert cookie["secure"] is True


@pytest.mark.parametrize("value", ["", "short", "a" * 31 + "!", "a" * 400])
def test_what_is_no_such_name_is_replaced(value: str) -> None:
    header = f"x=1; {COOKIE}={value}".encode()

    assert COOKIE in cookies_given(headers=[(b"cookie", header)])


def test_a_known_browser_keeps_its_name_and_files_bring_none() -> None:
    header = f"x=1; {COOKIE}={new_token()}".encode()

    assert not cookies_given(headers=[(b"cookie", header)])
    assert not cookies_given(answer=[(b"content-type", b"application/json")])
