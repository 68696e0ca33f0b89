"""Work beside the pages: what is under way, what it brought, and what it did not."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import Any, TypeVar

from mteval.analysis.work import Progress, Work, means_of_computation
from mteval.errors import CancelledError, MtevalError
from mteval.ui.session.jobs import Job
from mteval.ui.session.memory import MIB, Memory, share_of_session
from mteval.ui.session.turns import Turns, usual_number

MOST_VALUES, MOST_BYTES = 64, 512 * MIB
MOST_FAILURES = 256
T = TypeVar("T")
Computation = Callable[[Event, Callable[[Progress], None]], T]  # with the event that stops it


def ignore(value: object) -> None:
    """Listen to nothing."""


@dataclass(frozen=True)
class Failure:
    """Why work brought nothing: the error in words, empty where the user stopped it."""

    error: str = ""


class Background:
    """What one session computes and has computed beside its pages.

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
        Why other work brought nothing, by key.
    """

    def __init__(self, turns: Turns | None = None) -> None:
        self._turns = turns or Turns(usual_number())
        self.jobs: dict[str, Job[Any]] = {}
        self._listeners: dict[str, Callable[[Any], None]] = {}
        self.values: Memory[Any] = Memory(MOST_VALUES, share_of_session(MOST_BYTES))
        self.failures: Memory[Failure] = Memory(MOST_FAILURES, MIB)
        self._begun_last: dict[str, str] = {}
        self._kept: set[str] = set()

    @property
    def is_working(self) -> bool:
        """Whether anything is under way."""
        return any(not job.is_done for job in self.jobs.values())

    def is_under_way(self, place: str, key: str) -> bool:
        """Whether this work is under way at a place."""
        return place in self.jobs and self.jobs[place].key == key

    def failure_at(self, place: str) -> Failure | None:
        """Why the last work at a place brought nothing; None where it is under way, or brought something."""
        return self.failures.get(self._begun_last.get(place, ""))

    def begin(
        self,
        place: str,
        key: str,
        function: Callable[[Work], T],
        workers: int = 0,
        listener: Callable[[T], None] = ignore,
        is_kept: bool = False,
    ) -> Job[T]:
        """Let a function of the means of computation run; what is under way at the place is stopped.

        ``listener`` is told the value when it is collected. Work ``is_kept`` where what comes of it is kept elsewhere,
        so that it goes on when its visitor has left.
        """
        if place in self.jobs:
            self.jobs[place].stop()
        self.failures.forget(key)
        self._begun_last[place] = key
        job = self.jobs[place] = Job(key, self._in_turn(_with_means(function, workers)))
        self._listeners[place] = listener
        self._note_kept(place, is_kept)
        return job

    def _in_turn(self, function: Computation[T]) -> Computation[T]:
        """The function, which waits for its turn among the work of all sessions and says meanwhile how long the queue
        is."""

        def run(cancelled: Event, report: Callable[[Progress], None]) -> T:
            def say_place(place: int) -> None:
                report(Progress(f"Waiting for its turn, {place} in the queue before it", 0, 1))

            with self._turns.turn(id(self), cancelled, say_place):
                return function(cancelled, report)

        return run

    def adopt(self, place: str, job: Job[T], listener: Callable[[T], None]) -> None:
        """Wait for work that another session began, as if it had begun here."""
        self._begun_last[place] = job.key
        self.jobs[place] = job
        self._listeners[place] = listener
        self._note_kept(place, True)

    def _note_kept(self, place: str, is_kept: bool) -> None:
        (self._kept.add if is_kept else self._kept.discard)(place)

    def leave(self) -> None:
        """Tell what is not kept to stop, since nobody waits for it."""
        for place in set(self.jobs) - self._kept:
            self.stop(place)

    def stop(self, place: str) -> None:
        """Tell the work at a place to stop, as the user wishes it; it does not start by itself again."""
        job = self.jobs.get(place)
        if job is not None:
            self.failures.keep({job.key: Failure()})
            job.stop()

    def stop_all(self) -> None:
        """Tell all work to stop."""
        for place in list(self.jobs):
            self.stop(place)

    def collect(self) -> None:
        """Take over what all work that has ended brought."""
        for place in [place for place, job in self.jobs.items() if job.is_done]:
            self._take(self.jobs.pop(place), self._listeners.pop(place))

    def _take(self, job: Job[T], listener: Callable[[T], None]) -> None:
        try:
            value = job.result()
            self.values.keep({job.key: value})
            self.failures.forget(job.key)
            listener(value)
        except CancelledError:
            self.failures.keep({job.key: Failure()})
        except MtevalError as error:
            self.failures.keep({job.key: Failure(str(error))})


def _with_means(function: Callable[[Work], T], workers: int) -> Computation[T]:
    return lambda cancelled, report: function(means_of_computation(workers, cancelled=cancelled, report=report))
