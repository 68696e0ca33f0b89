"""Who is before the page, what their widgets say, and how much they may take on a server that limits it."""

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
from mteval.readers.documents import InputFile
from mteval.readers.workspace import Workspace
from mteval.render.html import tag
from mteval.ui.parts import messages
from mteval.ui.parts.messages import leave, show_left
from mteval.ui.parts.tables import show
from mteval.ui.session.memory import MIB, of_session
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
        messages.say("warning", _over(minutes))
        st.stop()
    show(tag("p", _what_there_is(mb, left), class_="mt-quiet"))
    show_left()


def _over(minutes: float) -> str:
    session = f"The {counted(round(minutes), 'minute')} of this session"
    if is_demo():
        return (
            f"{session} of the demo are over, and what was loaded is gone with it. Reload the page for another, or"
            " install mteval: on a machine of your own nothing is limited."
        )
    return f"{session} are over, and its work has stopped. Reload the page for another; what was kept is there."


def _what_there_is(mb: float, left: float) -> str:
    time_left = [] if math.isinf(left) else [f"{counted(math.ceil(left), 'minute')} left"]
    if is_demo():
        parts = [f"the sample, or files of at most {mb:g} MB in all", f"{counted(MOST_METRICS, 'metric')} at a time"]
        return f"A demo: {'; '.join(parts + time_left)}. Nothing that you load is kept."
    files = [] if math.isinf(mb) else [f"files of at most {mb:g} MB in all"]
    return f"A session here: {'; '.join(files + time_left)}."


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
        f"These would be {n_bytes / MIB:.1f} MB; {who} takes {mb:g} MB in all, and nothing was added. Take fewer runs"
        " or segments, or install mteval.",
    )
    return True


def offered(known: Mapping[str, T]) -> dict[str, T]:
    """The metrics that may be chosen: all, but for some in the demo. Scores that came with the files cost nothing."""
    return {key: value for key, value in known.items() if not (is_demo() and _takes_much(key))}


def _takes_much(key: str) -> bool:
    return key in METRICS and (key in LEFT_OUT or METRICS[key].is_slow)


def most_metrics() -> int | None:
    """So many at a time; None where as many as wanted."""
    return MOST_METRICS if is_demo() else None
