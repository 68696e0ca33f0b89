"""Databases that earlier versions left are brought up to date with all that they hold."""

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection, MetaData, Table, and_, create_engine, select
from sqlalchemy.engine import URL

from mteval.annotations import Task, from_json, open_store, to_json
from mteval.annotations.upgrades import STEPS
from mteval.base.errors import InputError
from mteval.base.sealed_rows import values_seal
from mteval.values.asker import OPERATOR, Asker
from mteval.values.definitions import DEFINITIONS, MEANINGS
from tests.annotations.conftest import campaign as make_campaign
from tests.annotations.conftest import tasks_for
from tests.annotations.recording import MARK, RECORDED, SCORED
from tests.table_shapes import shapes

HALF = r"\ud800"  # of a surrogate pair, which files may not hold
SCORED_TEXT = to_json(*SCORED).replace(HALF, "?")
FILES = sorted(RECORDED.glob("*.sql"))


def restored(recorded: Path, request: pytest.FixtureRequest, folder: Path) -> URL:
    """The recorded database, as it was."""
    script = recorded.read_text(encoding="utf-8")
    if recorded.name.endswith(".sqlite.sql"):
        path = folder / "annotations.sqlite"
        with sqlite3.connect(path) as connection:
            connection.executescript(script)
        return URL.create("sqlite", database=str(path))
    url: URL = request.getfixturevalue("postgres").new_database()
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(script)
    engine.dispose()
    return url


def without_ids(task: Task) -> Task:
    """What was said, without what a database gives it."""
    marks = tuple(replace(mark, id=0) for mark in task.marks)
    rejected = tuple(replace(mark, id=0) for mark in task.rejected)
    return replace(task, id=0, updated_at="", revision=0, marks=marks, rejected=rejected)


def test_there_is_a_recording_of_each_version_and_kind() -> None:
    expected = set()
    for number in (1, *STEPS):
        expected |= {f"{number:04}.sqlite.sql", f"{number:04}.postgresql.sql"}

    assert {path.name for path in FILES} == expected


