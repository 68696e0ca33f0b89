"""Links to a campaign for coordinators and annotators, and its coordinators."""

import secrets

import sqlalchemy as sa
from alembic import op

from mteval.annotations.migrations import columns, refers

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the tables, and links for existing campaigns."""
    links = op.create_table(
        "links",
        *columns(id=sa.Integer(), campaign_id=sa.Integer()),
        *columns(True, annotator=sa.String(200)),
        *columns(token=sa.String(32)),
        sa.PrimaryKeyConstraint("id", name="pk_links"),
        sa.UniqueConstraint("token", name="uq_links_token"),
        refers("links", "campaign_id", "campaigns.id", "CASCADE"),
    )
    op.create_index("ix_links_campaign_id", "links", ["campaign_id"])
    op.create_table(
        "coordinators",
        *columns(campaign_id=sa.Integer(), visitor=sa.String(200)),
        sa.PrimaryKeyConstraint("campaign_id", "visitor", name="pk_coordinators"),
        refers("coordinators", "campaign_id", "campaigns.id", "CASCADE"),
    )
    op.create_index("ix_coordinators_visitor", "coordinators", ["visitor"])
    query = "SELECT id, NULL FROM campaigns UNION ALL SELECT DISTINCT campaign_id, annotator FROM tasks"
    there = op.get_bind().execute(sa.text(query))
    new = [{"campaign_id": id_, "annotator": name, "token": secrets.token_urlsafe(16)} for id_, name in there]
    if new:
        op.bulk_insert(links, new)
