"""Between the tables and the values of the program."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from sqlalchemy import select
from sqlalchemy.orm import Session

from mteval.annotations.campaigns import Campaign, Mark, Output, Plan, Preference, Side, Stratum, Task, Way
from mteval.annotations.controls import Control
from mteval.annotations.schema import CampaignRow, ContentRow, MarkRow, OutputRow, TaskRow
from mteval.annotations.typology import Typology
from mteval.digests import digest_of

MARK_FIELDS = ("side", "start", "end", "category", "severity", "comment", "weight", "origin", "suggested")


def keep_texts(session: Session, texts: Sequence[Any] | None, digest: str | None = None) -> str | None:
    """Keep texts once, a string or several a segment, and give the digest they are found by."""
    if texts is None:
        return None
    if digest is None:
        rows = [(text,) if isinstance(text, str) else tuple(text) for text in texts]
        digest = digest_of(text for row in rows for text in (str(len(row)), *row))
    if session.get(ContentRow, digest) is None:
        session.add(ContentRow(digest=digest, texts=list(texts)))
        session.flush()
    return digest


def campaign_row(session: Session, campaign: Campaign) -> CampaignRow:
    """The row of a new campaign, with its texts and outputs kept."""
    row = CampaignRow(
        uid=campaign.uid,
        name=plain_text(campaign.name),
        way=campaign.way,
        test_set=plain_text(campaign.test_set),
        test_set_digest=campaign.test_set_digest,
        references=keep_texts(session, campaign.references),
        source=keep_texts(session, campaign.source),
        documents=keep_texts(session, campaign.documents),
        plan=dataclasses.asdict(campaign.plan),
        typology=campaign.typology.to_rows(),
        instructions=plain_text(campaign.instructions),
        controls=[_plain(dataclasses.asdict(control)) for control in campaign.controls],
        created_at=campaign.created_at,
        is_closed=campaign.is_closed,
    )
    session.add(row)
    session.flush()
    for position, output in enumerate(campaign.outputs):
        digest = keep_texts(session, output.hypotheses, output.digest)
        names = {"system": plain_text(output.system), "run": plain_text(output.run)}
        session.add(OutputRow(campaign_id=row.id, position=position, digest=digest, **names))
    return row


def campaign_of(session: Session, row: CampaignRow) -> Campaign:
    """The campaign of a row, with its texts."""
    outputs = session.scalars(select(OutputRow).where(OutputRow.campaign_id == row.id).order_by(OutputRow.position))
    references = _texts(session, row.references)
    return Campaign(
        uid=row.uid,
        name=row.name,
        way=cast(Way, row.way),
        test_set=row.test_set,
        test_set_digest=row.test_set_digest,
        outputs=tuple(Output(output.system, output.run, _texts(session, output.digest) or ()) for output in outputs),
        references=tuple(tuple(texts) for texts in references or ()),
        source=_texts(session, row.source),
        documents=_texts(session, row.documents),
        plan=Plan(**row.plan),
        typology=Typology.from_rows(row.typology),
        instructions=row.instructions,
        controls=tuple(Control(**control) for control in row.controls),
        created_at=row.created_at,
        is_closed=row.is_closed,
    )


def _texts(session: Session, digest: str | None) -> tuple[Any, ...] | None:
    return None if digest is None else tuple(session.get_one(ContentRow, digest).texts)


def add_tasks(session: Session, campaign_id: int, tasks: Sequence[Task]) -> None:
    """Make the rows of new tasks and of what they may already say."""
    rows = [_task_row(campaign_id, task) for task in tasks]
    session.add_all(rows)
    session.flush()
    for row, task in zip(rows, tasks, strict=True):
        session.add_all(mark_row(row.id, mark) for mark in task.marks)
        session.add_all(mark_row(row.id, mark, True) for mark in task.rejected)


def _task_row(campaign_id: int, task: Task) -> TaskRow:
    values = {field.name: getattr(task, field.name) for field in dataclasses.fields(task)}
    values |= {"annotator": plain_text(task.annotator), "comment": plain_text(task.comment)}
    kept = {key: value for key, value in values.items() if key not in ("id", "marks", "rejected")}
    return TaskRow(campaign_id=campaign_id, **kept)


def mark_row(task_id: int, mark: Mark, is_rejected: bool = False) -> MarkRow:
    """The row of a new mark."""
    values = _plain({name: getattr(mark, name) for name in MARK_FIELDS})
    return MarkRow(task_id=task_id, is_rejected=is_rejected, **values)


def tasks_of(rows: Iterable[TaskRow], marks: Mapping[int, Sequence[MarkRow]]) -> tuple[Task, ...]:
    """Tasks with their marks, by id of the task."""
    return tuple(
        Task(
            annotator=row.annotator,
            position=row.position,
            segment=row.segment,
            stratum=cast(Stratum, row.stratum),
            output=row.output,
            is_swapped=row.is_swapped,
            adequacy=row.adequacy,
            fluency=row.fluency,
            preference=cast(Preference | None, row.preference),
            comment=row.comment,
            is_complete=row.is_complete,
            updated_at=row.updated_at,
            marks=tuple(_mark_of(mark) for mark in marks.get(row.id, ()) if not mark.is_rejected),
            id=row.id,
            score=row.score,
            rejected=tuple(_mark_of(mark) for mark in marks.get(row.id, ()) if mark.is_rejected),
            control=row.control,
        )
        for row in rows
    )


def _mark_of(row: MarkRow) -> Mark:
    values = {name: getattr(row, name) for name in MARK_FIELDS}
    return Mark(**values | {"side": cast(Side, row.side)}, id=row.id)


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """The same with plain texts."""
    return {key: plain_text(value) if isinstance(value, str) else value for key, value in values.items()}


def plain_text(text: str) -> str:
    """Text that every database takes: PostgreSQL knows no zero character, and no half of a surrogate pair."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
