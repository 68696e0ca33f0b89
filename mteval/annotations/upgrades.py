"""What made each version of the annotations' tables from the one before it.

Up to version 7 these were migrations of Alembic, whose table still keeps the version. mteval 0.2 knows these seven; it
refuses a database of a later version and names the reason.
"""

import secrets
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    and_,
    bindparam,
    select,
    text,
)

from mteval.annotations.schema import NAMES
from mteval.base.sealed_rows import values_seal


def _execute(*commands: str) -> Callable[[Connection], None]:
    """Return a step of some commands."""

    def step(connection: Connection) -> None:
        for command in commands:
            connection.execute(text(command))

    return step


def _add_links(connection: Connection) -> None:
    """Add links to a campaign for coordinators and annotators, and its coordinators. Existing campaigns get links."""
    tables = MetaData(naming_convention=NAMES)
    Table("campaigns", tables, Column("id", Integer, primary_key=True))
    links = Table(
        "links",
        tables,
        Column("id", Integer, primary_key=True),
        Column("campaign_id", ForeignKey("campaigns.id", ondelete="CASCADE"), nullable=False),
        Column("annotator", String(200)),
        Column("token", String(32), nullable=False),
        UniqueConstraint("token"),
        Index(None, "campaign_id"),
    )
    coordinators = Table(
        "coordinators",
        tables,
        Column("campaign_id", ForeignKey("campaigns.id", ondelete="CASCADE"), primary_key=True),
        Column("visitor", String(200), primary_key=True, index=True),
    )
    tables.create_all(connection, [links, coordinators], checkfirst=False)
    # The link of coordinators belongs to no annotator
    query = "SELECT id, NULL FROM campaigns UNION ALL SELECT DISTINCT campaign_id, annotator FROM tasks"
    rows = []
    for campaign, annotator in connection.execute(text(query)):
        rows.append({"campaign_id": campaign, "annotator": annotator, "token": secrets.token_urlsafe(16)})
    if rows:
        connection.execute(links.insert(), rows)


def _add_seals(connection: Connection) -> None:
    """Add seals of rows, as they are; links that expire; sign-ins that have ended."""
    connection.execute(text("ALTER TABLE links ADD COLUMN expires DOUBLE PRECISION"))
    tables = MetaData(naming_convention=NAMES)
    Table("ended", tables, Column("sign_in", String(32), primary_key=True), Column("at", Double, nullable=False))
    tables.create_all(connection, checkfirst=False)
    for name in ("campaigns", "outputs", "tasks", "marks", "links", "coordinators"):
        connection.execute(text(f"ALTER TABLE {name} ADD COLUMN seal VARCHAR(32) NOT NULL DEFAULT ''"))
        table = Table(name, MetaData(), autoload_with=connection)
        _set_seals(connection, table, [dict(row) for row in connection.execute(select(table)).mappings()])


def _add_to_tasks(*columns: str) -> Callable[[Connection], None]:
    """Return a step that adds columns to the tasks, and seals those again that were whole: damage stays visible."""

    def step(connection: Connection) -> None:
        for column in columns:
            connection.execute(text(f"ALTER TABLE tasks ADD COLUMN {column}"))
        table = Table("tasks", MetaData(), autoload_with=connection)
        added = {column.partition(" ")[0] for column in columns}
        undamaged = []
        for row in connection.execute(select(table)).mappings():
            values_before = {name: value for name, value in row.items() if name not in added}
            if row["seal"] == values_seal(values_before):
                undamaged.append(dict(row))
        _set_seals(connection, table, undamaged)

    return step


def _mark_automatic(connection: Connection) -> None:
    """Tell answers that nobody gave: pairs of the same text were answered as equal before anybody read them."""
    _add_to_tasks("is_automatic BOOLEAN NOT NULL DEFAULT FALSE")(connection)
    tasks = Table("tasks", MetaData(), autoload_with=connection)
    is_pair = and_(tasks.c.output.is_(None), tasks.c.control.is_(None))
    is_given = and_(tasks.c.preference == "equal", tasks.c.is_complete, tasks.c.updated_at == "")
    same_of: dict[int, set[int]] = {}  # by campaign: segments whose outputs are all the same text
    automatic = []
    for row in connection.execute(select(tasks).where(is_pair, is_given)).mappings().all():
        campaign = row["campaign_id"]
        if campaign not in same_of:
            same_of[campaign] = _segments_of_same_text(connection, campaign)
        if row["segment"] in same_of[campaign] and row["seal"] == values_seal(dict(row)):
            automatic.append({**row, "is_automatic": True})
    for changed in automatic:
        connection.execute(tasks.update().where(tasks.c.id == changed["id"]).values(is_automatic=True))
    _set_seals(connection, tasks, automatic)


def _segments_of_same_text(connection: Connection, campaign: int) -> set[int]:
    """Return the segments of a campaign on which all outputs are the same text."""
    outputs = Table("outputs", MetaData(), autoload_with=connection)
    contents = outputs.metadata.tables["contents"]
    of_campaign = select(contents.c.texts).join(outputs, outputs.c.digest == contents.c.digest)
    columns = connection.scalars(of_campaign.where(outputs.c.campaign_id == campaign)).all()
    return {segment for segment, texts in enumerate(zip(*columns, strict=False)) if len(set(texts)) == 1}


def _set_seals(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    """Seal rows as they are, found by their primary key."""
    if not rows:
        return
    keys = list(table.primary_key.columns)
    is_row = and_(*(key == bindparam(f"key_{key.name}") for key in keys))
    change = table.update().where(is_row).values(seal=bindparam("new_seal"))
    parameters = []
    for row in rows:
        parameters_of_row = {f"key_{key.name}": row[key.name] for key in keys}
        parameters_of_row["new_seal"] = values_seal(row)
        parameters.append(parameters_of_row)
    connection.execute(change, parameters)


STEPS: Mapping[int, Callable[[Connection], None]] = {
    2: _add_links,
    # Scores of outputs, items with known answers, instructions, and errors found by a metric
    3: _execute(
        "ALTER TABLE campaigns ADD COLUMN instructions TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE campaigns ADD COLUMN controls JSON NOT NULL DEFAULT '[]'",
        "ALTER TABLE tasks ADD COLUMN score DOUBLE PRECISION",
        "ALTER TABLE tasks ADD COLUMN control INTEGER",
        "ALTER TABLE marks ADD COLUMN weight DOUBLE PRECISION",
        "ALTER TABLE marks ADD COLUMN origin TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE marks ADD COLUMN suggested VARCHAR(16) NOT NULL DEFAULT ''",
        "ALTER TABLE marks ADD COLUMN is_rejected BOOLEAN NOT NULL DEFAULT FALSE",
    ),
    # The version of the definitions that a campaign's sample follows
    4: _execute("ALTER TABLE campaigns ADD COLUMN definitions INTEGER NOT NULL DEFAULT 1"),
    5: _add_seals,
    # Versions of answers, and the time that they took
    6: _add_to_tasks(
        "revision INTEGER NOT NULL DEFAULT 0",
        "delivery VARCHAR(64) NOT NULL DEFAULT ''",
        "seconds DOUBLE PRECISION",
        "paused DOUBLE PRECISION",
    ),
    # Probabilities of outputs to be judged
    7: _add_to_tasks("probability DOUBLE PRECISION"),
    8: _mark_automatic,
}
