"""The database tables, and conversion between rows and values.

A change of the tables needs a step in ``upgrades.py``; a test compares the two.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from sqlalchemy import JSON, Column, ForeignKey, Index, MetaData, String, Text, UniqueConstraint, select
from sqlalchemy import Table as SqlTable
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from mteval.annotations.campaigns import Campaign, Control, Mark, Output, Plan, Task
from mteval.annotations.protocol import WrongAnswer, reopened, wrong_campaign, wrong_task
from mteval.annotations.typology import Typology
from mteval.base.databases import plain_text, structure_problems
from mteval.base.digests import digest_of, flattened
from mteval.base.errors import MtevalError
from mteval.base.sealed_rows import Sealed, is_whole
from mteval.values.definitions import changed_since

NAMES = {  # of constraints and indexes
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Table(DeclarativeBase):
    """Base of all tables."""

    metadata = MetaData(naming_convention=NAMES)


# Version of the tables, a number of four digits. The name is that of the program that made them up to version 0.2.
VERSION = SqlTable("alembic_version", Table.metadata, Column("version_num", String(32), primary_key=True))


class SealedTable(Sealed, Table):
    """Base of the tables whose rows carry a seal of their values."""

    __abstract__ = True

    seal: Mapped[str] = mapped_column(String(32), default="")


class ContentRow(Table):
    """Texts, one or more per segment, stored once under their digest."""

    __tablename__ = "contents"

    digest: Mapped[str] = mapped_column(String(32), primary_key=True)
    texts: Mapped[list[Any]] = mapped_column(JSON)


class CampaignRow(SealedTable):
    """See ``Campaign``. Plan, typology and controls are JSON, since nothing searches in them."""

    __tablename__ = "campaigns"

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(String(32), unique=True)
    name: Mapped[str] = mapped_column(Text)
    way: Mapped[str] = mapped_column(String(16))
    test_set: Mapped[str] = mapped_column(Text)
    test_set_digest: Mapped[str] = mapped_column(String(32))
    references: Mapped[str] = mapped_column("reference_texts", ForeignKey("contents.digest"))
    source: Mapped[str | None] = mapped_column(ForeignKey("contents.digest"))
    documents: Mapped[str | None] = mapped_column(ForeignKey("contents.digest"))
    plan: Mapped[dict[str, Any]] = mapped_column(JSON)
    typology: Mapped[list[Any]] = mapped_column(JSON)
    instructions: Mapped[str] = mapped_column(Text, default="")
    controls: Mapped[list[Any]] = mapped_column(JSON, default=list)
    created_at: Mapped[str] = mapped_column(String(32))
    is_closed: Mapped[bool] = mapped_column(default=False)
    definitions: Mapped[int]


class OutputRow(SealedTable):
    """See ``Output``. The digest of the run finds it when the same files are loaded again."""

    __tablename__ = "outputs"

    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaigns.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    system: Mapped[str] = mapped_column(Text)
    run: Mapped[str] = mapped_column(Text)
    digest: Mapped[str] = mapped_column(ForeignKey("contents.digest"), index=True)


class TaskRow(SealedTable):
    """See ``Task``. The row exists before any answer, so that every click is an update."""

    __tablename__ = "tasks"
    __table_args__ = (UniqueConstraint("campaign_id", "annotator", "position"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaigns.id", ondelete="CASCADE"))
    annotator: Mapped[str] = mapped_column(String(200))
    position: Mapped[int]
    segment: Mapped[int]
    stratum: Mapped[str] = mapped_column(String(16))
    output: Mapped[int | None]
    is_swapped: Mapped[bool]
    adequacy: Mapped[float | None]
    fluency: Mapped[float | None]
    score: Mapped[float | None]
    preference: Mapped[str | None] = mapped_column(String(16))
    control: Mapped[int | None]
    comment: Mapped[str] = mapped_column(Text, default="")
    is_complete: Mapped[bool] = mapped_column(default=False)
    updated_at: Mapped[str] = mapped_column(String(32), default="")
    revision: Mapped[int] = mapped_column(default=0)
    delivery: Mapped[str] = mapped_column(String(64), default="")
    seconds: Mapped[float | None]
    paused: Mapped[float | None]
    probability: Mapped[float | None]
    is_automatic: Mapped[bool] = mapped_column(default=False)


class MarkRow(SealedTable):
    """See ``Mark``. A metric's error that an annotator removed stays as rejected."""

    __tablename__ = "marks"
    __table_args__ = (Index(None, "task_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"))
    side: Mapped[str] = mapped_column(String(16))
    start: Mapped[int] = mapped_column("span_start")
    end: Mapped[int] = mapped_column("span_end")
    category: Mapped[str] = mapped_column(Text)
    severity: Mapped[str] = mapped_column(String(16))
    comment: Mapped[str] = mapped_column(Text, default="")
    weight: Mapped[float | None]
    origin: Mapped[str] = mapped_column(Text, default="")
    suggested: Mapped[str] = mapped_column(String(16), default="")
    is_rejected: Mapped[bool] = mapped_column(default=False)


