"""Results in order for any number of threads; work that is told to stop stops."""

import threading

import pytest

from mteval.base.errors import CancelledError
from mteval.base.parallel import Engine
from tests.patience import OUTER_LIMIT


@pytest.mark.parametrize("workers", [0, 1, 2, 7])
def test_results_come_in_the_order_of_the_items(workers: int) -> None:
    assert list(Engine(workers).map(lambda item: item * item, range(50))) == [item * item for item in range(50)]


@pytest.mark.parametrize("workers", [1, 3])
def test_an_error_in_the_work_reaches_the_caller(workers: int) -> None:
    with pytest.raises(ZeroDivisionError):
        list(Engine(workers).map(lambda item: 1 // item, [1, 0, 1]))


@pytest.mark.parametrize("workers", [1, 3])
def test_cancelled_work_starts_no_further_item(workers: int) -> None:
    engine = Engine(workers)
    started: list[int] = []

    def work(item: int) -> int:
        started.append(item)
        if item == 5:
            engine.cancelled.set()
        return item

    with pytest.raises(CancelledError):
        list(engine.map(work, range(1000)))
    assert len(started) <= 6 + 2 * workers


def test_items_are_drawn_only_a_little_ahead_of_the_reader() -> None:
    drawn: list[int] = []
    results = Engine(2).map(lambda item: item, (drawn.append(item) or item for item in range(1000)))
    next(results)
    assert len(drawn) <= 4
    results.close()


def test_threads_work_at_the_same_time() -> None:
    barrier = threading.Barrier(2, timeout=OUTER_LIMIT)
    assert list(Engine(2).map(lambda _: barrier.wait() >= 0, range(2))) == [True, True]


def test_a_loop_over_checked_items_stops_before_the_next_one() -> None:
    engine, done = Engine(), []
    items = engine.checked(range(10))
    for item in items:
        done.append(item)
        if item == 3:
            engine.cancelled.set()
            with pytest.raises(CancelledError):
                next(items)
    assert done == [0, 1, 2, 3]
