"""Work of several visitors: so much at once, in turn, and none of it for those who have left."""

import time
from collections.abc import Callable
from threading import Event, Thread

import pytest
from streamlit import runtime

from mteval.base.errors import CancelledError
from mteval.ui.session.background import Background, Turns, usual_number
from mteval.ui.session.progress import SECONDS_KEPT, Leaving


def wait_until(is_so: Callable[[], bool]) -> None:
    for _ in range(500):
        if is_so():
            return
        time.sleep(0.01)
    raise AssertionError("it never came true")


def test_who_has_least_under_way_is_next_and_each_is_told_its_place() -> None:
    turns, order, places = Turns(1), list[str](), list[tuple[str, int]]()
    gates = {name: Event() for name in ("a1", "a2", "a3", "b1")}

    def work(name: str) -> None:
        with turns.turn(name[0], Event(), lambda place: places.append((name, place))):
            order.append(name)
            gates[name].wait()

    threads = []
    for name in gates:
        threads.append(Thread(target=work, args=(name,)))
        threads[-1].start()
        wait_until(lambda name=name: name in order or any(one == name for one, _ in places))
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


def test_who_waits_can_stop_waiting() -> None:
    turns, cancelled, done = Turns(1), Event(), Event()

    def hold() -> None:
        with turns.turn("a", Event(), lambda place: None):
            done.wait()

    holder = Thread(target=hold)
    holder.start()
    wait_until(lambda: turns._working["a"] == 1)
    cancelled.set()
    with pytest.raises(CancelledError), turns.turn("b", cancelled, lambda place: None):
        raise AssertionError("it was not its turn")
    done.set()
    holder.join()
    assert turns._waiting == []


def test_the_number_at_once_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTEVAL_JOBS", "7")
    assert usual_number() == 7
    monkeypatch.setenv("MTEVAL_JOBS", "many")
    assert usual_number() >= 2


def test_work_stops_when_its_visitor_has_been_away_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    class Server:
        here = True

        def is_active_session(self, session: str) -> bool:
            return self.here

    server, work, leaving = Server(), Background(), Leaving()
    monkeypatch.setattr(runtime, "get_instance", lambda: server)
    job = work.begin("place", "key", lambda means: means.engine.cancelled.wait(30))
    kept = work.begin("other", "kept", lambda means: means.engine.cancelled.wait(30), is_kept=True)
    now = time.monotonic()
    leaving.watch("session", work)
    assert leaving.look(now + 10 * SECONDS_KEPT) == ()
    server.here = False
    assert leaving.look(now + 10.9 * SECONDS_KEPT) == ()
    assert not job.cancelled.is_set()
    assert leaving.look(now + 11.1 * SECONDS_KEPT) == ("session",)
    assert job.cancelled.is_set()
    assert not kept.cancelled.is_set()
    kept.stop()
    assert leaving.look(now + 12 * SECONDS_KEPT) == ()