class LinkRow(SealedTable):
    """A link to an annotator's tasks, or to the whole campaign if ``annotator`` is None."""

    __tablename__ = "links"
    __table_args__ = (Index(None, "campaign_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaigns.id", ondelete="CASCADE"))
    annotator: Mapped[str | None] = mapped_column(String(200))
    token: Mapped[str] = mapped_column(String(32), unique=True)
    expires: Mapped[float | None]


class CoordinatorRow(SealedTable):
    """Somebody who sees the whole campaign: its creator, and those who opened its link."""

    __tablename__ = "coordinators"

    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaigns.id", ondelete="CASCADE"), primary_key=True)
    visitor: Mapped[str] = mapped_column(String(200), primary_key=True, index=True)


class EndedRow(Table):
    """A sign-in that has ended."""

    __tablename__ = "ended"

    sign_in: Mapped[str] = mapped_column(String(32), primary_key=True)
    at: Mapped[float]


SEALED = (CampaignRow, OutputRow, TaskRow, MarkRow, LinkRow, CoordinatorRow)
Row = TypeVar("Row", bound=SealedTable)


def undamaged(row: Row, name: str) -> Row:
    """Return a row as it was written.

    Parameters
    ----------
    name
        Name of the row in messages.

    Raises
    ------
    MtevalError
        If it is damaged.
    """
    if not is_whole(row):
        raise MtevalError(f"The annotations are damaged: {name}. Restore a backup.")
    return row


def is_content(row: ContentRow) -> bool:
    """Return whether texts match their digest: one per segment, or several."""
    if not isinstance(row.texts, list):
        return False
    return row.digest in (_digest_of_texts(row.texts), _earlier_digest(row.texts))


def _digest_of_texts(texts: Sequence[Any]) -> str:
    """Return the digest of one text per segment, or of several; ``x`` and ``[x]`` differ."""
    if all(isinstance(text, str) for text in texts):
        return digest_of(texts)
    return digest_of(flattened(texts), kind="segments")


def _earlier_digest(texts: Sequence[Any]) -> str:
    """Return the digest that rows of earlier versions have; ``x`` and ``[x]`` have the same."""
    return digest_of(flattened(_as_several(text) for text in texts))


def _as_several(text: str | Sequence[str]) -> tuple[str, ...]:
    """Return the texts of a segment that has one or several."""
    if isinstance(text, str):
        return (text,)
    return tuple(text)


def _as_one(text: str | Sequence[str]) -> str:
    """Return the text of a segment that has one."""
    if isinstance(text, str):
        return text
    (single,) = text
    return single


def problems(session: Session) -> Iterator[str]:
    """Yield what is damaged, and answers that their protocol does not allow, one sentence each."""
    yield from structure_problems(session.connection())
    for table in (ContentRow, *SEALED):
        yield from _damaged_rows(session, table)
    for row in session.scalars(select(CampaignRow).order_by(CampaignRow.id)).all():
        with suppress(MtevalError, SQLAlchemyError, ValueError, TypeError, AttributeError):  # named above
            yield from _wrong_values(session, row)


def _damaged_rows(session: Session, table: type[Table]) -> Iterator[str]:
    """Yield one sentence per damaged row of a table."""
    name = table.__tablename__
    key_columns = [column.name for column in table.__table__.primary_key]
    try:
        for row in session.scalars(select(table).execution_options(yield_per=500)):
            if not _is_undamaged(row):
                key = ", ".join(str(getattr(row, column)) for column in key_columns)
                yield f"Table {name}: row {key} is damaged."
    except (SQLAlchemyError, ValueError, TypeError, AttributeError) as error:
        yield f"Table {name} cannot be read: {error}."


