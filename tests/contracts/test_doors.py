"""Mistakes with real data give the same finding through every door."""

import pytest

from benchmarks import doors

FAST = ("a run listed twice", "the reference as a system", "an output in reverse order")


@pytest.fixture(scope="module")
def mistakes(data_directory) -> dict[str, doors.Mistake]:
    return {one.what: one for one in doors.mistakes()}


@pytest.mark.parametrize("what", FAST)
def test_a_mistake_gives_the_same_finding_through_every_door(what: str, mistakes: dict[str, doors.Mistake]) -> None:
    assert doors.shown(mistakes[what], [door for door in doors.DOORS if door != "page"]) == dict.fromkeys(
        [door for door in doors.DOORS if door != "page"], True
    )


def test_every_mistake_is_found_below_the_table(mistakes: dict[str, doors.Mistake]) -> None:
    missed = [what for what, one in mistakes.items() if not all(doors.shown(one, ["command line"]).values())]
    assert missed == []
