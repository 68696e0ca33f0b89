"""Answers as windows send them: once, in order, by whom they belong to, and never over what somebody has not seen."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from mteval.annotations import AnnotationStore, Answer, Campaign, Mark, SaidMark, Task
from mteval.annotations.store import OutdatedError
from mteval.base.errors import DataError, SettingsError
from mteval.values.asker import OPERATOR, Asker, NotPermittedError
from tests.annotations.conftest import campaign as make_campaign
from tests.annotations.conftest import tasks_for

MARK_OF_METRIC = Mark("hypothesis", 0, 3, "", "minor", origin="xCOMET", suggested="minor")
NEW_MARK = SaidMark("new", "hypothesis", 0, 6, "major", "", "a remark")


@dataclass(frozen=True)
class FirstTask:
    """The first task of an annotator, and who may answer it."""

    store: AnnotationStore
    campaign: Campaign
    annotator: Asker

    def now(self) -> Task:
        """The task as the database has it now."""
        return self.store.tasks(self.campaign.uid, "ann")[0]


@pytest.fixture
def first(store: AnnotationStore) -> FirstTask:
    """The first task of ann, in which a metric has marked an error."""
    campaign = make_campaign("esa")
    task, *rest = tasks_for(campaign, "ann", "bob")
    store.add(campaign, [replace(task, marks=(MARK_OF_METRIC,)), *rest], asker=OPERATOR)
    return FirstTask(store, campaign, Asker(token=store.links(campaign.uid).annotators["ann"]))


def answer(number: int = 1, base: int = 0, window: str = "w", **values: Any) -> Answer:
    """The answer with a number that a window sends, having seen a revision of the task."""
    return Answer(window, number, base, **values)


def test_all_that_was_said_replaces_what_was_said_before(store: AnnotationStore, first: FirstTask) -> None:
    task = first.now()
    graded = SaidMark(str(task.marks[0].id), "hypothesis", 0, 3, "major")
    first_answer = answer(marks=(NEW_MARK, graded), score=40.0, comment="why", seconds=3.5, paused=0.5)

    assert store.answer(task.id, first_answer, first.annotator) == 1

    task = first.now()
    marks = [(mark.origin, mark.severity, mark.comment) for mark in task.marks]
    assert marks == [("xCOMET", "major", ""), ("", "major", "a remark")]
    assert (task.score, task.comment, task.seconds, task.paused, task.revision) == (40, "why", 3.5, 0.5, 1)

    rejected = replace(graded, is_rejected=True)
    second_answer = answer(2, marks=(rejected,), score=50.0, is_complete=True)
    store.answer(task.id, second_answer, first.annotator)

    task = first.now()
    assert task.marks == ()
    assert [mark.origin for mark in task.rejected] == ["xCOMET"]
    assert task.is_complete is True


def test_a_repeated_or_late_delivery_changes_nothing(store: AnnotationStore, first: FirstTask) -> None:
    task = first.now()
    assert store.answer(task.id, answer(1, marks=(NEW_MARK,), score=10.0), first.annotator) == 1
    assert store.answer(task.id, answer(2, marks=(NEW_MARK,), score=20.0), first.annotator) == 2
    before = first.now()

    for number in (2, 1):
        assert store.answer(task.id, answer(number, score=99.0), first.annotator) == 2

    assert first.now() == before
    assert len([mark for mark in before.marks if not mark.origin]) == 1


def test_a_window_that_has_not_seen_the_last_answer_overwrites_nothing(
    store: AnnotationStore, first: FirstTask
) -> None:
    task = first.now()
    store.answer(task.id, answer(1, score=80.0, is_complete=True), first.annotator)

    with pytest.raises(OutdatedError):
        store.answer(task.id, answer(1, 0, "stale", score=5.0), first.annotator)
    assert first.now().score == 80
    assert first.now().is_complete is True

    assert store.answer(task.id, answer(1, 1, "fresh", score=5.0), first.annotator) == 2
    # It need not wait for its own answers
    assert store.answer(task.id, answer(2, 0, "fresh", score=6.0), first.annotator) == 3


def test_who_does_not_coordinate_a_campaign_is_told_whom_to_ask(store: AnnotationStore, first: FirstTask) -> None:
    with pytest.raises(NotPermittedError, match=r"no longer coordinate .* Ask a coordinator for a new link\.$"):
        store.close_campaign(first.campaign.uid, Asker(visitor="x"))


def test_only_the_holder_of_the_link_answers_while_the_campaign_is_open(
    store: AnnotationStore, first: FirstTask
) -> None:
    task = first.now()
    uid = first.campaign.uid
    links = store.links(uid)
    bob = Asker(token=links.annotators["bob"])
    coordinator = Asker(token=links.coordinator)

    for stranger in (bob, Asker(), Asker(token="x"), coordinator):
        with pytest.raises(NotPermittedError):
            store.answer(task.id, answer(score=1.0), stranger)

    store.renew_link(uid, "ann", OPERATOR)
    with pytest.raises(NotPermittedError):
        store.answer(task.id, answer(score=1.0), first.annotator)

    with_new_link = Asker(token=store.links(uid).annotators["ann"])
    store.close_campaign(uid, OPERATOR)
    with pytest.raises(DataError, match="closed"):
        store.answer(task.id, answer(score=1.0), with_new_link)
    assert first.now().score is None


@pytest.mark.parametrize(
    "values",
    [
        {"score": 101.0},
        {"marks": (replace(NEW_MARK, end=0),)},
        {"marks": (replace(NEW_MARK, text="0"),)},
        {"marks": (replace(NEW_MARK, severity="huge"),)},
    ],
)
def test_what_cannot_be_is_refused_as_a_whole(store: AnnotationStore, first: FirstTask, values: dict[str, Any]) -> None:
    task = first.now()

    with pytest.raises(SettingsError):
        store.answer(task.id, answer(comment="x", **values), first.annotator)

    assert first.now() == task


def test_practice_is_over_once_its_answer_was_shown(store: AnnotationStore) -> None:
    campaign = make_campaign("rating")
    ratings = {"adequacy": 50.0, "fluency": 50.0}
    practice = replace(tasks_for(campaign, "ann")[0], stratum="training", is_complete=True, **ratings)
    store.add(campaign, [practice], asker=OPERATOR)
    task = store.tasks(campaign.uid)[0]

    with pytest.raises(DataError, match="shown"):
        store.answer(task.id, answer(adequacy=1.0), OPERATOR)