def _is_undamaged(row: Table) -> bool:
    """Return whether texts match their digest, or other values their seal."""
    if isinstance(row, ContentRow):
        return is_content(row)
    return isinstance(row, Sealed) and is_whole(row)


def _wrong_values(session: Session, row: CampaignRow) -> Iterator[str]:
    """Yield what cannot be in a campaign and its answers; damaged answers are left to ``_damaged_rows``."""
    campaign = campaign_of(session, row)
    wrong = wrong_campaign(campaign)
    if wrong:
        yield f"Campaign '{row.name}': {wrong}."
    for task, marks in task_rows(session, row.id):
        if not all(is_whole(part) for part in (task, *marks)):
            continue
        wrong = wrong_task(campaign, task_of(task, marks))
        if wrong:
            yield str(WrongAnswer(row.name, task.annotator, task.position, wrong))


# Fields that rows and values share
CAMPAIGN_FIELDS = (
    "uid",
    "name",
    "way",
    "test_set",
    "test_set_digest",
    "instructions",
    "created_at",
    "is_closed",
    "definitions",
)
TASK_FIELDS = tuple(field.name for field in dataclasses.fields(Task) if field.name not in ("marks", "rejected"))
MARK_FIELDS = ("side", "start", "end", "category", "severity", "comment", "weight", "origin", "suggested")


def keep_texts(session: Session, texts: Sequence[Any] | None, digest: str | None = None) -> str | None:
    """Store texts once, and return their digest."""
    if texts is None:
        return None
    if digest is None:
        digest = _digest_of_texts(texts)
    if session.get(ContentRow, digest) is None:
        session.add(ContentRow(digest=digest, texts=list(texts)))
        session.flush()
    return digest


def campaign_row(session: Session, campaign: Campaign) -> CampaignRow:
    """Store a new campaign with its texts and outputs."""
    row = CampaignRow(
        **_plain(_values_of(campaign, CAMPAIGN_FIELDS)),
        references=keep_texts(session, campaign.references),
        source=keep_texts(session, campaign.source),
        documents=keep_texts(session, campaign.documents),
        plan=dataclasses.asdict(campaign.plan),
        typology=campaign.typology.to_rows(),
        controls=[_plain(dataclasses.asdict(control)) for control in campaign.controls],
    )
    session.add(row)
    session.flush()
    for position, output in enumerate(campaign.outputs):
        output_row = OutputRow(
            campaign_id=row.id,
            position=position,
            digest=keep_texts(session, output.hypotheses, output.digest),
            system=plain_text(output.system),
            run=plain_text(output.run),
        )
        session.add(output_row)
    return row


def campaign_of(session: Session, row: CampaignRow) -> Campaign:
    """Return the campaign of a row, with its texts.

    Raises
    ------
    InputError
        If its sample follows later definitions.
    """
    changed_since(row.definitions, row.name)
    return stored_campaign(session, row)


def stored_campaign(session: Session, row: CampaignRow) -> Campaign:
    """Return the campaign of a row, with its texts, whichever definitions its sample follows."""
    of_campaign = select(OutputRow).where(OutputRow.campaign_id == row.id).order_by(OutputRow.position)
    outputs = []
    for output_row in session.scalars(of_campaign):
        undamaged(output_row, f"an output of campaign '{row.name}'")
        outputs.append(Output(output_row.system, output_row.run, _texts(session, output_row.digest)))
    # Earlier versions kept a campaign's source and another's references as one, in the form of the first
    references = tuple(_as_several(texts) for texts in _texts(session, row.references))
    source = None
    if row.source is not None:
        source = tuple(_as_one(text) for text in _texts(session, row.source))
    documents = None
    if row.documents is not None:
        documents = tuple(_as_one(text) for text in _texts(session, row.documents))
    plan = {**row.plan, "probabilities": tuple(row.plan.get("probabilities", ()))}
    return Campaign(
        **_values_of(row, CAMPAIGN_FIELDS),
        outputs=tuple(outputs),
        references=references,
        source=source,
        documents=documents,
        plan=Plan(**plan),
        typology=Typology.from_rows(row.typology),
        controls=tuple(Control(**control) for control in row.controls),
    )


