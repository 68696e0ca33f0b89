"""States of an experiment: its last ten are kept, each with the files that it had.

A file belongs to states first <= number < until. A change of settings writes no files.
"""

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from mteval.library.index import Content, digest_at
from mteval.library.tables import FOREVER, NUMBERS, TOTAL, ContentRow, EntryRow, FileRow, StateRow

MOST_STATES = 10
SECONDS_OF_ONE_STATE = 600


@dataclass(frozen=True)
class Kept:
    """A content in the store, by place, name, digest and size; the results come first."""

    place: int
    name: str
    digest: str
    size: int


def add_state(
    session: Session,
    entry: EntryRow,
    who: str,
    content: Content,
    kept: Iterable[Kept],
    freed: list[str],
) -> int:
    """Save the next state of an experiment; return its number. What it frees is added to a list."""
    now = time.time()
    number = entry.number + 1
    freed += place_files(session, entry.uid, number, content, kept)
    last = session.get(StateRow, (entry.uid, entry.number))
    entry.number = number
    entry.used = now
    entry.card = json.dumps(content.card)

    # A change of settings by the person who made the last state, within ten minutes of its beginning, replaces that
    # state, even if it loaded files. A clock that was set back begins a new one.
    began = now
    only_settings = content.files is None
    if last is not None and only_settings and last.who == who and 0 <= now - last.began < SECONDS_OF_ONE_STATE:
        began = last.began
        freed += _forget(session, entry.uid, last.number)

    state = StateRow(
        uid=entry.uid,
        number=number,
        who=who,
        began=began,
        at=now,
        made=json.dumps(content.made),
        card=json.dumps(content.card),
        files=digest_at(session, entry.uid, number),
    )
    session.add(state)
    numbers = select(StateRow.number).where(StateRow.uid == entry.uid).order_by(StateRow.number.desc())
    oldest = session.scalars(numbers.offset(MOST_STATES).limit(1)).first()
    if oldest is not None:
        freed += _forget(session, entry.uid, oldest)
    return number


def fill_state(session: Session, state: StateRow, content: Content, kept: Iterable[Kept]) -> list[str]:
    """Replace results and card of a state; return the digests that may be free now."""
    freed = place_files(session, state.uid, state.number, content, kept)
    state.card = json.dumps(content.card)
    state.files = digest_at(session, state.uid, state.number)
    return freed


def place_files(session: Session, uid: str, number: int, content: Content, kept: Iterable[Kept]) -> list[str]:
    """Make contents the files of the present state and those after it; return the digests that may be free now."""
    freed: list[str] = []
    new_files = {(file.place, file.name, file.digest): file for file in kept}
    present = select(FileRow).where(FileRow.uid == uid, FileRow.until == FOREVER)
    for row in session.scalars(present).all():
        if row.place == NUMBERS:
            is_replaced = content.numbers is not None
        else:
            is_replaced = content.files is not None
        if not is_replaced:
            continue
        same_file = new_files.pop((row.place, row.name, row.digest), None)
        if same_file is not None:
            continue
        if row.first == number:
            freed += _drop(session, [row])
        else:
            row.until = number
    for file in new_files.values():
        new_row = FileRow(
            uid=uid,
            first=number,
            until=FOREVER,
            place=file.place,
            name=file.name,
            digest=file.digest,
            size=file.size,
        )
        session.add(new_row)
        _use(session, file)
    return freed


def _forget(session: Session, uid: str, number: int) -> list[str]:
    """Remove a state and the files that no other one has; return the digests that may be free now."""
    is_of_experiment = StateRow.uid == uid
    before = session.scalar(select(func.max(StateRow.number)).where(is_of_experiment, StateRow.number < number))
    if before is None:
        before = 0
    after = session.scalar(select(func.min(StateRow.number)).where(is_of_experiment, StateRow.number > number))
    if after is None:
        after = number + 1
    session.execute(delete(StateRow).where(is_of_experiment, StateRow.number == number))
    files = select(FileRow).where(FileRow.uid == uid)
    only_of_state = files.where(FileRow.first > before, FileRow.until <= after)
    return _drop(session, session.scalars(only_of_state).all())


def _drop(session: Session, files: Iterable[FileRow]) -> list[str]:
    """Delete files of states; return the digests that may be free now."""
    digests = [file.digest for file in files]
    for file in files:
        session.delete(file)
    session.flush()
    release(session, digests)
    return digests


def _use(session: Session, file: Kept) -> None:
    """Count that a file has a content."""
    row = session.get(ContentRow, file.digest)
    if row is None:
        session.add(ContentRow(digest=file.digest, size=file.size, uses=1))
        _add_to_total(session, file.size)
    else:
        row.uses += 1


def release(session: Session, digests: Iterable[str]) -> None:
    """Count that files are gone; a content without any is no longer part of the library."""
    for digest in digests:
        row = session.get(ContentRow, digest)
        if row is None:
            continue
        row.uses -= 1
        if row.uses <= 0:
            session.delete(row)
            session.flush()  # otherwise ``session.get`` would still find the row
            _add_to_total(session, -row.size)


def _add_to_total(session: Session, size: int) -> None:
    """Add to the bytes of all contents."""
    session.execute(update(TOTAL).values(bytes=TOTAL.c.bytes + size))


def is_used(session: Session, digest: str) -> bool:
    """Return whether a content belongs to the library."""
    return session.get(ContentRow, digest) is not None
