"""The visitor: who they are, values of their widgets, the server's limits, and sign-in if a provider is configured."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from threading import Timer
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import DeletedFile

from mteval.base.bounded_input import decoded
from mteval.base.digests import digest_of
from mteval.base.errors import InputError, MtevalError
from mteval.base.words import counted
from mteval.library import configured_library
from mteval.metrics import METRICS
from mteval.readers.documents import InputFile
from mteval.readers.workspace import Workspace
from mteval.ui.elements import end, leave, quiet, say
from mteval.ui.session.browser import browser
from mteval.ui.session.memory import MIB, Memory, of_session
from mteval.ui.session.progress import background
from mteval.values.asker import Asker
from mteval.values.service import ANNOTATOR, is_demo, session_limits

T = TypeVar("T")

CLAIMS = ("iss", "sub", "iat", "exp", "nonce", "auth_time", "jti", "sid", "at_hash")  # which tell sign-ins apart
NAMES = ("name", "email", "preferred_username", "sub")  # user fields of a provider, most readable first

# Limits of the demo
MOST_METRICS = 4  # at a time
LEFT_OUT = ("nist", "dep-f")  # memory-hungry; slow metrics are excluded as well


def visitor() -> str:
    """Return the same name for the same signed-in person, else for the same browser."""
    if is_signed_in():
        return f"person {st.user.get('iss', '')} {st.user.get('sub', '')}"
    return browser()


def asker() -> Asker:
    """Return who asks for a change in this session."""
    if not is_signed_in():
        return Asker(visitor())
    return Asker(visitor(), name=_name(), sign_in=sign_in_of(st.user))


def sign_in_of(user: Mapping[str, Any]) -> str:
    """Return a digest of what the provider said of a user; empty if nobody has signed in."""
    if not user.get("is_logged_in", False):
        return ""
    return digest_of(f"{claim} {user.get(claim)}" for claim in CLAIMS)


def is_signed_in() -> bool:
    """Return whether somebody has signed in, and not out again in any window."""
    sign_in = sign_in_of(st.user)
    return bool(sign_in) and not configured_library().has_ended(sign_in)


def must_sign_in() -> bool:
    """Return whether the visitor has to sign in first."""
    return "is_logged_in" in st.user and not is_signed_in()


def annotators_token() -> str:
    """Return the annotator's token in the address; empty if there is none."""
    return st.query_params.get(ANNOTATOR, "")


def value_of(key: str, default: Any = None) -> Any:
    """Return the value of a widget or another key of the session; for callbacks that save it.

    A callback that reads the session's state itself ends there if the next click has already come, or if the visitor
    has just gone, and nothing calls it again: what they entered would be lost although their page shows it.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return st.session_state.get(key, default)
    return context.session_state.filtered_state.get(key, default)


def sent_by(key: str, name: str, kind: type[T]) -> T | None:
    """Return what a component's script sent under a name; None for nothing, or for something of another kind."""
    sent = (value_of(key) or {}).get(name)
    if sent is None:
        return None
    try:
        return decoded(sent, kind, None)
    except InputError:  # no script of ours sends it
        return None


def keep_within_limits() -> None:
    """Show how much of the session is left; at its end, the page and its work stop."""
    mb, minutes = session_limits()
    if math.isinf(mb) and math.isinf(minutes):
        return
    began = of_session("session-began", _start_clock)
    minutes_left = minutes - (time.monotonic() - began) / 60
    if minutes_left <= 0:
        end("warning", _end_of_session(minutes))
    quiet(_limits_in_words(mb, minutes_left))


def _start_clock() -> float:
    """Start the session's time, and return when; at its end its work stops, whether or not anybody looks."""
    _, minutes = session_limits()
    if math.isfinite(minutes):
        timer = Timer(minutes * 60, background().stop_all)
        timer.daemon = True
        timer.start()
    return time.monotonic()


def _end_of_session(minutes: float) -> str:
    """Return what to do when the time of a session is over."""
    session = f"The {counted(round(minutes), 'minute')} of this session"
    if is_demo():
        return (
            f"{session} of the demo are over. Reload the page to start again, or install mteval, which has no limits."
        )
    return f"{session} are over. Reload the page to start another; saved experiments are still there."


