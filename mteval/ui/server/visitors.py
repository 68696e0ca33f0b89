"""Browsers are known again: each gets a name that nobody guesses, in a cookie that no script reads."""

from http.cookies import CookieError, SimpleCookie

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mteval.ui.session.visitor import COOKIE, IS_TOKEN, new_token

SECONDS_KEPT = 400 * 24 * 3600  # as long as browsers allow


class Visitors:
    """A layer in front of the server that gives a cookie to browsers that ask for the page and have none."""

    def __init__(self, app: ASGIApp, base_path: str = "", is_framed: bool = False) -> None:
        self._app = app
        self._path = f"/{base_path}"
        self._is_framed = is_framed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Leave a request to the server behind, and add to its answer."""
        if scope["type"] != "http" or _is_known(scope):
            await self._app(scope, receive, send)
            return

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_page(message):
                headers = [*message["headers"], (b"set-cookie", self._cookie(scope).encode())]
                message = {**message, "headers": headers}
            await send(message)

        await self._app(scope, receive, send_with_cookie)

    def _cookie(self, scope: Scope) -> str:
        is_encrypted = scope["scheme"] == "https" or (b"x-forwarded-proto", b"https") in scope["headers"]
        cookie = f"{COOKIE}={new_token()}; Path={self._path}; Max-Age={SECONDS_KEPT}; HttpOnly"
        if self._is_framed:  # browsers keep it apart for each site that has the frame
            return f"{cookie}; SameSite=None; Secure; Partitioned"
        return f"{cookie}; SameSite=Lax" + ("; Secure" if is_encrypted else "")


def _is_known(scope: Scope) -> bool:
    given = b"; ".join(value for name, value in scope["headers"] if name == b"cookie").decode("latin-1")
    try:
        cookies = SimpleCookie(given)
    except CookieError:
        return False
    return COOKIE in cookies and IS_TOKEN.fullmatch(cookies[COOKIE].value) is not None


def _is_page(message: Message) -> bool:
    return any(name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in message["headers"])
