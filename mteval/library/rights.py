"""Who may see and change an experiment: its owner, and holders of its links."""

import secrets
import time
from typing import Literal

from sqlalchemy import delete
from sqlalchemy.orm import Session

from mteval.base.errors import DataError, MtevalError
from mteval.base.sealed_rows import is_whole
from mteval.library.index import DAMAGED
from mteval.library.tables import EndedRow, EntryRow, GrantRow
from mteval.values.asker import SIGNED_OUT, Asker, NotPermittedError

GONE = "The experiment is no longer in the library: it was deleted, or evicted to make room."
_NO_LONGER = "You may no longer change this experiment: its link was replaced or has expired. Ask for a new one."


class GoneError(DataError):
    """The experiment does not exist."""


def whole_row(session: Session, uid: str) -> EntryRow:
    """Return the row of an experiment.

    Raises
    ------
    GoneError
        If it does not exist.
    MtevalError
        If it is damaged.
    """
    row = session.get(EntryRow, uid)
    if row is None:
        raise GoneError(GONE)
    if not is_whole(row):
        raise MtevalError(DAMAGED)
    return row


def permitted(session: Session, uid: str, asker: Asker, may_be_damaged: bool = False) -> EntryRow:
    """Return the row of an experiment that the asker may change.

    Parameters
    ----------
    may_be_damaged
        Whether a damaged row is returned, e.g. to be deleted.

    Raises
    ------
    GoneError
        If the experiment does not exist.
    NotPermittedError
        If they may not.
    MtevalError
        If it is damaged.
    """
    refuse_signed_out(session, asker)
    row = None
    if may_be_damaged:
        row = session.get(EntryRow, uid)
    if row is None:
        row = whole_row(session, uid)  # raises if it does not exist
    if asker.is_operator or is_owner(row, asker):
        return row
    if opens_link(row, "editor", secret_of(session, uid, asker)):
        return row
    raise NotPermittedError(_NO_LONGER)


def refuse_signed_out(session: Session, asker: Asker) -> None:
    """Raise NotPermittedError if the asker has signed out."""
    if asker.sign_in and session.get(EndedRow, asker.sign_in) is not None:
        raise NotPermittedError(SIGNED_OUT)


def is_owner(row: EntryRow, asker: Asker) -> bool:
    """Return whether an experiment belongs to the asker."""
    return bool(asker.visitor) and row.owner == asker.visitor


def opens_link(row: EntryRow, kind: Literal["editor", "reader"], token: str) -> bool:
    """Return whether a token is the secret of an experiment's link, which has not expired."""
    until = getattr(row, f"{kind}_until")
    secret = str(getattr(row, kind))
    # The time of this comparison does not depend on how much of the secret is right
    is_same = secrets.compare_digest(secret.encode(), token.encode("utf-8", "surrogatepass"))
    if not token or not is_same:
        return False
    if until is None:
        return True
    return bool(time.time() < until)


def secret_of(session: Session, uid: str, asker: Asker) -> str:
    """Return the secret that the asker shows, else the one by which they came before; empty if there is neither."""
    if asker.token or not asker.visitor:
        return asker.token
    row = session.get(GrantRow, (uid, asker.visitor))
    if row is None or not is_whole(row):
        return ""
    return row.token


def grant(session: Session, uid: str, visitor: str, token: str) -> None:
    """Remember the secret by which a visitor came."""
    session.execute(delete(GrantRow).where(GrantRow.uid == uid, GrantRow.visitor == visitor))
    session.add(GrantRow(uid=uid, visitor=visitor, token=token))
