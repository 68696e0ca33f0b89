"""Errors noted by the owner on the pages: where they show, who sees them, and what becomes of them."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest

from mteval.library import configured_library
from mteval.report.kept_experiment import opened
from mteval.ui.setup.workspace import NOTES, SHARED
from mteval.values.notes import NotedError
from tests.pages.conftest import systems


def note(segment: int = 0) -> NotedError:
    """The second word of an output of the first system's first run."""
    output = systems(base=3)["base/opt0.txt"].split("\n")[segment]
    start = output.index(" ") + 1
    end = output.index(" ", start)
    return NotedError(f"n{segment}", "test", "base", "0", segment, output, start, end, "Style/Awkward", "minor", "why?")


@pytest.fixture
def noted(open_app: Callable[..., Any]) -> Any:
    """Two systems of three runs, with two errors noted."""
    app = open_app().drop_systems(base=3, new=3).compute()
    (test_set,) = app.experiment.test_sets
    app.page.session_state[NOTES] = (
        replace(note(0), test_set=test_set.name),
        replace(note(1), test_set=test_set.name),
    )
    app.page.run()
    return app


def test_notes_are_browsed_without_any_judgement_and_lead_to_a_campaign(noted: Any) -> None:
    noted.go("people").wait_for_work()
    assert not noted.page.exception
    assert "2 errors noted in 2 outputs." in noted.text
    (row,) = noted.cells("System")
    assert row[:3] == ["base", "2", "2"]
    assert "why?" in noted.text
    noted.press("campaign-notes")
    labels = [toggle.label for toggle in noted.page.toggle if toggle.key == "campaign-wanted"]
    assert labels == ["Only segments 1 and 2 of base run 0"]


def test_a_report_offers_the_notes(noted: Any) -> None:
    noted.go("report")
    further_parts = noted.page.multiselect(key="report-further")
    assert "2 noted errors" in further_parts.options


def test_notes_are_saved_and_readers_see_them_only_if_they_are_shared(noted: Any, open_app: Callable[..., Any]) -> None:
    uid = noted.page.query_params["experiment"]
    if not isinstance(uid, str):
        (uid,) = uid
    saved = opened(configured_library().content(uid)).made
    assert ids_of(saved.notes) == ["n0", "n1"]
    assert not saved.shares_notes

    key_of_readers = configured_library().entry(uid).reader
    reader = open_app(key=key_of_readers)
    assert ids_of(reader.page.session_state[NOTES]) == []

    noted.page.session_state[SHARED] = True
    noted.page.run()
    reader = open_app(key=key_of_readers)
    assert ids_of(reader.page.session_state[NOTES]) == ["n0", "n1"]


def ids_of(notes: Iterable[NotedError]) -> list[str]:
    """The ids of notes, in their order."""
    return [note.id for note in notes]


def test_other_files_take_no_notes_along(noted: Any) -> None:
    noted.go("load").press("start-over")
    noted.drop_systems(base=1, new=1)
    assert NOTES not in noted.page.session_state or not noted.page.session_state[NOTES]
