"""Segments that the user wants to find again: in the address of the page, and kept with the experiment."""

import re
from collections.abc import Iterable, Mapping

import streamlit as st

from mteval.model import Experiment, TestSet
from mteval.reporting.library.experiment import Bookmarks

MOST = 150  # in the address, which takes no value without end


def key_of(test_set: TestSet) -> str:
    """Of the field that names the bookmarked segments of a test set."""
    return f"seg-marked-{test_set.part_digests['references'][:8]}"  # the same with more runs


def bookmarked(test_set: TestSet) -> tuple[int, ...]:
    """The bookmarked segments, zero-based, in corpus order."""
    return _read(str(st.session_state.get(key_of(test_set)) or ""), test_set)


def _read(text: str, test_set: TestSet) -> tuple[int, ...]:
    """Those that a text names, counted from 1; what is no segment is passed over."""
    numbers = {int(found) - 1 for found in re.findall(r"\d{1,9}", text)}
    return tuple(sorted(number for number in numbers if 0 <= number < test_set.n_segments)[:MOST])


def _written(segments: Iterable[int]) -> str:
    return " ".join(str(segment + 1) for segment in sorted(segments))


def turn(test_set: TestSet, segment: int) -> None:
    """Bookmark a segment, or take its bookmark away. A callback."""
    st.session_state[key_of(test_set)] = _written({*bookmarked(test_set)} ^ {segment})


def all_bookmarks(experiment: Experiment | None) -> tuple[Bookmarks, ...]:
    """Those of all test sets that have any."""
    test_sets = () if experiment is None else experiment.test_sets
    found = (Bookmarks(test_set.name, bookmarked(test_set)) for test_set in test_sets)
    return tuple(one for one in found if one.segments)


def restored(kept: Iterable[Bookmarks], experiment: Experiment | None, address: Mapping[str, object]) -> dict[str, str]:
    """What the fields say where an experiment is opened: what was kept, and what the address names besides."""
    by_name = {one.test_set: set(one.segments) for one in kept}
    values: dict[str, str] = {}
    for test_set in () if experiment is None else experiment.test_sets:
        named = _read(str(address.get(key_of(test_set), "")), test_set)
        segments = by_name.get(test_set.name, set()) | set(named)
        if segments:
            values[key_of(test_set)] = _written(segments)
    return values
