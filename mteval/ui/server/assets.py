"""Streamlit's own scripts, styles and fonts, sent without detours: a first visit asks for a hundred of them."""

from collections.abc import Mapping
from pathlib import Path

import streamlit
from starlette.types import ASGIApp, Receive, Scope, Send

FOLDER = Path(streamlit.__file__).parent / "static"
TYPES: Mapping[str, bytes] = {
    ".js": b"text/javascript; charset=utf-8",
    ".css": b"text/css; charset=utf-8",
    ".woff2": b"font/woff2",
}
FOREVER = b"public, immutable, max-age=31536000"  # as Streamlit says of them: their names hold a digest


class Assets:
    """A layer in front of the server that answers for the files of ``FOLDER`` whose names hold a digest.

    Streamlit's own way, through four layers and a thread for each piece of a file, takes ten times as long. What is
    not among the files that were there at the start is passed on.
    """

    def __init__(self, app: ASGIApp, base_path: str = "") -> None:
        self._app = app
        before = f"/{base_path}" if base_path else ""
        self._files = {
            f"{before}/{path.relative_to(FOLDER).as_posix()}": path
            for path in (FOLDER / "static").rglob("*")
            if path.suffix in TYPES
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or leave it to the server behind."""
        path = self._files.get(scope.get("path", ""))
        if path is None or scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        body = path.read_bytes()
        headers = [
            (b"content-type", TYPES[path.suffix]),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", FOREVER),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})
