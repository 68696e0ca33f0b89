"""Statistics on disk: what is kept comes back, damage and other processes do no harm, the size is bounded."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mteval.store import StatisticsStore


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(array=hnp.arrays(np.int64, hnp.array_shapes(max_dims=3), elements=st.integers(-(2**63), 2**63 - 1)))
def test_integers_of_any_size_come_back_as_they_were(tmp_path: Path, array: np.ndarray) -> None:
    store = StatisticsStore(tmp_path)
    store.keep(array, "a key")
    loaded = store.load("a key")
    assert loaded is not None
    assert loaded.dtype == np.int64
    np.testing.assert_array_equal(loaded, array)


def test_small_counts_take_a_byte_each(tmp_path: Path) -> None:
    StatisticsStore(tmp_path).keep(np.full((1000, 10), 127), "small")
    (path,) = tmp_path.rglob("*.npy")
    assert path.stat().st_size < 10_500


def test_fractions_come_back_bit_for_bit(tmp_path: Path) -> None:
    array = np.array([0.1, np.nan, -3e-300])
    store = StatisticsStore(tmp_path)
    store.keep(array, "fractions")
    assert store.load("fractions").tobytes() == array.tobytes()


def test_keys_that_differ_in_any_part_are_different_places(tmp_path: Path) -> None:
    store = StatisticsStore(tmp_path)
    store.keep(np.array([1]), "ab", "c")
    assert store.load("a", "bc") is None
    assert store.load("ab", "c", "") is None


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"not an array"])
def test_a_damaged_file_counts_as_absent(tmp_path: Path, content: bytes) -> None:
    store = StatisticsStore(tmp_path)
    store.keep(np.array([1]), "key")
    (path,) = tmp_path.rglob("*.npy")
    path.write_bytes(content)
    assert store.load("key") is None


def test_pickled_objects_are_never_read(tmp_path: Path) -> None:
    store = StatisticsStore(tmp_path)
    store.keep(np.array([1]), "key")
    (path,) = tmp_path.rglob("*.npy")
    np.save(path, np.array([{"an": "object"}], dtype=object), allow_pickle=True)
    assert store.load("key") is None


def test_what_was_unused_for_longest_goes_first_when_the_store_is_full(tmp_path: Path) -> None:
    store = StatisticsStore(tmp_path, max_bytes=3000)
    for age, key in enumerate(("new", "old", "oldest")):
        store.keep(np.zeros(1000, dtype=np.int8), key)
        newest = max(tmp_path.rglob("*.npy"), key=lambda path: path.stat().st_mtime_ns)
        os.utime(newest, (1_000_000 - age, 1_000_000 - age))
    assert store.load("oldest") is not None  # being read makes it the newest
    store.trim()
    assert [store.load(key) is not None for key in ("new", "old", "oldest")] == [True, False, True]


def test_a_directory_that_cannot_be_written_costs_only_time(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    store = StatisticsStore(blocked)
    store.keep(np.array([1]), "key")
    assert store.load("key") is None