@pytest.mark.parametrize("recorded", FILES, ids=lambda path: path.name)
def test_migration_keeps_all_data(recorded: Path, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    changes_of = {
        "rating": {"adequacy": 61.5, "fluency": 0.0, "is_complete": True},
        "preference": {"preference": "second", "is_complete": True},
        "errors": {"marks": (MARK,)},
    }
    store = open_store(restored(recorded, request, tmp_path))

    # What tests.annotations.recording answered: the first task of each campaign
    for number, (way, changes) in enumerate(changes_of.items()):
        campaign = replace(make_campaign(way, uid=f"{number:032x}"), definitions=1)
        assert store.campaign(campaign.uid) == campaign
        answered, *rest = map(without_ids, store.tasks(campaign.uid))
        dealt, *untouched = tasks_for(campaign, "ann", "bob")
        assert answered == replace(dealt, comment="a comment", **changes)
        assert rest == untouched
    store.close()


@pytest.mark.parametrize(
    "recorded", [path for path in FILES if path.name.startswith("0001")], ids=lambda path: path.name
)
def test_upgrades_make_the_tables_that_an_empty_database_gets(
    recorded: Path, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    upgraded = open_store(restored(recorded, request, tmp_path))
    empty = URL.create("sqlite", database=str(tmp_path / "empty.sqlite"))
    if upgraded.database.engine.dialect.name == "postgresql":
        empty = request.getfixturevalue("postgres").new_database()
    new = open_store(empty)

    assert shapes(upgraded.database.engine) == shapes(new.database.engine)
    upgraded.close()
    new.close()


@pytest.mark.parametrize("recorded", [path for path in FILES if path.name >= "0003"], ids=lambda path: path.name)
def test_scores_instructions_and_found_errors_are_restored(
    recorded: Path, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    recorded_campaign, dealt = SCORED
    campaign = replace(recorded_campaign, definitions=1)

    store = open_store(restored(recorded, request, tmp_path))

    assert store.campaign(campaign.uid) == campaign
    *untouched, answered = map(without_ids, store.tasks(campaign.uid))
    assert untouched == list(dealt[:-1])
    assert answered == replace(dealt[-1], score=61.5, is_complete=True)
    store.close()


@pytest.mark.parametrize(
    "recorded", [path for path in FILES if path.name.startswith("0001")], ids=lambda path: path.name
)
def test_campaigns_without_links_get_them(recorded: Path, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    uid = f"{0:032x}"

    store = open_store(restored(recorded, request, tmp_path))

    links = store.links(uid)
    assert set(links.annotators) == {"ann", "bob"}
    for annotator, token in links.annotators.items():
        assert store.opened(token).annotator == annotator
    assert store.list_campaigns("me") == ()
    assert store.coordinate(links.coordinator, Asker("me")) == uid
    store.close()


def changed_row(connection: Connection, name: str, key: dict[str, object], **changes: object) -> None:
    """Change a row of a recorded database, and seal it as the program would have."""
    table = Table(name, MetaData(), autoload_with=connection)
    is_row = and_(*(table.c[column] == value for column, value in key.items()))
    connection.execute(table.update().where(is_row).values(**changes))
    row = dict(connection.execute(select(table).where(is_row)).mappings().one())
    connection.execute(table.update().where(is_row).values(seal=values_seal(row)))


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_ties_that_nobody_gave_are_told_from_votes(
    dialect: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = restored(RECORDED / f"0007.{dialect}.sql", request, tmp_path)
    tie = {"preference": "equal", "is_complete": True}
    engine = create_engine(url)
    with engine.begin() as connection:
        campaigns = Table("campaigns", MetaData(), autoload_with=connection)
        number = connection.scalars(select(campaigns.c.id).where(campaigns.c.uid == f"{1:032x}")).one()
        # The second output becomes the first one's text; bob has not read his first pair, but voted on the next
        outputs = Table("outputs", MetaData(), autoload_with=connection)
        first = select(outputs.c.digest).where(outputs.c.campaign_id == number, outputs.c.position == 0)
        digest = connection.scalars(first).one()
        changed_row(connection, "outputs", {"campaign_id": number, "position": 1}, digest=digest)
        of_bob = {"campaign_id": number, "annotator": "bob"}
        changed_row(connection, "tasks", {**of_bob, "position": 0}, **tie)
        changed_row(connection, "tasks", {**of_bob, "position": 1}, **tie, updated_at="2026-01-01")
    engine.dispose()

    store = open_store(url)

    of_bob = store.tasks(f"{1:032x}", "bob")
    assert [task.is_automatic for task in of_bob] == [True, *[False] * 5]
    assert [task.preference for task in of_bob] == ["equal", "equal", None, None, None, None]
    assert store.check() == ()
    store.close()


def test_a_campaign_that_an_earlier_version_exported_is_read() -> None:
    text = RECORDED.joinpath("campaign.0.2.0.json").read_text(encoding="utf-8").replace(HALF, "?")
    campaign, tasks = from_json(SCORED_TEXT, "c.json")

    assert from_json(text, "c.json") == (replace(campaign, definitions=1), tasks)

    # What has been added to the file since then
    before = json.loads(text)
    new_in_plan = {"probabilities": [], "side_by_side": 0, "is_adaptive": False, "is_merged": False}
    added = {"definitions": DEFINITIONS, "plan": before["campaign"]["plan"] | new_in_plan}
    assert json.loads(SCORED_TEXT) == before | {"campaign": before["campaign"] | added}


@pytest.mark.parametrize(("written", "expected"), [(None, 1), (1, 1), (0, 0)])
def test_campaign_stores_its_definitions_version(written: int | None, expected: int, tmp_path: Path) -> None:
    values = json.loads(SCORED_TEXT)
    if written is None:
        del values["campaign"]["definitions"]
    else:
        values["campaign"]["definitions"] = written
    campaign, tasks = from_json(json.dumps(values), "c.json")

    store = open_store(URL.create("sqlite", database=str(tmp_path / "a.sqlite")))
    store.add(campaign, tasks, asker=OPERATOR)
    stored = store.campaign(campaign.uid)
    store.close()

    assert stored.definitions == expected
    assert stored.changed == tuple(MEANINGS[version] for version in range(expected + 1, DEFINITIONS + 1))


def test_campaign_of_a_newer_version_is_an_error(tmp_path: Path) -> None:
    recorded_campaign, _ = SCORED
    newer = replace(recorded_campaign, definitions=DEFINITIONS + 1)

    with pytest.raises(InputError, match=r"^c\.json: It was written by a newer mteval"):
        from_json(to_json(newer, ()).replace(HALF, "?"), "c.json")

    store = open_store(URL.create("sqlite", database=str(tmp_path / "a.sqlite")))
    store.add(newer, (), asker=OPERATOR)
    with pytest.raises(InputError, match="written by a newer mteval"):
        store.campaign(newer.uid)
    store.close()
