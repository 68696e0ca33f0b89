"""Answers as windows send them: once, in order, by whom they belong to, and never over what somebody has not seen."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from mteval.annotations import AnnotationStore, Answer, Mark, SaidMark, Task
from mteval.annotations.store import OutdatedError
from mteval.base.errors import DataError, SettingsError
from mteval.values.asker import OPERATOR, Asker, NotPermittedError
from tests.annotations.conftest import campaign, tasks_for

FOUND = Mark("hypothesis", 0, 3, "", "minor", origin="xCOMET", suggested="minor")
WORD = SaidMark("new", "hypothesis", 0, 6, "major", "", "a remark")


@pytest.fixture
def first(store: AnnotationStore) -> Iterator[Any]:
    """The first task of an annotator, as it is now, and who may answer it."""
    one = campaign("esa")
    tasks = tasks_for(one, "ann", "bob")
    store.add(one, [replace(tasks[0], marks=(FOUND,)), *tasks[1:]], asker=OPERATOR)
    asker = Asker(token=store.links(one.uid).annotators["ann"])
    return lambda: (store.tasks(one.uid, "ann")[0], asker, one)


def answer(number: int = 1, base: int = 0, window: str = "w", **said: Any) -> Answer:
    return Answer(window, number, base, **said)


def test_all_that_was_said_replaces_what_was_said_before(store: AnnotationStore, first: Any) -> None:
    task, asker, _ = first()
    found = SaidMark(str(task.marks[0].id), "hypothesis", 0, 3, "major")
    said = answer(marks=(WORD, found), score=40.0, comment="why", seconds=3.5, paused=0.5)
    assert store.answer(task.id, said, asker) == 1
    task, _, _ = first()
    assert [(mark.origin, mark.severity, mark.comment) for mark in task.marks] == [
        ("xCOMET", "major", ""), ("", "major", "a remark"),
    ]  # fmt: skip
    assert (task.score, task.comment, task.seconds, task.paused, task.revision) == (40, "why", 3.5, 0.5, 1)
    rejected = replace(found, is_rejected=True)
    store.answer(task.id, answer(2, marks=(rejected,), score=50.0, is_complete=True), asker)
    task, _, _ = first()
    assert (task.marks, [mark.origin for mark in task.rejected], task.is_complete) == ((), ["xCOMET"], True)


def test_a_repeated_or_late_delivery_changes_nothing(store: AnnotationStore, first: Any) -> None:
    task, asker, _ = first()
    assert store.answer(task.id, answer(1, marks=(WORD,), score=10.0), asker) == 1
    assert store.answer(task.id, answer(2, marks=(WORD,), score=20.0), asker) == 2
    before, _, _ = first()
    for number in (2, 1):
        assert store.answer(task.id, answer(number, score=99.0), asker) == 2
    assert first()[0] == before
    assert len([mark for mark in before.marks if not mark.origin]) == 1


def test_a_window_that_has_not_seen_the_last_answer_overwrites_nothing(store: AnnotationStore, first: Any) -> None:
    task, asker, _ = first()
    store.answer(task.id, answer(1, score=80.0, is_complete=True), asker)
    with pytest.raises(OutdatedError):
        store.answer(task.id, answer(1, 0, "stale", score=5.0), asker)
    assert (first()[0].score, first()[0].is_complete) == (80, True)
    assert store.answer(task.id, answer(1, 1, "fresh", score=5.0), asker) == 2
    assert store.answer(task.id, answer(2, 0, "fresh", score=6.0), asker) == 3  # it need not wait for its own answers


def test_who_does_not_coordinate_a_campaign_is_told_whom_to_ask(store: AnnotationStore, first: Any) -> None:
    _, _, one = first()
    with pytest.raises(NotPermittedError, match=r"no longer coordinate .* Ask a coordinator for a new link\.$"):
        store.close_campaign(one.uid, Asker(visitor="x"))


def test_only_the_holder_of_the_link_answers_while_the_campaign_is_open(store: AnnotationStore, first: Any) -> None:
    task, asker, one = first()
    bob = Asker(token=store.links(one.uid).annotators["bob"])
    for stranger in (bob, Asker(), Asker(token="x"), Asker(token=store.links(one.uid).coordinator)):
        with pytest.raises(NotPermittedError):
            store.answer(task.id, answer(score=1.0), stranger)
    store.renew_link(one.uid, "ann", OPERATOR)
    with pytest.raises(NotPermittedError):
        store.answer(task.id, answer(score=1.0), asker)
    asker = Asker(token=store.links(one.uid).annotators["ann"])
    store.close_campaign(one.uid, OPERATOR)
    with pytest.raises(DataError, match="closed"):
        store.answer(task.id, answer(score=1.0), asker)
    assert first()[0].score is None


@pytest.mark.parametrize(
    "said",
    [
        {"score": 101.0},
        {"marks": (replace(WORD, end=0),)},
        {"marks": (replace(WORD, text="0"),)},
        {"marks": (replace(WORD, severity="huge"),)},
    ],
)
def test_what_cannot_be_is_refused_as_a_whole(store: AnnotationStore, first: Any, said: dict[str, Any]) -> None:
    task, asker, _ = first()
    with pytest.raises(SettingsError):
        store.answer(task.id, answer(comment="x", **said), asker)
    assert first()[0] == task


def test_practice_is_over_once_its_answer_was_shown(store: AnnotationStore) -> None:
    one = campaign("rating")
    ratings = {"adequacy": 50.0, "fluency": 50.0}
    practice = replace(tasks_for(one, "ann")[0], stratum="training", is_complete=True, **ratings)
    store.add(one, [practice], asker=OPERATOR)
    task: Task = store.tasks(one.uid)[0]
    with pytest.raises(DataError, match="shown"):
        store.answer(task.id, answer(adequacy=1.0), OPERATOR)
