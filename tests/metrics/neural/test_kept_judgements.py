"""Judgements on disk: evicted only beyond the budget, the least recently used first, and none that is in use."""

import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import pytest

from mteval.base.digests import sealed
from mteval.metrics.neural import panel
from mteval.metrics.neural.models import Judgement

DAY = 86_400
BUDGET = 400_000  # bytes


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of this test's own, with a small budget."""
    monkeypatch.setenv("MTEVAL_CACHE", str(tmp_path))
    monkeypatch.setattr(panel, "MOST_BYTES", BUDGET)
    monkeypatch.setattr(panel, "_ROWS_TO_EVICT", 50)


@pytest.fixture
def at_day(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Sets the clock."""
    start = time.time()
    return lambda day: monkeypatch.setattr(panel.time, "time", lambda: start + day * DAY)


def judgements(name: str, number: int) -> dict[str, Judgement]:
    """Distinct judgements of about 400 bytes each."""
    return {f"{name}-{place:032d}": Judgement(place / 7, parts=(0.25,) * 40) for place in range(number)}


def part_of(some_judgements: dict[str, Judgement], start: int, end: int) -> dict[str, Judgement]:
    """Those at some places."""
    return dict(list(some_judgements.items())[start:end])


def n_kept(some_judgements: dict[str, Judgement]) -> int:
    """How many of these judgements are still on disk; asking for them is a use."""
    return len(panel.kept_judgements(list(some_judgements)))


def test_a_running_job_keeps_its_judgements_beyond_the_budget(at_day: Callable[[float], None]) -> None:
    at_day(0)
    running = judgements("running", 3_000)

    for start in range(0, 3_000, 500):
        panel.keep_judgements(part_of(running, start, start + 500))

    assert panel.kept_judgements(list(running)) == running


def test_the_least_recently_used_judgements_are_evicted_first(at_day: Callable[[float], None]) -> None:
    old = judgements("old", 500)
    shown = judgements("shown", 200)
    new = judgements("new", 400)

    at_day(0)
    panel.keep_judgements(old)
    panel.keep_judgements(shown)
    at_day(3)
    assert n_kept(shown) == 200
    panel.keep_judgements(new)

    with closing(sqlite3.connect(panel.cache_directory() / "judgements.sqlite")) as database:
        assert panel._bytes_of(database) <= BUDGET
    assert n_kept(shown) == 200
    assert n_kept(new) == 400
    assert 0 < n_kept(old) < 500


def test_judgements_of_earlier_versions_are_read_and_evicted_before_others(tmp_path: Path) -> None:
    earlier = judgements("earlier", 300)
    with closing(sqlite3.connect(tmp_path / "judgements.sqlite")) as database, database:
        database.execute("CREATE TABLE judgements (key TEXT PRIMARY KEY, content BLOB) WITHOUT ROWID")
        for key, judgement in earlier.items():
            content = sealed(json.dumps(asdict(judgement)).encode(), key)
            database.execute("INSERT INTO judgements VALUES (?, ?)", (key, content))

    used = part_of(earlier, 0, 100)
    assert panel.kept_judgements(list(used)) == used
    panel.keep_judgements(judgements("new", 1_000))

    assert n_kept(used) == 100
    assert n_kept(earlier) == 100
