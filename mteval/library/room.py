"""How the space is shared: who holds most gives way first, and only after it was announced.

Once the library is three quarters full, a quarter of its limit is announced: the least recently used experiments of the
largest owners, down to a common level. Nothing else is evicted. Pinned experiments go last, and only for other owners.
"""

import time
from collections.abc import Iterable, Iterator

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from mteval.base.errors import DataError
from mteval.base.words import counted
from mteval.library.states import release
from mteval.library.tables import TOTAL, EntryRow, FileRow, GrantRow, OwnerRow, StateRow


def total(session: Session) -> int:
    """Return the bytes of all contents."""
    return int(session.execute(select(TOTAL.c.bytes)).scalar_one())


def change_owner_bytes(session: Session, owner: str, change: int) -> None:
    """Add to what an owner holds."""
    row = session.get(OwnerRow, owner)
    if row is None:
        session.add(OwnerRow(owner=owner, bytes=change))
    else:
        row.bytes += change


def level(session: Session, max_bytes: int) -> float | None:
    """Return the bytes down to which owners may have to give way; None if nobody has to."""
    taken = total(session)
    if (need := taken - 0.75 * max_bytes) <= 0:
        return None
    query = select(OwnerRow.bytes).where(OwnerRow.bytes > 0).order_by(OwnerRow.bytes.desc())
    held = [float(size) for size in session.scalars(query)]
    need *= max(1.0, sum(held) / max(taken, 1))  # experiments share contents, so that each frees less
    above = 0.0
    for number, bytes_held in enumerate(held, start=1):
        above += bytes_held
        reached = (above - need) / number
        if reached >= (held[number] if number < len(held) else 0.0):
            return reached
    return 0.0


def giving_way(session: Session, owner: str, down_to: float, grown: int = 0) -> Iterator[EntryRow]:
    """Yield the experiments of an owner that were announced before they grew, in the order in which they go."""
    held = session.get(OwnerRow, owner)
    left = (0.0 if held is None else float(held.bytes)) - grown
    order = (EntryRow.is_pinned, EntryRow.used, EntryRow.uid)
    query = select(EntryRow).where(EntryRow.owner == owner).order_by(*order).execution_options(yield_per=100)
    with session.scalars(query) as rows:  # closed early: most rows are not needed
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
    The digests that may be free now.

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
    now = time.time()
    for row in session.scalars(select(EntryRow).where(EntryRow.used > now)).all():  # the clock was ahead once
        row.used = now
    owners = select(OwnerRow.owner).where(OwnerRow.bytes > 0).order_by(OwnerRow.bytes.desc(), OwnerRow.owner)
    going: dict[str, list[EntryRow]] = {}
    while total(session) > max_bytes:
        for owner in session.scalars(owners).all():
            is_own = owner == entry.owner
            if owner not in going:
                named: Iterable[EntryRow] = ()
                if announced is not None:
                    named = giving_way(session, owner, announced, grown if is_own else 0)
                others = [row for row in named if row.uid != entry.uid]
                going[owner] = [row for row in others if not (is_own and row.is_pinned)]
            if going[owner]:
                freed += remove_entry(session, going[owner].pop(0))
                break
            if is_own:
                raise _full(session, owner)
        else:
            raise _full(session, entry.owner)
    return freed


def _full(session: Session, owner: str) -> DataError:
    query = select(func.count()).select_from(EntryRow).where(EntryRow.owner == owner, EntryRow.is_pinned == 1)
    pinned = session.execute(query).scalar_one()
    yours = f" You have pinned {counted(pinned, 'experiment')}." if pinned else ""
    return DataError(f"The library is full.{yours} Unpin or delete experiments, then load the files again.")


def remove_entry(session: Session, entry: EntryRow) -> list[str]:
    """Delete an experiment; return the digests that may be free now."""
    uid = entry.uid
    digests = list(session.scalars(select(FileRow.digest).where(FileRow.uid == uid)))
    change_owner_bytes(session, entry.owner, -entry.size)
    for table in (FileRow, StateRow, GrantRow, EntryRow):
        session.execute(delete(table).where(table.uid == uid))
    release(session, digests)
    return digests
