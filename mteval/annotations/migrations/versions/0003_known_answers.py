"""Scores of outputs, items with known answers, instructions, and errors found by a metric."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns with their defaults."""
    for table, column in (
        ("campaigns", sa.Column("instructions", sa.Text(), nullable=False, server_default="")),
        ("campaigns", sa.Column("controls", sa.JSON(), nullable=False, server_default="[]")),
        ("tasks", sa.Column("score", sa.Double(), nullable=True)),
        ("tasks", sa.Column("control", sa.Integer(), nullable=True)),
        ("marks", sa.Column("weight", sa.Double(), nullable=True)),
        ("marks", sa.Column("origin", sa.Text(), nullable=False, server_default="")),
        ("marks", sa.Column("suggested", sa.String(16), nullable=False, server_default="")),
        ("marks", sa.Column("is_rejected", sa.Boolean(), nullable=False, server_default=sa.false())),
    ):
        op.add_column(table, column)
