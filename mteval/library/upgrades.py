"""What made each version of the index's tables from the one before it.

Versions 1 and 2 kept the present state only, and the secret of the link was the name of the row.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from sqlalchemy import Connection, text

from mteval.base.digests import digest_of
from mteval.base.sealed_rows import values_seal
from mteval.library.tables import digest_of_files

_TABLES_OF_3 = (
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
_SEAL = len(digest_of(()))


def version_before(connection: Connection) -> int:
    """Return the version in a SQLite file of version 3 or before; 0 if it is empty. Only files had these versions."""
    if connection.dialect.name != "sqlite":
        return 0
    return int(connection.execute(text("PRAGMA user_version")).scalar_one())


def begin(connection: Connection) -> None:
    """Fill new tables."""
    connection.execute(text("INSERT INTO library_total VALUES (0)"))
    _tell_earlier_versions(connection)


def _tell_earlier_versions(connection: Connection) -> None:
    """Make version 0.2, which looks for the version of a SQLite file here, say that a newer one wrote it."""
    if connection.dialect.name == "sqlite":
        connection.execute(text("PRAGMA user_version=4"))


def _keep_states(connection: Connection) -> None:
    """Keep several states of an experiment, and have a link for changes and one for reading."""
    for command in _TABLES_OF_3:
        connection.execute(text(command))
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


def _seal_by_name(connection: Connection) -> None:
    """Seal rows as those of annotations are, and keep the version in a table. What was damaged gets no seal."""
    if connection.dialect.name == "sqlite":
        connection.execute(text("CREATE TABLE library_version (number INTEGER NOT NULL)"))
        connection.execute(text("INSERT INTO library_version VALUES (3)"))
        _tell_earlier_versions(connection)
    connection.execute(text("ALTER TABLE library_states ADD COLUMN files TEXT NOT NULL DEFAULT ''"))
    for row in _rows(connection, "SELECT * FROM library_entries"):
        _set_seal(connection, "library_entries", ("uid",), row, is_row_whole=_is_sealed(row, *_ENTRY_OF_3))
    for row in _rows(connection, "SELECT * FROM library_grants"):
        is_row_whole = _is_sealed(row, "uid", "visitor", "token")
        _set_seal(connection, "library_grants", ("uid", "visitor"), row, is_row_whole)
    own = "uid = :uid AND first <= :number AND until > :number"
    query = f"SELECT place, name, digest, size FROM library_files WHERE {own} ORDER BY place"
    for row in _rows(connection, "SELECT * FROM library_states"):
        files = [tuple(file) for file in connection.execute(text(query), {"uid": row["uid"], "number": row["number"]})]
        of_state = [row[name] for name in ("uid", "number", "who", "began", "at", "made", "card")]
        is_row_whole = row["seal"] == _seal_of_3(*of_state, *(value for file in files for value in file))
        change = "UPDATE library_states SET files = :files WHERE uid = :uid AND number = :number"
        row["files"] = digest_of_files(files)
        connection.execute(text(change), row)
        _set_seal(connection, "library_states", ("uid", "number"), row, is_row_whole)


STEPS: Mapping[int, Callable[[Connection], None]] = {3: _keep_states, 4: _seal_by_name}

_ENTRY_OF_3 = (
    "uid",
    "editor",
    "reader",
    "owner",
    "name",
    "note",
    "tags",
    "is_pinned",
    "created",
    "used",
    "number",
    "size",
    "editor_until",
    "reader_until",
    "card",
)


def _rows(connection: Connection, query: str) -> list[dict[str, Any]]:
    return [dict(row) for row in connection.execute(text(query)).mappings()]


def _seal_of_3(*values: object) -> str:
    return digest_of(map(repr, values))


def _is_sealed(row: Mapping[str, Any], *names: str) -> bool:
    return bool(row["seal"] == _seal_of_3(*(row[name] for name in names)))


def _set_seal(
    connection: Connection, table: str, keys: tuple[str, ...], row: dict[str, Any], is_row_whole: bool
) -> None:
    chosen = " AND ".join(f"{key} = :{key}" for key in keys)
    values = {**row, "new_seal": values_seal(row) if is_row_whole else ""}
    connection.execute(text(f"UPDATE {table} SET seal = :new_seal WHERE {chosen}"), values)


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
    sealed = _seal_of_3(*state, *(value for file in files for value in list(file.values())[1:]))
    _insert(connection, "library_entries", (*entry, _seal_of_3(*entry)))
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
