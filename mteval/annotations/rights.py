"""Who may write what: annotators their own answers, coordinators the whole campaign."""

import time

from sqlalchemy import select
from sqlalchemy.orm import Session

from mteval.annotations.schema import CampaignRow, CoordinatorRow, EndedRow, LinkRow, TaskRow, whole
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
    if (row := session.scalar(select(CampaignRow).where(CampaignRow.uid == uid))) is None:
        raise DataError(f"No campaign '{uid}' in the database. It may have been deleted.")
    return whole(row, f"campaign '{row.name}'")


def opened_by(session: Session, token: str) -> tuple[CampaignRow, str | None]:
    """Return the campaign that a token opens, and its annotator.

    Raises
    ------
    DataError
        If the token is unknown or has expired.
    """
    query = select(CampaignRow, LinkRow).join(LinkRow, LinkRow.campaign_id == CampaignRow.id)
    found = session.execute(query.where(LinkRow.token == token).with_for_update(read=True)).one_or_none()
    if found is None or (found[1].expires is not None and found[1].expires <= time.time()):
        raise NotPermittedError(f"{_NO_LONGER} {_ASK}")
    return whole(found[0], f"campaign '{found[0].name}'"), whole(found[1], "a link").annotator


def refuse_signed_out(session: Session, asker: Asker) -> None:
    """Raise NotPermittedError if the asker has signed out."""
    if asker.sign_in and session.get(EndedRow, asker.sign_in) is not None:
        raise NotPermittedError(SIGNED_OUT)


def coordinated(session: Session, uid: str, asker: Asker) -> CampaignRow:
    """Return the row of a campaign that the asker coordinates.

    Raises
    ------
    NotPermittedError
        If they do not, or no longer.
    """
    refuse_signed_out(session, asker)
    row = row_of(session, uid)
    chosen = (CoordinatorRow.campaign_id == row.id, CoordinatorRow.visitor == asker.visitor)
    known = session.scalar(select(CoordinatorRow).where(*chosen).with_for_update(read=True)) if asker.visitor else None
    if known is not None:
        whole(known, f"a coordinator of '{row.name}'")
    elif not asker.is_operator:
        raise NotPermittedError(f"You no longer coordinate campaign '{row.name}'. {_ASK}")
    return row


def answered(session: Session, task: int, asker: Asker) -> TaskRow:
    """Return the row of a task that the asker may answer: one of their own, in an open campaign.

    Raises
    ------
    DataError
        If they may not, the campaign is closed, or it was deleted.
    """
    refuse_signed_out(session, asker)
    if (row := session.get(TaskRow, task, with_for_update=True)) is None:
        raise DataError("This campaign has been deleted, so your answer cannot be saved.")
    campaign = session.get_one(CampaignRow, row.campaign_id)
    if not asker.is_operator:
        opened, annotator = opened_by(session, asker.token)
        if (opened.id, annotator) != (row.campaign_id, row.annotator):
            raise NotPermittedError("This answer belongs to another annotator.")
    if campaign.is_closed:
        raise DataError(f"Campaign '{campaign.name}' is closed and read-only. Reopen it to continue.")
    return whole(row, f"judgement {row.position + 1} of '{row.annotator}'")
