"""Who reaches a campaign: those who coordinate it, and through links that cannot be guessed."""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from mteval.annotations.schema import CampaignRow, CoordinatorRow, LinkRow, plain_text
from mteval.base.errors import DataError

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
