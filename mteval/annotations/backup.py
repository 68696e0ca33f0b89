"""A copy of the annotations, taken while the server runs: whole, as they are at one moment."""

import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from sqlalchemy.engine import URL

from mteval.annotations.database import configured_url
from mteval.errors import MtevalError


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
