"""Errors noted by the owner on the pages: where they show, who sees them, and what becomes of them."""

from collections.abc import Callable
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
    name = app.experiment.test_sets[0].name
    app.page.session_state[NOTES] = tuple(
        NotedError(**(vars(one) | {"test_set": name})) for one in (note(), note(1))
    )  # fmt: skip
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
    assert [one.label for one in noted.page.toggle if one.key == "campaign-wanted"] == [
        "Only segments 1 and 2 of base run 0"
    ]


def test_a_report_offers_the_notes(noted: Any) -> None:
    noted.go("report")
    (offered,) = [one for one in noted.page.multiselect if one.key == "report-further"]
    assert "2 noted errors" in offered.options


def test_notes_are_saved_and_readers_see_them_only_if_they_are_shared(noted: Any, open_app: Callable[..., Any]) -> None:
    found = noted.page.query_params["experiment"]
    uid = found if isinstance(found, str) else found[0]
    saved = opened(configured_library().content(uid)).made
    assert [one.id for one in saved.notes] == ["n0", "n1"]
    assert not saved.shares_notes
    secret = configured_library().entry(uid).reader
    reader = open_app(key=secret)
    assert tuple(reader.page.session_state[NOTES]) == ()
    noted.page.session_state[SHARED] = True
    noted.page.run()
    reader = open_app(key=secret)
    assert [one.id for one in reader.page.session_state[NOTES]] == ["n0", "n1"]


def test_other_files_take_no_notes_along(noted: Any) -> None:
    noted.go("load").press("start-over")
    noted.drop_systems(base=1, new=1)
    assert NOTES not in noted.page.session_state or not noted.page.session_state[NOTES]
