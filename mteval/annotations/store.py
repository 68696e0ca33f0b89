"""All access to the annotation database. Every method is a transaction: once it returns, its changes are saved.

A campaign is accessible to its coordinators, and to holders of one of its links, which cannot be guessed. Every method
that writes takes who asks, and checks their right in its transaction.
"""

import secrets
import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from sqlalchemy import and_, case, delete, func, select
from sqlalchemy.orm import Session

from mteval.annotations import schema
from mteval.annotations.assignment import assigned
from mteval.annotations.campaigns import CONTRASTIVE, Answer, Campaign, Listed, Task
from mteval.annotations.protocol import (
    RATINGS,
    WrongAnswer,
    answered_task,
    wrong_answer,
    wrong_campaign,
    wrong_choice,
    wrong_task,
    wrong_typology,
    wrong_values,
)
from mteval.annotations.rights import answerable_task, campaign_of_link, coordinated, refuse_signed_out, row_of
from mteval.annotations.schema import CampaignRow, ContentRow, CoordinatorRow, LinkRow, MarkRow, OutputRow, TaskRow
from mteval.annotations.typology import Typology
from mteval.base.bounded_input import shown
from mteval.base.databases import hold
from mteval.base.errors import DataError, SettingsError
from mteval.base.sealed_rows import seal_of_row
from mteval.base.shared_database import Database
from mteval.base.words import counted
from mteval.values.asker import SECONDS_OF_SIGN_INS, Asker

TEXTS_LOCK = 7_302_114_905  # any number, the same on every server
MOST_CAMPAIGNS = 8  # kept in memory, since every answer is checked against its texts

_NOT_SAVED = "The answer was not saved"


class OutdatedError(DataError):
    """An answer from a window that has not seen the latest one."""


@dataclass(frozen=True)
class Item:
    """A segment in a campaign: campaign, annotator, and the annotator's link."""

    campaign: str
    annotator: str
    token: str


@dataclass(frozen=True)
class Answers:
    """Tasks with their answers, and what is wrong with stored answers. A task with a wrong one is open."""

    tasks: tuple[Task, ...]
    wrong: tuple[WrongAnswer, ...]


@dataclass(frozen=True)
class Links:
    """Tokens of a campaign's links: one for coordinators, and one per annotator."""

    coordinator: str
    annotators: Mapping[str, str]


@dataclass(frozen=True)
class Opened:
    """What a link opens: the tasks of an annotator, or the whole campaign if ``annotator`` is None."""

    uid: str
    annotator: str | None


