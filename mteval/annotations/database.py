"""The annotation database: location, connections, migrations and backups.

A backup can be taken while the server runs.
"""

import os
import sqlite3
import tempfile
from contextlib import closing
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError

from mteval.annotations.store import AnnotationStore
from mteval.base.databases import engine_of, hold, make_file, reason_of, url_in
from mteval.base.errors import MtevalError
from mteval.base.paths import data_directory

VARIABLE = "MTEVAL_DATABASE"
MIGRATION_LOCK = 7_302_114_903  # any number, the same on every server


def configured_url() -> URL:
    """Return the URL in ``MTEVAL_DATABASE``, else that of a SQLite file in the data directory.

    Raises
    ------
    SettingsError
        If the variable is not a database URL.
    """
    return url_in(VARIABLE, data_directory() / "annotations.sqlite")


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
    if url.get_backend_name() == "sqlite" and url.database:
        _make_file(Path(url.database).expanduser())
    engine = engine_of(url, has_log=True)
    try:
        with engine.begin() as connection:
            _migrate(connection, url)
    except MtevalError:
        engine.dispose()
        raise
    except (SQLAlchemyError, UnicodeError) as error:  # UnicodeError: from a damaged file
        engine.dispose()
        message = f"Cannot open the annotations at {_shown(url)}: {reason_of(error)}."
        raise MtevalError(f"{message} Check that the path exists and is writable, or set {VARIABLE}.") from error
    return AnnotationStore(engine)


def shared_store() -> AnnotationStore:
    """Return the one store of this process at the configured URL."""
    return _shared(configured_url())


_shared = cache(open_store)


def _make_file(path: Path) -> None:
    try:
        make_file(path)
    except OSError as error:
        message = f"Cannot store annotations at {path}: {error.filename or path}: {error.strerror}."
        raise MtevalError(f"{message} Free space, or set {VARIABLE} or MTEVAL_HOME.") from error


def _migrate(connection: Connection, url: URL) -> None:
    """Run new migrations. A lock keeps two starting servers apart."""
    hold(connection, MIGRATION_LOCK)
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if newer := ", ".join(set(MigrationContext.configure(connection).get_current_heads()) - known):
        message = f"The annotations at {_shown(url)} were written by a newer mteval (revision {newer})."
        raise MtevalError(f"{message} Update mteval.")
    command.upgrade(config, "head")


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
    if not (source := Path(url.database).expanduser()).is_file():
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
