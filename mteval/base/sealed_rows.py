"""Rows that carry a seal of all their values, so that damage is seen."""

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Float, event, inspect
from sqlalchemy.orm import Mapped, Mapper

from mteval.base.digests import digest_of


class Sealed:
    """Beside the declarative base, a base of the tables whose rows are sealed whenever they are written.

    A subclass declares the column ``seal``. Statements that change rows without a mapped object do not seal them.
    """

    seal: Mapped[str]


def values_seal(values: Mapping[str, object]) -> str:
    """Return the seal of a row with named columns, except those of its id and of the seal itself."""
    sealed = []
    for name, value in sorted(values.items()):
        if name not in ("id", "seal"):
            sealed.append(f"{name}={_text_of(value)}")
    return digest_of(sealed)


def _text_of(value: object) -> str:
    """Return the text of a value of a column."""
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, sort_keys=True)
    return repr(value)


def _fill_defaults(row: Sealed) -> None:
    """Set the default of each column that has a constant one and no value, as writing the row would."""
    for attribute in inspect(type(row)).column_attrs:
        default = attribute.columns[0].default
        if default is not None and default.is_scalar and getattr(row, attribute.key) is None:
            setattr(row, attribute.key, default.arg)


def seal_of_row(row: Sealed) -> str:
    """Return the seal over all values of a row, without changing it."""
    values = {}
    for attribute in inspect(type(row)).column_attrs:
        column = attribute.columns[0]
        value = getattr(row, attribute.key)
        if isinstance(column.type, Float) and value is not None:
            value = float(value) + 0.0  # SQLite stores -0 as 0
        values[column.name] = value
    return values_seal(values)


@event.listens_for(Sealed, "before_insert", propagate=True)
@event.listens_for(Sealed, "before_update", propagate=True)
def _seal(mapper: Mapper[Any], connection: object, row: Sealed) -> None:
    """Seal a row that is about to be written."""
    _fill_defaults(row)
    row.seal = seal_of_row(row)


def is_whole(row: Sealed) -> bool:
    """Return whether a row is as it was written."""
    try:
        return row.seal == seal_of_row(row)
    except (TypeError, ValueError):  # a value of another type than its column's
        return False
