"""Who may see and change an experiment: its owner, and holders of its links."""

import secrets
import time

from sqlalchemy import Connection

from mteval.base.errors import DataError, MtevalError
from mteval.library.index import DAMAGED, Row, entry_seal, grant_seal, rows, run
from mteval.values.asker import SIGNED_OUT, Asker, NotPermittedError

GONE = "The experiment is no longer in the library: it was deleted, or evicted to make room."
_NO_LONGER = "You may no longer change this experiment: its link was replaced or has expired. Ask for a new one."


class GoneError(DataError):
    """The experiment does not exist."""


def whole_row(read: Connection, uid: str) -> Row:
    """Return the row of an experiment.

    Raises
    ------
    GoneError
        If it does not exist.
    MtevalError
        If it is damaged.
    """
    if not (found := rows(read, "SELECT * FROM library_entries WHERE uid = :uid", uid=uid)):
        raise GoneError(GONE)
    if found[0].get("seal") != entry_seal(found[0]):
        raise MtevalError(DAMAGED)
    return found[0]


def permitted(write: Connection, uid: str, asker: Asker, may_be_damaged: bool = False) -> Row:
    """Return the row of an experiment that the asker may change.

    Raises
    ------
    NotPermittedError
        If they may not.
    """
    refuse_signed_out(write, asker)
    found = rows(write, "SELECT * FROM library_entries WHERE uid = :uid", uid=uid) if may_be_damaged else []
    row = found[0] if found else whole_row(write, uid)
    if not (asker.is_operator or is_owner(row, asker) or opens(row, "editor", granted(write, uid, asker))):
        raise NotPermittedError(_NO_LONGER)
    return row


def refuse_signed_out(read: Connection, asker: Asker) -> None:
    """Raise NotPermittedError if the asker has signed out."""
    command = "SELECT 1 AS one FROM library_ended WHERE sign_in = :sign_in"
    if asker.sign_in and rows(read, command, sign_in=asker.sign_in):
        raise NotPermittedError(SIGNED_OUT)


def is_owner(row: Row, asker: Asker) -> bool:
    """Return whether an experiment belongs to the asker."""
    return bool(asker.visitor) and row["owner"] == asker.visitor


def opens(row: Row, kind: str, token: str) -> bool:
    """Return whether a secret is that of a link, which has not expired."""
    until = row[f"{kind}_until"]
    is_same = secrets.compare_digest(str(row[kind]).encode(), token.encode("utf-8", "surrogatepass"))
    return bool(token) and is_same and (until is None or time.time() < until)


def granted(read: Connection, uid: str, asker: Asker) -> str:
    """Return the secret by which the asker came to an experiment before; empty if they did not."""
    if asker.token or not asker.visitor:
        return asker.token
    command = "SELECT * FROM library_grants WHERE uid = :uid AND visitor = :visitor"
    found = rows(read, command, uid=uid, visitor=asker.visitor)
    return str(found[0]["token"]) if found and found[0].get("seal") == grant_seal(found[0]) else ""


def grant(write: Connection, uid: str, visitor: str, token: str) -> None:
    """Remember the secret by which a visitor came."""
    row = {"uid": uid, "visitor": visitor, "token": token}
    insert = "INSERT INTO library_grants VALUES (:uid, :visitor, :token, :seal) ON CONFLICT (uid, visitor)"
    run(write, f"{insert} DO UPDATE SET token = excluded.token, seal = excluded.seal", **row, seal=grant_seal(row))
