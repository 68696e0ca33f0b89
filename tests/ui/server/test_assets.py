"""The layer that sends Streamlit's own files."""

import re
from pathlib import Path
from typing import Any

import pytest

from mteval.ui import kept_scripts
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


UI = Path(kept_scripts.__file__).parent
PARTS = (UI / "marker.js", UI / "segments" / "notes.js")


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> str:
    """Where a browser finds two scripts as one, below the folder of Streamlit's files."""
    monkeypatch.setattr(kept_scripts._Served, "is_served", False)
    assert kept_scripts.loader_of(PARTS) is None  # without this server they are sent
    kept_scripts.serve_scripts()
    loader = kept_scripts.loader_of(PARTS)
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
    assert body["body"] == b"".join(part.read_bytes() for part in PARTS)


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


def test_scripts_elsewhere_are_sent_with_messages(address: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "marker.js"
    elsewhere.write_text("export default () => {};")
    assert kept_scripts.loader_of([elsewhere]) is None
