"""Campaigns with their outputs and texts, the tasks of annotators and the errors that they marked."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "contents",
        sa.Column("digest", sa.String(32), nullable=False),
        sa.Column("texts", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_contents"),
    )
    _make_campaigns()
    op.create_table(
        "outputs",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("system", sa.Text(), nullable=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("campaign_id", "position", name="pk_outputs"),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name="fk_outputs_campaign_id_campaigns", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["digest"], ["contents.digest"], name="fk_outputs_digest_contents"),
    )
    op.create_index("ix_outputs_digest", "outputs", ["digest"])
    _make_tasks()
    _make_marks()


def _make_campaigns() -> None:
    texts = ("reference_texts", "source", "documents")
    op.create_table(
        "campaigns",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(32), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("way", sa.String(16), nullable=False),
        sa.Column("test_set", sa.Text(), nullable=False),
        sa.Column("test_set_digest", sa.String(32), nullable=False),
        *(sa.Column(name, sa.String(32), nullable=name != "reference_texts") for name in texts),
        sa.Column("plan", sa.JSON(), nullable=False),
        sa.Column("typology", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("is_closed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_campaigns"),
        sa.UniqueConstraint("uid", name="uq_campaigns_uid"),
        *(sa.ForeignKeyConstraint([name], ["contents.digest"], name=f"fk_campaigns_{name}_contents") for name in texts),
    )


def _make_tasks() -> None:
    op.create_table(
        "tasks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("annotator", sa.String(200), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("segment", sa.Integer(), nullable=False),
        sa.Column("stratum", sa.String(16), nullable=False),
        sa.Column("output", sa.Integer(), nullable=True),
        sa.Column("is_swapped", sa.Boolean(), nullable=False),
        sa.Column("adequacy", sa.Double(), nullable=True),
        sa.Column("fluency", sa.Double(), nullable=True),
        sa.Column("preference", sa.String(16), nullable=True),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("is_complete", sa.Boolean(), nullable=False),
        sa.Column("updated_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tasks"),
        sa.UniqueConstraint("campaign_id", "annotator", "position", name="uq_tasks_campaign_id_annotator_position"),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name="fk_tasks_campaign_id_campaigns", ondelete="CASCADE"
        ),
    )


def _make_marks() -> None:
    op.create_table(
        "marks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("side", sa.String(16), nullable=False),
        sa.Column("span_start", sa.Integer(), nullable=False),
        sa.Column("span_end", sa.Integer(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("severity", sa.String(16), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_marks"),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name="fk_marks_task_id_tasks", ondelete="CASCADE"),
    )
    op.create_index("ix_marks_task_id", "marks", ["task_id"])
