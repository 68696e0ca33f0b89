"""Seals of rows, links that expire, and sign-ins that have ended."""

import sqlalchemy as sa
from alembic import op

from mteval.annotations.migrations import columns
from mteval.base.databases import values_seal

revision = "0005"
down_revision = "0004"
SEALED = {
    "campaigns": ["id"], "outputs": ["campaign_id", "position"], "tasks": ["id"], "marks": ["id"], "links": ["id"],
    "coordinators": ["campaign_id", "visitor"],
}  # fmt: skip


def upgrade() -> None:
    """Add the columns, seal existing rows as they are, and create the table."""
    op.add_column("links", sa.Column("expires", sa.Double(), nullable=True))
    for name in SEALED:
        op.add_column(name, sa.Column("seal", sa.String(32), nullable=False, server_default=""))
    key = sa.PrimaryKeyConstraint("sign_in", name="pk_ended")
    op.create_table("ended", *columns(sign_in=sa.String(32), at=sa.Double()), key)
    connection = op.get_bind()
    for name, keys in SEALED.items():
        table = sa.Table(name, sa.MetaData(), autoload_with=connection)
        chosen = sa.and_(*(table.c[key] == sa.bindparam(f"key_{key}") for key in keys))
        rows = connection.execute(sa.select(table)).mappings()
        new = [{f"key_{key}": row[key] for key in keys} | {"new": values_seal(dict(row))} for row in rows]
        if new:
            connection.execute(table.update().where(chosen).values(seal=sa.bindparam("new")), new)
