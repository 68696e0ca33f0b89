"""Migrations of the tables, run by Alembic when the database is opened."""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

from mteval.base.databases import values_seal


def columns(is_optional: bool = False, /, **kinds: sa.types.TypeEngine[Any]) -> Iterator[sa.Column[Any]]:
    """Yield columns by name and type."""
    return (sa.Column(name, kind, nullable=is_optional) for name, kind in kinds.items())


def refers(table: str, column: str, to: str, ondelete: str | None = None) -> sa.ForeignKeyConstraint:
    """Return the constraint that a column refers to another table's."""
    name = f"fk_{table}_{column}_{to.partition('.')[0]}"
    return sa.ForeignKeyConstraint([column], [to], name=name, ondelete=ondelete)


def add_to_tasks(*columns: sa.Column[object]) -> None:
    """Add columns to the tasks, and seal again those that were whole: damage stays visible."""
    for column in columns:
        op.add_column("tasks", column)
    connection = op.get_bind()
    table = sa.Table("tasks", sa.MetaData(), autoload_with=connection)
    added, new = {column.name for column in columns}, []
    for row in connection.execute(sa.select(table)).mappings():
        before = {name: value for name, value in row.items() if name not in added}
        if row["seal"] == values_seal(before):
            new.append({"key": row["id"], "new": values_seal(dict(row))})
    if new:
        change = table.update().where(table.c.id == sa.bindparam("key")).values(seal=sa.bindparam("new"))
        connection.execute(change, new)
