"""Uploads are read beside the page, in turns of visitors, and added when they are there."""

from collections.abc import Callable, Sequence
from threading import Event
from typing import TypeVar

import streamlit as st

from mteval.analysis.scoring import Progress
from mteval.base.turns import Client
from mteval.readers.documents import InputFile
from mteval.readers.formats.uploads import Read
from mteval.ui.elements import leave
from mteval.ui.session.background import Job, ignore
from mteval.ui.session.browser import browser
from mteval.ui.session.progress import background, show_progress
from mteval.ui.session.visitor import is_too_much, small_enough
from mteval.ui.setup import workspace as session
from mteval.ui.setup.address import take_described

PLACE = "reading"
AT_ONCE = "reading-at-once"  # place of what a page waits for
BEGUN, CAME = "reading-begun", "reading-came"  # keys of the session: the files being read, and what came of them
PATIENCE = 2.0  # seconds for which a drop waits, before the page shows how far reading is
T = TypeVar("T")


def begin(files: Sequence[InputFile]) -> None:
    """In a callback: read files beside the page."""
    session.take(session.workspace())  # drop zones start afresh, so that their bytes are not kept twice
    if not files or is_too_much(files):
        return
    job = _job(lambda client: session.reading().unpack(files, client=client))
    background().adopt(PLACE, job, _keep, is_kept=False)
    st.session_state[BEGUN] = tuple(files)
    job.wait(PATIENCE)


def _keep(read: Read) -> None:
    st.session_state[CAME] = read


def is_under_way() -> bool:
    """Return whether dropped files are being read."""
    return BEGUN in st.session_state


def show() -> None:
    """Show how far reading is, with a button that stops it."""
    show_progress(PLACE, compiles=False)


def take_what_came() -> None:
    """In a callback, or before a run draws anything: add the files that were read meanwhile."""
    if not is_under_way():
        return
    job = background().jobs.get(PLACE)
    background().collect()
    if PLACE in background().jobs:
        return
    files = st.session_state.pop(BEGUN)
    read = st.session_state.pop(CAME, None)
    if job is not None:
        background().values.forget(job.key)  # the workspace has them now
    if read is None:
        failure = background().failure_at(PLACE)
        leave("error" if failure else "note", failure or "Stopped. No files were added.")
        return
    added = small_enough(lambda: session.workspace().add(files, read=lambda _: read), files)
    session.take(added or session.workspace(), has_come=added is not None)
    take_described()


def read_at_once(read: Callable[[Client], T]) -> T:
    """Read something in this visitor's turns, and wait for it; reading ends when the visitor leaves.

    Raises
    ------
    MtevalError
        If ``read`` raises it, or the visitor left.
    """
    background().adopt(AT_ONCE, _job(read), ignore, is_kept=False)
    value: T = background().awaited(AT_ONCE)
    return value


def _job(read: Callable[[Client], T]) -> Job[T]:
    owner = browser()

    def run(cancelled: Event, report: Callable[[Progress], None]) -> T:
        """Read, and report the queue."""

        def say_place(n_ahead: int | None) -> None:
            if n_ahead is None:
                report(Progress("Reading files", 0, 1))
            else:
                report(Progress(f"Reading waits for other visitors: {n_ahead} ahead in the queue", 0, 1))

        return read(Client(owner, cancelled, say_place))

    return Job(object(), run)
