"""The visitor's browser, known by a cookie."""

import re
import secrets
from hashlib import sha256

import streamlit as st

from mteval.ui.session.memory import of_session

COOKIE = "mteval_visitor"
IS_TOKEN = re.compile(r"[A-Za-z0-9_-]{32}")


def new_token() -> str:
    """Return a random token for a browser."""
    return secrets.token_urlsafe(24)


def browser() -> str:
    """Return the same name for the same browser; without cookies, for this session.

    The name does not contain the cookie, so that nobody who reads stored data can pass for the browser.
    """
    token = str(st.context.cookies.get(COOKIE, ""))
    if not IS_TOKEN.fullmatch(token):
        token = of_session(COOKIE, new_token)
    return f"browser {sha256(token.encode()).hexdigest()}"
