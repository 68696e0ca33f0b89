"""Rows of the index: texts under a digest, so that a bit that is another one is seen and changes nobody's settings."""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from mteval.digests import digest_of
from mteval.errors import MtevalError
from mteval.library.entries import Listed

COLUMNS = "uid, reader, owner, name, note, is_pinned, created, used, card"
_TYPES = dict.fromkeys(("uid", "reader", "owner", "name", "note"), str) | dict.fromkeys(("created", "used"), float)
_DIGITS = len(digest_of(()))


def sealed(value: Mapping[str, Any], *about: object) -> str:
    """A value as JSON, with a digest before it of itself and of what it is about."""
    text = as_json(value)
    return _digest(text, about) + text


def unsealed(row: object, *about: object) -> Mapping[str, Any] | None:
    """The value again; None where it, or what it is about, is not what was written."""
    if not isinstance(row, str):
        return None
    text = row if row.startswith("{") else row[_DIGITS:]  # as all rows were before they had a digest
    if text != row and _digest(text, about) != row[:_DIGITS]:
        return None
    try:
        value: Mapping[str, Any] = json.loads(text)
    except ValueError:
        return None
    return value


def _digest(text: str, about: Iterable[object]) -> str:
    return digest_of([*map(repr, about), text])


def as_json(value: Mapping[str, Any]) -> str:
    """The text that is kept of a value."""
    return json.dumps(value, ensure_ascii=False)


def listed_from(row: sqlite3.Row) -> Listed:
    """An experiment of the list; its card is empty where it is damaged.

    Raises
    ------
    MtevalError
        Where a column is not of its type.
    """
    values = {key: row[key] for key in COLUMNS.split(", ")}
    if not all(isinstance(values[key], kind) for key, kind in _TYPES.items()):
        raise MtevalError(
            "The index of the library is damaged: a name or a time in it is none. Put the copy of a backup there."
        )
    card = unsealed(values["card"], values["uid"])
    return Listed(**values | {"is_pinned": bool(values["is_pinned"]), "card": card or {}})
