"""A server that answers as OpenAI-compatible endpoints do."""

import json
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Body:
    """An answer as it goes over the wire.

    Parameters
    ----------
    content
        Of the body.
    status, headers
        Before it; a header of length unless given.
    pause
        Seconds between two of its bytes; none if 0.
    drips_head
        Whether the same holds for what stands before it.
    head
        Sent instead of status and headers.
    """

    content: bytes
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    pause: float = 0.0
    drips_head: bool = False
    head: bytes = b""


Answered = str | tuple[int, dict[str, str]] | Body


class Endpoint(ThreadingHTTPServer):
    """Answers by ``answer(prompt, number of the request)``: a text, a status with headers, or a body.

    An endpoint with ``refuses_schema`` answers requests for structured output with that status. One that ``keeps``
    connections waits for the next request on them.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.answer: Callable[[str, int], Answered] = lambda prompt, number: "80"
        self.refuses_schema = 0
        self.keeps = False
        self.n_connections = 0
        self.bodies = list[dict[str, object]]()
        self.headers = list[dict[str, str]]()
        self.lock = threading.Lock()

    def process_request(self, request: Any, client_address: Any) -> None:
        self.n_connections += 1
        super().process_request(request, client_address)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Request(BaseHTTPRequestHandler):
    server: Endpoint

    def setup(self) -> None:
        super().setup()
        if self.server.keeps:
            self.protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.bodies.append(body)
            self.server.headers.append(dict(self.headers))
            number = len(self.server.bodies)
        answer = self.server.answer(body["messages"][0]["content"], number)
        if self.server.refuses_schema and "response_format" in body:
            self.send(Body(b'{"error": "response_format is unknown"}', self.server.refuses_schema))
        elif isinstance(answer, str):
            self.send(Body(completion(answer)))
        elif isinstance(answer, Body):
            self.send(answer)
        else:
            status, headers = answer
            self.send(Body(json.dumps({"error": {"message": "quota exceeded"}}).encode(), status, (*headers.items(),)))

    def send(self, body: Body) -> None:
        headers = {"Content-Length": str(len(body.content)), **dict(body.headers)}
        lines = [
            f"{self.protocol_version} {body.status} Said",
            *(f"{name}: {value}" for name, value in headers.items()),
            "",
            "",
        ]
        head = body.head or "\r\n".join(lines).encode("latin-1")
        with suppress(OSError):  # the other side has gone
            self.write(head, body.pause if body.drips_head else 0.0)
            self.write(body.content, body.pause)

    def write(self, content: bytes, pause: float) -> None:
        if not pause:
            self.wfile.write(content)
            return
        for byte in content:
            self.wfile.write(bytes([byte]))
            time.sleep(pause)


def completion(text: str, **usage: object) -> bytes:
    """Return the body of an answer with this text."""
    counted = {"prompt_tokens": 100, "completion_tokens": 3} | usage
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}], "usage": counted}).encode()


@contextmanager
def serving() -> Iterator[Endpoint]:
    """A server in a thread of its own."""
    server = Endpoint()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def of_its_own(prompt: str, number: int) -> str:
    """Answer every protocol, by the prompt alone."""
    score = zlib.crc32(prompt.encode()) % 101
    errors = [{"span": "cat", "category": "accuracy", "severity": "major"}] * (score % 3)
    if "JSON list only" in prompt:
        return json.dumps(errors)
    return json.dumps({"errors": errors, "score": score}) if '"score"' in prompt else str(score)
