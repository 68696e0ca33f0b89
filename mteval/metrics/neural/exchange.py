"""Requests to an LLM judge's endpoint: retries, a rate limit, bounds of size and time, Stop, and no key in messages.

Each thread keeps its connection for all its requests. If the endpoint says that there are too many requests, fewer are
sent at a time, and one more after each round of answers.

What comes back is untrusted: a body is read up to a size and a time and parsed up to a depth, and whatever an error
says is shown without the key.
"""

import http.client
import json
import math
import os
import re
import socket
import threading
import time
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from html import unescape
from typing import Any
from urllib.parse import quote, unquote

from mteval.base.bounded_input import bounded_json
from mteval.base.errors import MtevalError, SettingsError, shortened
from mteval.base.words import counted
from mteval.metrics.neural.endpoints import KEY, RATE, Endpoint
from mteval.metrics.neural.models import stopped

_TRIES = 6
_TEMPORARY = (408, 409, 425, 429, 500, 502, 503, 504, 529)
_TOO_MANY = (429, 529)  # requests at a time
_CLOSED = (ConnectionResetError, BrokenPipeError, http.client.RemoteDisconnected)
_LONGEST_PAUSE = 60.0  # seconds between two tries
_SECONDS_SILENT = 120.0  # without a byte
SECONDS_IN_ALL = 180.0  # from the connection to the last byte: a body that drips would never end
_MOST_BYTES = 1 << 20  # of a body; 1,500 tokens are about 6 KB
_MOST_BYTES_OF_ERROR = 2_000
_MOST_VALUES = 20_000  # in a body
_MOST_TOKENS = 10**9  # counted for one answer
_REMOVED = "[removed]"


_TURN = threading.Lock()
_next_turn: dict[str, float] = {}  # by address, for all computations of this process


