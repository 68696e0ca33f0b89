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
    return {f"{name}-{one:032d}": Judgement(one / 7, parts=(0.25,) * 40) for one in range(number)}


def n_kept(some: dict[str, Judgement]) -> int:
    return len(panel.kept_judgements(list(some)))


def test_a_running_job_keeps_its_judgements_beyond_the_budget(at_day: Callable[[float], None]) -> None:
    at_day(0)
    running = judgements("running", 3_000)
    for start in range(0, 3_000, 500):
        panel.keep_judgements(dict(list(running.items())[start : start + 500]))
    assert panel.kept_judgements(list(running)) == running


def test_the_least_recently_used_judgements_are_evicted_first(at_day: Callable[[float], None]) -> None:
    at_day(0)
    old, shown = judgements("old", 500), judgements("shown", 200)
    panel.keep_judgements(old)
    panel.keep_judgements(shown)
    at_day(3)
    assert n_kept(shown) == 200
    new = judgements("new", 400)
    panel.keep_judgements(new)
    with closing(sqlite3.connect(panel.cache_directory() / "judgements.sqlite")) as database:
        assert panel._bytes_of(database) <= BUDGET
    assert (n_kept(shown), n_kept(new)) == (200, 400)
    assert 0 < n_kept(old) < 500


def test_judgements_of_earlier_versions_are_read_and_evicted_before_others(tmp_path: Path) -> None:
    earlier = judgements("earlier", 300)
    with closing(sqlite3.connect(tmp_path / "judgements.sqlite")) as database, database:
        database.execute("CREATE TABLE judgements (key TEXT PRIMARY KEY, content BLOB) WITHOUT ROWID")
        rows = [(key, sealed(json.dumps(asdict(one)).encode(), key)) for key, one in earlier.items()]
        database.executemany("INSERT INTO judgements VALUES (?, ?)", rows)
    used = dict(list(earlier.items())[:100])
    assert panel.kept_judgements(list(used)) == used
    panel.keep_judgements(judgements("new", 1_000))
    assert (n_kept(used), n_kept(earlier)) == (100, 100)
