"""Who is before the page, what their widgets say, and how much they may take on a server that limits it.

Signing in: asked of every visitor where the server knows a provider, and of nobody where it does not.
"""

import math
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from threading import Timer
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from mteval.base.words import counted
from mteval.metrics import METRICS
from mteval.readers import InputFile
from mteval.readers.workspace import Workspace
from mteval.ui.parts.elements import end, leave, quiet, say, show_left
from mteval.ui.session.memory import MIB, Memory, of_session
from mteval.ui.session.progress import background
from mteval.values.service import ANNOTATOR, is_demo, session_limits

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


MOST_METRICS = 4  # at a time
LEFT_OUT = ("nist", "dep-f")  # with tables of their own, which take memory; so are all that are slow
BEGAN = "session-began"
T = TypeVar("T")


def keep_within_limits() -> None:
    """At the head of each page say how much is left; where no time is, the page ends there and so has the work."""
    mb, minutes = session_limits()
    if math.isinf(mb) and math.isinf(minutes):
        return
    began = of_session(BEGAN, _begin)
    left = minutes - (time.monotonic() - began) / 60
    if left <= 0:
        end("warning", _over(minutes))
    quiet(_what_there_is(mb, left))
    show_left()


def _over(minutes: float) -> str:
    session = f"The {counted(round(minutes), 'minute')} of this session"
    if is_demo():
        return (
            f"{session} of the demo are over. Reload the page to start again, or install mteval, which has no limits."
        )
    return f"{session} are over. Reload the page to start another; saved experiments are still there."


def _what_there_is(mb: float, left: float) -> str:
    time_left = [] if math.isinf(left) else [f"{counted(math.ceil(left), 'minute')} left"]
    if is_demo():
        parts = [f"the sample or at most {mb:g} MB of files", f"{counted(MOST_METRICS, 'metric')} at a time"]
        return f"Demo: {'; '.join(parts + time_left)}. Nothing is saved."
    files = [] if math.isinf(mb) else [f"at most {mb:g} MB of files"]
    return f"This session: {'; '.join(files + time_left)}."


def _begin() -> float:
    """The session begins; at its end its work stops, whether or not anybody looks."""
    minutes = session_limits()[1]
    if math.isfinite(minutes):
        end = Timer(minutes * 60, background().stop_all)
        end.daemon = True
        end.start()
    return time.monotonic()


def small_enough(add: Callable[[], Workspace], files: Sequence[InputFile]) -> Workspace | None:
    """What is loaded once files were added; None, and the reason left, where that is more than a session may load."""
    if _is_too_much(files):
        return None
    changed = add()
    return None if _is_too_much(changed.files) else changed  # archives have grown


def _is_too_much(files: Sequence[InputFile]) -> bool:
    n_bytes, mb = sum(len(file.content) for file in files), session_limits()[0]
    if n_bytes <= mb * MIB:
        return False
    who = "the demo" if is_demo() else "a session here"
    leave(
        "error",
        f"That makes {n_bytes / MIB:.1f} MB, but {who} takes {mb:g} MB. Nothing was added. Load fewer runs or segments,"
        " or install mteval.",
    )
    return True


def offered(known: Mapping[str, T]) -> dict[str, T]:
    """The metrics that may be chosen: all, but for some in the demo. Scores that came with the files cost nothing."""
    left_out = {key for key, spec in METRICS.items() if key in LEFT_OUT or spec.is_slow} if is_demo() else set()
    return {key: value for key, value in known.items() if key not in left_out}


def most_metrics() -> int | None:
    """So many at a time; None where as many as wanted."""
    return MOST_METRICS if is_demo() else None


MOST_KEPT = 1_000
NAMES = ("name", "email", "preferred_username", "sub")  # what a provider may call somebody, the kindest first


@st.cache_resource(show_spinner=False)
def _wanted() -> Memory[tuple[Any, dict[str, list[str]]]]:
    """What browsers came for before they were sent to sign in: pages with what stood in their address."""
    return Memory(MOST_KEPT, MIB)


def require_sign_in(page: Any) -> None:
    """Show the page to whoever has signed in or need not; others are asked to, and brought there afterwards."""
    if not must_sign_in():
        _go_where_they_wanted(page)
        return
    address = {key: st.query_params.get_all(key) for key in st.query_params}
    if address or page.url_path:
        _wanted().keep({browser(): (page, address)})
    st.title("mteval", anchor=False)
    say("note", "This server requires you to sign in.")
    st.button("Sign in", type="primary", icon=":material/login:", on_click=st.login, key="sign-in")
    st.stop()


def _go_where_they_wanted(page: Any) -> None:
    """The provider sends everybody to the first page."""
    if not is_signed_in():
        return
    wanted = None if page.url_path or st.query_params else _wanted().get(browser())
    if wanted is not None:
        _wanted().forget(browser())
        st.switch_page(wanted[0], query_params=wanted[1])


def signed_in_as() -> None:
    """At the end of the sidebar: who it is, and the way out."""
    if not is_signed_in():
        return
    name = next((str(st.user[key]) for key in NAMES if st.user.get(key)), "")
    with st.sidebar:
        quiet(f"Signed in as {name}")
        st.button("Sign out", type="tertiary", icon=":material/logout:", on_click=st.logout, key="sign-out")