class RefusedError(MtevalError):
    """The endpoint did not answer.

    Parameters
    ----------
    status
        Of HTTP; 0 if there was none.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Exchange:
    """Requests to one endpoint, by several threads.

    Raises
    ------
    SettingsError
        If the environment has a rate limit that is not a number, or a key that no header can hold.
    """

    def __init__(self, model: Endpoint, stop: threading.Event) -> None:
        rate = os.environ.get(RATE, "").strip()
        if rate and not re.fullmatch(r"0*[1-9][0-9]{0,8}", rate):
            raise SettingsError(f"{RATE} is '{rate}'; expected requests per minute, e.g. 60.")
        self._model = model
        self._key = key()
        self._seconds_between = 60 / int(rate) if rate else 0.0
        self._stop = stop
        self._lock = threading.Lock()
        self._room = _Room(stop)
        self._open: dict[int, _Connection] = {}  # by thread
        self._opener = urllib.request.build_opener(_NoRedirect, _Http(self), _Https(self))

    def response(self, body: Mapping[str, Any], final: Container[int] = ()) -> Any:
        """Return the parsed answer to a request; temporary failures are tried again.

        Parameters
        ----------
        final
            Statuses that are not temporary here.

        Raises
        ------
        RefusedError
            If there is none.
        CancelledError
            Soon after Stop.
        """
        content = json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "User-Agent": "mteval"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(f"{self._model.url}/chat/completions", content, headers)
        for number in range(1, _TRIES + 1):
            seconds = float(2 ** (number - 1))
            try:
                with self._room.place() as began:
                    self._wait_for_turn()
                    answer = self._parsed_body(request)
                self._room.grow()
                return answer
            except urllib.error.HTTPError as error:
                if error.code in _TOO_MANY:
                    self._room.shrink(began)
                message = self._message_of(error)
                if error.code not in _TEMPORARY or error.code in final or number == _TRIES:
                    raise self._refused(f"answered {error.code} ({message})", error.code) from None
                seconds = seconds_wanted(error.headers.get("Retry-After"), seconds)
            except (OSError, ValueError, http.client.HTTPException) as error:  # no connection, no HTTP, or no JSON
                if self._stop.is_set():
                    raise stopped() from None
                if number == _TRIES:
                    reason = without_key(f"{type(error).__name__}: {error}", self._key)
                    raise self._refused(f"gave no answer ({shortened(reason)})", 0) from None
            self._pause(min(seconds, _LONGEST_PAUSE))
        raise AssertionError("the last try returns or raises")

    def end_late(self) -> None:
        """End connections that took too long; their threads see a connection that broke."""
        now = time.monotonic()
        with self._lock:
            late = [connection for connection in self._open.values() if connection.deadline < now]
        for connection in late:
            connection.end()

    def end(self) -> None:
        """End all connections, at Stop."""
        with self._lock:
            every = list(self._open.values())
        for connection in every:
            connection.end()

    def leave(self) -> None:
        """Close the connection of this thread, which sends no more requests."""
        with self._lock:
            connection = self._open.pop(threading.get_ident(), None)
        if connection is not None:
            connection.close()

    def _connection(self) -> "_Connection":
        """Return the connection of this thread, which may not be open yet."""
        with self._lock:
            return self._open.setdefault(threading.get_ident(), _Connection())

    def _parsed_body(self, request: urllib.request.Request) -> Any:
        connection = self._connection()
        connection.deadline = deadline = time.monotonic() + SECONDS_IN_ALL
        is_whole = False
        try:
            with self._opener.open(request, timeout=_SECONDS_SILENT) as response:
                content = _read(response, _MOST_BYTES)
                is_whole = _is_read(response)
            if len(content) > _MOST_BYTES:
                raise ValueError(f"the answer has more than {counted(_MOST_BYTES, 'byte')}")
            return bounded_json(content.decode("utf-8"), _MOST_VALUES)
        except urllib.error.HTTPError as error:
            # The answer is kept with the error, whose class has no such attribute
            with error, suppress(OSError, ValueError, http.client.HTTPException):
                error.content = _read(error, _MOST_BYTES_OF_ERROR)  # type: ignore[attr-defined]
                is_whole = _is_read(error.fp)
            raise
        except (OSError, ValueError, http.client.HTTPException) as error:
            if deadline < time.monotonic():
                raise TimeoutError(f"no whole answer within {SECONDS_IN_ALL:g} seconds") from error
            raise
        finally:
            connection.deadline = math.inf
            if not (is_whole and connection.is_open):  # an unread rest would be taken for the next answer
                connection.close()

    def answered(
        self, kind: type[http.client.HTTPConnection], request: urllib.request.Request
    ) -> http.client.HTTPResponse:
        """Return the head of an answer, from a new connection if the endpoint has closed this thread's meanwhile."""
        connection = self._connection()
        is_reused = connection.is_open
        try:
            return connection.answered(kind, request, partial(_noted, self))
        except _CLOSED:
            if not is_reused or connection.deadline < time.monotonic() or self._stop.is_set():
                raise
        connection.close()
        return connection.answered(kind, request, partial(_noted, self))

    def watch(self, opened: socket.socket) -> None:
        """Note this thread's connection, so that another thread can end it."""
        if self._stop.is_set():
            opened.close()
            raise stopped()
        self._connection().watch(opened)

    def _message_of(self, error: urllib.error.HTTPError) -> str:
        """Return what an endpoint says about a failure, without the key."""
        text = getattr(error, "content", b"").decode("utf-8", "replace")
        with suppress(ValueError):
            text = _told_in(bounded_json(text, _MOST_VALUES)) or text  # without the escapes of JSON
        message = " ".join((text or str(error.reason)).split())
        return shortened(without_key(message, self._key))

    def _refused(self, failure: str, status: int) -> RefusedError:
        """Return the error of an endpoint that e.g. ``gave no answer``."""
        remedy = f"Check the model '{self._model.model}', the address and {KEY}. Answers so far are kept."
        return RefusedError(f"{self._model.name}: {self._model.host} {failure}. {remedy}", status)

    def _wait_for_turn(self) -> None:
        """Wait until another request is allowed."""
        with _TURN:
            now = time.monotonic()
            turn = max(now, _next_turn.get(self._model.url, 0.0))
            _next_turn[self._model.url] = turn + self._seconds_between
        self._pause(turn - now)

    def _pause(self, seconds: float) -> None:
        """Wait, but not longer than until Stop."""
        if self._stop.wait(max(0.0, seconds)):
            raise stopped()