def _texts(session: Session, digest: str) -> tuple[Any, ...]:
    """Return the texts of a digest, one or several per segment."""
    row = session.get_one(ContentRow, digest)
    if not is_content(row):
        raise MtevalError(f"The annotations are damaged: texts do not match their digest {digest}. Restore a backup.")
    return tuple(row.texts)


def add_tasks(session: Session, campaign_id: int, tasks: Sequence[Task]) -> None:
    """Store new tasks with their answers."""
    names = [name for name in TASK_FIELDS if name != "id"]
    rows = [TaskRow(campaign_id=campaign_id, **_values_of(task, names)) for task in tasks]
    session.add_all(rows)
    session.flush()
    for row, task in zip(rows, tasks, strict=True):
        session.add_all(mark_row(row.id, mark) for mark in task.marks)
        session.add_all(mark_row(row.id, mark, is_rejected=True) for mark in task.rejected)


def mark_row(task_id: int, mark: Mark, is_rejected: bool = False) -> MarkRow:
    """Return the row of a new mark."""
    return MarkRow(task_id=task_id, is_rejected=is_rejected, **_values_of(mark, MARK_FIELDS))


def task_rows(
    session: Session, campaign_id: int, annotator: str | None = None
) -> Iterator[tuple[TaskRow, list[MarkRow]]]:
    """Yield the rows of a campaign's tasks with those of their marks, of all annotators or of one, in their order."""
    conditions = [TaskRow.campaign_id == campaign_id]
    if annotator is not None:
        conditions.append(TaskRow.annotator == annotator)
    marks_of_task: dict[int, list[MarkRow]] = {}
    of_tasks = MarkRow.task_id.in_(select(TaskRow.id).where(*conditions))
    for mark in session.scalars(select(MarkRow).where(of_tasks).order_by(MarkRow.id)):
        marks_of_task.setdefault(mark.task_id, []).append(mark)
    in_order = select(TaskRow).where(*conditions).order_by(TaskRow.annotator, TaskRow.position)
    for row in session.scalars(in_order):
        yield row, marks_of_task.get(row.id, [])


def checked_task(campaign: Campaign, row: TaskRow, marks: Sequence[MarkRow]) -> tuple[Task, WrongAnswer | None]:
    """Return a task, and what is wrong with its answer; then the task is open, so that it can be answered again.

    Raises
    ------
    MtevalError
        If it is damaged.
    """
    name = f"judgement {row.position + 1} of '{row.annotator}'"
    undamaged(row, name)
    for mark in marks:
        undamaged(mark, f"an error marked in {name}")
    task = task_of(row, marks)
    reason = wrong_task(campaign, task)
    if not reason:
        return task, None
    wrong = WrongAnswer(campaign.name, row.annotator, row.position, reason)
    # The errors that a metric found may be what is wrong
    with_found_errors = reopened(task)
    without_errors = replace(with_found_errors, marks=())
    for open_task in (with_found_errors, without_errors):
        if not wrong_task(campaign, open_task):
            return open_task, wrong
    raise MtevalError(f"The annotations are damaged. {wrong} Restore a backup.")


def task_of(row: TaskRow, marks: Sequence[MarkRow]) -> Task:
    """Return a task with its marks as they are stored, whether or not they can be."""
    return Task(
        **_values_of(row, TASK_FIELDS),
        marks=tuple(_mark_of(mark) for mark in marks if not mark.is_rejected),
        rejected=tuple(_mark_of(mark) for mark in marks if mark.is_rejected),
    )


def _mark_of(row: MarkRow) -> Mark:
    return Mark(**_values_of(row, MARK_FIELDS), id=row.id)


def plain_task(task: Task) -> Task:
    """Return a task whose texts a database can hold."""
    return replace(
        task,
        annotator=plain_text(task.annotator),
        comment=plain_text(task.comment),
        marks=tuple(_plain_mark(mark) for mark in task.marks),
        rejected=tuple(_plain_mark(mark) for mark in task.rejected),
    )


def _plain_mark(mark: Mark) -> Mark:
    return replace(mark, **_plain(_values_of(mark, MARK_FIELDS)))


def _values_of(row_or_value: object, names: Iterable[str]) -> dict[str, Any]:
    """Return some fields of a row, or of what it stores, by name."""
    return {name: getattr(row_or_value, name) for name in names}


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Apply ``plain_text`` to all texts."""
    plain = {}
    for name, value in values.items():
        if isinstance(value, str):
            value = plain_text(value)
        plain[name] = value
    return plain
