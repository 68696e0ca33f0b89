"""Probabilities of outputs to be judged."""

import sqlalchemy as sa

from mteval.annotations.migrations import add_to_tasks

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the column, and seal tasks again."""
    add_to_tasks(sa.Column("probability", sa.Double(), nullable=True))
