"""The tables. A change here needs a migration in ``migrations/versions``; a test compares the two."""

from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, MetaData, String, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

NAMES = {  # so that migrations can name what they change
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Table(DeclarativeBase):
    """Base of all tables."""

    metadata = MetaData(naming_convention=NAMES)


class ContentRow(Table):
    """Texts, one or more a segment, kept once under the digest of their content."""

    __tablename__ = "contents"

    digest: Mapped[str] = mapped_column(String(32), primary_key=True)
    texts: Mapped[list[Any]] = mapped_column(JSON)


class CampaignRow(Table):
    """See ``Campaign``; the plan, the typology and the controls are values that are never searched in."""

    __tablename__ = "campaigns"

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(String(32), unique=True)
    name: Mapped[str] = mapped_column(Text)
    way: Mapped[str] = mapped_column(String(16))
    test_set: Mapped[str] = mapped_column(Text)
    test_set_digest: Mapped[str] = mapped_column(String(32))
    references: Mapped[str] = mapped_column("reference_texts", ForeignKey("contents.digest"))
    source: Mapped[str | None] = mapped_column(ForeignKey("contents.digest"))
    documents: Mapped[str | None] = mapped_column(ForeignKey("contents.digest"))
    plan: Mapped[dict[str, Any]] = mapped_column(JSON)
    typology: Mapped[list[Any]] = mapped_column(JSON)
    instructions: Mapped[str] = mapped_column(Text, default="")
    controls: Mapped[list[Any]] = mapped_column(JSON, default=list)
    created_at: Mapped[str] = mapped_column(String(32))
    is_closed: Mapped[bool] = mapped_column(default=False)


class OutputRow(Table):
    """See ``Output``; found by the digest of the run when the same files are loaded again."""

    __tablename__ = "outputs"

    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaigns.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    system: Mapped[str] = mapped_column(Text)
    run: Mapped[str] = mapped_column(Text)
    digest: Mapped[str] = mapped_column(ForeignKey("contents.digest"), index=True)


class TaskRow(Table):
    """See ``Task``. The row is there before anything is said, so that every click is an update of its own columns."""

    __tablename__ = "tasks"
    __table_args__ = (UniqueConstraint("campaign_id", "annotator", "position"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaigns.id", ondelete="CASCADE"))
    annotator: Mapped[str] = mapped_column(String(200))
    position: Mapped[int]
    segment: Mapped[int]
    stratum: Mapped[str] = mapped_column(String(16))
    output: Mapped[int | None]
    is_swapped: Mapped[bool]
    adequacy: Mapped[float | None]
    fluency: Mapped[float | None]
    score: Mapped[float | None]
    preference: Mapped[str | None] = mapped_column(String(16))
    control: Mapped[int | None]
    comment: Mapped[str] = mapped_column(Text, default="")
    is_complete: Mapped[bool] = mapped_column(default=False)
    updated_at: Mapped[str] = mapped_column(String(32), default="")


class MarkRow(Table):
    """See ``Mark``. What a metric found and an annotator took back stays, as rejected."""

    __tablename__ = "marks"
    __table_args__ = (Index(None, "task_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"))
    side: Mapped[str] = mapped_column(String(16))
    start: Mapped[int] = mapped_column("span_start")
    end: Mapped[int] = mapped_column("span_end")
    category: Mapped[str] = mapped_column(Text)
    severity: Mapped[str] = mapped_column(String(16))
    comment: Mapped[str] = mapped_column(Text, default="")
    weight: Mapped[float | None]
    origin: Mapped[str] = mapped_column(Text, default="")
    suggested: Mapped[str] = mapped_column(String(16), default="")
    is_rejected: Mapped[bool] = mapped_column(default=False)


class LinkRow(Table):
    """A link that opens the tasks of an annotator, or the whole campaign where it is nobody's."""

    __tablename__ = "links"
    __table_args__ = (Index(None, "campaign_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaigns.id", ondelete="CASCADE"))
    annotator: Mapped[str | None] = mapped_column(String(200))
    token: Mapped[str] = mapped_column(String(32), unique=True)


class CoordinatorRow(Table):
    """Somebody who sees the whole campaign: who started it, and who opened its link."""

    __tablename__ = "coordinators"

    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaigns.id", ondelete="CASCADE"), primary_key=True)
    visitor: Mapped[str] = mapped_column(String(200), primary_key=True, index=True)
