"""What made each version of the index's tables from the one before it.

Versions 1 and 2 kept the present state only, and the secret of the link was the name of the row.
"""

import json
from collections.abc import Callable, Iterable, Mapping
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
_FOREVER_OF_3 = 2147483647  # the last state of files that belong to the present one
_SEAL = len(digest_of(()))  # characters


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
    commands = (
        "INSERT INTO library_contents SELECT digest, max(size), count(*) FROM library_files GROUP BY digest",
        "INSERT INTO library_owners SELECT owner, sum(size) FROM library_entries GROUP BY owner",
        "UPDATE library_total SET bytes = (SELECT coalesce(sum(size), 0) FROM library_contents)",
        "DROP TABLE files",
        "DROP TABLE entries",
    )
    for command in commands:
        connection.execute(text(command))


def _seal_by_name(connection: Connection) -> None:
    """Seal rows as those of annotations are, and keep the version in a table. What was damaged gets no seal."""
    if connection.dialect.name == "sqlite":
        connection.execute(text("CREATE TABLE library_version (number INTEGER NOT NULL)"))
        connection.execute(text("INSERT INTO library_version VALUES (3)"))
        _tell_earlier_versions(connection)
    connection.execute(text("ALTER TABLE library_states ADD COLUMN files TEXT NOT NULL DEFAULT ''"))
    for row in _rows(connection, "SELECT * FROM library_entries"):
        is_row_whole = row["seal"] == _seal_of_3(row[name] for name in _ENTRY_OF_3)
        _set_seal(connection, "library_entries", ("uid",), row, is_row_whole)
    for row in _rows(connection, "SELECT * FROM library_grants"):
        is_row_whole = row["seal"] == _seal_of_3((row["uid"], row["visitor"], row["token"]))
        _set_seal(connection, "library_grants", ("uid", "visitor"), row, is_row_whole)

    of_state = "uid = :uid AND first <= :number AND until > :number"
    query = text(f"SELECT place, name, digest, size FROM library_files WHERE {of_state} ORDER BY place")
    change = text("UPDATE library_states SET files = :files WHERE uid = :uid AND number = :number")
    for row in _rows(connection, "SELECT * FROM library_states"):
        file_rows = connection.execute(query, {"uid": row["uid"], "number": row["number"]})
        files = [tuple(file) for file in file_rows]
        values = [row[name] for name in _STATE_OF_3]
        for file in files:
            values += file
        is_row_whole = row["seal"] == _seal_of_3(values)
        row["files"] = digest_of_files(files)
        connection.execute(change, row)
        _set_seal(connection, "library_states", ("uid", "number"), row, is_row_whole)


STEPS: Mapping[int, Callable[[Connection], None]] = {3: _keep_states, 4: _seal_by_name}

# The columns whose values version 3 sealed, in the order in which they were sealed
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
_STATE_OF_3 = ("uid", "number", "who", "began", "at", "made", "card")  # then the values of its files


def _rows(connection: Connection, query: str) -> list[dict[str, Any]]:
    """Return the rows of a query by the names of their columns."""
    return [dict(row) for row in connection.execute(text(query)).mappings()]


def _seal_of_3(values: Iterable[object]) -> str:
    """Return the seal that version 3 gave to a row of these values."""
    return digest_of(repr(value) for value in values)


def _set_seal(
    connection: Connection, table: str, keys: tuple[str, ...], row: dict[str, Any], is_row_whole: bool
) -> None:
    """Seal a row if it is whole; otherwise remove its seal.

    Parameters
    ----------
    keys
        Columns by which the row is found.
    """
    new_seal = ""
    if is_row_whole:
        new_seal = values_seal(row)
    is_row = " AND ".join(f"{key} = :{key}" for key in keys)
    change = text(f"UPDATE {table} SET seal = :new_seal WHERE {is_row}")
    connection.execute(change, {**row, "new_seal": new_seal})


def _move_entry(connection: Connection, row: dict[str, Any]) -> None:
    """Move an experiment. One that was damaged gets no seal, so that it is still named."""
    old_uid = row["uid"]
    file_rows = connection.execute(text("SELECT * FROM files WHERE uid = :uid ORDER BY place"), {"uid": old_uid})
    files = [dict(file) for file in file_rows.mappings()]
    places = [(file["place"], file["name"], file["digest"]) for file in files]
    made = _unsealed(row["made"], old_uid, places)
    card = _unsealed(row["card"], old_uid)
    uid = digest_of(("uid", str(old_uid)))[:22]
    size_of = {file["digest"]: file["size"] for file in files}  # each content is counted once

    entry: dict[str, Any] = {
        "uid": uid,
        "editor": old_uid,  # the old name was the secret of the link
        "reader": row["reader"],
        "owner": row["owner"],
        "name": row["name"],
        "note": row["note"],
        "tags": "",
        "is_pinned": int(bool(row["is_pinned"])),
        "created": row["created"],
        "used": row["used"],
        "number": 1,
        "size": sum(size_of.values()),
        "editor_until": None,
        "reader_until": None,
        "card": card or "{}",
    }
    entry["seal"] = _seal_of_3(entry.values())
    _insert(connection, "library_entries", entry)

    state: dict[str, Any] = {
        "uid": uid,
        "number": 1,
        "who": row["owner"],
        "began": row["used"],
        "at": row["used"],
        "made": made or "{}",
        "card": card or "{}",
    }
    # Place, name, digest and size of each file, without the name of the experiment, which comes first
    values_of_files = [list(file.values())[1:] for file in files]
    values = list(state.values())
    for values_of_file in values_of_files:
        values += values_of_file
    state["seal"] = _seal_of_3(values) if made else ""
    _insert(connection, "library_states", state)

    for place, name, digest, size in values_of_files:
        file = {
            "uid": uid,
            "first": 1,
            "until": _FOREVER_OF_3,
            "place": place,
            "name": name,
            "digest": digest,
            "size": size,
        }
        _insert(connection, "library_files", file)


def _insert(connection: Connection, table: str, row: Mapping[str, object]) -> None:
    """Add a row, whose values are in the order of the table's columns."""
    names = ", ".join(f":{name}" for name in row)
    connection.execute(text(f"INSERT INTO {table} VALUES ({names})"), dict(row))


def _unsealed(sealed_text: object, *context: object) -> str | None:
    """Return the JSON in a text of version 2, or 1 without a digest; None if it is damaged.

    Parameters
    ----------
    context
        What was sealed with the text.
    """
    if not isinstance(sealed_text, str):
        return None
    content = sealed_text
    if not sealed_text.startswith("{"):
        seal = sealed_text[:_SEAL]
        content = sealed_text[_SEAL:]
        if digest_of([*(repr(value) for value in context), content]) != seal:
            return None
    with suppress(ValueError):
        json.loads(content)
        return content
    return None
