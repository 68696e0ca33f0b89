"""Versions of answers, and the time that they took."""

import sqlalchemy as sa
from alembic import op

from mteval.base.databases import values_seal

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the columns with their defaults, and seal tasks again."""
    for column in (
        sa.Column("revision", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("delivery", sa.String(64), nullable=False, server_default=""),
        sa.Column("seconds", sa.Double(), nullable=True),
        sa.Column("paused", sa.Double(), nullable=True),
    ):
        op.add_column("tasks", column)
    connection = op.get_bind()
    table = sa.Table("tasks", sa.MetaData(), autoload_with=connection)
    new = []
    for row in connection.execute(sa.select(table)).mappings():
        added = ("revision", "delivery", "seconds", "paused")
        before = {name: value for name, value in row.items() if name not in added}
        if row["seal"] == values_seal(before):  # damage stays visible
            new.append({"key": row["id"], "new": values_seal(dict(row))})
    if new:
        connection.execute(
            table.update().where(table.c.id == sa.bindparam("key")).values(seal=sa.bindparam("new")), new
        )
