"""Campaigns with outputs and texts, tasks of annotators, and marked errors."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from mteval.annotations.migrations import columns, refers

revision = "0001"
down_revision = None
INTEGER, TEXT, BOOLEAN, JSON = sa.Integer(), sa.Text(), sa.Boolean(), sa.JSON()
DOUBLE: sa.Double[Any] = sa.Double()
WORD, DIGEST, NAME = sa.String(16), sa.String(32), sa.String(200)


def upgrade() -> None:
    """Create the tables."""
    key = sa.PrimaryKeyConstraint("digest", name="pk_contents")
    op.create_table("contents", *columns(digest=DIGEST, texts=JSON), key)
    op.create_table(
        "campaigns",
        *columns(id=INTEGER, uid=DIGEST, name=TEXT, way=WORD, test_set=TEXT, test_set_digest=DIGEST),
        *columns(reference_texts=DIGEST),
        *columns(True, source=DIGEST, documents=DIGEST),
        *columns(plan=JSON, typology=JSON, created_at=DIGEST, is_closed=BOOLEAN),
        sa.PrimaryKeyConstraint("id", name="pk_campaigns"),
        sa.UniqueConstraint("uid", name="uq_campaigns_uid"),
        *(refers("campaigns", name, "contents.digest") for name in ("reference_texts", "source", "documents")),
    )
    op.create_table(
        "outputs",
        *columns(campaign_id=INTEGER, position=INTEGER, system=TEXT, run=TEXT, digest=DIGEST),
        sa.PrimaryKeyConstraint("campaign_id", "position", name="pk_outputs"),
        refers("outputs", "campaign_id", "campaigns.id", "CASCADE"),
        refers("outputs", "digest", "contents.digest"),
    )
    op.create_index("ix_outputs_digest", "outputs", ["digest"])
    op.create_table(
        "tasks",
        *columns(id=INTEGER, campaign_id=INTEGER, annotator=NAME, position=INTEGER, segment=INTEGER, stratum=WORD),
        *columns(True, output=INTEGER),
        *columns(is_swapped=BOOLEAN),
        *columns(True, adequacy=DOUBLE, fluency=DOUBLE, preference=WORD),
        *columns(comment=TEXT, is_complete=BOOLEAN, updated_at=DIGEST),
        sa.PrimaryKeyConstraint("id", name="pk_tasks"),
        sa.UniqueConstraint("campaign_id", "annotator", "position", name="uq_tasks_campaign_id_annotator_position"),
        refers("tasks", "campaign_id", "campaigns.id", "CASCADE"),
    )
    op.create_table(
        "marks",
        *columns(id=INTEGER, task_id=INTEGER, side=WORD, span_start=INTEGER, span_end=INTEGER),
        *columns(category=TEXT, severity=WORD, comment=TEXT),
        sa.PrimaryKeyConstraint("id", name="pk_marks"),
        refers("marks", "task_id", "tasks.id", "CASCADE"),
    )
    op.create_index("ix_marks_task_id", "marks", ["task_id"])
