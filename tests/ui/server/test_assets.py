"""The layer that sends Streamlit's own files."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mteval.ui import kept_files
from mteval.ui.server.layers import FOLDER, Assets, Dressed
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


UI = Path(kept_files.__file__).parent
PARTS = (UI / "marker.js", UI / "segments" / "notes.js")


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> str:
    """Where a browser finds two scripts as one, below the folder of Streamlit's files."""
    monkeypatch.setattr(kept_files._Served, "is_served", False)
    assert kept_files.loader_of(PARTS) is None  # without this server they are sent
    kept_files.serve_files()
    loader = kept_files.loader_of(PARTS)
    assert loader is not None
    (place,) = re.findall(r"'\.\./mteval/(.+)'", loader)
    return f"static/mteval/{place}"


@pytest.mark.parametrize("base_path", ["", "mt/eval"])
def test_a_components_scripts_are_sent_as_one_and_may_be_kept(address: str, base_path: str) -> None:
    path = f"/{base_path}/{address}" if base_path else f"/{address}"
    start, body = asked({"type": "http", "method": "GET", "path": path}, base_path)
    headers = dict(start["headers"])
    assert headers[b"content-type"] == b"text/javascript; charset=utf-8"
    assert b"immutable" in headers[b"cache-control"]
    scripts = b"".join(part.read_bytes() for part in PARTS)
    script, style = body["body"].split(b"const STYLE = ")
    assert script == scripts
    assert json.loads(style.rstrip(b";\n")) == (UI / "marker.css").read_text(encoding="utf-8")


def test_scripts_of_another_version_and_other_files_are_not_sent(address: str) -> None:
    digest = address.split("/")[2]
    others = (
        f"{digest}/marker.js",
        f"{digest}/../page.py",
        f"{digest}/",
        "marker.js",
        "",
        f"{digest}/marker+notes+x.js",
    )
    for other in (*others, "marker.js", "", f"{'0' * len(digest)}/marker+notes.js"):
        scope = {"type": "http", "method": "GET", "path": f"/static/mteval/{other}"}
        assert asked(scope) == ["passed on"], other


def test_the_style_of_pages_is_sent_with_its_type_and_may_be_kept(address: str) -> None:
    path = f"/static/mteval/{kept_files.address_of_style()}"
    start, body = asked({"type": "http", "method": "GET", "path": path})
    headers = dict(start["headers"])
    assert headers[b"content-type"] == b"text/css; charset=utf-8"
    assert b"immutable" in headers[b"cache-control"]
    assert body["body"] == b"".join(part.read_bytes() for part in kept_files.STYLES)


def dressed(content_type: bytes, *parts: bytes, status: int = 200) -> tuple[dict[bytes, bytes], bytes, dict[str, Any]]:
    """Headers and body of an answer behind the layer that adds the style, and the request that was passed on."""
    sent: list[Any] = []
    passed_on: dict[str, Any] = {}

    async def behind(scope: Any, receive: Any, send: Any) -> None:
        passed_on.update(scope)
        headers = [(b"content-type", content_type), (b"etag", b"1"), (b"content-length", b"7")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        for place, part in enumerate(parts, start=1):
            await send({"type": "http.response.body", "body": part, "more_body": place < len(parts)})

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"accept", b"text/html,*/*"), (b"if-none-match", b"1"), (b"cookie", b"a=b")]
    completed(Dressed(behind)({"type": "http", "method": "GET", "headers": headers}, None, send))  # type: ignore[arg-type]
    body = b"".join(message["body"] for message in sent[1:])
    return dict(sent[0]["headers"]), body, passed_on


def test_a_page_links_to_the_style_last_and_is_not_taken_from_an_older_version(address: str) -> None:
    headers, body, request = dressed(b"text/html; charset=utf-8", b"<html><body><p></p></bo", b"dy></html>")
    link = f'<link rel="stylesheet" href="./static/mteval/{kept_files.address_of_style()}">'
    assert body.decode() == f"<html><body><p></p>{link}</body></html>"
    assert headers[b"content-length"] == str(len(body)).encode()
    assert b"etag" not in headers
    assert dict(request["headers"]) == {b"accept": b"text/html,*/*", b"cookie": b"a=b"}


def test_what_is_no_page_is_passed_on_as_it_is(address: str) -> None:
    for content_type, status in ((b"text/plain", 200), (b"text/html", 404)):
        headers, body, _ = dressed(content_type, b"a", b"</body>", status=status)
        assert body == b"a</body>"
        assert headers[b"etag"] == b"1"


def test_scripts_elsewhere_are_sent_with_messages(address: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "marker.js"
    elsewhere.write_text("export default () => {};")
    assert kept_files.loader_of([elsewhere]) is None
