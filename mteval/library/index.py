"""The index of a library: which experiments it has, what each is called, and which contents it needs."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from mteval.errors import MtevalError

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
            self._make()
            with closing(sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
                connection.row_factory = sqlite3.Row
                connection.execute("PRAGMA foreign_keys=ON")
                connection.execute("PRAGMA synchronous=FULL")
                self._bring_up_to_date(connection)
                yield connection

    def _make(self) -> None:
        if not self.path.exists():
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))

    def _bring_up_to_date(self, connection: sqlite3.Connection) -> None:
        if _version(connection) == VERSION:
            return
        connection.execute("BEGIN IMMEDIATE")
        version = _version(connection)  # another process may have been quicker
        if version > VERSION:
            raise MtevalError(
                f"The library at {self.path.parent} was written by a newer mteval (version {version} of its index, this"
                f" one knows {VERSION}); update this one."
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
            f"The library at {library} cannot be used: {reason}. Check that the place exists, may be written to and has"
            " room, or name another data directory in MTEVAL_HOME."
        ) from error


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
