"""The library's index: its experiments, what a list shows of each, and the contents they need.

Texts in rows have a digest, so that damage is detected and cannot change settings.
"""

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mteval.base.digests import digest_of
from mteval.base.errors import MtevalError


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
        Link that allows changes.
    reader
        Read-only link.
    owner
        Empty if it has none.
    created, used
        Time of creation and of last use, in seconds since 1970.
    """

    uid: str
    reader: str
    owner: str
    name: str
    note: str
    is_pinned: bool
    created: float
    used: float
    card: Mapping[str, Any]


COLUMNS = "uid, reader, owner, name, note, is_pinned, created, used, card"
_TYPES = dict.fromkeys(("uid", "reader", "owner", "name", "note"), str) | dict.fromkeys(("created", "used"), float)
_DIGITS = len(digest_of(()))


def sealed(value: Mapping[str, Any], *about: object) -> str:
    """Return a value as JSON, preceded by a digest of it and its context."""
    text = as_json(value)
    return digest_of([*map(repr, about), text]) + text


def unsealed(row: object, *about: object) -> Mapping[str, Any] | None:
    """Return the value of ``sealed``, or None if it is damaged or belongs to another context."""
    if not isinstance(row, str):
        return None
    text = row if row.startswith("{") else row[_DIGITS:]  # rows of version 1 have no digest
    if text != row and digest_of([*map(repr, about), text]) != row[:_DIGITS]:
        return None
    with suppress(ValueError):
        value: Mapping[str, Any] = json.loads(text)
        return value
    return None


def as_json(value: Mapping[str, Any]) -> str:
    """Return a value as JSON."""
    return json.dumps(value, ensure_ascii=False)


def listed_from(row: sqlite3.Row) -> Listed:
    """Return the list entry of a row; a damaged card becomes empty.

    Raises
    ------
    MtevalError
        If a column has a wrong type.
    """
    values = {key: row[key] for key in COLUMNS.split(", ")}
    if not all(isinstance(values[key], kind) for key, kind in _TYPES.items()):
        raise MtevalError("The library's index is damaged (an invalid name or time). Restore a backup.")
    card = unsealed(values["card"], values["uid"])
    return Listed(**values | {"is_pinned": bool(values["is_pinned"]), "card": card or {}})


BUSY_SECONDS = 30.0  # a process waits for another writer
VERSION = 2  # 1 had no digests in its texts, which are read as they are
_TABLES = (
    """CREATE TABLE entries (
        uid TEXT PRIMARY KEY, reader TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, name TEXT NOT NULL, note TEXT NOT NULL,
        is_pinned INTEGER NOT NULL, created REAL NOT NULL, used REAL NOT NULL, card TEXT NOT NULL,
        made TEXT NOT NULL)""",
    """CREATE TABLE files (
        uid TEXT NOT NULL REFERENCES entries(uid) ON DELETE CASCADE, place INTEGER NOT NULL, name TEXT NOT NULL,
        digest TEXT NOT NULL, size INTEGER NOT NULL, PRIMARY KEY (uid, place))""",
)


@dataclass(frozen=True)
class Index:
    """A SQLite file that any number of processes may use.

    Parameters
    ----------
    path
        Created for this user only on the first write.
    """

    path: Path

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Open a connection with a consistent view."""
        with self._opened() as connection:
            connection.execute("BEGIN")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a connection whose changes are atomic and on disk; one process at a time."""
        with self._opened() as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with trouble_named(self.path.parent):
            if not self.path.exists():
                self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            with closing(sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
                connection.row_factory = sqlite3.Row
                connection.execute("PRAGMA foreign_keys=ON")
                connection.execute("PRAGMA synchronous=FULL")
                self._bring_up_to_date(connection)
                yield connection

    def _bring_up_to_date(self, connection: sqlite3.Connection) -> None:
        if _version(connection) == VERSION:
            return
        connection.execute("BEGIN IMMEDIATE")
        version = _version(connection)  # another process may have been faster
        if version > VERSION:
            message = f"The library at {self.path.parent} was written by a newer mteval (index version {version};"
            raise MtevalError(f"{message} this one reads {VERSION}). Update mteval.")
        if version == 0:
            for table in _TABLES:
                connection.execute(table)
        connection.execute(f"PRAGMA user_version={VERSION}")
        connection.execute("COMMIT")


@contextmanager
def trouble_named(library: Path) -> Iterator[None]:
    """Translate errors of the system and of SQLite to an error about the library."""
    try:
        yield
    except (OSError, sqlite3.Error, UnicodeError) as error:  # UnicodeError: from a damaged index
        reason = error.strerror if isinstance(error, OSError) else error
        raise MtevalError(
            f"Cannot use the library at {library}: {reason}. Check that the path exists, is writable and has space, or"
            " set MTEVAL_HOME."
        ) from error


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
