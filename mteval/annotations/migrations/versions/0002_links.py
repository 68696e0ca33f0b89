"""Links to a campaign for coordinators and annotators, and its coordinators."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the tables, and links for existing campaigns."""
    links = op.create_table(
        "links",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("annotator", sa.String(200), nullable=True),
        sa.Column("token", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_links"),
        sa.UniqueConstraint("token", name="uq_links_token"),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name="fk_links_campaign_id_campaigns", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_links_campaign_id", "links", ["campaign_id"])
    op.create_table(
        "coordinators",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("visitor", sa.String(200), nullable=False),
        sa.PrimaryKeyConstraint("campaign_id", "visitor", name="pk_coordinators"),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name="fk_coordinators_campaign_id_campaigns", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_coordinators_visitor", "coordinators", ["visitor"])
    there = op.get_bind().execute(
        sa.text("SELECT id, NULL FROM campaigns UNION ALL SELECT DISTINCT campaign_id, annotator FROM tasks")
    )
    new = [{"campaign_id": id_, "annotator": name, "token": secrets.token_urlsafe(16)} for id_, name in there]
    if new:
        op.bulk_insert(links, new)