class AnnotationStore:
    """Campaigns, tasks and marks in a database.

    Parameters
    ----------
    database
        See ``open_store``.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self._campaigns: dict[tuple[str, ...], Campaign] = {}

    def close(self) -> None:
        """Close all connections."""
        self.database.close()

    def add(self, campaign: Campaign, tasks: Iterable[Task], asker: Asker) -> None:
        """Store a new campaign with its tasks and their answers. A visitor who asks becomes its coordinator.

        Raises
        ------
        DataError
            If the campaign already exists.
        SettingsError
            If the campaign or a task could not be read again.
        """
        tasks = tuple(_storable(campaign, task) for task in tasks)
        _refuse_repeats(campaign, tasks)
        with self.database.writing() as session:
            refuse_signed_out(session, asker)
            hold(session.connection(), TEXTS_LOCK)  # campaigns share texts
            if session.scalar(select(CampaignRow.id).where(CampaignRow.uid == campaign.uid)) is not None:
                raise DataError(f"Campaign '{campaign.name}' is already in the database. Delete it first.")
            row = schema.campaign_row(session, campaign)
            if not row.created_at:
                row.created_at = _now()
            session.flush()

            # Check what will be read again, since the database may change some texts
            stored = schema.stored_campaign(session, row)
            wrong = wrong_campaign(stored)
            if wrong:
                raise SettingsError(f"Campaign '{campaign.name}' cannot be stored: {wrong}.")
            for task in tasks:
                wrong = wrong_task(stored, task)
                if wrong:
                    raise SettingsError(f"{_cannot_store(campaign, task)}, {wrong}.")

            # A link for coordinators, then one per annotator
            for annotator in (None, *dict.fromkeys(task.annotator for task in tasks)):
                session.add(LinkRow(campaign_id=row.id, annotator=annotator, token=secrets.token_urlsafe(16)))
            schema.add_tasks(session, row.id, tasks)
            if asker.visitor:
                session.merge(CoordinatorRow(campaign_id=row.id, visitor=asker.visitor))

    def list_campaigns(self, visitor: str | None = None) -> tuple[Listed, ...]:
        """Return the campaigns that a visitor coordinates, newest first; all without a visitor."""
        query = select(CampaignRow).order_by(CampaignRow.created_at.desc(), CampaignRow.id.desc())
        if visitor is not None:
            query = query.join(CoordinatorRow).where(CoordinatorRow.visitor == visitor)
        with self.database.reading() as session:
            return tuple(_listed(session, row) for row in session.scalars(query))

    def items(self, visitor: str, test_set_digest: str, segment: int, outputs: Collection[str]) -> tuple[Item, ...]:
        """Return a segment's items in open campaigns on some outputs that a visitor coordinates, newest first.

        Parameters
        ----------
        outputs
            Digests of the runs, of which a campaign must show one.
        """
        query = (
            select(CampaignRow.name, TaskRow.annotator, LinkRow.token)
            .join(CoordinatorRow, CoordinatorRow.campaign_id == CampaignRow.id)
            .join(TaskRow, TaskRow.campaign_id == CampaignRow.id)
            .join(LinkRow, (LinkRow.campaign_id == CampaignRow.id) & (LinkRow.annotator == TaskRow.annotator))
            .where(CoordinatorRow.visitor == visitor, CampaignRow.is_closed.is_(False))
            .where(CampaignRow.test_set_digest == test_set_digest, TaskRow.segment == segment)
            .where(CampaignRow.id.in_(select(OutputRow.campaign_id).where(OutputRow.digest.in_(outputs))))
            .order_by(CampaignRow.created_at.desc(), TaskRow.annotator)
        )
        with self.database.reading() as session:
            return tuple(dict.fromkeys(Item(*row) for row in session.execute(query)))

    def links(self, uid: str) -> Links:
        """Return the links of a campaign."""
        with self.database.reading() as session:
            campaign = row_of(session, uid)
            of_campaign = select(LinkRow).where(LinkRow.campaign_id == campaign.id)
            token_of: dict[str | None, str] = {}
            for row in session.scalars(of_campaign.order_by(LinkRow.annotator)):
                schema.undamaged(row, "a link")
                token_of[row.annotator] = row.token
        of_annotators = {annotator: token for annotator, token in token_of.items() if annotator is not None}
        return Links(token_of[None], of_annotators)

    def opened(self, token: str) -> Opened:
        """Return what a link opens.

        Raises
        ------
        DataError
            If the link is unknown.
        """
        with self.database.reading() as session:
            row, annotator = campaign_of_link(session, token)
            return Opened(row.uid, annotator)

    def coordinate(self, token: str, asker: Asker) -> str:
        """Make the asker coordinator of the campaign that the coordinators' link opens; return its UID.

        Raises
        ------
        DataError
            If it is not a coordinators' link.
        """
        with self.database.writing() as session:
            refuse_signed_out(session, asker)
            row, annotator = campaign_of_link(session, token)
            if annotator is not None:
                raise DataError("This link belongs to an annotator and opens only their tasks.")
            session.merge(CoordinatorRow(campaign_id=row.id, visitor=asker.visitor))
            return row.uid

    def renew_link(self, uid: str, annotator: str | None, asker: Asker, expires: float | None = None) -> None:
        """Replace a link by one that may expire.

        Renewing the coordinators' link (None) removes all coordinators except the asker.
        """
        with self.database.writing() as session:
            campaign = coordinated(session, uid, asker)
            of_campaign = select(LinkRow).where(LinkRow.campaign_id == campaign.id)
            of_annotator = of_campaign.where(LinkRow.annotator.is_not_distinct_from(annotator))
            row = session.scalars(of_annotator.with_for_update()).one()
            row.token = secrets.token_urlsafe(16)
            row.expires = expires
            if annotator is None:
                all_coordinators = delete(CoordinatorRow).where(CoordinatorRow.campaign_id == campaign.id)
                session.execute(all_coordinators.where(CoordinatorRow.visitor != asker.visitor))

    def end_sign_in(self, asker: Asker) -> None:
        """Refuse whatever is asked under a sign-in from now on."""
        with self.database.writing() as session:
            refuse_signed_out(session, asker)
            oldest = time.time() - SECONDS_OF_SIGN_INS  # earlier sign-ins have expired by themselves
            session.execute(delete(schema.EndedRow).where(schema.EndedRow.at < oldest))
            session.add(schema.EndedRow(sign_in=asker.sign_in, at=time.time()))

    def check(self) -> tuple[str, ...]:
        """Return what is damaged, one sentence each."""
        with self.database.reading() as session:
            return tuple(schema.problems(session))

    def campaign(self, uid: str) -> Campaign:
        """Return a campaign with its texts.

        Raises
        ------
        DataError
            If it does not exist.
        """
        with self.database.reading() as session:
            return schema.campaign_of(session, row_of(session, uid))

    def tasks(self, uid: str, annotator: str | None = None) -> tuple[Task, ...]:
        """Return the tasks of a campaign, of all annotators or of one, in their order.

        A task whose stored answer is wrong is open; ``answers`` names these.
        """
        return self.answers(uid, annotator).tasks

    def answers(self, uid: str, annotator: str | None = None) -> Answers:
        """Return the tasks of a campaign, of all annotators or of one, in their order, and wrong answers among them.

        Earlier versions stored answers that their protocol does not allow.
        """
        with self.database.reading() as session:
            row = row_of(session, uid)
            campaign = self._campaign(session, row)
            tasks = []
            wrong_answers = []
            for task_row, mark_rows in schema.task_rows(session, row.id, annotator):
                task, wrong = schema.checked_task(campaign, task_row, mark_rows)
                tasks.append(task)
                if wrong is not None:
                    wrong_answers.append(wrong)
        return Answers(tuple(tasks), tuple(wrong_answers))

    def _campaign(self, session: Session, row: CampaignRow) -> Campaign:
        """Return the campaign of a row, from memory unless it has changed."""
        digests = select(OutputRow.digest).where(OutputRow.campaign_id == row.id).order_by(OutputRow.position)
        key = (row.uid, row.seal, *session.scalars(digests))
        campaign = self._campaigns.get(key)
        if campaign is None:
            campaign = schema.campaign_of(session, row)
            if len(self._campaigns) >= MOST_CAMPAIGNS:
                self._campaigns.clear()
            self._campaigns[key] = campaign
        return campaign

    def answer(self, task: int, answer: Answer, asker: Asker) -> int:
        """Save the whole answer to a task, and return the task's new revision. A repeated delivery changes nothing.

        Errors found by a metric stay, with the annotator's changes; all others are replaced.

        Raises
        ------
        OutdatedError
            If another window has changed the task since.
        SettingsError
            If the protocol of the campaign does not allow it.
        DataError
            If the asker may not answer, or the right answer was shown.
        """
        wrong = wrong_answer(answer)
        if wrong:
            raise SettingsError(f"{_NOT_SAVED}: {wrong}.")
        with self.database.writing() as session:
            row = answerable_task(session, task, asker)
            # Who sent the last answer, and how many that window had sent before
            window, _, number = row.delivery.rpartition(" ")
            if window == answer.window and int(number) >= answer.number:
                return row.revision
            if window != answer.window and row.revision != answer.base:
                raise OutdatedError(
                    "Another window has changed this item. Nothing was overwritten; its answer is shown."
                )
            if row.is_automatic:
                raise DataError("Both outputs are the same text, so nobody is asked which is better.")
            if row.stratum == "training" and row.is_complete:
                raise DataError("The answer to this practice text has been shown. Your own is no longer changed.")
            campaign = self._campaign(session, session.get_one(CampaignRow, row.campaign_id))
            marks = session.scalars(select(MarkRow).where(MarkRow.task_id == task).with_for_update()).all()
            before, _ = schema.checked_task(campaign, row, sorted(marks, key=lambda mark: mark.id))
            after = answered_task(before, answer)
            wrong = wrong_task(campaign, after) or wrong_choice(campaign, after, before)
            if wrong:
                raise SettingsError(f"{_NOT_SAVED}: {wrong}.")
            for name in (*RATINGS, "preference", "comment", "is_complete", "seconds", "paused"):
                setattr(row, name, getattr(after, name))
            row.updated_at = _now()
            row.revision += 1
            row.delivery = answer.delivery
            _replace_marks(session, marks, after)
            return row.revision

    def assign(self, tasks: Iterable[int], asker: Asker) -> None:
        """Draw the outputs of an annotator's tasks on a segment by the scores so far, once, with their probabilities.

        Raises
        ------
        DataError
            If the asker may not answer.
        """
        with self.database.writing() as session:
            rows = [answerable_task(session, task, asker) for task in tasks]
            if any(row.probability is not None for row in rows):
                return
            first = rows[0]
            campaign = schema.campaign_of(session, session.get_one(CampaignRow, first.campaign_id))

            # Number and mean of the scores of each output so far, by all annotators
            all_means = select(TaskRow.output, func.count(), func.avg(TaskRow.score)).group_by(TaskRow.output)
            is_own = TaskRow.campaign_id == first.campaign_id
            means = all_means.where(is_own, TaskRow.is_complete, TaskRow.control.is_(None))
            scores = {}
            for output, n_scores, mean in session.execute(means):
                if mean is not None:
                    scores[int(output)] = (int(n_scores), float(mean))

            candidates = sorted(set(campaign.first_alike[first.segment]))
            generator = np.random.default_rng(secrets.randbits(64))
            drawn = assigned(candidates, scores, len(rows), generator)
            for row, (output, probability) in zip(rows, drawn, strict=True):
                row.output = output
                row.probability = probability

    def close_campaign(self, uid: str, asker: Asker, is_closed: bool = True) -> None:
        """Close or reopen a campaign."""
        with self.database.writing() as session:
            coordinated(session, uid, asker).is_closed = is_closed

    def set_typology(self, uid: str, typology: Typology, asker: Asker) -> None:
        """Change categories and weights. Marked errors keep their category name.

        Raises
        ------
        SettingsError
            If they could not be read again.
        """
        wrong = wrong_typology(typology)
        if wrong:
            raise SettingsError(f"The categories cannot be stored: {wrong}.")
        with self.database.writing() as session:
            coordinated(session, uid, asker).typology = typology.to_rows()

    def delete(self, uid: str, asker: Asker) -> None:
        """Delete a campaign with all answers, and texts that no other campaign uses."""
        with self.database.writing() as session:
            hold(session.connection(), TEXTS_LOCK)
            row = coordinated(session, uid, asker)
            tasks = select(TaskRow.id).where(TaskRow.campaign_id == row.id)
            session.execute(delete(MarkRow).where(MarkRow.task_id.in_(tasks)))
            for table in (TaskRow, OutputRow, LinkRow, CoordinatorRow):
                session.execute(delete(table).where(table.campaign_id == row.id))
            session.delete(row)
            session.flush()
            unused = delete(ContentRow)
            for column in (OutputRow.digest, CampaignRow.references, CampaignRow.source, CampaignRow.documents):
                # Without None: "not in" is unknown, not true, if a value of the list is unknown
                digests = select(column).where(column.is_not(None))
                unused = unused.where(~ContentRow.digest.in_(digests))
            session.execute(unused)


def _replace_marks(session: Session, rows: Sequence[MarkRow], task: Task) -> None:
    """Store the marks of a task: change those that a metric found, and replace an annotator's unless they are equal."""
    # Marks that a metric found have the number of their row; an annotator's have none.
    found_by_metric = {mark.id: mark for mark in (*task.marks, *task.rejected) if mark.id}
    rejected = {mark.id for mark in task.rejected}
    for row in rows:
        if row.id in found_by_metric:
            mark = found_by_metric[row.id]
            row.severity = mark.severity
            row.category = mark.category
            row.comment = mark.comment
            row.is_rejected = row.id in rejected

    own_before = [row for row in rows if row.id not in found_by_metric]
    own_now = [schema.mark_row(task.id, mark) for mark in task.marks if not mark.id]
    if [seal_of_row(row) for row in own_now] != [seal_of_row(row) for row in own_before]:
        session.execute(delete(MarkRow).where(MarkRow.task_id == task.id, MarkRow.id.not_in(found_by_metric)))
        session.add_all(own_now)


