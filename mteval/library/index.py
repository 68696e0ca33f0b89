"""The library's index: experiments, their last states, the contents that these need, and who may change them.

Every row of these carries a seal over all its values, so that damage is detected and cannot change settings.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.engine import URL
from sqlalchemy.orm import Session

from mteval.base.errors import MtevalError
from mteval.base.sealed_rows import is_whole
from mteval.base.shared_database import Database, Kind
from mteval.library import upgrades
from mteval.library.blobs import Blobs
from mteval.library.tables import (
    TOTAL,
    VERSION,
    ContentRow,
    EntryRow,
    FileRow,
    GrantRow,
    OwnerRow,
    StateRow,
    Table,
    digest_of_files,
)

DATABASE = "MTEVAL_LIBRARY_DATABASE"
LIBRARY = Kind(
    name="library",
    variable=DATABASE,
    tables=Table.metadata,
    version=VERSION,
    steps=upgrades.STEPS,
    lock=7_302_114_904,
    has_log=False,  # so that a folder can be copied, and be on a network's disk
    has_one_writer=True,
    version_before=upgrades.version_before,
    begin=upgrades.begin,
)


@lru_cache(maxsize=64)
def index_at(url: URL) -> Database:
    """Return the index at a URL, the same one each time."""
    return Database(LIBRARY, url)


@dataclass(frozen=True)
class Content:
    """Content of an experiment. In a change, None keeps the present value.

    Parameters
    ----------
    made
        Edits, settings and baseline, as JSON.
    card
        What a list shows, so that listing reads the index only.
    files
        Original files, by name.
    numbers
        Results as bytes; empty if there are none.
    """

    made: Mapping[str, Any]
    card: Mapping[str, Any]
    files: Mapping[str, bytes] | None = None
    numbers: bytes | None = None


@dataclass(frozen=True)
class Listed:
    """An experiment in a list.

    Parameters
    ----------
    uid
        Identifies it; opens nothing by itself.
    editor, reader
        Secrets of the link that allows changes, and of the read-only one.
    owner
        Empty if it has none.
    tags
        Words that group experiments, in alphabetical order.
    created, used
        Time of creation and of last use, in seconds since 1970.
    number
        Of its present state.
    editor_until, reader_until
        When a link expires; None if it does not.
    """

    uid: str
    editor: str
    reader: str
    owner: str
    name: str
    note: str
    tags: tuple[str, ...]
    is_pinned: bool
    created: float
    used: float
    number: int
    editor_until: float | None
    reader_until: float | None
    card: Mapping[str, Any]


@dataclass(frozen=True)
class State:
    """An earlier or the present state of an experiment: who saved it, and when."""

    number: int
    who: str
    at: float
    card: Mapping[str, Any]


# Columns of an entry without which it cannot even be listed
_TYPES: Mapping[str, type] = {
    "uid": str,
    "editor": str,
    "reader": str,
    "owner": str,
    "name": str,
    "note": str,
    "tags": str,
    "used": float,
    "created": float,
}
DAMAGED = "The library's entry for this experiment is damaged. Load the files again, and delete this one."


def files_at(session: Session, uid: str, number: int) -> list[FileRow]:
    """Return the files of a state in their order, the results first."""
    of_experiment = select(FileRow).where(FileRow.uid == uid)
    of_state = of_experiment.where(FileRow.first <= number, FileRow.until > number)
    return list(session.scalars(of_state.order_by(FileRow.place)))


def digest_at(session: Session, uid: str, number: int) -> str:
    """Return the digest of the files of a state."""
    files = files_at(session, uid, number)
    return digest_of_files((file.place, file.name, file.digest, file.size) for file in files)


def state_at(session: Session, uid: str, number: int) -> StateRow | None:
    """Return a state, or None.

    Raises
    ------
    MtevalError
        If it, or one of its files, is damaged.
    """
    state = session.get(StateRow, (uid, number))
    if state is None:
        return None
    if not is_whole(state) or state.files != digest_at(session, uid, number):
        raise MtevalError(DAMAGED)
    return state


def listed_from(row: EntryRow) -> Listed:
    """Return the list entry of a row; if it is damaged, its card is empty.

    Raises
    ------
    MtevalError
        If it lacks a value.
    """
    card: Mapping[str, Any] = {}
    if is_whole(row):
        card = json.loads(row.card)
    elif not all(isinstance(getattr(row, name), kind) for name, kind in _TYPES.items()):
        raise MtevalError("The library's index is damaged (an invalid name or time). Restore a backup.")
    return Listed(
        uid=row.uid,
        editor=row.editor,
        reader=row.reader,
        owner=row.owner,
        name=row.name,
        note=row.note,
        tags=tuple(row.tags.split()),
        is_pinned=bool(row.is_pinned),
        created=row.created,
        used=row.used,
        number=row.number,
        editor_until=row.editor_until,
        reader_until=row.reader_until,
        card=card,
    )


# Pairs of queries that have the same answer: what is counted, and what the index keeps
_COUNTS: Mapping[str, tuple[Any, Any]] = {
    "contents": (
        select(FileRow.digest, func.max(FileRow.size), func.count()).group_by(FileRow.digest),
        select(ContentRow.digest, ContentRow.size, ContentRow.uses),
    ),
    "owners": (
        select(EntryRow.owner, func.sum(EntryRow.size)).group_by(EntryRow.owner).having(func.sum(EntryRow.size) != 0),
        select(OwnerRow.owner, OwnerRow.bytes).where(OwnerRow.bytes != 0),
    ),
    "bytes": (select(func.coalesce(func.sum(ContentRow.size), 0)), select(TOTAL.c.bytes)),
    "states": (
        select(EntryRow.uid, EntryRow.number),
        select(StateRow.uid, func.max(StateRow.number)).group_by(StateRow.uid),
    ),
}


def problems(session: Session, blobs: Blobs) -> Iterator[str]:
    """Yield what is damaged, one sentence each."""
    checks: Mapping[str, Callable[[Session], Iterator[str]]] = {
        "entries": _problems_of_entries,
        "states": _problems_of_states,
        "contents": partial(_problems_of_contents, blobs=blobs),
    }
    for name, check in checks.items():
        try:
            yield from check(session)
        except (TypeError, ValueError, KeyError, AttributeError) as error:  # values that a whole row does not have
            yield f"The index has damaged {name} ({type(error).__name__})."
    for name, (counting, keeping) in _COUNTS.items():
        counted = {tuple(row) for row in session.execute(counting)}
        kept = {tuple(row) for row in session.execute(keeping)}
        if counted != kept:
            yield f"The index does not add up: {name}."


def _problems_of_entries(session: Session) -> Iterator[str]:
    for entry in session.scalars(select(EntryRow).execution_options(yield_per=500)):
        if not is_whole(entry):
            yield f"Experiment {str(entry.uid)[:6]}: its entry is damaged."
    for grant in session.scalars(select(GrantRow).execution_options(yield_per=500)):
        if not is_whole(grant):
            yield f"Experiment {str(grant.uid)[:6]}: the access of a visitor is damaged."


def _problems_of_states(session: Session) -> Iterator[str]:
    for uid, number in session.execute(select(StateRow.uid, StateRow.number)).all():
        try:
            state_at(session, uid, number)
        except MtevalError:
            yield f"Experiment {str(uid)[:6]}: state {number} is damaged."


def _problems_of_contents(session: Session, blobs: Blobs) -> Iterator[str]:
    for digest in session.scalars(select(FileRow.digest).distinct()).all():
        try:
            blobs.load(digest)
        except MtevalError as error:
            yield str(error)
