"""The annotation database: location, connections, migrations and backups.

A backup can be taken while the server runs.
"""

import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from mteval.annotations.store import AnnotationStore
from mteval.base.errors import MissingDependencyError, MtevalError, SettingsError
from mteval.base.paths import data_directory, make_private

VARIABLE = "MTEVAL_DATABASE"
PRIVATE = 0o600  # file permissions
BUSY_SECONDS = 30  # how long a click waits for others
MIGRATION_LOCK = 7_302_114_903  # any number, the same on every server


def configured_url() -> URL:
    """Return the URL in ``MTEVAL_DATABASE``, else that of a SQLite file in the data directory.

    Raises
    ------
    SettingsError
        If the variable is not a database URL.
    """
    given = os.environ.get(VARIABLE)
    if not given:
        return URL.create("sqlite", database=str(data_directory() / "annotations.sqlite"))
    try:
        return make_url(given)
    except ArgumentError as error:
        raise SettingsError(
            f"{VARIABLE} is not a database URL. Expected e.g. sqlite:////home/me/annotations.sqlite or"
            " postgresql+psycopg://user:password@host/database."
        ) from error


def open_store(url: URL | None = None) -> AnnotationStore:
    """Open the annotations and update their tables. A missing SQLite file is created.

    Raises
    ------
    SettingsError
        If the URL is invalid.
    MissingDependencyError
        If the database driver is not installed.
    MtevalError
        If the database cannot be opened, or a newer version wrote it.
    """
    url = configured_url() if url is None else url
    engine = _engine(url)
    try:
        with engine.begin() as connection:
            _migrate(connection, url)
    except MtevalError:
        engine.dispose()
        raise
    except (SQLAlchemyError, UnicodeError) as error:  # UnicodeError: from a damaged file
        engine.dispose()
        reason = str(getattr(error, "orig", error)).strip().split("\n")[0]
        message = f"Cannot open the annotations at {_shown(url)}: {reason}."
        raise MtevalError(f"{message} Check that the path exists and is writable, or set {VARIABLE}.") from error
    return AnnotationStore(engine)


def _engine(url: URL) -> Engine:
    if url.get_backend_name() == "sqlite" and url.database:
        _make_file(Path(url.database).expanduser())
    try:
        engine = create_engine(url, pool_pre_ping=True)
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        raise MissingDependencyError(
            f"No driver for {url.drivername}: {error}. For PostgreSQL use postgresql+psycopg://… and install the extra"
            " 'postgresql'."
        ) from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _make_file(path: Path) -> None:
    """Create the database file if necessary, readable by its owner only. SQLite gives its other files the same rights.

    Raises
    ------
    MtevalError
        If it cannot be created.
    """
    try:
        make_private(path.parent)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, PRIVATE))
        path.chmod(PRIVATE)
    except PermissionError:  # not ours or read-only: the database reports what fails
        return
    except OSError as error:
        message = f"Cannot store annotations at {path}: {error.filename or path}: {error.strerror}."
        raise MtevalError(f"{message} Free space, or set {VARIABLE} or MTEVAL_HOME.") from error


def _prepare_sqlite(connection: sqlite3.Connection, record: object) -> None:
    """Let readers and a writer work at once and wait for each other; write to disk on every commit."""
    connection.isolation_level = None  # the driver would otherwise begin transactions itself
    connection.execute(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}")
    _keep_a_log(connection)
    # the checkpoint keeps the main file complete while idle, for those who copy it
    for pragma in ("synchronous=FULL", "foreign_keys=ON", "wal_autocheckpoint=1"):
        connection.execute(f"PRAGMA {pragma}")


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
    reads = connection.get_execution_options().get("only_reads", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _migrate(connection: Connection, url: URL) -> None:
    """Run new migrations. A lock keeps two starting servers apart."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": MIGRATION_LOCK})
    config = migration_config(connection)
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    present = set(MigrationContext.configure(connection).get_current_heads())
    if present - known:
        raise MtevalError(
            f"The annotations at {_shown(url)} were written by a newer mteval (revision {', '.join(present - known)})."
            " Update mteval."
        )
    command.upgrade(config, "head")


def migration_config(connection: Connection) -> Config:
    """Return Alembic's configuration of the migrations for a connection."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    attributes: dict[str, Any] = config.attributes
    attributes["connection"] = connection
    return config


def _shown(url: URL) -> str:
    return url.render_as_string(hide_password=True)


def backup(target: Path, url: URL | None = None) -> None:
    """Copy the database to a file, readable by its owner only. The file is replaced once the copy is complete.

    Raises
    ------
    MtevalError
        If the database is not SQLite or does not exist, or the copy cannot be written.
    """
    url = configured_url() if url is None else url
    backend = url.get_backend_name()
    if backend != "sqlite" or not url.database:
        raise MtevalError(f"The annotations are in {backend}. Back it up with its own tool, e.g. pg_dump.")
    source = Path(url.database).expanduser()
    if not source.is_file():
        raise MtevalError(f"No annotations at {source} yet.")
    if target.exists() and target.samefile(source):
        raise MtevalError(f"{target} is the database itself. Name another file.")
    try:
        _copy(source, target)
    except (OSError, sqlite3.Error) as error:
        raise MtevalError(f"Cannot write the copy to {target}: {error}. Name another file.") from error


def _copy(source: Path, target: Path) -> None:
    descriptor, part = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")  # readable by its owner only
    os.close(descriptor)
    try:
        original = sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)
        with closing(original), closing(sqlite3.connect(part)) as copy:
            original.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")  # so that the copy is one file
        os.replace(part, target)
    finally:
        Path(part).unlink(missing_ok=True)
