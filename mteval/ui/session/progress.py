"""Work beside the pages: its result, its progress, and its end when the visitor has left.

Compiled kernels are loaded beside the page, before somebody waits for them. Memory of ended sessions is released.
"""

import time
from collections.abc import Callable, Hashable, Iterable
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import Any, TypeVar

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from mteval.analysis.evaluation import prepare_further, prepare_usual
from mteval.analysis.scoring import Progress, Work
from mteval.base.kernels import compiling_reported
from mteval.base.memory import give_back_memory
from mteval.base.parallel import Engine
from mteval.base.turns import Turns
from mteval.render.html import tag
from mteval.ui.elements import say, show
from mteval.ui.session.background import Background, Job, usual_number
from mteval.ui.session.browser import browser
from mteval.ui.session.fragments import fragment
from mteval.ui.session.memory import key_of, of_session

SECONDS_KEPT = 45.0  # after the last visit, so that a reload finds its work running
SECONDS_BETWEEN_LOOKS = 5.0
SECONDS_FOR_FIRST_RESULTS = 60.0  # after which code is compiled beside them
GRACE = 0.4  # seconds that a page waits before it shows progress
T = TypeVar("T")


class Leaving:
    """Watches the sessions, and stops the work of those whose visitor has left."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._owned: dict[str, Background | None] = {}
        self._seen: dict[str, float] = {}

    def watch(self, session: str, work: Background | None = None) -> None:
        """End a session, and its work, once its visitor has been away too long."""
        with self._lock:
            self._owned[session] = work or self._owned.get(session)
            self._seen[session] = time.monotonic()

    def look(self, now: float) -> tuple[str, ...]:
        """Stop work that nobody waits for, and return the ended sessions."""
        with self._lock:
            sessions = list(self._owned.items())
        over = tuple(session for session, work in sessions if self._is_over(session, work, now))
        with self._lock:
            for session in over:
                del self._owned[session]
                del self._seen[session]
        return over

    def _is_over(self, session: str, work: Background | None, now: float) -> bool:
        """Return whether a visitor has been away too long; if so, stop the work that nobody waits for."""
        if runtime.get_instance().is_active_session(session):
            self._seen[session] = now
        if now - self._seen[session] <= SECONDS_KEPT:
            return False
        if work is not None:
            work.leave()
        return True

    def look_for_ever(self) -> None:
        """Look repeatedly, in a thread of its own, as long as there is a server."""
        with suppress(RuntimeError):  # raised when the server has ended
            while runtime.get_instance() is not None:
                time.sleep(SECONDS_BETWEEN_LOOKS)
                over = self.look(time.monotonic())
                if over:
                    forget(over)
                    time.sleep(SECONDS_BETWEEN_LOOKS)
                    give_back_memory()


@st.cache_resource(show_spinner=False)
def leaving() -> Leaving:
    """Return the server's watcher."""
    watcher = Leaving()
    Thread(target=watcher.look_for_ever, name="mteval leaving", daemon=True).start()
    return watcher


def owned(work: Background) -> Background:
    """Register work for the session of this run; without a server it belongs to nobody."""
    context = get_script_run_ctx()
    if context is not None and runtime.exists():
        leaving().watch(context.session_id, work)
    return work


def forget(sessions: Iterable[str]) -> None:
    """Remove ended sessions with their files and values from the server, which would keep them for longer."""
    server: Any = runtime.get_instance()

    def close(session: str) -> None:
        if not server.is_active_session(session):  # the visitor may have come back just now
            server.close_session(session)

    for session in sessions:
        server._get_async_objs().eventloop.call_soon_threadsafe(close, session)


@st.cache_resource(show_spinner=False)
def warm_up() -> Job[None]:
    """Evaluate two sentences with the usual metrics, once per server, in a thread."""
    return Job("warm up", _evaluate_little)


@st.cache_resource(show_spinner=False)
def warm_further() -> Job[None]:
    """Evaluate them with metrics that have compiled code of their own, after ``warm_up``."""
    return Job("warm up further", _evaluate_further)


@st.cache_resource(show_spinner=False)
def first_results() -> Event:
    """Return what is set once somebody has results."""
    return Event()


def _evaluate_little(cancelled: Event, report: Callable[[Progress], None]) -> None:
    cancelled.wait(1.5)  # seconds for the first page, before the compiler takes the interpreter

    def report_kernel(name: str, n_made: int, n_kernels: int) -> None:
        report(Progress(name, n_made, n_kernels))

    with compiling_reported(report_kernel):
        prepare_usual(Work(Engine(1, cancelled)))


