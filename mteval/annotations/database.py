"""The annotation database: location, opening and backups.

A backup can be taken while the server runs.
"""

import os
import sqlite3
import tempfile
from contextlib import closing
from functools import cache
from pathlib import Path

from sqlalchemy.engine import URL

from mteval.annotations.schema import VERSION, Table
from mteval.annotations.store import AnnotationStore
from mteval.annotations.upgrades import STEPS
from mteval.base.databases import url_in
from mteval.base.errors import MtevalError
from mteval.base.paths import data_directory
from mteval.base.shared_database import Database, Kind

VARIABLE = "MTEVAL_DATABASE"
ANNOTATIONS = Kind(
    name="annotations",
    variable=VARIABLE,
    tables=Table.metadata,
    version=VERSION,
    steps=STEPS,
    lock=7_302_114_903,
    has_log=True,  # annotators read while others write
    has_one_writer=False,
)


def configured_url() -> URL:
    """Return the URL in ``MTEVAL_DATABASE``, else that of a SQLite file in the data directory.

    Raises
    ------
    SettingsError
        If the variable is not a database URL.
    """
    return url_in(VARIABLE, data_directory() / "annotations.sqlite")


def open_store(url: URL | None = None) -> AnnotationStore:
    """Open the annotations. A missing SQLite file is created, and tables of an earlier version are upgraded.

    Raises
    ------
    SettingsError
        If the URL is invalid.
    MissingDependencyError
        If the database driver is not installed.
    MtevalError
        If the database cannot be opened, or a newer version wrote it.
    """
    if url is None:
        url = configured_url()
    database = Database(ANNOTATIONS, url)
    try:
        with database.reading():  # creates or upgrades the tables, and fails if they cannot be used
            return AnnotationStore(database)
    except MtevalError:
        database.close()
        raise


def shared_store() -> AnnotationStore:
    """Return the one store of this process at the configured URL."""
    return _shared(configured_url())


_shared = cache(open_store)


def backup(target: Path, url: URL | None = None) -> None:
    """Copy the database to a file, readable by its owner only. The file is replaced once the copy is complete.

    Raises
    ------
    MtevalError
        If the database is not SQLite or does not exist, or the copy cannot be written.
    """
    if url is None:
        url = configured_url()
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
    """Copy a database that others may be writing to, to a file beside the target, which then replaces it."""
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
