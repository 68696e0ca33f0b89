"""The index of a library: which experiments it has, what a list says of each, and which contents it needs.

Texts in its rows stand under a digest, so that a bit that is another one is seen and changes nobody's settings.
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
    """What is kept of an experiment; in a change, None leaves what is kept as it is.

    Parameters
    ----------
    made
        What was made of the files: edits, settings, baseline; whatever JSON can say.
    card
        What a list shows, so that listing reads the index alone.
    files
        By name, as they came.
    numbers
        The results as bytes; empty where there are none.
    """

    made: Mapping[str, Any]
    card: Mapping[str, Any]
    files: Mapping[str, bytes] | None = None
    numbers: bytes | None = None


@dataclass(frozen=True)
class Listed:
    """An experiment as a list shows it.

    Parameters
    ----------
    uid
        The link of those who may change it.
    reader
        The link of those who may only read it.
    owner
        Whose it is; empty for nobody's.
    created, used
        When it was first kept, and when it was last opened or changed, in seconds since 1970.
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
    """A value as JSON, with a digest before it of itself and of what it is about."""
    text = as_json(value)
    return digest_of([*map(repr, about), text]) + text


def unsealed(row: object, *about: object) -> Mapping[str, Any] | None:
    """The value again; None where it, or what it is about, is not what was written."""
    if not isinstance(row, str):
        return None
    text = row if row.startswith("{") else row[_DIGITS:]  # as all rows were before they had a digest
    if text != row and digest_of([*map(repr, about), text]) != row[:_DIGITS]:
        return None
    with suppress(ValueError):
        value: Mapping[str, Any] = json.loads(text)
        return value
    return None


def as_json(value: Mapping[str, Any]) -> str:
    """The text that is kept of a value."""
    return json.dumps(value, ensure_ascii=False)


def listed_from(row: sqlite3.Row) -> Listed:
    """An experiment of the list; its card is empty where it is damaged.

    Raises
    ------
    MtevalError
        Where a column is not of its type.
    """
    values = {key: row[key] for key in COLUMNS.split(", ")}
    if not all(isinstance(values[key], kind) for key, kind in _TYPES.items()):
        raise MtevalError("The library's index is damaged (an invalid name or time). Restore a backup.")
    card = unsealed(values["card"], values["uid"])
    return Listed(**values | {"is_pinned": bool(values["is_pinned"]), "card": card or {}})


BUSY_SECONDS = 30.0  # that a process waits for another one that writes
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
    """One SQLite file, which any number of processes may use at once.

    Parameters
    ----------
    path
        Made, for this user alone, when it is first written to.
    """

    path: Path

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees one state of the index from beginning to end."""
        with self._opened() as connection:
            connection.execute("BEGIN")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection whose changes are all made, on the disk, or none of them; one process at a time."""
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
        version = _version(connection)  # another process may have been quicker
        if version > VERSION:
            raise MtevalError(
                f"The library at {self.path.parent} was written by a newer mteval (index version {version}; this one"
                f" reads {VERSION}). Update mteval."
            )
        if version == 0:
            for table in _TABLES:
                connection.execute(table)
        connection.execute(f"PRAGMA user_version={VERSION}")
        connection.execute("COMMIT")


@contextmanager
def trouble_named(library: Path) -> Iterator[None]:
    """Say of a library what the system says of one of its files."""
    try:
        yield
    except (OSError, sqlite3.Error, UnicodeError) as error:  # the last where what a damaged index says is no text
        reason = error.strerror if isinstance(error, OSError) else error
        raise MtevalError(
            f"Cannot use the library at {library}: {reason}. Check that the path exists, is writable and has space, or"
            " set MTEVAL_HOME."
        ) from error


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
