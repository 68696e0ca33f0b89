"""Work in threads beside the page, which must not wait; at most so many at once, in fair turns."""

import os
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from contextlib import contextmanager, suppress
from threading import Condition, Event, Thread
from typing import Any, Generic, TypeVar

from mteval.analysis.scoring import Progress, Work, means_of_computation
from mteval.base.errors import CancelledError, MtevalError
from mteval.base.parallel import available_cores
from mteval.ui.session.memory import MIB, Memory, share_of_session

T = TypeVar("T")
LONGEST_STOP = 0.8  # seconds to wait for the compiler, which cannot be interrupted


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
        try:
            self._outcome.set_result(self._function(self.cancelled, self._listen))
        except BaseException as error:  # raised again in the thread that asks for the result
            self._outcome.set_exception(error)

    def _listen(self, progress: Progress) -> None:
        if progress.total != self.progress.total or progress.done < self.progress.done:
            self._step_began = time.monotonic()
        self.progress = progress

    @property
    def is_done(self) -> bool:
        """Whether it has ended, or was stopped and may end by itself."""
        return self._outcome.done() or self._is_left

    @property
    def _is_left(self) -> bool:
        return self._stopped_at is not None and time.monotonic() - self._stopped_at > LONGEST_STOP

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds left in the current step; None if unknown."""
        fraction = self.progress.fraction
        if fraction < 0.03:  # too early to estimate before this fraction
            return None
        return (time.monotonic() - self._step_began) * (1 - fraction) / fraction

    def stop(self) -> None:
        """Tell it to stop; ``result`` soon raises ``CancelledError``, even if the thread goes on."""
        self._stopped_at = self._stopped_at or time.monotonic()
        self.cancelled.set()

    def wait(self, seconds: float) -> bool:
        """Wait at most so long, and return whether it ended."""
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


class Turns:
    """A queue for work of several owners; of those who wait the next is whoever has least under way, then was served
    longest ago, then came first.

    Parameters
    ----------
    number
        Pieces of work at once.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self._changed = Condition()
        self._waiting: list[tuple[Hashable, object]] = []
        self._working: Counter[Hashable] = Counter()
        self._served: dict[Hashable, int] = {}  # higher is more recent
        self._number_served = 0

    @property
    def n_waiting(self) -> int:
        """How many wait for their turn."""
        return len(self._waiting)

    @contextmanager
    def turn(self, owner: Hashable, cancelled: Event, say_place: Callable[[int], None]) -> Iterator[None]:
        """Wait for a turn, and hold it.

        Parameters
        ----------
        say_place
            Told how many are served first, whenever that changes.

        Raises
        ------
        CancelledError
            When told to stop before it came.
        """
        self._wait((owner, object()), cancelled, say_place)
        try:
            yield
        finally:
            with self._changed:
                self._working[owner] -= 1
                self._changed.notify_all()

    def _wait(self, ticket: tuple[Hashable, object], cancelled: Event, say_place: Callable[[int], None]) -> None:
        with self._changed:
            self._waiting.append(ticket)
            said = None
            try:
                while (place := self._place(ticket)) or self._working.total() >= self.number:
                    if cancelled.is_set():
                        raise CancelledError("Stopped; nothing was changed.")
                    if place != said:
                        say_place(place)
                        said = place
                    self._changed.wait(0.2)  # at the event that stops a waiting job
                self._working[ticket[0]] += 1
                self._number_served += 1
                self._served[ticket[0]] = self._number_served
            finally:
                self._waiting.remove(ticket)
                self._changed.notify_all()

    def _place(self, ticket: tuple[Hashable, object]) -> int:
        """Return how many waiting jobs go first."""
        in_order = sorted(self._waiting, key=lambda other: (self._working[other[0]], self._served.get(other[0], 0)))
        return in_order.index(ticket)


MOST_VALUES, MOST_BYTES = 64, 512 * MIB


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

    Attributes
    ----------
    jobs
        Under way, by place.
    values
        What work brought, by key.
    failures
        Why other work brought nothing, by key: the error in words, empty where the user stopped it.
    """

    def __init__(self, turns: Turns | None = None) -> None:
        self._turns = turns or Turns(usual_number())
        self.jobs: dict[str, Job[Any]] = {}
        self._listeners: dict[str, Callable[[Any], None]] = {}
        self.values: Memory[Any] = Memory(MOST_VALUES, share_of_session(MOST_BYTES))
        self.failures: Memory[str] = Memory(256, MIB)
        self._begun_last: dict[str, Hashable] = {}
        self._kept: set[str] = set()

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

        ``listener`` is told the value when it is collected. Work ``is_kept`` where what comes of it is kept elsewhere,
        so that it goes on when its visitor has left.
        """
        if place in self.jobs:
            self.jobs[place].stop()
        self.failures.forget(key)

        def run(cancelled: Event, report: Callable[[Progress], None]) -> T:
            """Wait for a turn among all sessions, reporting the queue, then run."""

            def say_place(place: int) -> None:
                report(Progress(f"Waiting: {place} ahead in the queue", 0, 1))

            with self._turns.turn(id(self), cancelled, say_place):
                return function(means_of_computation(workers, cancelled=cancelled, report=report))

        job = Job(key, run)
        self.adopt(place, job, listener, is_kept)
        return job

    def adopt(self, place: str, job: Job[T], listener: Callable[[T], None], is_kept: bool = True) -> None:
        """Wait for a job, which another session may have started, as if it had started here."""
        self._begun_last[place], self.jobs[place], self._listeners[place] = job.key, job, listener
        (self._kept.add if is_kept else self._kept.discard)(place)

    def leave(self) -> None:
        """Stop jobs whose result nobody waits for."""
        for place in set(self.jobs) - self._kept:
            self.stop(place)

    def stop(self, place: str) -> None:
        """Stop the job at a place, as the user asked; it does not restart by itself."""
        if (job := self.jobs.get(place)) is not None:
            self.failures.keep({job.key: ""})
            job.stop()

    def stop_all(self) -> None:
        """Stop all jobs."""
        for place in list(self.jobs):
            self.stop(place)

    def collect(self) -> None:
        """Collect the results of all ended jobs."""
        for place in [place for place, job in self.jobs.items() if job.is_done]:
            self._take(self.jobs.pop(place), self._listeners.pop(place))

    def _take(self, job: Job[T], listener: Callable[[T], None]) -> None:
        try:
            value = job.result()
            self.values.keep({job.key: value})
            self.failures.forget(job.key)
            listener(value)
        except CancelledError:
            self.failures.keep({job.key: ""})
        except MtevalError as error:
            self.failures.keep({job.key: str(error)})
