"""Turns of several owners: who is next, what a turn lasts, and that nobody waits for ever."""

import time
from collections import Counter
from collections.abc import Callable
from threading import Event, Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mteval.base.errors import CancelledError
from mteval.base.turns import Client, Line, Turns

LONG = 30  # seconds, after which a test fails


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so, which fails the test if it takes too long."""
    for _ in range(LONG * 100):
        if is_so():
            return
        time.sleep(0.01)
    raise AssertionError("it never came true")


def test_who_has_least_under_way_is_next_and_each_is_told_its_place() -> None:
    turns = Turns(1)
    order: list[str] = []
    places: list[tuple[str, int | None]] = []
    gates = {name: Event() for name in ("a1", "a2", "a3", "b1")}

    def work(name: str) -> None:
        with turns.turn(Client(name[0], Event(), lambda place: places.append((name, place)))):
            order.append(name)
            gates[name].wait(LONG)

    threads = []
    for name in gates:
        thread = Thread(target=work, args=(name,))
        thread.start()
        threads.append(thread)
        wait_until(lambda name=name: name in order or name in dict(places))
    assert order == ["a1"]
    wait_until(lambda: ("a3", 2) in places)  # since b1 came
    assert turns.n_waiting == 3
    for name in ("a1", "b1", "a2", "a3"):
        wait_until(lambda name=name: name in order)
        gates[name].set()
    for thread in threads:
        thread.join()
    assert order == ["a1", "b1", "a2", "a3"]
    assert ("b1", 0) in places
    assert ("a3", 2) in places
    assert ("b1", None) in places


def test_work_that_waits_can_be_stopped() -> None:
    turns = Turns(1)
    cancelled = Event()
    cancelled.set()
    with (
        turns.turn(Client("a", Event())),
        pytest.raises(CancelledError),
        turns.turn(Client("b", cancelled)),
    ):
        raise AssertionError("it was not its turn")
    assert turns.n_waiting == 0


def test_a_turn_is_over_only_after_its_time_and_while_others_wait() -> None:
    now = [0.0]
    turns = Turns(1, most_each=1, seconds=2.0, clock=lambda: now[0])
    thread_of_b = Thread(target=lambda: turns.wait_for_turn(Client("b", Event())))
    with turns.turn(Client("a", Event())) as turn:
        now[0] = 100.0
        assert not turn.is_over  # nobody waits
        thread_of_b.start()
        wait_until(lambda: turns.n_waiting == 1)
        assert turn.is_over
        now[0] = 0.5
        assert not turn.is_over
    thread_of_b.join()
    turns.give_back("b")


def test_work_that_gives_way_goes_on_after_those_who_wait() -> None:
    turns = Turns(1, most_each=1, seconds=0.0)
    order: list[str] = []

    def read(name: str) -> None:
        with turns.turn(Client(name, Event())):
            order.append(name)

    with turns.turn(Client("a", Event())) as turn:
        threads = []
        for number, name in enumerate("bc", start=1):
            thread = Thread(target=read, args=(name,))
            thread.start()
            threads.append(thread)
            wait_until(lambda number=number: turns.n_waiting == number)
        turn.give_way()
        order.append("a again")
    for thread in threads:
        thread.join()
    assert order == ["b", "c", "a again"]


def test_work_that_is_stopped_while_others_have_their_turn_leaves_the_queue() -> None:
    turns = Turns(1, seconds=0.0)
    cancelled = Event()
    has_begun = Event()
    may_end = Event()

    def hold() -> None:
        with turns.turn(Client("b", Event())):
            has_begun.set()
            cancelled.set()
            may_end.wait(LONG)

    thread_of_b = Thread(target=hold)

    def read_until_stopped() -> None:
        with turns.turn(Client("a", cancelled)) as turn:
            thread_of_b.start()
            wait_until(lambda: turns.n_waiting == 1)
            turn.give_way()

    with pytest.raises(CancelledError):
        read_until_stopped()
    assert has_begun.is_set()
    assert turns.n_waiting == 0
    may_end.set()
    thread_of_b.join()
    with turns.turn(Client("c", Event())):
        pass  # no turn was lost


OWNERS = "abcde"
ACTIONS = st.lists(
    st.tuples(st.sampled_from(("join", "end", "give way", "give up")), st.sampled_from(OWNERS), st.integers(0, 9)),
    max_size=60,
)


@settings(max_examples=400, deadline=None)
@given(number=st.integers(1, 3), most_each=st.sampled_from((1, 2, float("inf"))), actions=ACTIONS)
def test_an_owner_waits_for_no_more_than_one_turn_of_each_who_waited_before(
    number: int, most_each: float, actions: list[tuple[str, str, int]]
) -> None:
    line = Line(number, most_each)
    waiting: dict[object, str] = {}  # the owner of each ticket
    working: Counter[str] = Counter()
    ahead: dict[str, set[str]] = {}  # by owner with nothing under way: whose turns they still have to wait for

    def n_at_work() -> int:
        """How many owners have something under way."""
        return sum(count > 0 for count in working.values())

    def begins_to_wait(owner: str) -> None:
        if owner not in ahead and not working[owner] and owner in waiting.values():
            idle = {waiting_owner for waiting_owner in waiting.values() if not working[waiting_owner]}
            ahead[owner] = idle - {owner}

    def start_all() -> None:
        while ready := [ticket for ticket in waiting if line.can_start(ticket)]:
            (ticket,) = ready
            owner = waiting.pop(ticket)
            line.start(ticket)
            ahead.pop(owner, None)
            for waiting_owner, owners_before in ahead.items():
                assert owner in owners_before, f"{owner} went before {waiting_owner}, who waited longer"
                owners_before.remove(owner)
            working[owner] += 1
            assert working[owner] <= max(1, most_each)
            assert n_at_work() <= number
            assert working.total() <= 2 * number - 1
        idle = [owner for owner in waiting.values() if not working[owner]]
        if idle:
            assert n_at_work() == number, "a turn is free, and somebody waits"

    def act(action: str, owner: str, which: int) -> None:
        tickets = [ticket for ticket, ticket_owner in waiting.items() if ticket_owner == owner]
        if action == "join":
            waiting[line.join(owner)] = owner
        elif action == "give up" and tickets:
            ticket = tickets[which % len(tickets)]
            line.give_up(ticket)
            del waiting[ticket]
            if owner not in waiting.values():
                ahead.pop(owner, None)
                for owners_before in ahead.values():
                    owners_before.discard(owner)
        elif action in ("end", "give way") and working[owner]:
            line.end(owner)
            working[owner] -= 1
            if action == "give way":
                waiting[line.join(owner)] = owner
        begins_to_wait(owner)
        start_all()

    for action, owner, which in actions:
        act(action, owner, which)
    for _ in range(len(actions) + 1):  # everything ends, and nobody is left waiting
        for owner in OWNERS:
            act("end", owner, 0)
    assert not waiting
    assert not line.waiting
    assert not line.working
    assert not line._waits_since
