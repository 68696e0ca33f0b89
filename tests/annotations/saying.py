"""What an annotator says, one thing at a time: as the browser, a window sends the whole answer with the change."""

import dataclasses
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import select

from mteval.annotations import AnnotationStore, Answer, Mark, SaidMark, Task
from mteval.annotations.schema import CampaignRow, TaskRow, mark_row
from mteval.annotations.store import OutdatedError
from mteval.values.asker import OPERATOR, Asker

KEPT = ("adequacy", "fluency", "score", "preference", "comment", "is_complete", "seconds", "paused")
Said = Sequence[SaidMark]


def _task(store: AnnotationStore, task: int) -> Task | None:
    with store.database.reading() as session:
        query = select(CampaignRow.uid, TaskRow.annotator).join(TaskRow, TaskRow.campaign_id == CampaignRow.id)
        found = session.execute(query.where(TaskRow.id == task)).one_or_none()
    return None if found is None else next(one for one in store.tasks(*found) if one.id == task)


def _say(
    store: AnnotationStore, task: int, asker: Asker, marks: Callable[[Said], Said] = lambda said: said, **values: Any
) -> None:
    """Change an answer. Who changes it at the same time is heard, too: a window that is outdated reads it again."""
    while True:
        now = _task(store, task)
        kept = {} if now is None else {name: getattr(now, name) for name in KEPT}
        said = () if now is None else tuple(
            SaidMark(str(one.id), one.side, one.start, one.end, one.severity, one.category, one.comment, is_rejected)
            for some, is_rejected in ((now.marks, False), (now.rejected, True)) for one in some
        )  # fmt: skip
        base = 0 if now is None else now.revision
        try:
            store.answer(task, Answer(uuid.uuid4().hex, 1, base, tuple(marks(said)), **{**kept, **values}), asker)
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


def mark(store: AnnotationStore, task: int, one: Mark, asker: Asker = OPERATOR) -> None:
    """Mark an error. One that a metric found is there before, so that it goes into the database itself."""
    if one.origin:
        with store.database.writing() as session:
            session.add(mark_row(task, one))
        return
    new = SaidMark(uuid.uuid4().hex, one.side, one.start, one.end, one.severity, one.category, one.comment)
    _say(store, task, asker, lambda said: [*said, new])


def unmark(store: AnnotationStore, task: int, asker: Asker = OPERATOR, number: int | None = None) -> None:
    """Remove one marked error, or all."""

    def without(said: Said) -> Said:
        return [
            dataclasses.replace(one, is_rejected=one.is_rejected or number is None or one.id == str(number))
            for one in said
        ]

    _say(store, task, asker, lambda said: without(said))


def grade(store: AnnotationStore, task: int, number: int, severity: str, asker: Asker = OPERATOR) -> None:
    """Give an error another severity, which restores it if it was removed."""

    def graded(said: Said) -> Said:
        of_it: dict[str, Any] = {"severity": severity, "is_rejected": False}
        return [dataclasses.replace(one, **of_it) if one.id == str(number) else one for one in said]

    _say(store, task, asker, graded)
