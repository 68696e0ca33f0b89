"""How the space is shared: who holds most gives way first, and only after it was announced.

Once the library is three quarters full, a quarter of its limit is announced: the least recently used experiments of the
largest owners, down to a common level. Nothing else is evicted. Pinned experiments go last, and only for other owners.
"""

import time
from collections.abc import Iterator

from sqlalchemy import Connection

from mteval.base.errors import DataError
from mteval.base.words import counted
from mteval.library.index import Row, rows, run
from mteval.library.states import release, save_entry


def total(read: Connection) -> int:
    """Return the bytes of all contents."""
    return int(run(read, "SELECT bytes FROM library_total").scalar_one())


def change_owner_bytes(write: Connection, owner: str, change: int) -> None:
    """Add to what an owner holds."""
    command = "UPDATE library_owners SET bytes = bytes + :change WHERE owner = :owner"
    if not run(write, command, change=change, owner=owner).rowcount:
        run(write, "INSERT INTO library_owners VALUES (:owner, :change)", owner=owner, change=change)


def level(read: Connection, max_bytes: int) -> float | None:
    """Return the bytes down to which owners may have to give way; None if nobody has to."""
    taken = total(read)
    if (need := taken - 0.75 * max_bytes) <= 0:
        return None
    command = "SELECT bytes FROM library_owners WHERE bytes > 0 ORDER BY bytes DESC"
    held = [float(row["bytes"]) for row in rows(read, command)]
    need *= max(1.0, sum(held) / max(taken, 1))  # experiments share contents, so that each frees less
    above = 0.0
    for number, bytes_held in enumerate(held, start=1):
        above += bytes_held
        reached = (above - need) / number
        if reached >= (held[number] if number < len(held) else 0.0):
            return reached
    return 0.0


def giving_way(read: Connection, owner: str, down_to: float, grown: int = 0) -> Iterator[Row]:
    """Yield the experiments of an owner that were announced before they grew, in the order in which they go."""
    held = rows(read, "SELECT bytes FROM library_owners WHERE owner = :owner", owner=owner)
    left = (float(held[0]["bytes"]) if held else 0.0) - grown
    command = "SELECT * FROM library_entries WHERE owner = :owner ORDER BY is_pinned, used, uid"
    for row in run(read, command, owner=owner).mappings():
        if left <= down_to:
            return
        yield dict(row)
        left -= row["size"]


def make_room(write: Connection, before: Row, max_bytes: int, announced: float | None) -> list[str]:
    """Count a changed experiment, and evict others until the library is within its limit.

    Parameters
    ----------
    before
        The changed experiment, with its size before.
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
    contents = "SELECT DISTINCT digest, size FROM library_files WHERE uid = :uid"
    command = f"SELECT coalesce(sum(size), 0) FROM ({contents}) AS own"
    entry = {**before, "size": int(run(write, command, uid=before["uid"]).scalar_one())}
    change_owner_bytes(write, entry["owner"], entry["size"] - before["size"])
    save_entry(write, entry)
    if total(write) <= max_bytes:
        return freed
    now = time.time()
    for row in rows(write, "SELECT * FROM library_entries WHERE used > :now", now=now):  # the clock was ahead once
        save_entry(write, {**row, "used": now})
    going: dict[str, list[Row]] = {}
    while total(write) > max_bytes:
        for row in rows(write, "SELECT owner FROM library_owners WHERE bytes > 0 ORDER BY bytes DESC, owner"):
            if (owner := row["owner"]) not in going:
                grown = entry["size"] - before["size"] if owner == entry["owner"] else 0
                named = [] if announced is None else [*giving_way(write, owner, announced, grown)]
                going[owner] = [one for one in named if one["uid"] != entry["uid"]]
                if owner == entry["owner"]:
                    going[owner] = [one for one in going[owner] if not one["is_pinned"]]
            if going[owner]:
                freed += remove_entry(write, going[owner].pop(0))
                break
            if owner == entry["owner"]:
                raise _full(write, owner)
        else:
            raise _full(write, entry["owner"])
    return freed


def _full(read: Connection, owner: str) -> DataError:
    command = "SELECT count(*) FROM library_entries WHERE owner = :owner AND is_pinned = 1"
    pinned = int(run(read, command, owner=owner).scalar_one())
    yours = f" You have pinned {counted(pinned, 'experiment')}." if pinned else ""
    return DataError(f"The library is full.{yours} Unpin or delete experiments, then load the files again.")


def remove_entry(write: Connection, row: Row) -> list[str]:
    """Delete an experiment; return the digests that may be free now."""
    files = rows(write, "SELECT digest FROM library_files WHERE uid = :uid", uid=row["uid"])
    for table in ("files", "states", "grants", "entries"):
        run(write, f"DELETE FROM library_{table} WHERE uid = :uid", uid=row["uid"])
    release(write, files)
    change_owner_bytes(write, row["owner"], -row["size"])
    return [file["digest"] for file in files]
