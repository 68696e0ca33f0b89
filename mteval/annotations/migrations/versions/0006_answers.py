"""Versions of answers, and the time that they took."""

import sqlalchemy as sa

from mteval.annotations.migrations import add_to_tasks

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the columns with their defaults, and seal tasks again."""
    add_to_tasks(
        sa.Column("revision", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("delivery", sa.String(64), nullable=False, server_default=""),
        sa.Column("seconds", sa.Double(), nullable=True),
        sa.Column("paused", sa.Double(), nullable=True),
    )
