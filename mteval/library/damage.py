"""What a check of the whole library finds: damaged rows and contents, and counts that do not add up."""

from collections.abc import Iterator
from functools import partial

from sqlalchemy import Connection

from mteval.base.errors import MtevalError
from mteval.library.blobs import Blobs
from mteval.library.index import entry_seal, grant_seal, rows, run, state_at

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
    "states": (
        "SELECT uid, number FROM library_entries",
        "SELECT uid, max(number) FROM library_states GROUP BY uid",
    ),
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
    for row in rows(read, "SELECT * FROM library_entries"):
        if row.get("seal") != entry_seal(row):
            yield f"Experiment {str(row.get('uid'))[:6]}: its entry is damaged."
    for row in rows(read, "SELECT * FROM library_grants"):
        if row.get("seal") != grant_seal(row):
            yield f"Experiment {str(row.get('uid'))[:6]}: the access of a visitor is damaged."


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
