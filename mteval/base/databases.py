"""Database engines for SQLite files and PostgreSQL, shared by annotations and library."""

import os
import re
import secrets
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from sqlalchemy import Connection, Engine, NullPool, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from mteval.base.errors import DataError, MissingDependencyError, SettingsError
from mteval.base.installing import how_to_install
from mteval.base.paths import make_private
from mteval.base.words import whole_characters

PRIVATE = 0o600  # file permissions
BUSY_SECONDS = 30  # how long a click waits for others


def url_in(variable: str, file: Path) -> URL:
    """Return the database URL in an environment variable, else that of a SQLite file.

    Raises
    ------
    SettingsError
        If the variable is not a database URL.
    """
    url = os.environ.get(variable)
    if not url:
        return URL.create("sqlite", database=str(file))
    try:
        return make_url(url)
    except ArgumentError as error:
        raise SettingsError(
            f"{variable} is not a database URL. Expected e.g. sqlite:////home/me/{file.name} or"
            " postgresql+psycopg://user:password@host/database."
        ) from error


def engine_of(url: URL, *, has_log: bool) -> Engine:
    """Return an engine. Write transactions on SQLite begin with a lock, and every commit is on disk.

    A SQLite file is created when a connection to it is opened.

    Parameters
    ----------
    has_log
        Whether readers and a writer of a SQLite file work at once, by a write-ahead log. Otherwise no connection to
        the file stays open.

    Raises
    ------
    MissingDependencyError
        If the driver is not installed.
    """
    options: dict[str, Any] = {"pool_pre_ping": True}
    if url.get_backend_name() == "sqlite" and not has_log:
        options = {"poolclass": NullPool}
    try:
        engine = create_engine(url, **options)
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        raise MissingDependencyError(
            f"No driver for {url.drivername}: {error}. For PostgreSQL use postgresql+psycopg://…."
            f" {how_to_install('postgresql')}"
        ) from error
    event.listen(engine, "before_cursor_execute", _with_texts_it_can_hold, retval=True)
    if engine.dialect.name == "sqlite":
        if url.database:
            path = Path(url.database).expanduser()
            event.listen(engine, "do_connect", lambda *connecting: make_file(path))
        prepare = _prepare_with_log if has_log else _prepare
        event.listen(engine, "connect", prepare)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def make_file(path: Path) -> None:
    """Create a database file if necessary, readable by its owner only. SQLite gives its other files the same rights.

    Raises
    ------
    OSError
        If it cannot be created, unless access is denied: then the database reports what fails.
    """
    try:
        make_private(path.parent)
        with suppress(FileExistsError):  # to close one that is in use would give up SQLite's locks of this process
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, PRIVATE))
        path.chmod(PRIVATE)
    except PermissionError:
        return


def _prepare(connection: sqlite3.Connection, record: object) -> None:
    """Let a new connection wait for others, write every commit to disk, and check references between tables."""
    connection.isolation_level = None  # the driver would otherwise begin transactions itself
    connection.execute(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")


def _prepare_with_log(connection: sqlite3.Connection, record: object) -> None:
    """Prepare a new connection to a file that readers and a writer use at once."""
    _prepare(connection, record)
    _keep_a_log(connection)
    # the checkpoint keeps the main file complete while idle, for those who copy it
    connection.execute("PRAGMA wal_autocheckpoint=1")


def _keep_a_log(connection: sqlite3.Connection) -> None:
    """Switch to WAL. If several processes open a new file at once, SQLite refuses all but one without waiting."""
    end = monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or monotonic() > end:
                raise
            sleep(0.01)


def _begin_sqlite(connection: Connection) -> None:
    """Begin a write transaction with a lock, since a lock requested later cannot wait."""
    if connection.get_execution_options().get("only_reads", False):
        connection.exec_driver_sql("BEGIN")
    else:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def hold(connection: Connection, number: int) -> None:
    """Keep other transactions that hold this number waiting; SQLite has one writer anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": number})


def reason_of(error: BaseException) -> str:
    """Return the first line of what a database or the system says."""
    message = getattr(error, "orig", error)  # SQLAlchemy's errors have that of the driver
    if isinstance(error, OSError) and error.strerror:
        message = error.strerror
    return str(message).strip().split("\n")[0]


def structure_problems(connection: Connection) -> list[str]:
    """Return damage that SQLite finds in the structure of its file; PostgreSQL checks its own."""
    if connection.dialect.name != "sqlite":
        return []
    problems = []
    for (message,) in connection.exec_driver_sql("PRAGMA integrity_check(20)"):
        if message != "ok":
            problems.append(str(message))
    for table, number, *_ in connection.exec_driver_sql("PRAGMA foreign_key_check"):
        problems.append(f"{table}: row {number} belongs to nothing")
    return [f"The file's structure is damaged: {problem}." for problem in problems]


UNSTORABLE = re.compile("[\0\ud800-\udfff]")  # zero characters and halves of surrogate pairs; PostgreSQL has neither


def plain_text(text: str) -> str:
    """Remove zero characters, and replace halves of surrogate pairs by question marks."""
    return whole_characters(text.replace("\0", ""))


def _with_texts_it_can_hold(
    connection: Connection,
    cursor: object,
    statement: str,
    parameters: Any,
    context: object,
    executemany: bool,
) -> tuple[str, Any]:
    """Return a statement and its parameters, without texts that a database cannot hold.

    No stored text equals or contains such a text. A query looks for a random text instead, which none equals either,
    so that it finds nothing.

    Raises
    ------
    DataError
        If a statement would store one.
    """
    if not any(_has_unstorable(value) for row in _rows_of(parameters) for value in row):
        return statement, parameters
    if not statement.lstrip().upper().startswith("SELECT"):
        raise DataError(
            "A text has a zero character or half a surrogate pair, which databases cannot store. Nothing was saved."
            " Remove that character."
        )
    if isinstance(parameters, Mapping):
        return statement, {name: _unknown_if_unstorable(value) for name, value in parameters.items()}
    return statement, tuple(_unknown_if_unstorable(value) for value in parameters)


def _rows_of(parameters: Any) -> Iterator[Collection[object]]:
    """Yield the values of each row of parameters: there are several rows, or it is one, named or in order."""
    rows = [parameters]
    if not isinstance(parameters, Mapping) and any(isinstance(row, Mapping | tuple) for row in parameters):
        rows = parameters
    for row in rows:
        if isinstance(row, Mapping):
            yield row.values()
        else:
            yield row


def _has_unstorable(value: object) -> bool:
    """Return whether a value is a text that a database cannot hold."""
    return isinstance(value, str) and UNSTORABLE.search(value) is not None


def _unknown_if_unstorable(value: object) -> object:
    """Return a value, or a random text, which nothing equals, instead of one that a database cannot hold."""
    if _has_unstorable(value):
        return secrets.token_hex(16)
    return value
