"""Which version of the definitions the sample of a campaign was drawn by."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the column; what was there before versions were is of the first."""
    op.add_column("campaigns", sa.Column("definitions", sa.Integer(), nullable=False, server_default="1"))
