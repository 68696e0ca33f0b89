"""Mistakes with real data give the same finding through every door."""

import pytest

from benchmarks import doors

FAST = ("a run listed twice", "the reference as a system", "an output in reverse order")


@pytest.fixture(scope="module")
def mistakes(data_directory) -> dict[str, doors.Mistake]:
    """Every mistake, by what it is."""
    return {mistake.what: mistake for mistake in doors.mistakes()}


@pytest.mark.parametrize("what", FAST)
def test_a_mistake_gives_the_same_finding_through_every_door(what: str, mistakes: dict[str, doors.Mistake]) -> None:
    # A page takes longer; benchmarks/doors.py asks it too when docs/doors.md is written anew.
    doors_without_page = [door for door in doors.DOORS if door != "page"]
    shown = doors.shown(mistakes[what], doors_without_page)
    assert shown == dict.fromkeys(doors_without_page, True)


def test_every_mistake_is_found_below_the_table(mistakes: dict[str, doors.Mistake]) -> None:
    missed = []
    for what, mistake in mistakes.items():
        shown = doors.shown(mistake, ["command line"])
        if not all(shown.values()):
            missed.append(what)
    assert missed == []