def _storable(campaign: Campaign, task: Task) -> Task:
    """Return a task whose texts a database can hold, if its values are of their declared types."""
    wrong = wrong_values(task, Task)
    if wrong:
        raise SettingsError(f"{_cannot_store(campaign, task)}, {wrong}.")
    return schema.plain_task(task)


def _cannot_store(campaign: Campaign, task: Task) -> str:
    """Return the beginning of a message on a task that cannot be stored."""
    place = f"judgement {shown(task.position)} of {shown(task.annotator)}, counted from 0"
    return f"Campaign {shown(campaign.name)} cannot be stored: in {place}"


def _refuse_repeats(campaign: Campaign, tasks: Iterable[Task]) -> None:
    """Raise SettingsError if two tasks have the same place in an annotator's order."""
    n_tasks_at = Counter((task.annotator, task.position) for task in tasks)
    for (annotator, position), n_times in n_tasks_at.items():
        if n_times > 1:
            place = f"judgement {position + 1} of {shown(annotator)} appears {counted(n_times, 'time')}"
            raise SettingsError(f"Campaign {shown(campaign.name)} cannot be stored: {place}. Keep one.")


def _listed(session: Session, row: CampaignRow) -> Listed:
    """Return a campaign with its progress."""
    # Tasks with two equal texts are answered automatically, so they do not count. Annotators who have only such tasks
    # are listed.
    is_asked = TaskRow.is_automatic.is_(False)
    n_complete = func.sum(case((and_(is_asked, TaskRow.is_complete), 1), else_=0))
    n_asked = func.sum(case((is_asked, 1), else_=0))
    of_campaign = select(TaskRow.annotator, n_complete, n_asked).where(TaskRow.campaign_id == row.id)
    per_annotator = of_campaign.group_by(TaskRow.annotator).order_by(TaskRow.annotator)
    progress = {}
    for annotator, done, total in session.execute(per_annotator):
        progress[annotator] = (int(done), int(total))
    return Listed(
        row.uid,
        row.name,
        CONTRASTIVE if row.plan.get("side_by_side") else row.way,
        row.test_set,
        row.created_at,
        row.is_closed,
        progress,
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