def _limits_in_words(mb: float, minutes_left: float) -> str:
    """Return what a session may still use."""
    parts = []
    if is_demo():
        parts.append(f"the sample or at most {mb:g} MB of files")
        parts.append(f"{counted(MOST_METRICS, 'metric')} at a time")
    elif math.isfinite(mb):
        parts.append(f"at most {mb:g} MB of files")
    if math.isfinite(minutes_left):
        parts.append(f"{counted(math.ceil(minutes_left), 'minute')} left")
    if is_demo():
        return f"Demo: {'; '.join(parts)}. Nothing is saved."
    return f"This session: {'; '.join(parts)}."


def taken(key: str) -> list[InputFile]:
    """In a callback: return the files of an uploader, whose bytes the server then gives back.

    A run that starts meanwhile calls again, about files that were given back.
    """
    context = get_script_run_ctx()
    files = []
    for upload in value_of(key) or ():
        if isinstance(upload, DeletedFile):
            continue
        files.append(InputFile(upload.name, upload.getvalue()))
        if context is not None and hasattr(upload, "file_id"):
            manager: Any = context.uploaded_file_mgr
            manager.remove_file(context.session_id, upload.file_id)
    return files


def small_enough(add: Callable[[], Workspace], files: Sequence[InputFile]) -> Workspace | None:
    """Return what is loaded after adding files; None, with the reason left, if it is too much."""
    if is_too_much(files):
        return None
    changed = add()
    if is_too_much(changed.files):  # archives expand
        return None
    return changed


def is_too_much(files: Sequence[InputFile]) -> bool:
    """In a callback: return whether files are too large for a session, with the reason left for the page."""
    n_bytes = sum(len(file.content) for file in files)
    mb, _ = session_limits()
    if n_bytes <= mb * MIB:
        return False
    limited = "the demo" if is_demo() else "a session here"
    leave(
        "error",
        f"That makes {n_bytes / MIB:.1f} MB, but {limited} takes {mb:g} MB. Nothing was added. Load fewer runs or"
        " segments, or install mteval.",
    )
    return True


def offered(known: Mapping[str, T]) -> dict[str, T]:
    """Return the metrics on offer: all, except some in the demo."""
    if not is_demo():
        return dict(known)
    left_out = {key for key, spec in METRICS.items() if key in LEFT_OUT or spec.is_slow}
    return {key: value for key, value in known.items() if key not in left_out}


def most_metrics() -> int | None:
    """Return how many metrics may be chosen; None if there is no limit."""
    return MOST_METRICS if is_demo() else None


@st.cache_resource(show_spinner=False)
def _wanted() -> Memory[tuple[Any, dict[str, list[str]]]]:
    """Return where each browser wanted to go before it was sent to sign in: a page and its parameters."""
    return Memory(1_000, MIB)


def require_sign_in(page: Any) -> None:
    """Ask visitors to sign in if needed, and take them where they wanted to go."""
    if not must_sign_in():
        try:
            asker()
        except MtevalError as error:  # the name is too long to be stored
            signed_in_as()
            end("error", str(error))
        _go_where_they_wanted(page)
        return
    parameters = {key: st.query_params.get_all(key) for key in st.query_params}
    if parameters or page.url_path:
        _wanted().keep({browser(): (page, parameters)})
    st.title("mteval", anchor=False)
    say("note", "This server requires you to sign in.")
    st.button("Sign in", type="primary", icon=":material/login:", on_click=st.login, key="sign-in")
    st.stop()


def _go_where_they_wanted(page: Any) -> None:
    """Go to the wanted page: the provider sends everybody to the first one."""
    if not is_signed_in() or page.url_path or st.query_params:
        return
    wanted = _wanted().get(browser())
    if wanted is not None:
        wanted_page, parameters = wanted
        _wanted().forget(browser())
        st.switch_page(wanted_page, query_params=parameters)


def signed_in_as() -> None:
    """Show at the end of the sidebar who is signed in, and a way out."""
    if not is_signed_in():
        return
    with st.sidebar:
        quiet(f"Signed in as {_name()}")
        st.button("Sign out", type="tertiary", icon=":material/logout:", on_click=_sign_out, key="sign-out")


def _name() -> str:
    """Return the most readable name that the provider gives of the visitor; empty if there is none."""
    for field in NAMES:
        if st.user.get(field):
            return str(st.user[field])
    return ""


def _sign_out() -> None:
    """In a callback: end the sign-in in all windows, and wherever its cookie was copied to."""
    try:
        configured_library().end_sign_in(Asker(sign_in=sign_in_of(st.user)))
    except MtevalError as error:
        leave("error", f"Other windows are still signed in. {error}")
        return
    st.logout()
