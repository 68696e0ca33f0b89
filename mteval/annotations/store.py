"""All access to the annotation database. Every method is a transaction: once it returns, its changes are saved.

A campaign is accessible to its coordinators, and to holders of one of its links, which cannot be guessed.
"""

import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime

from sqlalchemy import Engine, case, delete, func, select, text, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from mteval.annotations.campaigns import PREFERENCES, Campaign, Item, Links, Listed, Mark, Opened, Preference, Task, Way
from mteval.annotations.schema import (
    CampaignRow,
    ContentRow,
    CoordinatorRow,
    LinkRow,
    MarkRow,
    OutputRow,
    TaskRow,
    add_tasks,
    campaign_of,
    campaign_row,
    mark_row,
    plain_text,
    tasks_of,
)
from mteval.annotations.typology import Typology, refuse_severity
from mteval.base.errors import DataError, MtevalError, SettingsError

TOKEN_BYTES = 16  # of randomness


class AnnotationStore:
    """Campaigns, tasks and marks in a database.

    Parameters
    ----------
    engine
        Of a database with up-to-date tables; see ``open_store``.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reading = engine.execution_options(only_reads=True)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def _write(self) -> Iterator[Session]:
        with _translated("saved"), Session(self._engine) as session, session.begin():
            yield session

    @contextmanager
    def _read(self) -> Iterator[Session]:
        with _translated("read"), Session(self._reading) as session, session.begin():
            yield session

    def add(self, campaign: Campaign, tasks: Iterable[Task], visitor: str | None = None) -> None:
        """Store a new campaign with its tasks and their answers. A visitor becomes its coordinator.

        Raises
        ------
        DataError
            If the campaign already exists.
        """
        with self._write() as session:
            _lock_texts(session)
            if session.scalar(select(CampaignRow.id).where(CampaignRow.uid == campaign.uid)) is not None:
                raise DataError(f"Campaign '{campaign.name}' is already in the database. Delete it first.")
            row = campaign_row(session, campaign)
            row.created_at = row.created_at or _now()
            tasks = tuple(tasks)
            for annotator in (None, *dict.fromkeys(plain_text(task.annotator) for task in tasks)):
                session.add(LinkRow(campaign_id=row.id, annotator=annotator, token=secrets.token_urlsafe(TOKEN_BYTES)))
            add_tasks(session, row.id, tasks)
            if visitor is not None:
                session.merge(CoordinatorRow(campaign_id=row.id, visitor=visitor))

    def list_campaigns(self, visitor: str | None = None) -> tuple[Listed, ...]:
        """Return the campaigns that a visitor coordinates, newest first; all without a visitor."""
        query = select(CampaignRow).order_by(CampaignRow.created_at.desc(), CampaignRow.id.desc())
        if visitor is not None:
            query = query.join(CoordinatorRow).where(CoordinatorRow.visitor == visitor)
        with self._read() as session:
            return tuple(_listed(session, row) for row in session.scalars(query))

    def items(self, visitor: str, test_set_digest: str, segment: int) -> tuple[Item, ...]:
        """Return a segment's items in open campaigns that a visitor coordinates, newest first."""
        query = (
            select(CampaignRow.name, TaskRow.annotator, LinkRow.token)
            .join(CoordinatorRow, CoordinatorRow.campaign_id == CampaignRow.id)
            .join(TaskRow, TaskRow.campaign_id == CampaignRow.id)
            .join(LinkRow, (LinkRow.campaign_id == CampaignRow.id) & (LinkRow.annotator == TaskRow.annotator))
            .where(CoordinatorRow.visitor == visitor, CampaignRow.is_closed.is_(False))
            .where(CampaignRow.test_set_digest == test_set_digest, TaskRow.segment == segment)
            .order_by(CampaignRow.created_at.desc(), TaskRow.annotator)
        )
        with self._read() as session:
            return tuple(dict.fromkeys(Item(*row) for row in session.execute(query)))

    def links(self, uid: str) -> Links:
        """Return the links of a campaign."""
        with self._read() as session:
            own = LinkRow.campaign_id == _row_of(session, uid).id
            rows = session.scalars(select(LinkRow).where(own).order_by(LinkRow.annotator))
            tokens = {row.annotator: row.token for row in rows}
        return Links(tokens[None], {name: token for name, token in tokens.items() if name is not None})

    def opened(self, token: str) -> Opened:
        """Return what a link opens.

        Raises
        ------
        DataError
            If the link is unknown.
        """
        with self._read() as session:
            row, annotator = _opened_by(session, token)
            return Opened(row.uid, annotator)

    def coordinate(self, token: str, visitor: str) -> str:
        """Make a visitor coordinator of the campaign that the coordinators' link opens; return its UID.

        Raises
        ------
        DataError
            If it is not a coordinators' link.
        """
        with self._write() as session:
            row, annotator = _opened_by(session, token)
            if annotator is not None:
                raise DataError("This link belongs to an annotator and opens only their tasks.")
            session.merge(CoordinatorRow(campaign_id=row.id, visitor=visitor))
            return row.uid

    def renew_link(self, uid: str, annotator: str | None, visitor: str) -> None:
        """Replace a link. Renewing the coordinators' link (None) removes all coordinators except the visitor."""
        with self._write() as session:
            campaign = _row_of(session, uid).id
            own = LinkRow.annotator.is_not_distinct_from(annotator)
            row = session.scalars(select(LinkRow).where(LinkRow.campaign_id == campaign, own)).one()
            row.token = secrets.token_urlsafe(TOKEN_BYTES)
            if annotator is None:
                others = (CoordinatorRow.campaign_id == campaign, CoordinatorRow.visitor != visitor)
                session.execute(delete(CoordinatorRow).where(*others))

    def campaign(self, uid: str) -> Campaign:
        """Return a campaign with its texts.

        Raises
        ------
        DataError
            If it does not exist.
        """
        with self._read() as session:
            return campaign_of(session, _row_of(session, uid))

    def tasks(self, uid: str, annotator: str | None = None) -> tuple[Task, ...]:
        """Return the tasks of a campaign, of all annotators or of one, in their order."""
        with self._read() as session:
            own = [TaskRow.annotator == annotator] if annotator is not None else []
            chosen = select(TaskRow.id).where(TaskRow.campaign_id == _row_of(session, uid).id, *own)
            rows = select(TaskRow).where(TaskRow.id.in_(chosen)).order_by(TaskRow.annotator, TaskRow.position)
            marks: dict[int, list[MarkRow]] = {}
            for mark in session.scalars(select(MarkRow).where(MarkRow.task_id.in_(chosen)).order_by(MarkRow.id)):
                marks.setdefault(mark.task_id, []).append(mark)
            return tasks_of(session.scalars(rows), marks)

    def rate(self, task: int, *, is_complete: bool = False, **ratings: float) -> None:
        """Save ratings from 0 to 100, and optionally complete the task.

        Parameters
        ----------
        ratings
            ``adequacy``, ``fluency`` or ``score``.

        Raises
        ------
        SettingsError
            If a rating is out of range.
        """
        if wrong := next((item for item in ratings.items() if not 0 <= item[1] <= 100), None):
            raise SettingsError(f"The {wrong[0]} is {wrong[1]}. Expected a number from 0 to 100.")
        self._update(task, ratings | ({"is_complete": True} if is_complete else {}))

    def prefer(self, task: int, preference: Preference) -> None:
        """Save which output is better, and complete the task.

        Raises
        ------
        SettingsError
            If it is not ``first``, ``second`` or ``equal``.
        """
        if preference not in PREFERENCES:
            raise SettingsError(f"The preference is '{preference}'. Expected one of {', '.join(PREFERENCES)}.")
        self._update(task, {"preference": preference, "is_complete": True})

    def comment(self, task: int, text: str) -> None:
        """Replace the comment."""
        self._update(task, {"comment": plain_text(text)})

    def complete(self, task: int, is_complete: bool = True) -> None:
        """Save whether a task is complete."""
        self._update(task, {"is_complete": is_complete})

    @contextmanager
    def _said(self, task: int, values: Mapping[str, object] | None = None) -> Iterator[Session]:
        with self._write() as session:
            campaign = session.execute(
                select(CampaignRow.name, CampaignRow.is_closed)
                .join(TaskRow, TaskRow.campaign_id == CampaignRow.id)
                .where(TaskRow.id == task)
            ).one_or_none()
            if campaign is None:
                raise DataError("This campaign has been deleted, so your answer cannot be saved.")
            if campaign.is_closed:
                raise DataError(f"Campaign '{campaign.name}' is closed and read-only. Reopen it to continue.")
            yield session
            session.execute(update(TaskRow).where(TaskRow.id == task).values(**values or {}, updated_at=_now()))

    def _update(self, task: int, values: Mapping[str, object]) -> None:
        with self._said(task, values):
            pass

    def mark(self, task: int, mark: Mark) -> None:
        """Save an error.

        Raises
        ------
        SettingsError
            If the span is empty or the severity unknown.
        """
        if not 0 <= mark.start < mark.end:
            raise SettingsError(f"The span goes from {mark.start} to {mark.end}. Mark at least one word.")
        refuse_severity(mark.severity)
        with self._said(task) as session:
            session.add(mark_row(task, mark))

    def unmark(self, task: int, mark: int | None = None) -> None:
        """Remove one error of a task, or all. Errors found by a metric stay as rejected."""
        with self._said(task) as session:
            chosen = (MarkRow.task_id == task, *(() if mark is None else (MarkRow.id == mark,)))
            session.execute(delete(MarkRow).where(*chosen, MarkRow.origin == ""))
            session.execute(update(MarkRow).where(*chosen, MarkRow.origin != "").values(is_rejected=True))

    def grade(self, task: int, mark: int, severity: str) -> None:
        """Change the severity of an error, and restore it if it was removed.

        Raises
        ------
        SettingsError
            If the severity is unknown.
        """
        refuse_severity(severity)
        with self._said(task) as session:
            chosen = (MarkRow.task_id == task, MarkRow.id == mark)
            session.execute(update(MarkRow).where(*chosen).values(severity=severity, is_rejected=False))

    def close_campaign(self, uid: str, is_closed: bool = True) -> None:
        """Close or reopen a campaign."""
        with self._write() as session:
            _row_of(session, uid).is_closed = is_closed

    def set_typology(self, uid: str, typology: Typology) -> None:
        """Change categories and weights. Marked errors keep their category name."""
        with self._write() as session:
            _row_of(session, uid).typology = typology.to_rows()

    def delete(self, uid: str) -> None:
        """Delete a campaign with all answers, and texts that no other campaign uses."""
        with self._write() as session:
            _lock_texts(session)
            row = _row_of(session, uid)
            tasks = select(TaskRow.id).where(TaskRow.campaign_id == row.id)
            session.execute(delete(MarkRow).where(MarkRow.task_id.in_(tasks)))
            for table in (TaskRow, OutputRow, LinkRow, CoordinatorRow):
                session.execute(delete(table).where(table.campaign_id == row.id))
            session.delete(row)
            session.flush()
            columns = (OutputRow.digest, CampaignRow.references, CampaignRow.source, CampaignRow.documents)
            used = (ContentRow.digest.in_(select(column).where(column.is_not(None))) for column in columns)
            session.execute(delete(ContentRow).where(*(~is_used for is_used in used)))


