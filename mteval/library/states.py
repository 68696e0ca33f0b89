"""States of an experiment: its last ten are kept, each with the files that it had.

A file belongs to the states from its first one until, and without, another; a change of settings writes no files.
"""

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection

from mteval.library.index import ENTRY, FOREVER, Content, Row, entry_seal, files_at, rows, run, state_seal

NUMBERS = -1  # place of the results among the files


@dataclass(frozen=True)
class Kept:
    """A content in the store, by place, name, digest and size; the results come first."""

    place: int
    name: str
    digest: str
    size: int


def save_entry(write: Connection, row: Row) -> None:
    """Insert or update an experiment, and seal its row."""
    names = [*ENTRY, "seal"]
    changes = ", ".join(f"{name} = excluded.{name}" for name in names[1:])
    values = ", ".join(f":{name}" for name in names)
    insert = f"INSERT INTO library_entries ({', '.join(names)}) VALUES ({values})"
    run(write, f"{insert} ON CONFLICT (uid) DO UPDATE SET {changes}", **{**row, "seal": entry_seal(row)})


def add_state(write: Connection, entry: Row, who: str, content: Content, kept: Iterable[Kept], freed: list[str]) -> int:
    """Save the next state of an experiment; return its number. What it frees is added to a list."""
    uid, before, now = entry["uid"], int(entry["number"]), time.time()
    number, began = before + 1, now
    freed += place_files(write, uid, number, content, kept)
    last = rows(write, "SELECT * FROM library_states WHERE uid = :uid AND number = :before", uid=uid, before=before)
    save_entry(write, {**entry, "number": number, "used": now, "card": json.dumps(content.card)})
    # changes of settings by one person within ten minutes are one state
    if last and content.files is None and last[0]["who"] == who and 0 <= now - last[0]["began"] < 600:
        began = last[0]["began"]
        freed += _forget(write, uid, before)
    state = {"uid": uid, "number": number, "who": who, "began": began, "at": now}
    _insert_state(write, {**state, "made": json.dumps(content.made), "card": json.dumps(content.card)})
    command = "SELECT number FROM library_states WHERE uid = :uid ORDER BY number DESC LIMIT 1 OFFSET :most"
    if oldest := rows(write, command, uid=uid, most=10):
        freed += _forget(write, uid, oldest[0]["number"])
    return number


def _insert_state(write: Connection, state: Row) -> None:
    seal = state_seal(state, files_at(write, state["uid"], state["number"]))
    command = "INSERT INTO library_states VALUES (:uid, :number, :who, :began, :at, :made, :card, :seal)"
    run(write, command, **state, seal=seal)


def fill_state(write: Connection, state: Row, content: Content, kept: Iterable[Kept]) -> list[str]:
    """Replace results and card of a state; return the digests that may be free now."""
    freed = place_files(write, state["uid"], state["number"], content, kept)
    command = "DELETE FROM library_states WHERE uid = :uid AND number = :number"
    run(write, command, uid=state["uid"], number=state["number"])
    _insert_state(write, {name: state[name] for name in state if name != "seal"} | {"card": json.dumps(content.card)})
    return freed


def place_files(write: Connection, uid: str, number: int, content: Content, kept: Iterable[Kept]) -> list[str]:
    """Make contents the files of a state and those after it; return the digests that may be free now."""
    freed: list[str] = []
    new = {(one.place, one.name, one.digest): one for one in kept}
    command = "SELECT * FROM library_files WHERE uid = :uid AND until = :until"
    for row in rows(write, command, uid=uid, until=FOREVER):
        is_replaced = content.numbers is not None if row["place"] == NUMBERS else content.files is not None
        if not is_replaced or new.pop((row["place"], row["name"], row["digest"]), None) is not None:
            continue
        if row["first"] == number:
            freed += _drop(write, row)
        else:
            command = "UPDATE library_files SET until = :number WHERE uid = :uid AND place = :place AND first = :first"
            run(write, command, number=number, uid=uid, place=row["place"], first=row["first"])
    for one in new.values():
        command = "INSERT INTO library_files VALUES (:uid, :number, :until, :place, :name, :digest, :size)"
        run(write, command, uid=uid, number=number, until=FOREVER, **vars(one))
        _use(write, one)
    return freed


def _forget(write: Connection, uid: str, number: int) -> list[str]:
    """Remove a state, and the files that no other one has."""
    command = (
        "SELECT (SELECT max(number) FROM library_states WHERE uid = :uid AND number < :number) AS before,"
        " (SELECT min(number) FROM library_states WHERE uid = :uid AND number > :number) AS after"
    )
    (near,) = rows(write, command, uid=uid, number=number)
    run(write, "DELETE FROM library_states WHERE uid = :uid AND number = :number", uid=uid, number=number)
    command = "SELECT * FROM library_files WHERE uid = :uid AND first > :before AND until <= :after"
    before, after = near["before"] or 0, near["after"] or number + 1
    return [digest for row in rows(write, command, uid=uid, before=before, after=after) for digest in _drop(write, row)]


def _drop(write: Connection, row: Row) -> list[str]:
    command = "DELETE FROM library_files WHERE uid = :uid AND place = :place AND first = :first"
    run(write, command, uid=row["uid"], place=row["place"], first=row["first"])
    release(write, [row])
    return [row["digest"]]


def _use(write: Connection, one: Kept) -> None:
    if run(write, "UPDATE library_contents SET uses = uses + 1 WHERE digest = :digest", digest=one.digest).rowcount:
        return
    run(write, "INSERT INTO library_contents VALUES (:digest, :size, 1)", digest=one.digest, size=one.size)
    run(write, "UPDATE library_total SET bytes = bytes + :size", size=one.size)


def release(write: Connection, files: Iterable[Row]) -> None:
    """Count that files are gone; a content without any is no longer part of the library."""
    for row in files:
        run(write, "UPDATE library_contents SET uses = uses - 1 WHERE digest = :digest", digest=row["digest"])
        command = "SELECT size FROM library_contents WHERE digest = :digest AND uses <= 0"
        if gone := rows(write, command, digest=row["digest"]):
            run(write, "DELETE FROM library_contents WHERE digest = :digest", digest=row["digest"])
            run(write, "UPDATE library_total SET bytes = bytes - :size", size=gone[0]["size"])


def is_used(read: Connection, digest: str) -> bool:
    """Return whether a content belongs to the library."""
    return bool(rows(read, "SELECT 1 AS one FROM library_contents WHERE digest = :digest", digest=digest))
