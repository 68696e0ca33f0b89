"""Eviction from a full library: experiments of the largest owners go first, and only if that was announced.

If contents take more than three quarters of the limit, the library announces which experiments may be evicted to get
back to three quarters. These are the least recently used ones of the largest owners, down to the same number of bytes
per owner. Pinned experiments come last, and are evicted only for other owners.
"""

import time
from collections.abc import Iterator

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from mteval.base.errors import DataError
from mteval.base.words import counted
from mteval.library.states import release
from mteval.library.tables import TOTAL, EntryRow, FileRow, GrantRow, OwnerRow, StateRow

LARGEST_SHARE = 0.75  # of the limit; when more is taken, experiments are announced


def total(session: Session) -> int:
    """Return the bytes of all contents."""
    return int(session.execute(select(TOTAL.c.bytes)).scalar_one())


def change_owner_bytes(session: Session, owner: str, change: int) -> None:
    """Add to the bytes that an owner holds; a negative change subtracts."""
    row = session.get(OwnerRow, owner)
    if row is None:
        session.add(OwnerRow(owner=owner, bytes=change))
    else:
        row.bytes += change


def level(session: Session, max_bytes: int) -> float | None:
    """Return how many bytes each owner may keep; None if there is room for all."""
    taken = total(session)
    needed = taken - LARGEST_SHARE * max_bytes
    if needed <= 0:
        return None
    query = select(OwnerRow.bytes).where(OwnerRow.bytes > 0).order_by(OwnerRow.bytes.desc())
    held = [float(size) for size in session.scalars(query)]
    # Contents that owners share count for each of them, so to evict an experiment frees less than it holds
    needed *= max(1.0, sum(held) / max(taken, 1))

    # The largest owners all lose experiments down to one level. Try it with one owner, then with two, and so on, until
    # the level that frees enough is not below what the next owner holds.
    held_by_largest = 0.0
    for n_owners, bytes_held in enumerate(held, start=1):
        held_by_largest += bytes_held
        level_of_largest = (held_by_largest - needed) / n_owners
        held_by_next = 0.0
        if n_owners < len(held):
            held_by_next = held[n_owners]
        if level_of_largest >= held_by_next:
            return level_of_largest
    return 0.0


def giving_way(session: Session, owner: str, down_to: float, grown: int = 0) -> Iterator[EntryRow]:
    """Yield the announced experiments of an owner, in the order in which they are evicted.

    Parameters
    ----------
    down_to
        Bytes that the owner keeps.
    grown
        Bytes that the owner has added since the announcement.
    """
    owner_row = session.get(OwnerRow, owner)
    left = 0.0  # bytes that remain after the experiments so far
    if owner_row is not None:
        left = float(owner_row.bytes)
    left -= grown
    order = (EntryRow.is_pinned, EntryRow.used, EntryRow.uid)
    query = select(EntryRow).where(EntryRow.owner == owner).order_by(*order).execution_options(yield_per=100)
    with session.scalars(query) as rows:  # few of them are needed; the block closes the query
        for row in rows:
            if left <= down_to:
                return
            left -= row.size
            yield row


def make_room(session: Session, entry: EntryRow, max_bytes: int, announced: float | None) -> list[str]:
    """Count a changed experiment, and evict others until the library is within its limit.

    Parameters
    ----------
    entry
        The changed experiment. Its size is still that before the change.
    announced
        The level before the change.

    Returns
    -------
    Digests of contents that perhaps no experiment has any more.

    Raises
    ------
    DataError
        If not enough was announced. Nothing is changed then.
    """
    freed: list[str] = []
    contents = select(FileRow.digest, FileRow.size).where(FileRow.uid == entry.uid).distinct().subquery()
    size = int(session.execute(select(func.coalesce(func.sum(contents.c.size), 0))).scalar_one())
    grown = size - entry.size
    entry.size = size
    change_owner_bytes(session, entry.owner, grown)
    if total(session) <= max_bytes:
        return freed
    # After a clock that was ahead, some experiments seem to be used in the future, and would be evicted too late
    now = time.time()
    for row in session.scalars(select(EntryRow).where(EntryRow.used > now)).all():
        row.used = now
    largest_first = select(OwnerRow.owner).where(OwnerRow.bytes > 0).order_by(OwnerRow.bytes.desc(), OwnerRow.owner)
    candidates_of: dict[str, list[EntryRow]] = {}
    while total(session) > max_bytes:
        # Evict an experiment of the largest owner who has a candidate. Owners who hold less than the one who saves lose
        # nothing.
        evicted = None
        for owner in session.scalars(largest_first).all():
            if owner not in candidates_of:
                candidates_of[owner] = _candidates(session, owner, entry, announced, grown)
            if candidates_of[owner]:
                evicted = candidates_of[owner].pop(0)
                break
            if owner == entry.owner:
                break
        if evicted is None:
            raise _full(session, entry.owner)
        freed += remove_entry(session, evicted)
    return freed


def _candidates(session: Session, owner: str, entry: EntryRow, announced: float | None, grown: int) -> list[EntryRow]:
    """Return the experiments of an owner that were announced, in the order in which they are evicted.

    The changed experiment stays, and pinned ones are not evicted for their own owner.
    """
    if announced is None:
        return []
    is_own = owner == entry.owner
    grown_of_owner = 0
    if is_own:
        grown_of_owner = grown
    candidates = []
    for row in giving_way(session, owner, announced, grown_of_owner):
        is_kept_for_owner = is_own and bool(row.is_pinned)
        if row.uid != entry.uid and not is_kept_for_owner:
            candidates.append(row)
    return candidates


def _full(session: Session, owner: str) -> DataError:
    """Return the error of a full library, with what its owner can do."""
    query = select(func.count()).select_from(EntryRow).where(EntryRow.owner == owner, EntryRow.is_pinned == 1)
    n_pinned = session.execute(query).scalar_one()
    pinned = ""
    if n_pinned:
        pinned = f" You have pinned {counted(n_pinned, 'experiment')}."
    return DataError(f"The library is full.{pinned} Unpin or delete experiments, then load the files again.")


def remove_entry(session: Session, entry: EntryRow) -> list[str]:
    """Delete an experiment; return the digests of contents that perhaps no experiment has any more."""
    uid = entry.uid
    digests = list(session.scalars(select(FileRow.digest).where(FileRow.uid == uid)))
    change_owner_bytes(session, entry.owner, -entry.size)
    for table in (FileRow, StateRow, GrantRow, EntryRow):
        session.execute(delete(table).where(table.uid == uid))
    release(session, digests)
    return digests
