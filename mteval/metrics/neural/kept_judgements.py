"""What models have said, on disk: each distinct sample is judged once, and what is stopped or fails goes on from there.

A digest stands for the texts, so that none of them is kept.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mteval.base.digests import sealed, unsealed
from mteval.base.paths import cache_directory, make_private
from mteval.metrics.neural.models import Judgement
from mteval.values.error_spans import ErrorSpan

MOST_BYTES = 2 * 1024**3  # of the file; one that is larger is begun anew
_SECONDS_TO_WAIT = 30.0  # for another process that writes
_AT_ONCE = 500  # keys in one question
_TROUBLE = (OSError, sqlite3.Error, UnicodeError)  # the last where what a damaged file says of itself is no text


def kept_judgements(keys: Sequence[str]) -> dict[str, Judgement]:
    """Those of the keys that are kept; damage to one counts as its absence, as does a file that cannot be read."""
    found: dict[str, Judgement] = {}
    try:
        with _opened() as database:
            for start in range(0, len(keys), _AT_ONCE):
                found.update(_rows(database, keys[start : start + _AT_ONCE]))
    except _TROUBLE:
        return found
    return found


def keep_judgements(judgements: Mapping[str, Judgement]) -> None:
    """Keep judgements under their keys. A full disk is no error: it only costs time later."""
    rows = [(key, sealed(json.dumps(asdict(one)).encode(), key)) for key, one in judgements.items()]
    try:
        with _opened() as database, database:
            database.executemany("INSERT OR REPLACE INTO judgements VALUES (?, ?)", rows)
    except _TROUBLE:
        return


def _rows(database: sqlite3.Connection, keys: Sequence[str]) -> Iterator[tuple[str, Judgement]]:
    marks = ",".join("?" * len(keys))
    rows: Iterable[tuple[object, object]] = database.execute(f"SELECT * FROM judgements WHERE key IN ({marks})", keys)
    for key, content in rows:
        if isinstance(key, str) and isinstance(content, bytes) and (inner := unsealed(content, key)) is not None:
            yield key, _judgement(json.loads(inner))


def _judgement(value: Mapping[str, Any]) -> Judgement:
    return Judgement(value["score"], tuple(ErrorSpan(**span) for span in value["spans"]), tuple(value["parts"]))


@contextmanager
def _opened() -> Iterator[sqlite3.Connection]:
    path = _file()
    make_private(path.parent)
    if path.is_file() and path.stat().st_size > MOST_BYTES:
        path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path, timeout=_SECONDS_TO_WAIT)) as database:
        try:
            database.execute("CREATE TABLE IF NOT EXISTS judgements (key TEXT PRIMARY KEY, content BLOB) WITHOUT ROWID")
            yield database
        except sqlite3.OperationalError:  # it is locked or the disk is full, and may be well again
            raise
        except (sqlite3.DatabaseError, UnicodeError):
            path.unlink(missing_ok=True)
            raise


def _file() -> Path:
    return cache_directory() / "judgements.sqlite"
