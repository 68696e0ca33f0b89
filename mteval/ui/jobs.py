"""Work in a thread beside the page: a page is a script that runs from top to bottom and must not wait."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from threading import Event, Thread
from typing import Generic, TypeVar

from mteval.analysis.work import Progress

T = TypeVar("T")
FIRST_FRACTION = 0.03  # earlier than this a step says nothing about its length


class Job(Generic[T]):
    """A function that runs in a thread, reports how far it is and can be told to stop.

    Parameters
    ----------
    key
        Names what is computed, so that a page knows whether it is what it wants.
    function
        Called with the event that tells it to stop and with the listener for its progress.
    """

    def __init__(self, key: str, function: Callable[[Event, Callable[[Progress], None]], T]) -> None:
        self.key = key
        self.cancelled = Event()
        self.progress = Progress("Starting", 0, 1)
        self._step_began = time.monotonic()
        self._function = function
        self._outcome: Future[T] = Future()
        Thread(target=self._run, name="mteval job", daemon=True).start()

    def _run(self) -> None:
        try:
            self._outcome.set_result(self._function(self.cancelled, self._listen))
        except BaseException as error:  # carried over to the thread that asks for the result
            self._outcome.set_exception(error)

    def _listen(self, progress: Progress) -> None:
        if progress.total != self.progress.total or progress.done < self.progress.done:
            self._step_began = time.monotonic()
        self.progress = progress

    @property
    def is_done(self) -> bool:
        """Whether it has ended, one way or another."""
        return self._outcome.done()

    @property
    def seconds_left(self) -> float | None:
        """Estimate for the step under way, from how long its first part took; None as long as nobody can tell."""
        fraction = self.progress.fraction
        if fraction < FIRST_FRACTION:
            return None
        return (time.monotonic() - self._step_began) * (1 - fraction) / fraction

    def stop(self) -> None:
        """Tell it to stop; it ends soon after with ``CancelledError``."""
        self.cancelled.set()

    def wait(self, seconds: float) -> bool:
        """Wait at most so long for the end; whether it came."""
        wait_for([self._outcome], timeout=seconds)
        return self.is_done

    def result(self) -> T:
        """What the function returned; raises what it raised."""
        return self._outcome.result()
