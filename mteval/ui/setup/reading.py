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
BEGUN = "reading-begun"  # key of the session: the files being read
CAME = "reading-came"  # key of the session: what came of them
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
    work = background()
    job = work.jobs.get(PLACE)
    work.collect()
    if PLACE in work.jobs:  # still being read
        return
    files = st.session_state.pop(BEGUN)
    read = st.session_state.pop(CAME, None)
    if job is not None:
        work.values.forget(job.key)  # the workspace has them now
    if read is None:
        failure = work.failure_at(PLACE)
        if failure:
            leave("error", failure)
        else:
            leave("note", "Stopped. No files were added.")
        return
    changed = small_enough(lambda: session.workspace().add(files, read=lambda _: read), files)
    if changed is None:
        session.take(session.workspace())
    else:
        session.take(changed, has_come=True)
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
    """Return work that reads something, and reports how many visitors are ahead in the queue."""
    owner = browser()  # threads cannot read the session

    def run(cancelled: Event, report: Callable[[Progress], None]) -> T:
        def report_queue(n_ahead: int | None) -> None:
            if n_ahead is None:
                report(Progress("Reading files", 0, 1))
            else:
                report(Progress(f"Reading waits for other visitors: {n_ahead} ahead in the queue", 0, 1))

        return read(Client(owner, cancelled, report_queue))

    return Job(object(), run)
