"""A queue for work of several owners, who take turns."""

import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from threading import Condition, Event

from mteval.base.errors import CancelledError

SECONDS_BETWEEN_LOOKS = 0.2  # at the event that stops waiting work


def say_nothing(n_ahead: int | None) -> None:
    """Ignore a place in the queue."""


@dataclass(frozen=True)
class Client:
    """Whoever asks for a turn.

    Parameters
    ----------
    owner
        Whose turn the work takes. All work of an owner shares the owner's turns.
    cancelled
        Set from any thread to stop waiting.
    say_place
        Told how many pieces of work are served first, whenever that changes; None once its turn has come.
    """

    owner: Hashable
    cancelled: Event
    say_place: Callable[[int | None], None] = say_nothing


@dataclass(eq=False)
class _Ticket:
    """A piece of work that waits; tickets of one owner are served in the order in which they came."""

    owner: Hashable


class Line:
    """Decides whose turn is next. It has no lock and no clock; ``Turns`` has.

    Of the owners who wait, the next is whoever has least work under way, then whoever has waited longest. An owner
    waits since they came, or since their last turn ended. So an owner who was just served stands behind all who wait,
    and nobody who comes later, under whatever name, is served earlier.

    Parameters
    ----------
    number
        Owners who have work under way at once. An owner with none can start unless so many others have some; further
        work starts only while fewer than ``number`` pieces are under way.
    most_each
        Pieces of work that one owner can have under way.
    """

    def __init__(self, number: int, most_each: float = inf) -> None:
        self.number = number
        self.most_each = most_each
        self.waiting: list[_Ticket] = []
        self.working: Counter[Hashable] = Counter()  # pieces by owner, without owners who have none
        self._waits_since: dict[Hashable, int] = {}  # by owner who waits or works; higher is later
        self._n_events = 0

    def join(self, owner: Hashable) -> _Ticket:
        """Add a piece of work at the end."""
        ticket = _Ticket(owner)
        if owner not in self._waits_since:
            self._stand_behind_all(owner)
        self.waiting.append(ticket)
        return ticket

    def place(self, ticket: _Ticket) -> int:
        """Return how many waiting pieces of work go first."""

        def rank(waiting: _Ticket) -> tuple[int, int]:
            return self.working[waiting.owner], self._waits_since[waiting.owner]

        return sorted(self.waiting, key=rank).index(ticket)

    def can_start(self, ticket: _Ticket) -> bool:
        """Return whether it is a waiting ticket's turn."""
        n_under_way = self.working[ticket.owner]
        if n_under_way == 0:
            has_room = len(+self.working) < self.number
        else:
            has_room = n_under_way < self.most_each and self.working.total() < self.number
        return has_room and self.place(ticket) == 0

    def start(self, ticket: _Ticket) -> None:
        """Let a waiting ticket's work begin."""
        self.waiting.remove(ticket)
        self.working[ticket.owner] += 1

    def end(self, owner: Hashable) -> None:
        """End a turn, whether or not the work is done."""
        self.working[owner] -= 1
        self._stand_behind_all(owner)
        self._forget_if_idle(owner)

    def give_up(self, ticket: _Ticket) -> None:
        """Remove a waiting ticket."""
        self.waiting.remove(ticket)
        self._forget_if_idle(ticket.owner)

    def _stand_behind_all(self, owner: Hashable) -> None:
        """Let an owner wait since now."""
        self._n_events += 1
        self._waits_since[owner] = self._n_events

    def _forget_if_idle(self, owner: Hashable) -> None:
        """Forget an owner who neither works nor waits."""
        if self.working[owner]:
            return
        del self.working[owner]
        if all(ticket.owner != owner for ticket in self.waiting):
            del self._waits_since[owner]


class Turn:
    """A turn among others. Work that can be interrupted calls ``give_way`` once the turn ``is_over``."""

    def __init__(self, turns: "Turns", client: Client) -> None:
        self._turns = turns
        self._client = client
        self._is_held = False
        self._began = 0.0

    @property
    def is_over(self) -> bool:
        """Whether the turn has lasted long enough and other work waits."""
        return self._turns.n_waiting > 0 and self._turns.clock() - self._began >= self._turns.seconds

    def check(self) -> None:
        """Raise ``CancelledError`` if the work was stopped."""
        if self._client.cancelled.is_set():
            raise CancelledError("Stopped; nothing was changed.")

    def give_way(self) -> None:
        """End the turn, and wait for the next one.

        Raises
        ------
        CancelledError
            If the work is stopped meanwhile; it then has no turn.
        """
        self._turns.give_back(self._client.owner)
        self._is_held = False
        self.take()

    def take(self) -> None:
        """Wait for a turn; raise ``CancelledError`` if the work is stopped before its turn comes."""
        self._turns.wait_for_turn(self._client)
        self._is_held = True
        self._began = self._turns.clock()

    def end(self) -> None:
        """End the turn, if it is held."""
        if self._is_held:
            self._turns.give_back(self._client.owner)
            self._is_held = False


class Turns:
    """Turns of threads, in the order of a ``Line``.

    Parameters
    ----------
    number, most_each
        As in ``Line``.
    seconds
        After which a turn is over while other work waits; infinite if work cannot be interrupted.
    clock
        Returns seconds.
    """

    def __init__(
        self, number: int, most_each: float = inf, seconds: float = inf, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.seconds = seconds
        self.clock = clock
        self._line = Line(number, most_each)
        self._changed = Condition()

    @property
    def n_waiting(self) -> int:
        """How many pieces of work wait."""
        return len(self._line.waiting)

    @contextmanager
    def turn(self, client: Client) -> Iterator[Turn]:
        """Wait for a turn, and hold it.

        Raises
        ------
        CancelledError
            If the work is stopped before its turn comes.
        """
        turn = Turn(self, client)
        turn.take()
        try:
            yield turn
        finally:
            turn.end()

    def wait_for_turn(self, client: Client) -> None:
        """Wait until it is the turn of a piece of work, which then has to be given back.

        Raises
        ------
        CancelledError
            If the work is stopped before.
        """
        told_place = None
        with self._changed:
            ticket = self._line.join(client.owner)
            try:
                while not self._line.can_start(ticket):
                    if client.cancelled.is_set():
                        raise CancelledError("Stopped; nothing was changed.")
                    place = self._line.place(ticket)
                    if place != told_place:
                        client.say_place(place)
                        told_place = place
                    self._changed.wait(SECONDS_BETWEEN_LOOKS)
            except BaseException:
                self._line.give_up(ticket)
                self._changed.notify_all()
                raise
            self._line.start(ticket)
            self._changed.notify_all()
        client.say_place(None)

    def give_back(self, owner: Hashable) -> None:
        """End a turn of an owner."""
        with self._changed:
            self._line.end(owner)
            self._changed.notify_all()
