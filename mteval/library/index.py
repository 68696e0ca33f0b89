"""The library's index: experiments, their last states, the contents that these need, and who may change them.

It is a SQLite file, or a PostgreSQL database that several servers share. Every row carries a seal over all its values,
so that damage is detected and cannot change settings.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, CursorResult, Engine, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError

from mteval.base.databases import engine_of, hold, make_file, reason_of, seal_of
from mteval.base.errors import MtevalError
from mteval.library.blobs import Blobs
from mteval.library.upgrades import VERSION, upgrade

Row = Mapping[str, Any]


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
        Identifies it; opens nothing by itself.
    editor, reader
        Secrets of the link that allows changes, and of the read-only one.
    owner
        Empty if it has none.
    tags
        Words that group experiments, in alphabetical order.
    created, used
        Time of creation and of last use, in seconds since 1970.
    number
        Of its present state.
    editor_until, reader_until
        When a link expires; None if it does not.
    """

    uid: str
    editor: str
    reader: str
    owner: str
    name: str
    note: str
    tags: tuple[str, ...]
    is_pinned: bool
    created: float
    used: float
    number: int
    editor_until: float | None
    reader_until: float | None
    card: Mapping[str, Any]


@dataclass(frozen=True)
class State:
    """An earlier or the present state of an experiment: who saved it, and when."""

    number: int
    who: str
    at: float
    card: Mapping[str, Any]


ENTRY = (
    "uid", "editor", "reader", "owner", "name", "note", "tags", "is_pinned", "created", "used", "number", "size",
    "editor_until", "reader_until", "card",
)  # fmt: skip
STATE = ["uid", "number", "who", "began", "at", "made", "card"]
FILE = ["place", "name", "digest", "size"]
_TYPES = dict.fromkeys(ENTRY[:7], str) | {"used": float, "created": float}
FOREVER = 2147483647  # the last state of files that belong to the present one
DAMAGED = "The library's entry for this experiment is damaged. Load the files again, and delete this one."


def run(connection: Connection, command: str, **values: Any) -> CursorResult[Any]:
    """Execute a command with named values."""
    return connection.execute(text(command), values)


def rows(connection: Connection, command: str, **values: Any) -> list[Row]:
    """Return the rows of a query."""
    return [dict(row) for row in run(connection, command, **values).mappings()]


def entry_seal(row: Row) -> str:
    """Return the seal of a row of ``library_entries``."""
    return seal_of(*(row.get(name) for name in ENTRY))


def state_seal(row: Row, files: list[Row]) -> str:
    """Return the seal of a state and its files."""
    return seal_of(*(row.get(name) for name in STATE), *(file.get(name) for file in files for name in FILE))


def grant_seal(row: Row) -> str:
    """Return the seal of a row of ``library_grants``."""
    return seal_of(*(row.get(name) for name in ["uid", "visitor", "token"]))


def files_at(read: Connection, uid: str, number: int) -> list[Row]:
    """Return the files of a state in their order, the results first."""
    command = "SELECT * FROM library_files WHERE uid = :uid AND first <= :number AND until > :number ORDER BY place"
    return rows(read, command, uid=uid, number=number)


def state_at(read: Connection, uid: str, number: int) -> tuple[Row, list[Row]] | None:
    """Return a state with its files, or None.

    Raises
    ------
    MtevalError
        If it is damaged.
    """
    found = rows(read, "SELECT * FROM library_states WHERE uid = :uid AND number = :number", uid=uid, number=number)
    if not found:
        return None
    files = files_at(read, uid, number)
    if found[0].get("seal") != state_seal(found[0], files):
        raise MtevalError(DAMAGED)
    return found[0], files


def listed_from(row: Row) -> Listed:
    """Return the list entry of a row; if it is damaged, its card is empty.

    Raises
    ------
    MtevalError
        If it lacks a value.
    """
    values = {name: row.get(name) for name in Listed.__dataclass_fields__ if name not in ("card", "tags", "is_pinned")}
    is_whole = row.get("seal") == entry_seal(row)
    if not (is_whole or all(isinstance(row.get(name), kind) for name, kind in _TYPES.items())):
        raise MtevalError("The library's index is damaged (an invalid name or time). Restore a backup.")
    card = json.loads(row["card"]) if is_whole else {}
    tags = tuple(str(row["tags"]).split())
    return Listed(**values, tags=tags, is_pinned=bool(row["is_pinned"]), card=card)  # type: ignore[arg-type]


LOCK = 7_302_114_904  # any number, the same on every server


@lru_cache(maxsize=64)
def _engine(url: URL) -> Engine:
    return engine_of(url, has_log=False)