class _Room:
    """How many requests may be under way.

    The number is halved when the endpoint says that there are too many, and grows by one per round of answers.
    """

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._allowed = math.inf
        self._taken = 0
        self._shrunk = -math.inf  # when
        self._changed = threading.Condition()

    @contextmanager
    def place(self) -> Iterator[float]:
        """Wait for a place, hold it in the block, and give the time when it began."""
        with self._changed:
            while self._taken >= self._allowed:
                self._changed.wait(0.1)
                if self._stop.is_set():
                    raise stopped()
            self._taken += 1
        try:
            yield time.monotonic()
        finally:
            with self._changed:
                self._taken -= 1
                self._changed.notify()

    def shrink(self, began: float) -> None:
        """Halve the number once for all requests that were under way then, of which one began at a time."""
        with self._changed:
            if began > self._shrunk:
                self._allowed = max(1.0, min(self._allowed, self._taken + 1) // 2)
                self._shrunk = time.monotonic()

    def grow(self) -> None:
        """Count an answer."""
        with self._changed:
            self._allowed += 1 / self._allowed


class _Connection:
    """The connection of a thread, which another thread may end, even if this one waits for a byte."""

    def __init__(self) -> None:
        self.deadline = math.inf  # of the request under way
        self._http: http.client.HTTPConnection | None = None
        self._socket: socket.socket | None = None

    @property
    def is_open(self) -> bool:
        return self._http is not None and self._http.sock is not None

    def answered(
        self,
        kind: type[http.client.HTTPConnection],
        request: urllib.request.Request,
        connect: Callable[..., socket.socket],
    ) -> http.client.HTTPResponse:
        """Send a request, and return the head of its answer."""
        headers = {**request.headers, **request.unredirected_hdrs}
        headers = {name.title(): value for name, value in headers.items()}
        tunnel = getattr(request, "_tunnel_host", None)  # behind a proxy; urllib has no public name for it
        of_proxy = {name: headers.pop(name) for name in ("Proxy-Authorization",) if tunnel and name in headers}
        if self._http is None:
            self._http = kind(request.host, timeout=request.timeout or _SECONDS_SILENT)
            # The only way to know the socket before TLS begins, which the types of the standard library omit
            self._http._create_connection = connect  # type: ignore[attr-defined]
            if tunnel:
                self._http.set_tunnel(tunnel, headers=of_proxy)
        self._http.request(request.get_method(), request.selector, request.data, headers)
        response = self._http.getresponse()
        response.msg = response.reason  # type: ignore[assignment]  # as urllib's own handlers do
        return response

    def watch(self, opened: socket.socket) -> None:
        """Note a socket."""
        # A copy of the descriptor: TLS takes the socket over
        self._release()
        self._socket = opened.dup()

    def end(self) -> None:
        if (own := self._socket) is not None:
            with suppress(OSError):  # it has ended by itself
                own.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close it; the next request opens another one."""
        if self._http is not None:
            self._http.close()
            self._http = None
        self._release()

    def _release(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def _noted(exchange: Exchange, *where: Any) -> socket.socket:
    opened = socket.create_connection(*where)
    exchange.watch(opened)
    return opened


class _Http(urllib.request.HTTPHandler):
    """Requests on the connections of an exchange."""

    def __init__(self, exchange: Exchange) -> None:
        super().__init__()
        self._exchange = exchange

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self._exchange.answered(http.client.HTTPConnection, req)


class _Https(urllib.request.HTTPSHandler):
    """The same with TLS."""

    def __init__(self, exchange: Exchange) -> None:
        super().__init__()
        self._exchange = exchange

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self._exchange.answered(http.client.HTTPSConnection, req)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Texts go to the named host only."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _read(response: Any, most: int) -> bytes:
    """Return a body, or a little more than ``most`` bytes of it."""
    parts: list[bytes] = []
    size = 0
    while size <= most and (part := response.read1(1 << 16)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _is_read(response: Any) -> bool:
    """Whether a body was read to its end, so that the connection can be used again."""
    return bool(response.isclosed() or response.length == 0)


def _told_in(form: Any) -> str:
    """Return the message of an error in one of the usual forms; empty if it has another."""
    for name in ("error", "message", "detail"):
        if isinstance(form, dict) and name in form:
            form = form[name]
    return form if isinstance(form, str) else ""


def seconds_wanted(header: str | None, otherwise: float) -> float:
    """Return the seconds that ``Retry-After`` asks for, as a number or as a date; ``otherwise`` if it is neither."""
    text = (header or "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return otherwise
    if date.tzinfo is None:  # written with the zone -0000
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.now(UTC)).total_seconds())


def tokens_of(usage: object, name: str) -> int:
    """Return a number of tokens that an endpoint counted; 0 if that is not what it says."""
    number = usage.get(name) if isinstance(usage, dict) else None
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= _MOST_TOKENS:
        return 0
    return number


def key() -> str:
    """Return the key in the environment; empty if there is none.

    Raises
    ------
    SettingsError
        If a header cannot hold it.
    """
    text = os.environ.get(KEY, "").strip()
    if not re.fullmatch("[!-~]*", text):
        raise SettingsError(f"{KEY} has a space, a line break or a character beyond ASCII. Copy the key again.")
    return text


_SHORTEST_PART = 6  # characters of a key that are recognised


def without_key(text: str, secret: str) -> str:
    """Return a text without a secret, or any six characters in a row of it, also if they are encoded.

    Case, white space, backslashes and signs of quotation are ignored.
    """
    if not secret:
        return text
    length = min(_SHORTEST_PART, len(secret))
    parts = set[str]()
    for form in _forms_of(secret):
        parts.update(form[at : at + length] for at in range(len(form) - length + 1))
    places = [place for place, character in enumerate(text) if not (character.isspace() or character in "\\\"'`")]
    squeezed = "".join(text[place] for place in places).lower()
    if len(squeezed) != len(places):  # a character whose lower case is two
        squeezed = "".join(text[place].lower()[:1] for place in places)
    is_secret = bytearray(len(text))
    for at in range(len(squeezed) - length + 1):
        if squeezed[at : at + length] in parts:
            first = places[at]
            end = places[at + length - 1] + 1
            is_secret[first:end] = b"\1" * (end - first)
    pieces: list[str] = []
    for place, character in enumerate(text):
        if not is_secret[place]:
            pieces.append(character)
        elif place == 0 or not is_secret[place - 1]:
            pieces.append(_REMOVED)
    shown = "".join(pieces)
    is_hidden = any(secret.lower() in decode(shown).lower() for decode in (unquote, unescape, _without_escapes))
    return "(what it said repeats the key)" if is_hidden else shown


def _forms_of(secret: str) -> set[str]:
    """Return how a secret may be written, in lower case: as it is, in URLs, in hexadecimal digits, and in base64."""
    content = secret.encode()
    forms = {secret, quote(secret, safe=""), "".join(f"%{byte:02x}" for byte in content), content.hex()}
    for before in range(3):  # base64 writes three bytes at a time, so what stands before moves the digits
        encoded = b64encode(b"\0" * before + content).decode().rstrip("=")
        inside = encoded[(8 * before + 5) // 6 : len(encoded) - 1]  # digits that are of the secret alone
        forms |= {inside, inside.replace("+", "-").replace("/", "_")}
    return {form.lower() for form in forms}


def _without_escapes(text: str) -> str:
    """Return a text with the escapes of JSON and Python resolved."""
    return re.sub(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})", lambda match: chr(int(match[1] or match[2], 16)), text)
