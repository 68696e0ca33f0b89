"""Streamlit's own scripts, styles and fonts, sent without detours: a first visit asks for a hundred of them.

What browsers are told of every answer: no other host has a say, whatever a file that was loaded is called.
"""

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import streamlit
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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


INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
# What Streamlit and Plotly need beside files of this server, and what for.
SOURCES: Mapping[str, tuple[str, ...]] = {
    "default-src": ("'self'",),
    "script-src": ("'self'", "blob:"),  # scripts of components, which Streamlit's own script makes
    "style-src": ("'self'", "'unsafe-inline'"),  # of widgets, figures and our own tables; styles run nothing
    "img-src": ("'self'", "data:", "blob:"),  # icons in styles, figures as they are downloaded
    "font-src": ("'self'", "data:"),
    "connect-src": ("'self'",),
    "worker-src": ("'self'", "blob:"),  # tables are searched in one
    "frame-src": ("'self'",),
    "object-src": ("'none'",),
    "base-uri": ("'self'",),
    "form-action": ("'self'",),
}
OTHERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),  # addresses name systems and campaigns
)


class Headers:
    """A layer in front of the server that adds a Content-Security-Policy and its like to every answer.

    Parameters
    ----------
    frame_ancestors
        Who may show the dashboard in a frame, as the policy has it: ``'self'``, ``*``, or addresses.
    """

    def __init__(self, app: ASGIApp, frame_ancestors: str = "'self'") -> None:
        self._app = app
        self._headers = ((b"content-security-policy", policy(frame_ancestors).encode()), *OTHERS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Leave a request to the server behind, and add to its answer."""

        async def send_more(message: Message) -> None:
            if message["type"] == "http.response.start":
                names = {name for name, _ in self._headers}
                kept = [header for header in message["headers"] if header[0].lower() not in names]
                message = {**message, "headers": [*kept, *self._headers]}
            await send(message)

        await self._app(scope, receive, send_more if scope["type"] == "http" else send)


def policy(frame_ancestors: str) -> str:
    """The policy; of scripts within the page only those are allowed that Streamlit's page has."""
    page = (FOLDER / "index.html").read_text(encoding="utf-8")
    scripts = {"script-src": (*SOURCES["script-src"], *map(_digest, INLINE_SCRIPT.findall(page)))}
    return "; ".join(_parts({**SOURCES, **scripts, "frame-ancestors": (frame_ancestors,)}))


def _parts(sources: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    return (f"{name} {' '.join(allowed)}" for name, allowed in sources.items())


def _digest(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
