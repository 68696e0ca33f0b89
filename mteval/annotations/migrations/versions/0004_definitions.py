"""Version of the definitions that a campaign's sample follows."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the column; existing campaigns follow version 1."""
    op.add_column("campaigns", sa.Column("definitions", sa.Integer(), nullable=False, server_default="1"))
