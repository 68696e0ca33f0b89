"""Work in threads beside the page, which must not wait; at most so many at once, in fair turns."""

import os
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from contextlib import suppress
from threading import Event, Thread
from typing import Any, Generic, TypeVar

from mteval.analysis.scoring import Progress, Work, means_of_computation
from mteval.base.errors import CancelledError, MtevalError
from mteval.base.foreign import errors_of_plugins_named
from mteval.base.parallel import available_cores
from mteval.base.turns import Client, Turns
from mteval.ui.session.memory import MIB, Memory, share_of_session

T = TypeVar("T")
LONGEST_STOP = 0.8  # seconds to wait for the compiler, which cannot be interrupted
EARLIEST_ESTIMATE = 0.03  # of a step that must be done before the time left is estimated

# What a session keeps of finished work
MOST_VALUES = 64
MOST_BYTES = 512 * MIB
MOST_FAILURES = 256


class Job(Generic[T]):
    """A function in a thread that reports progress and can be stopped.

    Parameters
    ----------
    key
        Names what is computed, so that a page knows whether it is what it wants.
    function
        Called with the event that tells it to stop and with the listener for its progress.
    """

    def __init__(self, key: Hashable, function: Callable[[Event, Callable[[Progress], None]], T]) -> None:
        self.key = key
        self.cancelled = Event()
        self.progress = Progress("Starting", 0, 1)
        self._stopped_at: float | None = None
        self._step_began = time.monotonic()
        self._function = function
        self._outcome: Future[T] = Future()
        Thread(target=self._run, name="mteval job", daemon=True).start()

    def _run(self) -> None:
        """Call the function, and keep its value or error for ``result``."""
        try:
            with errors_of_plugins_named():
                value = self._function(self.cancelled, self._listen)
            self._outcome.set_result(value)
        except BaseException as error:  # raised again in the thread that asks for the result
            self._outcome.set_exception(error)

    def _listen(self, progress: Progress) -> None:
        """Note the progress; another total, or less done than before, means that another step began."""
        if progress.total != self.progress.total or progress.done < self.progress.done:
            self._step_began = time.monotonic()
        self.progress = progress

    @property
    def is_done(self) -> bool:
        """Whether it has ended, or was stopped and may end by itself."""
        return self._outcome.done() or self._is_left

    @property
    def _is_left(self) -> bool:
        """Whether it was stopped, and has not ended within the time that the session waits for that."""
        return self._stopped_at is not None and time.monotonic() - self._stopped_at > LONGEST_STOP

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds left in the current step; None if unknown."""
        # Assumes that the rest of the step is as fast as the part that is done
        fraction = self.progress.fraction
        if fraction < EARLIEST_ESTIMATE:
            return None
        return (time.monotonic() - self._step_began) * (1 - fraction) / fraction

    def stop(self) -> None:
        """Tell it to stop; ``result`` soon raises ``CancelledError``, even if the thread goes on."""
        if self._stopped_at is None:
            self._stopped_at = time.monotonic()
        self.cancelled.set()

    def wait(self, seconds: float) -> bool:
        """Wait at most this long, and return whether it ended."""
        wait_for([self._outcome], timeout=seconds)
        return self.is_done

    def result(self) -> T:
        """Return what the function returned, or raise what it raised."""
        if self._is_left and not self._outcome.done():
            raise CancelledError("Stopped; nothing was changed.")
        return self._outcome.result()


def usual_number() -> int:
    """Return how many jobs run at once: ``MTEVAL_JOBS``, else one per core and at least two."""
    with suppress(ValueError):
        return max(1, int(os.environ.get("MTEVAL_JOBS", "")))
    return max(2, available_cores())


def ignore(value: object) -> None:
    """Do nothing with a value."""


class Background:
    """The jobs of one session, and their results.

    Work has a key, which names all that decides its value, and a place that waits for it: at a place one piece of work
    is under way at a time. What was stopped or has failed is not begun again by itself: pages look for its failure
    first.

    Parameters
    ----------
    turns
        The queue that it shares with other sessions.
    owner
        Whose turns it takes: sessions of one visitor share them. By default it has turns of its own.

    Attributes
    ----------
    jobs
        Under way, by place.
    values
        Values of finished work, by key.
    failures
        Why other work has no value, by key: the error in words, empty if the user stopped it.
    """

    def __init__(self, turns: Turns | None = None, owner: Hashable = None) -> None:
        if turns is None:
            turns = Turns(usual_number())
        if owner is None:
            owner = id(self)
        self._turns = turns
        self._owner = owner
        self.jobs: dict[str, Job[Any]] = {}
        self._listeners: dict[str, Callable[[Any], None]] = {}
        self.values: Memory[Any] = Memory(MOST_VALUES, share_of_session(MOST_BYTES))
        self.failures: Memory[str] = Memory(MOST_FAILURES, MIB)
        self._begun_last: dict[str, Hashable] = {}  # key of the job that was begun last, by place
        self._kept: set[str] = set()  # places whose job goes on when its visitor has left

    @property
    def is_working(self) -> bool:
        """Whether a job is running."""
        return any(not job.is_done for job in self.jobs.values())

    def is_under_way(self, place: str, key: Hashable) -> bool:
        """Return whether this job is running at a place."""
        return place in self.jobs and self.jobs[place].key == key

    def failure_at(self, place: str) -> str | None:
        """Return why the last job at a place failed; None if it is running or succeeded."""
        return self.failures.get(self._begun_last.get(place, ""))

    def begin(
        self,
        place: str,
        key: Hashable,
        function: Callable[[Work], T],
        workers: int = 0,
        listener: Callable[[T], None] = ignore,
        is_kept: bool = False,
    ) -> Job[T]:
        """Start a job; a running one at the same place is stopped.

        Parameters
        ----------
        place
            What waits for the value.
        key
            Names all that decides the value.
        workers
            Threads to use; 0 takes all cores.
        listener
            Called with the value when it is collected.
        is_kept
            Whether the function keeps its value elsewhere, so that the job goes on when its visitor has left.
        """
        if place in self.jobs:
            self.jobs[place].stop()
        self.failures.forget(key)

        def run(cancelled: Event, report: Callable[[Progress], None]) -> T:
            """Wait for a turn among all sessions, reporting the queue, then run."""

            def say_place(n_ahead: int | None) -> None:
                if n_ahead is not None:
                    report(Progress(f"Waiting: {n_ahead} ahead in the queue", 0, 1))

            with self._turns.turn(Client(self._owner, cancelled, say_place)):
                return function(means_of_computation(workers, cancelled=cancelled, report=report))

        job = Job(key, run)
        self.adopt(place, job, listener, is_kept)
        return job

    def adopt(self, place: str, job: Job[T], listener: Callable[[T], None], is_kept: bool = True) -> None:
        """Wait for a job, which another session may have started, as if it had started here."""
        self._begun_last[place] = job.key
        self.jobs[place] = job
        self._listeners[place] = listener
        if is_kept:
            self._kept.add(place)
        else:
            self._kept.discard(place)

    def awaited(self, place: str) -> Any:
        """Wait for the job at a place, and return its value or raise its error; nothing is kept of it here."""
        try:
            return self.jobs[place].result()
        finally:
            del self.jobs[place]
            del self._listeners[place]

    def leave(self) -> None:
        """Stop jobs whose result nobody waits for."""
        for place in set(self.jobs) - self._kept:
            self.stop(place)

    def stop(self, place: str) -> None:
        """Stop the job at a place, as the user asked; it does not restart by itself."""
        job = self.jobs.get(place)
        if job is not None:
            self.failures.keep({job.key: ""})
            job.stop()

    def stop_all(self) -> None:
        """Stop all jobs."""
        for place in list(self.jobs):
            self.stop(place)

    def collect(self) -> None:
        """Collect the results of all ended jobs."""
        done = [place for place, job in self.jobs.items() if job.is_done]
        for place in done:
            self._collect(self.jobs.pop(place), self._listeners.pop(place))

    def _collect(self, job: Job[T], listener: Callable[[T], None]) -> None:
        """Store the value of a job and tell its listener, or store why it failed."""
        try:
            value = job.result()
            self.values.keep({job.key: value})
            self.failures.forget(job.key)
            listener(value)
        except CancelledError:
            self.failures.keep({job.key: ""})
        except MtevalError as error:
            self.failures.keep({job.key: str(error)})
