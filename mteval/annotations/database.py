"""The database: where it is, how connections behave, how its tables are brought up to date, and copies of it.

A copy is taken while the server runs: whole, as the annotations are at one moment.
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
PRIVATE = 0o600  # rights of the file
BUSY_SECONDS = 30  # how long a click waits for those of others
MIGRATION_LOCK = 7_302_114_903  # any number, the same in every server


def configured_url() -> URL:
    """The URL in ``MTEVAL_DATABASE``, in SQLAlchemy's form; else a SQLite file in the user's data directory.

    Raises
    ------
    SettingsError
        Where the variable holds no such URL.
    """
    given = os.environ.get(VARIABLE)
    if not given:
        return URL.create("sqlite", database=str(data_directory() / "annotations.sqlite"))
    try:
        return make_url(given)
    except ArgumentError as error:
        raise SettingsError(
            f"{VARIABLE} is no database URL; expected one as sqlite:////home/me/annotations.sqlite or"
            " postgresql+psycopg://user:password@host/database."
        ) from error


def open_store(url: URL | None = None) -> AnnotationStore:
    """The annotations, their tables up to date; the database is made where it is a file that is not there.

    Raises
    ------
    SettingsError
        Where the URL is none.
    MissingDependencyError
        Where the driver of the database is not installed.
    MtevalError
        Where the database cannot be opened, or was written by a newer version of the program.
    """
    url = configured_url() if url is None else url
    engine = _engine(url)
    try:
        with engine.begin() as connection:
            _migrate(connection, url)
    except MtevalError:
        engine.dispose()
        raise
    except (SQLAlchemyError, UnicodeError) as error:  # the last where what a damaged file says of itself is no text
        engine.dispose()
        reason = str(getattr(error, "orig", error)).strip().split("\n")[0]
        raise MtevalError(
            f"The annotations at {_shown(url)} cannot be opened: {reason}. Check that the place exists and may be"
            f" written to, or name another in {VARIABLE}."
        ) from error
    return AnnotationStore(engine)


def _engine(url: URL) -> Engine:
    if url.get_backend_name() == "sqlite" and url.database:
        _make_file(Path(url.database).expanduser())
    try:
        engine = create_engine(url, pool_pre_ping=True)
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        raise MissingDependencyError(
            f"There is no driver for {url.drivername}: {error}. For PostgreSQL write postgresql+psycopg://… and"
            " install the extra 'postgresql'."
        ) from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _make_file(path: Path) -> None:
    """Make the file of a database where it is not there, and let nobody but its owner read it; nor what is beside it,
    which SQLite gives the same rights.

    Raises
    ------
    MtevalError
        Where it cannot be made.
    """
    try:
        make_private(path.parent)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, PRIVATE))
        path.chmod(PRIVATE)
    except PermissionError:  # somebody else's, or one that may only be read: the database says what cannot be done
        return
    except OSError as error:
        raise MtevalError(
            f"The annotations cannot be kept at {path}: {error.filename or path}: {error.strerror}. Make room there, or"
            f" name another place in {VARIABLE} or MTEVAL_HOME."
        ) from error


def _prepare_sqlite(connection: sqlite3.Connection, record: object) -> None:
    """Readers and a writer at once, waiting rather than failing, and on the disk before the next click."""
    connection.isolation_level = None  # the driver would begin transactions at times of its own
    connection.execute(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}")
    _keep_a_log(connection)
    # the last so that whoever copies the file while nobody clicks has all of it
    for pragma in ("synchronous=FULL", "foreign_keys=ON", "wal_autocheckpoint=1"):
        connection.execute(f"PRAGMA {pragma}")


def _keep_a_log(connection: sqlite3.Connection) -> None:
    """Of a new file that several open at once, SQLite refuses this to all but one without waiting."""
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
    """A transaction that will write says so at once: one that found out later could not wait for its turn."""
    reads = connection.get_execution_options().get("only_reads", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _migrate(connection: Connection, url: URL) -> None:
    """Run the migrations that the database has not seen; those of two servers that start at once do not meet."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": MIGRATION_LOCK})
    config = migration_config(connection)
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    present = set(MigrationContext.configure(connection).get_current_heads())
    if present - known:
        raise MtevalError(
            f"The annotations at {_shown(url)} were written by a newer mteval (revision {', '.join(present - known)});"
            " update this one."
        )
    command.upgrade(config, "head")


def migration_config(connection: Connection) -> Config:
    """Alembic's view of the migrations of this package, to be run on that connection."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    attributes: dict[str, Any] = config.attributes
    attributes["connection"] = connection
    return config


def _shown(url: URL) -> str:
    return url.render_as_string(hide_password=True)


def backup(target: Path, url: URL | None = None) -> None:
    """Copy the database to a file, in whose place it comes when it is whole; its owner alone may read it.

    Raises
    ------
    MtevalError
        Where the database is no SQLite file, is not there, or the copy cannot be written.
    """
    url = configured_url() if url is None else url
    if url.get_backend_name() != "sqlite" or not url.database:
        raise MtevalError(f"The annotations are in {url.get_backend_name()}, which makes its own copies: use pg_dump.")
    source = Path(url.database).expanduser()
    if not source.is_file():
        raise MtevalError(f"There are no annotations at {source} yet.")
    if target.exists() and target.samefile(source):
        raise MtevalError(f"{target} is the database itself; name another file.")
    try:
        _copy(source, target)
    except (OSError, sqlite3.Error) as error:
        raise MtevalError(f"The copy cannot be written to {target}: {error}. Name another file.") from error


def _copy(source: Path, target: Path) -> None:
    descriptor, part = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")  # for its owner alone
    os.close(descriptor)
    try:
        original = sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)
        with closing(original), closing(sqlite3.connect(part)) as copy:
            original.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")  # so that the copy is one file
        os.replace(part, target)
    finally:
        Path(part).unlink(missing_ok=True)
