"""Who may write what: annotators their own answers, coordinators the whole campaign."""

import time

from sqlalchemy import select
from sqlalchemy.orm import Session

from mteval.annotations.schema import CampaignRow, CoordinatorRow, EndedRow, LinkRow, TaskRow, undamaged
from mteval.base.errors import DataError
from mteval.values.asker import SIGNED_OUT, Asker, NotPermittedError

_NO_LONGER = "This link no longer works: it was replaced or has expired, or its campaign was deleted."
_ASK = "Ask the sender for a new one."


def row_of(session: Session, uid: str) -> CampaignRow:
    """Return the row of a campaign.

    Raises
    ------
    DataError
        If there is none.
    """
    row = session.scalar(select(CampaignRow).where(CampaignRow.uid == uid))
    if row is None:
        raise DataError(f"No campaign '{uid}' in the database. It may have been deleted.")
    return undamaged(row, f"campaign '{row.name}'")


def campaign_of_link(session: Session, token: str) -> tuple[CampaignRow, str | None]:
    """Return the campaign that a token opens, and its annotator.

    Raises
    ------
    NotPermittedError
        If the token is unknown or has expired.
    """
    query = select(CampaignRow, LinkRow).join(LinkRow, LinkRow.campaign_id == CampaignRow.id)
    rows = session.execute(query.where(LinkRow.token == token).with_for_update(read=True)).one_or_none()
    if rows is None:
        raise NotPermittedError(f"{_NO_LONGER} {_ASK}")
    campaign, link = rows
    if link.expires is not None and link.expires <= time.time():
        raise NotPermittedError(f"{_NO_LONGER} {_ASK}")
    undamaged(campaign, f"campaign '{campaign.name}'")
    undamaged(link, "a link")
    return campaign, link.annotator


def refuse_signed_out(session: Session, asker: Asker) -> None:
    """Raise NotPermittedError if the asker has signed out."""
    if asker.sign_in and session.get(EndedRow, asker.sign_in) is not None:
        raise NotPermittedError(SIGNED_OUT)


def coordinated(session: Session, uid: str, asker: Asker) -> CampaignRow:
    """Return the row of a campaign that the asker coordinates, or of any if they are the operator.

    Raises
    ------
    DataError
        If there is no such campaign.
    NotPermittedError
        If they do not, or no longer.
    """
    refuse_signed_out(session, asker)
    row = row_of(session, uid)
    coordinator = None
    if asker.visitor:
        of_campaign = select(CoordinatorRow).where(CoordinatorRow.campaign_id == row.id)
        of_visitor = of_campaign.where(CoordinatorRow.visitor == asker.visitor)
        coordinator = session.scalar(of_visitor.with_for_update(read=True))
    if coordinator is not None:
        undamaged(coordinator, f"a coordinator of '{row.name}'")
    elif not asker.is_operator:
        raise NotPermittedError(f"You no longer coordinate campaign '{row.name}'. Ask a coordinator for a new link.")
    return row


def answerable_task(session: Session, task: int, asker: Asker) -> TaskRow:
    """Return the row of a task that the asker may answer: one of their own, in an open campaign.

    Raises
    ------
    DataError
        If they may not, the campaign is closed, or it was deleted.
    """
    refuse_signed_out(session, asker)
    row = session.get(TaskRow, task, with_for_update=True)
    if row is None:
        raise DataError("This campaign has been deleted, so your answer cannot be saved.")
    campaign = session.get_one(CampaignRow, row.campaign_id)
    if not asker.is_operator:
        own_campaign, annotator = campaign_of_link(session, asker.token)
        if own_campaign.id != row.campaign_id or annotator != row.annotator:
            raise NotPermittedError("This answer belongs to another annotator.")
    if campaign.is_closed:
        raise DataError(f"Campaign '{campaign.name}' is closed and read-only. Reopen it to continue.")
    return undamaged(row, f"judgement {row.position + 1} of '{row.annotator}'")
