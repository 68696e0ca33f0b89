"""The tables of the index, and what earlier versions left in theirs.

Versions 1 and 2 kept the present state only, and the secret of the link was the name of the row.
"""

import json
from contextlib import suppress
from typing import Any

from sqlalchemy import Connection, inspect, text

from mteval.base.databases import seal_of
from mteval.base.digests import digest_of

_TABLES = (
    """CREATE TABLE library_entries (
        uid TEXT PRIMARY KEY, editor TEXT NOT NULL UNIQUE, reader TEXT NOT NULL UNIQUE, owner TEXT NOT NULL,
        name TEXT NOT NULL, note TEXT NOT NULL, tags TEXT NOT NULL, is_pinned INTEGER NOT NULL,
        created DOUBLE PRECISION NOT NULL, used DOUBLE PRECISION NOT NULL, number INTEGER NOT NULL,
        size BIGINT NOT NULL, editor_until DOUBLE PRECISION, reader_until DOUBLE PRECISION, card TEXT NOT NULL,
        seal TEXT NOT NULL)""",
    "CREATE INDEX library_entries_by_owner ON library_entries (owner, used)",
    "CREATE INDEX library_entries_by_use ON library_entries (used)",
    "CREATE INDEX library_entries_by_pin ON library_entries (owner, is_pinned, used)",
    "CREATE INDEX library_entries_by_name ON library_entries (name)",
    "CREATE INDEX library_entries_tagged ON library_entries (owner, tags) WHERE tags != ''",
    """CREATE TABLE library_states (
        uid TEXT NOT NULL REFERENCES library_entries (uid) ON DELETE CASCADE, number INTEGER NOT NULL,
        who TEXT NOT NULL, began DOUBLE PRECISION NOT NULL, at DOUBLE PRECISION NOT NULL, made TEXT NOT NULL,
        card TEXT NOT NULL, seal TEXT NOT NULL, PRIMARY KEY (uid, number))""",
    """CREATE TABLE library_files (
        uid TEXT NOT NULL REFERENCES library_entries (uid) ON DELETE CASCADE, first INTEGER NOT NULL,
        until INTEGER NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL,
        size BIGINT NOT NULL, PRIMARY KEY (uid, place, first))""",
    "CREATE INDEX library_files_by_digest ON library_files (digest)",
    "CREATE TABLE library_contents (digest TEXT PRIMARY KEY, size BIGINT NOT NULL, uses INTEGER NOT NULL)",
    "CREATE TABLE library_owners (owner TEXT PRIMARY KEY, bytes BIGINT NOT NULL)",
    "CREATE INDEX library_owners_by_bytes ON library_owners (bytes)",
    "CREATE TABLE library_total (bytes BIGINT NOT NULL)",
    "INSERT INTO library_total VALUES (0)",
    """CREATE TABLE library_grants (
        uid TEXT NOT NULL REFERENCES library_entries (uid) ON DELETE CASCADE, visitor TEXT NOT NULL,
        token TEXT NOT NULL, seal TEXT NOT NULL, PRIMARY KEY (uid, visitor))""",
    "CREATE TABLE library_ended (sign_in TEXT PRIMARY KEY, at DOUBLE PRECISION NOT NULL)",
)
VERSION = 3
_SEAL = len(digest_of(()))


def upgrade(connection: Connection, version: int) -> None:
    """Create the tables, and move what earlier versions left into them."""
    for command in _TABLES:
        connection.execute(text(command))
    if version and inspect(connection).has_table("entries"):
        _move(connection)
    if connection.dialect.name == "sqlite":
        connection.execute(text(f"PRAGMA user_version={VERSION}"))
    else:
        connection.execute(text("CREATE TABLE library_version (number INTEGER NOT NULL)"))
        connection.execute(text(f"INSERT INTO library_version VALUES ({VERSION})"))


def _move(connection: Connection) -> None:
    for row in connection.execute(text("SELECT * FROM entries")).mappings().all():
        _move_entry(connection, dict(row))
    for command in (
        "INSERT INTO library_contents SELECT digest, max(size), count(*) FROM library_files GROUP BY digest",
        "INSERT INTO library_owners SELECT owner, sum(size) FROM library_entries GROUP BY owner",
        "UPDATE library_total SET bytes = (SELECT coalesce(sum(size), 0) FROM library_contents)",
        "DROP TABLE files",
        "DROP TABLE entries",
    ):
        connection.execute(text(command))


def _move_entry(connection: Connection, row: dict[str, Any]) -> None:
    """Move an experiment. One that was damaged gets no seal, so that it is still named."""
    old = row["uid"]
    found = connection.execute(text("SELECT * FROM files WHERE uid = :uid ORDER BY place"), {"uid": old})
    files = [dict(file) for file in found.mappings()]
    places = [(file["place"], file["name"], file["digest"]) for file in files]
    made, card = _unsealed(row["made"], old, places), _unsealed(row["card"], old)
    uid = digest_of(("uid", str(old)))[:22]
    entry = (
        uid, old, row["reader"], row["owner"], row["name"], row["note"], "", int(bool(row["is_pinned"])),
        row["created"], row["used"], 1, sum({file["digest"]: file["size"] for file in files}.values()), None, None,
        card or "{}",
    )  # fmt: skip
    state = (uid, 1, row["owner"], row["used"], row["used"], made or "{}", card or "{}")
    sealed = seal_of(*state, *(value for file in files for value in list(file.values())[1:]))
    _insert(connection, "library_entries", (*entry, seal_of(*entry)))
    _insert(connection, "library_states", (*state, sealed if made else ""))
    for file in files:
        _insert(connection, "library_files", (uid, 1, 2147483647, *list(file.values())[1:]))


def _insert(connection: Connection, table: str, values: tuple[object, ...]) -> None:
    names = [f"v{place}" for place in range(len(values))]
    command = f"INSERT INTO {table} VALUES ({', '.join(f':{name}' for name in names)})"
    connection.execute(text(command), dict(zip(names, values, strict=True)))


def _unsealed(row: object, *about: object) -> str | None:
    """Return the JSON in a text of version 2, or 1 without a digest; None if it is damaged."""
    if not isinstance(row, str):
        return None
    inner = row if row.startswith("{") else row[_SEAL:]
    if inner != row and digest_of([*map(repr, about), inner]) != row[:_SEAL]:
        return None
    with suppress(ValueError):
        json.loads(inner)
        return inner
    return None
