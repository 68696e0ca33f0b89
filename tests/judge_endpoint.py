"""A server that answers as OpenAI-compatible endpoints do."""

import json
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Endpoint(ThreadingHTTPServer):
    """Answers by ``answer(prompt, number of the request)``: a text, or a status with headers."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.answer: Callable[[str, int], str | tuple[int, dict[str, str]]] = lambda prompt, number: "80"
        self.bodies = list[dict[str, object]]()
        self.headers = list[dict[str, str]]()
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Request(BaseHTTPRequestHandler):
    server: Endpoint

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.bodies.append(body)
            self.server.headers.append(dict(self.headers))
            number = len(self.server.bodies)
        answer = self.server.answer(body["messages"][0]["content"], number)
        status, headers = (200, {}) if isinstance(answer, str) else answer
        usage = {"prompt_tokens": 100, "completion_tokens": 3}
        said = {"choices": [{"message": {"role": "assistant", "content": answer}}], "usage": usage}
        content = json.dumps(said if isinstance(answer, str) else {"error": {"message": "quota exceeded"}}).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


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
