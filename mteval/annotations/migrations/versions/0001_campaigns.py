"""Campaigns with outputs and texts, tasks of annotators, and marked errors."""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
INTEGER, TEXT, BOOLEAN, JSON = sa.Integer(), sa.Text(), sa.Boolean(), sa.JSON()
DOUBLE: sa.Double[Any] = sa.Double()
WORD, DIGEST, NAME = sa.String(16), sa.String(32), sa.String(200)


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "contents", *_columns(digest=DIGEST, texts=JSON), sa.PrimaryKeyConstraint("digest", name="pk_contents")
    )
    op.create_table(
        "campaigns",
        *_columns(id=INTEGER, uid=DIGEST, name=TEXT, way=WORD, test_set=TEXT, test_set_digest=DIGEST),
        *_columns(reference_texts=DIGEST),
        *_columns(True, source=DIGEST, documents=DIGEST),
        *_columns(plan=JSON, typology=JSON, created_at=DIGEST, is_closed=BOOLEAN),
        sa.PrimaryKeyConstraint("id", name="pk_campaigns"),
        sa.UniqueConstraint("uid", name="uq_campaigns_uid"),
        *(_refers("campaigns", name, "contents.digest") for name in ("reference_texts", "source", "documents")),
    )
    op.create_table(
        "outputs",
        *_columns(campaign_id=INTEGER, position=INTEGER, system=TEXT, run=TEXT, digest=DIGEST),
        sa.PrimaryKeyConstraint("campaign_id", "position", name="pk_outputs"),
        _refers("outputs", "campaign_id", "campaigns.id", "CASCADE"),
        _refers("outputs", "digest", "contents.digest"),
    )
    op.create_index("ix_outputs_digest", "outputs", ["digest"])
    op.create_table(
        "tasks",
        *_columns(id=INTEGER, campaign_id=INTEGER, annotator=NAME, position=INTEGER, segment=INTEGER, stratum=WORD),
        *_columns(True, output=INTEGER),
        *_columns(is_swapped=BOOLEAN),
        *_columns(True, adequacy=DOUBLE, fluency=DOUBLE, preference=WORD),
        *_columns(comment=TEXT, is_complete=BOOLEAN, updated_at=DIGEST),
        sa.PrimaryKeyConstraint("id", name="pk_tasks"),
        sa.UniqueConstraint("campaign_id", "annotator", "position", name="uq_tasks_campaign_id_annotator_position"),
        _refers("tasks", "campaign_id", "campaigns.id", "CASCADE"),
    )
    op.create_table(
        "marks",
        *_columns(id=INTEGER, task_id=INTEGER, side=WORD, span_start=INTEGER, span_end=INTEGER),
        *_columns(category=TEXT, severity=WORD, comment=TEXT),
        sa.PrimaryKeyConstraint("id", name="pk_marks"),
        _refers("marks", "task_id", "tasks.id", "CASCADE"),
    )
    op.create_index("ix_marks_task_id", "marks", ["task_id"])


def _columns(is_optional: bool = False, /, **kinds: sa.types.TypeEngine[Any]) -> Iterator[sa.Column[Any]]:
    return (sa.Column(name, kind, nullable=is_optional) for name, kind in kinds.items())


def _refers(table: str, column: str, to: str, ondelete: str | None = None) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_{column}_{to.partition('.')[0]}"
    return sa.ForeignKeyConstraint([column], [to], name=name, ondelete=ondelete)