def _row_of(session: Session, uid: str) -> CampaignRow:
    """Return the row of a campaign; raise DataError if there is none."""
    row = session.scalar(select(CampaignRow).where(CampaignRow.uid == uid))
    if row is None:
        raise DataError(f"No campaign '{uid}' in the database. It may have been deleted.")
    return row


def _opened_by(session: Session, token: str) -> tuple[CampaignRow, str | None]:
    """Return the campaign that a token opens, and its annotator.

    Raises
    ------
    DataError
        If the token is unknown.
    """
    query = select(CampaignRow, LinkRow.annotator).join(LinkRow, LinkRow.campaign_id == CampaignRow.id)
    found = session.execute(query.where(LinkRow.token == plain_text(token))).one_or_none()
    if found is None:
        message = "This link no longer works: it was replaced, or its campaign was deleted."
        raise DataError(f"{message} Ask the sender for a new one.")
    return found[0], found[1]


def _listed(session: Session, row: CampaignRow) -> Listed:
    """Return a campaign with its progress."""
    progress = session.execute(
        select(TaskRow.annotator, func.sum(case((TaskRow.is_complete, 1), else_=0)), func.count())
        .where(TaskRow.campaign_id == row.id)
        .group_by(TaskRow.annotator)
        .order_by(TaskRow.annotator)
    )
    way: Way = row.way  # type: ignore[assignment]  # checked when the campaign was made
    done = {annotator: (int(done), int(total)) for annotator, done, total in progress}
    return Listed(row.uid, row.name, way, row.test_set, row.created_at, row.is_closed, done)


def _lock_texts(session: Session) -> None:
    """Block other campaigns from being added or deleted in this transaction, since campaigns share texts.

    SQLite has one writer at a time anyway.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("LOCK TABLE contents IN SHARE ROW EXCLUSIVE MODE"))


@contextmanager
def _translated(what: str) -> Iterator[None]:
    """Translate database errors to MtevalError, including damaged values."""
    try:
        yield
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", error)).strip().split("\n")[0]
        message = f"The annotations could not be {what}: {reason}. Earlier answers are safe."
        raise MtevalError(f"{message} Check that the database runs, then try again.") from error
    except (ValueError, TypeError) as error:
        if what != "read":
            raise
        message = f"The annotations could not be read: the database is damaged ({error})."
        raise MtevalError(f"{message} Restore a backup.") from error


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
