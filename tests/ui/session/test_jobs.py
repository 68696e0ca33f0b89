import threading
import time

import pytest

from mteval.analysis.scoring import Progress
from mteval.base.errors import CancelledError
from mteval.ui.session.background import Job


def test_a_job_brings_back_what_its_function_returns() -> None:
    job = Job("key", lambda cancelled, report: 42)
    assert job.wait(10)
    assert job.result() == 42


def test_what_the_function_raises_is_raised_where_the_result_is_asked_for() -> None:
    def fail(cancelled, report):
        raise ValueError("broken")

    job = Job("key", fail)
    job.wait(10)
    with pytest.raises(ValueError, match="broken"):
        job.result()


def test_stop_reaches_the_function_at_once() -> None:
    def work(cancelled, report):
        assert cancelled.wait(30)
        raise CancelledError("Stopped.")

    job = Job("key", work)
    assert not job.is_done
    job.stop()
    assert job.wait(1)
    with pytest.raises(CancelledError):
        job.result()


def test_nobody_waits_for_a_function_that_cannot_be_interrupted(monkeypatch) -> None:
    monkeypatch.setattr("mteval.ui.session.background.LONGEST_STOP", 0.0)
    go = threading.Event()
    job = Job("key", lambda cancelled, report: go.wait(30))
    assert not job.is_done
    job.stop()
    time.sleep(0.01)
    assert job.is_done
    with pytest.raises(CancelledError):
        job.result()
    go.set()
    assert job.wait(10)


def test_a_function_that_ends_before_it_hears_of_the_stop_has_its_result(monkeypatch) -> None:
    monkeypatch.setattr("mteval.ui.session.background.LONGEST_STOP", 0.0)
    job = Job("key", lambda cancelled, report: 42)
    assert job.wait(10)
    job.stop()
    time.sleep(0.01)
    assert job.result() == 42


def test_progress_and_the_time_left_are_those_of_the_step_under_way() -> None:
    go, reported = threading.Event(), threading.Event()

    def work(cancelled, report):
        report(Progress("Scoring", 0, 4))
        reported.set()
        go.wait(10)

    job = Job("key", work)
    reported.wait(10)
    assert job.progress.task == "Scoring"
    assert job.seconds_left is None
    job._listen(Progress("Scoring", 2, 4))
    halfway = job.seconds_left
    assert halfway is not None
    job._listen(Progress("Scoring", 3, 4))
    assert job.seconds_left < halfway + 1
    job._listen(Progress("Comparing", 0, 4))
    assert job.seconds_left is None
    go.set()
    job.wait(10)


def test_at_half_of_a_step_as_much_time_is_left_as_has_passed(monkeypatch) -> None:
    clock = iter([100.0, 100.0, 107.0]).__next__
    monkeypatch.setattr("mteval.ui.session.background.time.monotonic", clock)
    go = threading.Event()
    job = Job("key", lambda cancelled, report: go.wait(10))
    job._listen(Progress("Scoring", 2, 4))  # another total than at the start: a new step
    assert job.seconds_left == 7.0
    go.set()
    job.wait(10)
