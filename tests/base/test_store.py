"""Statistics on disk: what is kept comes back, damage and other processes do no harm, the size is bounded."""

import gc
import os
import weakref
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mteval.base.digests import sealed
from mteval.base.store import StatisticsStore, kept_beside


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
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


def test_one_bit_that_is_another_makes_a_file_absent(tmp_path: Path) -> None:
    store = StatisticsStore(tmp_path)
    store.keep(np.arange(20), "key")
    (path,) = tmp_path.rglob("*.npy")
    content = path.read_bytes()
    for bit in range(8 * len(content)):
        damaged = bytearray(content)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        assert store.load("key") is None
    path.write_bytes(content)
    np.testing.assert_array_equal(store.load("key"), np.arange(20))


def test_a_file_under_the_name_of_another_is_not_taken_for_it(tmp_path: Path) -> None:
    store = StatisticsStore(tmp_path)
    store.keep(np.array([1]), "first")
    (first_path,) = tmp_path.rglob("*.npy")
    store.keep(np.array([2]), "second")
    (second_path,) = set(tmp_path.rglob("*.npy")) - {first_path}
    second_path.write_bytes(first_path.read_bytes())
    assert store.load("second") is None


def test_what_is_kept_is_for_its_owner_alone(tmp_path: Path) -> None:
    StatisticsStore(tmp_path / "cache" / "statistics").keep(np.array([1]), "key")
    folders = [path for path in tmp_path.rglob("*") if path.is_dir()]
    assert {folder.stat().st_mode & 0o777 for folder in folders} == {0o700}


IMPOSSIBLE = (
    b"\x93NUMPY\x01\x00v\x00{'descr': '<i8', 'fortran_order': False, 'shape': (999999999999,), }".ljust(128) + b"\n"
)


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"not an array", sealed(IMPOSSIBLE, "x"), IMPOSSIBLE])
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
    assert store.load("new") is not None
    assert store.load("old") is None
    assert store.load("oldest") is not None


def test_parts_of_a_save_that_was_killed_are_swept(tmp_path: Path) -> None:
    store = StatisticsStore(tmp_path)
    store.keep(np.array([1]), "key")
    (path,) = tmp_path.rglob("*.npy")
    for name in ("part-old", "part-new"):
        (path.parent / name).mkdir()
        (path.parent / name / "some.npy").write_bytes(b"half")  # as version 0.2 left them
        (path.parent / f"{name}-file").write_bytes(b"half")
    for name in ("part-old", "part-old-file"):
        os.utime(path.parent / name, (0, 0))
    store.trim()
    left = sorted(entry.name for entry in path.parent.iterdir())
    assert left == sorted(["part-new", "part-new-file", path.name])


def test_a_save_that_fails_leaves_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = StatisticsStore(tmp_path)

    def no_space(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "replace", no_space)
    store.keep(np.array([1]), "key")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_directory_that_cannot_be_written_costs_only_time(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    store = StatisticsStore(blocked)
    store.keep(np.array([1]), "key")
    assert store.load("key") is None


@dataclass(frozen=True, eq=False)
class Value:
    """What a list is kept beside; values with the same number are different ones."""

    number: int


class WatchedList(list[int]):
    """A list that can be watched."""


def test_it_is_made_once_for_each_value_and_goes_with_it() -> None:
    calls: list[int] = []

    @kept_beside
    def make(value: Value, factor: int) -> WatchedList:
        calls.append(value.number)
        return WatchedList([value.number * factor])

    value = Value(1)
    equal_value = Value(1)
    doubled = make(value, 2)
    assert doubled is make(value, 2)
    assert make(value, 3) == [3]
    assert make(equal_value, 2) == [2]
    assert calls == [1, 1, 1]

    watched = weakref.ref(doubled)
    del doubled, value
    gc.collect()
    assert watched() is None
    assert make(equal_value, 2) == [2]
    assert calls == [1, 1, 1]
