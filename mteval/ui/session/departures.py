"""The memory that the C library keeps for this process, where it is one that can be asked.

Work whose visitor has left stops, and the memory of sessions that are over goes back to the machine.
"""

import ctypes
import gc
import time
from collections.abc import Iterable
from contextlib import suppress
from threading import Lock, Thread
from typing import Any

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from mteval.ui.session.background import Background

FEW_ARENAS = 2
_ARENA_MAX = -8  # what mallopt calls their number


def keep_few_arenas() -> None:
    """Let threads share few arenas, before there are threads: what sessions held is scattered over all that there are,
    and pages of which a byte is in use are not given back.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").mallopt(_ARENA_MAX, FEW_ARENAS)


def give_back_memory() -> None:
    """Give the machine what nobody holds any more."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


SECONDS_KEPT = 45.0  # after a visitor was last there: a page that is loaded again finds its work going on
SECONDS_BETWEEN_LOOKS = 5.0


class Leaving:
    """Looks after the work of all sessions."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._owned: dict[str, Background] = {}
        self._seen: dict[str, float] = {}

    def watch(self, session: str, work: Background) -> None:
        """Stop the work of a session when its visitor has been away for so long."""
        with self._lock:
            self._owned[session] = work
            self._seen[session] = time.monotonic()

    def look(self, now: float) -> tuple[str, ...]:
        """Stop what nobody waits for any more; the sessions that are over."""
        with self._lock:
            sessions = list(self._owned.items())
        over = tuple(session for session, work in sessions if self._is_over(session, work, now))
        with self._lock:
            for session in over:
                del self._owned[session], self._seen[session]
        return over

    def _is_over(self, session: str, work: Background, now: float) -> bool:
        if runtime.get_instance().is_active_session(session):
            self._seen[session] = now
        if now - self._seen[session] <= SECONDS_KEPT:
            return False
        work.leave()
        return True

    def look_for_ever(self) -> None:
        """Look again and again, in a thread of its own, as long as there is a server."""
        with suppress(RuntimeError):  # which says that it has ended
            while runtime.get_instance() is not None:
                time.sleep(SECONDS_BETWEEN_LOOKS)
                over = self.look(time.monotonic())
                if over:
                    forget(over)
                    time.sleep(SECONDS_BETWEEN_LOOKS)
                    give_back_memory()


@st.cache_resource(show_spinner=False)
def leaving() -> Leaving:
    """The server's one."""
    one = Leaving()
    Thread(target=one.look_for_ever, name="mteval leaving", daemon=True).start()
    return one


def owned(work: Background) -> Background:
    """Work that belongs to the session of this run; without a server, as in a script, it belongs to nobody."""
    context = get_script_run_ctx()
    if context is not None and runtime.exists():
        leaving().watch(context.session_id, work)
    return work


def forget(sessions: Iterable[str]) -> None:
    """Have the server forget sessions that are over, with their files and values: it would keep them for longer, and
    look through them when the next one comes.
    """
    server: Any = runtime.get_instance()

    def close(session: str) -> None:
        if not server.is_active_session(session):  # else its visitor has come back at this moment
            server.close_session(session)

    for session in sessions:
        server._get_async_objs().eventloop.call_soon_threadsafe(close, session)
