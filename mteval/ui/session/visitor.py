"""Who is before the page, as far as what is kept on the server has to belong to somebody.

What widgets say, read in a way that nothing comes between.
"""

import re
import secrets
from hashlib import sha256
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from mteval.ui.session.memory import of_session
from mteval.values.service import ANNOTATOR

COOKIE = "mteval_visitor"
TOKEN_BYTES = 24
IS_TOKEN = re.compile(r"[A-Za-z0-9_-]{32}")


def new_token() -> str:
    """What a browser is known by: nobody guesses it."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def visitor() -> str:
    """The same name for whoever has signed in, else for the same browser."""
    if is_signed_in():
        return f"person {st.user.get('iss', '')} {st.user.get('sub', '')}"[:200]
    return browser()


def browser() -> str:
    """The same name for the same browser; where it takes no cookies, for this session.

    What it is known by is not in the name, so that nobody who reads what is kept can pass for it.
    """
    token = str(st.context.cookies.get(COOKIE, ""))
    if not IS_TOKEN.fullmatch(token):
        token = of_session(COOKIE, new_token)
    return f"browser {sha256(token.encode()).hexdigest()}"


def is_signed_in() -> bool:
    """Whether somebody has signed in; without a provider nobody can."""
    return bool(st.user.get("is_logged_in", False))


def must_sign_in() -> bool:
    """Whether the visitor has to sign in before anything is shown."""
    return "is_logged_in" in st.user and not is_signed_in()


def annotators_token() -> str:
    """What the address has from the link of an annotator; empty where the visitor came by no such link."""
    return st.query_params.get(ANNOTATOR, "")


def value_of(key: str, default: Any = None) -> Any:
    """What a widget, or another key of the session, says; for callbacks that keep it.

    To read the session's state itself ends a callback there and then where the next click has come already, or where
    the visitor has just gone, and nothing calls it again: what they said would be lost although their page shows it.
    """
    context = get_script_run_ctx(suppress_warning=True)
    state = st.session_state if context is None else context.session_state.filtered_state
    return state.get(key, default)