def _evaluate_further(cancelled: Event, report: Callable[[Progress], None]) -> None:
    warm_up().result()
    # Beside it, the verdict on the sample would take twice as long on two cores
    deadline = time.monotonic() + SECONDS_FOR_FIRST_RESULTS
    while not first_results().is_set() and time.monotonic() < deadline:
        if cancelled.wait(0.5):
            return
    prepare_further(Work(Engine(1, cancelled), report=report))


def background() -> Background:
    """Return the session's work beside its pages."""
    return of_session("background", lambda: owned(Background(turns(), browser())))


@st.cache_resource(show_spinner=False)
def turns() -> Turns:
    """Return the queue of all sessions."""
    return Turns(usual_number())


def made_beside(place: str, make: Callable[..., T], *arguments: Any, workers: int = 0) -> T | None:
    """Call a function of a module with values and resources beside the page; otherwise as ``ask``."""
    return ask(place, key_of(make, arguments), lambda work: make(*arguments, work), workers)


def begin_beside(place: str, make: Callable[..., Any], *arguments: Any) -> bool:
    """Start what ``made_beside`` will be asked for, in one thread, and return whether nothing is left to compute.

    Nothing starts while other work is under way.
    """
    work = background()
    work.collect()
    key = key_of(make, arguments)
    if key in work.values or key in work.failures:
        return True
    if not work.jobs:
        work.begin(place, key, lambda work: make(*arguments, work), 1)
    return False


def awaited(place: str, make: Callable[..., T], *arguments: Any, workers: int = 0) -> T:
    """Return what ``made_beside`` makes; until it is there, the page ends with its progress."""
    value = made_beside(place, make, *arguments, workers=workers)
    if value is None:
        st.stop()
    return value


def ask(place: str, key: Hashable, function: Callable[[Work], T], workers: int = 0) -> T | None:
    """Return a function's value once it is there; until then None, with its progress on the page.

    Parameters
    ----------
    place
        Where on a page the value is wanted; a job for another key there is stopped.
    key
        All that decides the value; ``made_beside`` derives it.
    workers
        Threads to use; 0 takes all cores.
    """
    work = background()
    work.collect()
    if key in work.values:
        value: T | None = work.values.get(key)
        return value
    if work.is_under_way(place, key):
        show_progress(place)
        return None
    failure = work.failures.get(key)
    if failure is not None:
        _show_failure(place, key, failure)
        return None
    if work.begin(place, key, function, workers).wait(GRACE):
        return ask(place, key, function, workers)
    show_progress(place)
    return None


def _show_failure(place: str, key: Hashable, failure: str) -> None:
    """Show the error; stopped work can be resumed."""
    if failure:
        say("error", failure)
        return
    say("note", "Stopped.")
    st.button(
        "Compute",
        icon=":material/play_arrow:",
        on_click=background().failures.forget,
        args=(key,),
        key=f"{place}-again",
    )


def show_progress(place: str, compiles: bool = True) -> None:
    """Show task, time left and stop button; at the end the page is redrawn.

    The longer the queue, the less often it is looked at: many waiting pages would take the time of those at work.

    Parameters
    ----------
    compiles
        Whether the work needs compiled code, so that it may have to wait for the compiler.
    """
    seconds_between_looks = 0.3 * max(1.0, turns().n_waiting / 5)
    fragment(seconds_between_looks)(_progress)(place, compiles)


def _progress(place: str, compiles: bool) -> None:
    """Show the progress of the job at a place, or of the compiler that it waits for."""
    job = background().jobs.get(place)
    if job is None or job.is_done:
        st.rerun()
    progress = job.progress
    if compiles and not warm_up().is_done:
        progress = warm_up().progress
    st.progress(progress.fraction, text=" ")
    show(tag("div", _status(job, compiles), class_="mt-doing", role="status"))
    st.button(
        "Stop",
        icon=":material/stop_circle:",
        on_click=background().stop,
        args=(place,),
        disabled=job.cancelled.is_set(),
        key=f"{place}-stop",
    )


def _status(job: Job[object], compiles: bool) -> str:
    """Return what is under way, and how long it still takes."""
    if job.cancelled.is_set():
        return "Stopping…"
    if not compiles:
        return f"{job.progress.task}…"
    if not warm_up().is_done:
        return "Compiling (once after installation)…"
    seconds_left = job.seconds_left
    if seconds_left is not None:
        return f"{job.progress.task} · {duration(seconds_left)} left"
    if not warm_further().is_done:
        return f"{job.progress.task} · may compile code first"
    return job.progress.task


def duration(seconds: float) -> str:
    """Return a rough duration."""
    if seconds < 1.5:
        return "about a second"
    if seconds < 90:
        return f"about {round(seconds)} s"
    return f"about {round(seconds / 60)} min"
