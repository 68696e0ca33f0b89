"""Questions that the store asks within its transactions."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import case, delete, func, select, text
from sqlalchemy.orm import Session

from mteval.annotations.campaigns import Way
from mteval.annotations.schema import CampaignRow, ContentRow, CoordinatorRow, LinkRow, OutputRow, TaskRow
from mteval.base.errors import DataError


@dataclass(frozen=True)
class Listed:
    """A campaign without its texts, for a list: ``progress`` has done and all of each annotator."""

    uid: str
    name: str
    way: Way
    test_set: str
    created_at: str
    is_closed: bool
    progress: Mapping[str, tuple[int, int]]

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do."""
        return self.is_closed or all(done == total for done, total in self.progress.values())


@dataclass(frozen=True)
class Item:
    """A segment as it stands before an annotator of a campaign: the names of both, and the annotator's link."""

    campaign: str
    annotator: str
    token: str


def items_of(session: Session, visitor: str, test_set_digest: str, segment: int) -> tuple[Item, ...]:
    """Where a segment of a test set stands in running campaigns that a visitor coordinates, the newest first."""
    query = (
        select(CampaignRow.name, TaskRow.annotator, LinkRow.token)
        .join(CoordinatorRow, CoordinatorRow.campaign_id == CampaignRow.id)
        .join(TaskRow, TaskRow.campaign_id == CampaignRow.id)
        .join(LinkRow, (LinkRow.campaign_id == CampaignRow.id) & (LinkRow.annotator == TaskRow.annotator))
        .where(CoordinatorRow.visitor == visitor, CampaignRow.is_closed.is_(False))
        .where(CampaignRow.test_set_digest == test_set_digest, TaskRow.segment == segment)
        .order_by(CampaignRow.created_at.desc(), TaskRow.annotator)
    )
    return tuple(dict.fromkeys(Item(*row) for row in session.execute(query)))


def row_of(session: Session, uid: str) -> CampaignRow:
    """The row of a campaign; DataError where there is none."""
    row = session.scalar(select(CampaignRow).where(CampaignRow.uid == uid))
    if row is None:
        raise DataError(f"There is no campaign '{uid}' in the database; it may have been deleted meanwhile.")
    return row


def refuse_closed(session: Session, task: int) -> None:
    """Raise DataError where nothing may be said about a task any more."""
    campaign = session.execute(
        select(CampaignRow.name, CampaignRow.is_closed)
        .join(TaskRow, TaskRow.campaign_id == CampaignRow.id)
        .where(TaskRow.id == task)
    ).one_or_none()
    if campaign is None:
        raise DataError("The campaign of this segment was deleted meanwhile, so nothing can be kept.")
    if campaign.is_closed:
        raise DataError(f"The campaign '{campaign.name}' is closed; open it again before anything more is said.")


def listed(session: Session, row: CampaignRow) -> Listed:
    """A campaign with its progress."""
    progress = session.execute(
        select(TaskRow.annotator, func.sum(case((TaskRow.is_complete, 1), else_=0)), func.count())
        .where(TaskRow.campaign_id == row.id)
        .group_by(TaskRow.annotator)
        .order_by(TaskRow.annotator)
    )
    way: Way = row.way  # type: ignore[assignment]  # checked when the campaign was made
    return Listed(
        row.uid,
        row.name,
        way,
        row.test_set,
        row.created_at,
        row.is_closed,
        {annotator: (int(done), int(total)) for annotator, done, total in progress},
    )


def lock_texts(session: Session) -> None:
    """Let no other campaign come or go before this transaction ends: two of them may share texts.

    SQLite has one writer at a time anyway.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("LOCK TABLE contents IN SHARE ROW EXCLUSIVE MODE"))


def delete_unused_texts(session: Session) -> None:
    """Delete the texts that no campaign has."""
    columns = (OutputRow.digest, CampaignRow.references, CampaignRow.source, CampaignRow.documents)
    used = (ContentRow.digest.in_(select(column).where(column.is_not(None))) for column in columns)
    session.execute(delete(ContentRow).where(*(~is_used for is_used in used)))