@dataclass(frozen=True)
class Index:
    """A database that any number of processes may use.

    Parameters
    ----------
    url
        Of the database. A SQLite file is created for this user only on the first write.
    """

    url: URL

    @property
    def shown(self) -> str:
        """The place for messages, without a password."""
        is_file = self.url.get_backend_name() == "sqlite"
        return str(Path(self.url.database or "").parent) if is_file else self.url.render_as_string(hide_password=True)

    @property
    def is_there(self) -> bool:
        """Whether there is anything to read."""
        return self.url.get_backend_name() != "sqlite" or Path(self.url.database or "").exists()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a connection with a consistent view."""
        try:
            with self._opened(only_reads=True) as connection:
                yield connection
        except (TypeError, ValueError, KeyError, AttributeError) as error:  # values that a whole row does not have
            raise MtevalError(f"The library's index is damaged ({type(error).__name__}). Restore a backup.") from error

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a connection whose changes are atomic and on disk; one process at a time."""
        with self._opened(only_reads=False) as connection:
            hold(connection, LOCK)
            yield connection

    @contextmanager
    def _opened(self, only_reads: bool) -> Iterator[Connection]:
        with trouble_named(self.shown):
            if self.url.get_backend_name() == "sqlite":
                make_file(Path(self.url.database or ""))
            engine = _engine(self.url)
            for _ in range(2):
                with engine.connect().execution_options(only_reads=only_reads) as connection, connection.begin():
                    if only_reads and engine.dialect.name == "postgresql":
                        run(connection, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                    if _version(connection) == VERSION:
                        yield connection
                        return
                self._bring_up_to_date(engine)

    def _bring_up_to_date(self, engine: Engine) -> None:
        with engine.connect() as connection, connection.begin():
            hold(connection, LOCK)
            version = _version(connection)  # another process may have been faster
            if version > VERSION:
                message = f"The library at {self.shown} was written by a newer mteval (index version {version};"
                raise MtevalError(f"{message} this one reads {VERSION}). Update mteval.")
            if version < VERSION:
                upgrade(connection, version)


def _version(connection: Connection) -> int:
    if connection.dialect.name == "sqlite":
        return int(run(connection, "PRAGMA user_version").scalar_one())
    if run(connection, "SELECT to_regclass('library_version')").scalar_one() is None:
        return 0
    return int(run(connection, "SELECT number FROM library_version").scalar_one())


@contextmanager
def trouble_named(library: str) -> Iterator[None]:
    """Translate errors of the system and of the database to an error about the library."""
    try:
        yield
    except (OSError, SQLAlchemyError, UnicodeError) as error:  # UnicodeError: from a damaged index
        remedy = "Check that the path exists, is writable and has space, or set MTEVAL_HOME."
        raise MtevalError(f"Cannot use the library at {library}: {reason_of(error)}. {remedy}") from error


_COUNTS = {
    "contents": (
        "SELECT digest, max(size), count(*) FROM library_files GROUP BY digest",
        "SELECT digest, size, uses FROM library_contents",
    ),
    "owners": (
        "SELECT owner, sum(size) FROM library_entries GROUP BY owner HAVING sum(size) != 0",
        "SELECT owner, bytes FROM library_owners WHERE bytes != 0",
    ),
    "bytes": ("SELECT coalesce(sum(size), 0) FROM library_contents", "SELECT bytes FROM library_total"),
    "states": ("SELECT uid, number FROM library_entries", "SELECT uid, max(number) FROM library_states GROUP BY uid"),
}  # pairs of queries with the same answer


def problems(read: Connection, blobs: Blobs) -> Iterator[str]:
    """Yield what is damaged, one sentence each."""
    for what, find in (("entries", _entries), ("states", _states), ("contents", partial(_contents, blobs=blobs))):
        try:
            yield from find(read)
        except (TypeError, ValueError, KeyError, AttributeError) as error:  # values that a whole row does not have
            yield f"The index has damaged {what} ({type(error).__name__})."
    for what, commands in _COUNTS.items():
        one, other = ({tuple(row) for row in run(read, command)} for command in commands)
        if one != other:
            yield f"The index does not add up: {what}."


def _entries(read: Connection) -> Iterator[str]:
    for table, seal, what in (("entries", entry_seal, "its entry"), ("grants", grant_seal, "the access of a visitor")):
        for row in rows(read, f"SELECT * FROM library_{table}"):
            if row.get("seal") != seal(row):
                yield f"Experiment {str(row.get('uid'))[:6]}: {what} is damaged."


def _states(read: Connection) -> Iterator[str]:
    for row in rows(read, "SELECT uid, number FROM library_states"):
        try:
            state_at(read, row["uid"], row["number"])
        except MtevalError:
            yield f"Experiment {str(row['uid'])[:6]}: state {row['number']} is damaged."


def _contents(read: Connection, blobs: Blobs) -> Iterator[str]:
    for row in rows(read, "SELECT DISTINCT digest FROM library_files"):
        try:
            blobs.load(row["digest"])
        except MtevalError as error:
            yield str(error)
