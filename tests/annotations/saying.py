"""What an annotator says, one thing at a time: as the browser, a window sends the whole answer with the change."""

import dataclasses
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import select

from mteval.annotations import AnnotationStore, Answer, Mark, SaidMark, Task
from mteval.annotations.schema import CampaignRow, MarkRow, TaskRow, checked_task, mark_row
from mteval.annotations.store import OutdatedError
from mteval.values.asker import OPERATOR, Asker

ANSWERED = ("adequacy", "fluency", "score", "preference", "comment", "is_complete", "seconds", "paused")
Marks = Sequence[SaidMark]


def _task(store: AnnotationStore, task_id: int) -> Task | None:
    """Return a task as it is now, or nothing once its campaign was deleted. Read no other task: campaigns have many."""
    with store.database.reading() as session:
        row = session.get(TaskRow, task_id)
        if row is None:
            return None
        campaign = store._campaign(session, session.get_one(CampaignRow, row.campaign_id))
        marks = session.scalars(select(MarkRow).where(MarkRow.task_id == task_id).order_by(MarkRow.id)).all()
        task, _ = checked_task(campaign, row, marks)
    return task


def _said_mark(uid: str, mark: Mark, is_rejected: bool = False) -> SaidMark:
    """Return a mark as a window sends it."""
    return SaidMark(uid, mark.side, mark.start, mark.end, mark.severity, mark.category, mark.comment, is_rejected)


def _unchanged(marks: Marks) -> Marks:
    return marks


def _say(
    store: AnnotationStore,
    task_id: int,
    asker: Asker,
    change_marks: Callable[[Marks], Marks] = _unchanged,
    **values: Any,
) -> None:
    """Change an answer. Who changes it at the same time is heard, too: a window that is outdated reads it again."""
    while True:
        task = _task(store, task_id)
        answered: dict[str, Any] = {}
        marks: list[SaidMark] = []
        revision = 0
        if task is not None:
            answered = {name: getattr(task, name) for name in ANSWERED}
            marks += [_said_mark(str(mark.id), mark) for mark in task.marks]
            marks += [_said_mark(str(mark.id), mark, is_rejected=True) for mark in task.rejected]
            revision = task.revision
        window = uuid.uuid4().hex
        answer = Answer(window, 1, revision, tuple(change_marks(marks)), **{**answered, **values})
        try:
            store.answer(task_id, answer, asker)
        except OutdatedError:
            continue
        return


def rate(store: AnnotationStore, task: int, asker: Asker = OPERATOR, **values: Any) -> None:
    """Give ratings, and perhaps complete the task."""
    _say(store, task, asker, **values)


def prefer(store: AnnotationStore, task: int, preference: str, asker: Asker = OPERATOR) -> None:
    """Choose one of two outputs, which completes the task."""
    _say(store, task, asker, preference=preference, is_complete=True)


def comment(store: AnnotationStore, task: int, text: str, asker: Asker = OPERATOR) -> None:
    """Replace the comment."""
    _say(store, task, asker, comment=text)


def complete(store: AnnotationStore, task: int, asker: Asker = OPERATOR, is_complete: bool = True) -> None:
    """Complete a task, or open it again."""
    _say(store, task, asker, is_complete=is_complete)


def mark(store: AnnotationStore, task: int, error: Mark, asker: Asker = OPERATOR) -> None:
    """Mark an error. One that a metric found is there before, so that it goes into the database itself."""
    if error.origin:
        with store.database.writing() as session:
            session.add(mark_row(task, error))
        return
    new = _said_mark(uuid.uuid4().hex, error)
    _say(store, task, asker, lambda marks: [*marks, new])


def unmark(store: AnnotationStore, task: int, asker: Asker = OPERATOR, number: int | None = None) -> None:
    """Remove one marked error, or all."""

    def without(marks: Marks) -> Marks:
        remaining = []
        for mark in marks:
            if number is None or mark.id == str(number):
                mark = dataclasses.replace(mark, is_rejected=True)
            remaining.append(mark)
        return remaining

    _say(store, task, asker, without)


def grade(store: AnnotationStore, task: int, number: int, severity: str, asker: Asker = OPERATOR) -> None:
    """Give an error another severity, which restores it if it was removed."""

    def graded(marks: Marks) -> Marks:
        changed = []
        for mark in marks:
            if mark.id == str(number):
                mark = dataclasses.replace(mark, severity=severity, is_rejected=False)
            changed.append(mark)
        return changed

    _say(store, task, asker, graded)
