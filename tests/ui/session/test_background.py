import sys
import threading
from pathlib import Path

import pytest

from mteval.analysis.scoring import Work
from mteval.base.errors import CancelledError, MtevalError
from mteval.base.turns import Turns
from mteval.ui.session.background import Background
from tests.conftest import wait_until
from tests.metrics.test_own_metric import install


def endless(work):
    assert work.engine.cancelled.wait(30)
    raise CancelledError("Stopped.")


def finished(background: Background, place: str) -> None:
    background.jobs[place].wait(30)
    background.collect()


def test_what_work_brought_is_kept_under_its_key() -> None:
    background = Background()
    background.begin("here", "key", lambda work: 42)
    assert background.is_under_way("here", "key")
    finished(background, "here")
    assert background.values.get("key") == 42
    assert background.jobs == {}
    assert background.failure_at("here") is None


def test_whoever_began_it_is_told_what_work_brought_and_nothing_where_it_failed() -> None:
    def fail(work):
        raise MtevalError("No.")

    told: list[int] = []
    background = Background()
    background.begin("here", "key", lambda work: 42, listener=told.append)
    background.begin("there", "other", fail, listener=told.append).wait(30)
    finished(background, "here")
    assert told == [42]


def test_an_error_is_kept_in_words_until_the_work_is_begun_again() -> None:
    def fail(work):
        raise MtevalError("No.")

    background = Background()
    background.begin("here", "key", fail)
    finished(background, "here")
    assert background.failures.get("key") == background.failure_at("here") == "No."
    background.begin("here", "key", lambda work: 42)
    assert "key" not in background.failures


def test_an_error_that_is_not_ours_is_not_hidden() -> None:
    background = Background()
    background.begin("here", "key", lambda work: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        finished(background, "here")


def test_what_the_user_stopped_is_remembered_even_where_other_work_takes_its_place_at_once() -> None:
    background = Background()
    background.begin("here", "first", endless)
    background.stop("here")
    background.begin("here", "second", lambda work: 2)
    assert background.failures.get("first") == ""
    finished(background, "here")
    assert background.values.get("second") == 2


def test_work_that_gives_way_to_other_work_may_start_by_itself_again() -> None:
    background = Background()
    first = background.begin("here", "first", endless)
    background.begin("here", "second", lambda work: 2)
    assert first.cancelled.is_set()
    assert "first" not in background.failures


def test_work_at_other_places_goes_on() -> None:
    go = threading.Event()
    background = Background()
    there = background.begin("there", "slow", lambda work: go.wait(30))
    background.begin("here", "fast", lambda work: 1)
    finished(background, "here")
    assert background.is_working
    go.set()
    there.wait(30)
    background.collect()
    assert background.values.get("slow") is True
    assert not background.is_working


def test_work_waits_behind_that_of_another_visitor_says_so_and_can_be_stopped() -> None:
    is_at_work = threading.Event()
    go = threading.Event()

    def work_slowly(work: Work) -> bool:
        is_at_work.set()
        return go.wait(30)

    turns = Turns(1)
    working = Background(turns, "ann").begin("here", "slow", work_slowly)
    assert is_at_work.wait(30)

    behind = Background(turns, "bob")
    stopped = behind.begin("here", "first", lambda work: 1)
    wait_until(lambda: stopped.progress.task == "Waiting: 0 ahead in the queue", 30)
    behind.stop("here")
    with pytest.raises(CancelledError):
        stopped.result()
    behind.begin("here", "second", lambda work: 2)
    go.set()
    finished(behind, "here")
    assert working.result() is True
    assert behind.values.get("second") == 2


def test_work_that_had_its_result_before_it_heard_of_the_stop_has_not_failed() -> None:
    background = Background()
    background.begin("here", "key", lambda work: 42).wait(30)
    background.stop("here")
    background.collect()
    assert background.values.get("key") == 42
    assert "key" not in background.failures


def test_what_a_metric_of_another_package_raises_is_kept_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "def fail(work):\n    raise SystemExit(3)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "mteval_exact", raising=False)  # one of another test
    import mteval_exact

    del sys.modules["mteval_exact"]
    background = Background()
    background.begin("here", "key", mteval_exact.fail)
    finished(background, "here")
    failure = background.failure_at("here")
    assert failure is not None
    assert "Metric 'exact' of package 'mteval-exact' failed (SystemExit: 3). " in failure
