"""How much is going on, for whoever runs the server: counts without names or texts, told to this machine alone."""

import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator

from starlette.types import ASGIApp, Message, Receive, Scope, Send

PATH = "/metrics"
LOCAL = ("127.0.0.1", "::1")
PASSED_ON = (b"x-forwarded-for", b"x-real-ip", b"forwarded")  # a proxy's requests are somebody else's


class Traffic:
    """A layer in front of the server that counts, and answers for ``PATH`` in the form that Prometheus reads."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._began = time.time()
        self._counts: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or count it and leave it to the server behind."""
        if scope["type"] == "websocket":
            await self._visit(scope, receive, send)
        elif scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["path"] == PATH:
            await self._tell(scope, send)
        else:
            await self._request(scope, receive, send)

    async def _visit(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._counts.update(visits=1, visitors=1)
        try:
            await self._app(scope, receive, send)
        finally:
            self._counts["visitors"] -= 1

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def counted_receive() -> Message:
            message = await receive()
            self._counts["received"] += len(message.get("body", b""))
            return message

        async def counted_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._counts.update(requests=1, errors=int(message["status"] >= 500))
            await send(message)

        await self._app(scope, counted_receive, counted_send)

    async def _tell(self, scope: Scope, send: Send) -> None:
        client = (scope.get("client") or ("",))[0]
        is_local = client in LOCAL and not any(name in PASSED_ON for name, _ in scope["headers"])
        body = "".join(f"{line}\n" for line in self._lines()) if is_local else "Only this machine is told.\n"
        headers = [(b"content-type", b"text/plain; version=0.0.4; charset=utf-8")]
        await send({"type": "http.response.start", "status": 200 if is_local else 403, "headers": headers})
        await send({"type": "http.response.body", "body": body.encode()})

    def _lines(self) -> Iterator[str]:
        unit = 1 if sys.platform == "darwin" else 1024
        values = {
            ("visitors", "gauge", "pages that are open now"): self._counts["visitors"],
            ("visits_total", "counter", "pages that were opened"): self._counts["visits"],
            ("requests_total", "counter", "requests answered"): self._counts["requests"],
            ("errors_total", "counter", "requests that failed in the server"): self._counts["errors"],
            ("received_bytes_total", "counter", "bytes of what was loaded"): self._counts["received"],
            ("largest_memory_bytes", "gauge", "most memory so far"): _usage().ru_maxrss * unit,
            ("cpu_seconds_total", "counter", "time of the processor"): round(_usage().ru_utime + _usage().ru_stime, 2),
            ("start_time_seconds", "gauge", "when the server was started"): round(self._began),
        }
        for (name, kind, words), value in values.items():
            yield f"# HELP mteval_{name} {words}"
            yield f"# TYPE mteval_{name} {kind}"
            yield f"mteval_{name} {value}"


def _usage() -> resource.struct_rusage:
    return resource.getrusage(resource.RUSAGE_SELF)
