"""Questions that the store asks within its transactions: what is where, and who reaches a campaign.

Those who coordinate a campaign do, and whoever has one of its links, which cannot be guessed.
"""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import case, delete, func, select, text
from sqlalchemy.orm import Session

from mteval.annotations.campaigns import Way
from mteval.annotations.schema import CampaignRow, ContentRow, CoordinatorRow, LinkRow, OutputRow, TaskRow, plain_text
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


TOKEN_BYTES = 16  # of randomness: whoever tries a million a second needs longer than the sun will shine


@dataclass(frozen=True)
class Links:
    """The tokens that open a campaign: one for those who coordinate it, and one for each annotator, by name."""

    coordinator: str
    annotators: Mapping[str, str]


@dataclass(frozen=True)
class Opened:
    """What a token opens: the tasks of one annotator; the whole campaign where ``annotator`` is None."""

    uid: str
    annotator: str | None


def add_links(session: Session, campaign_id: int, annotators: Iterable[str]) -> None:
    """Make the links of a new campaign."""
    for name in (None, *dict.fromkeys(map(plain_text, annotators))):
        session.add(LinkRow(campaign_id=campaign_id, annotator=name, token=_new_token()))


def add_coordinator(session: Session, campaign_id: int, visitor: str) -> None:
    """Let somebody coordinate a campaign, if they do not yet."""
    if session.get(CoordinatorRow, (campaign_id, visitor)) is None:
        session.add(CoordinatorRow(campaign_id=campaign_id, visitor=visitor))


def links_of(session: Session, campaign_id: int) -> Links:
    """The links of a campaign."""
    rows = session.scalars(select(LinkRow).where(LinkRow.campaign_id == campaign_id).order_by(LinkRow.annotator))
    tokens = {row.annotator: row.token for row in rows}
    return Links(tokens[None], {name: token for name, token in tokens.items() if name is not None})


def opened_by(session: Session, token: str) -> tuple[CampaignRow, str | None]:
    """The campaign that a token opens, and the annotator whose it is.

    Raises
    ------
    DataError
        Where it opens nothing.
    """
    found = session.execute(
        select(CampaignRow, LinkRow.annotator)
        .join(LinkRow, LinkRow.campaign_id == CampaignRow.id)
        .where(LinkRow.token == plain_text(token))
    ).one_or_none()
    if found is None:
        raise DataError(
            "This link opens nothing: it was replaced by a new one, or its campaign was deleted. Ask whoever sent it"
            " for the link as it is now."
        )
    return found[0], found[1]


def renew(session: Session, campaign_id: int, annotator: str | None, visitor: str) -> None:
    """Make another link in place of one. With that of the coordinators, all of these go but whoever asked for it."""
    row = session.scalars(
        select(LinkRow).where(LinkRow.campaign_id == campaign_id, LinkRow.annotator.is_not_distinct_from(annotator))
    ).one()
    row.token = _new_token()
    if annotator is None:
        others = (CoordinatorRow.campaign_id == campaign_id, CoordinatorRow.visitor != visitor)
        session.execute(delete(CoordinatorRow).where(*others))


def _new_token() -> str:
    return secrets.token_urlsafe(TOKEN_BYTES)
