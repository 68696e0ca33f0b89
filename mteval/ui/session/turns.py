"""Whose work is done when there is more of it than the machine does well at once: in turn, none served twice first."""

import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from threading import Condition, Event

from mteval.errors import CancelledError
from mteval.parallel import available_cores

VARIABLE = "MTEVAL_JOBS"
SECONDS_BETWEEN_LOOKS = 0.2  # at whether who waits was told to stop


def usual_number() -> int:
    """How many pieces of work are done at once: what ``MTEVAL_JOBS`` says, else one a core and two at least."""
    with suppress(ValueError):
        return max(1, int(os.environ.get(VARIABLE, "")))
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
        self._served: dict[Hashable, int] = {}  # who was served last has the highest number
        self._number_served = 0

    @property
    def n_waiting(self) -> int:
        """How many wait for their turn."""
        return len(self._waiting)

    @contextmanager
    def turn(self, owner: Hashable, cancelled: Event, say_place: Callable[[int], None]) -> Iterator[None]:
        """Wait for one's turn, and have it.

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
                        raise CancelledError("Stopped before it was finished; nothing was changed.")
                    if place != said:
                        say_place(place)
                        said = place
                    self._changed.wait(SECONDS_BETWEEN_LOOKS)
                self._working[ticket[0]] += 1
                self._number_served += 1
                self._served[ticket[0]] = self._number_served
            finally:
                self._waiting.remove(ticket)
                self._changed.notify_all()

    def _place(self, ticket: tuple[Hashable, object]) -> int:
        """How many of those who wait are served before."""
        in_order = sorted(self._waiting, key=lambda other: (self._working[other[0]], self._served.get(other[0], 0)))
        return in_order.index(ticket)
