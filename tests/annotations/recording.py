"""Record a database as this version of the program leaves it: ``python -m tests.annotations.recording``.

To be done once, before a new revision of the tables: on ``recorded/REVISION.DIALECT.sql`` later versions are tested.
"""

import shutil
import sqlite3
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL

from mteval.annotations import Campaign, Control, Mark, Task, open_store, with_controls
from mteval.values.asker import OPERATOR
from tests.annotations import saying
from tests.annotations.conftest import campaign as make_campaign
from tests.annotations.conftest import tasks_for
from tests.servers import Postgres, postgres_programs

RECORDED = Path(__file__).parent / "recorded"
MARK = Mark("hypothesis", 0, 6, "Other", "major", "a remark")
CONTROL = Control("training", "Quelle", "a wrong word", 2, 7, "major", 10.0, 60.5, "Why it is wrong.")
MARK_OF_METRIC = replace(MARK, weight=2.5, origin="xCOMET", suggested="minor")  # what revisions from 0003 on know


def scored() -> tuple[Campaign, tuple[Task, ...]]:
    """A campaign of scores with all that came with revision 0003: instructions, an item with a known answer, errors
    that a metric found.
    """
    campaign = make_campaign("esa", uid=f"{3:032x}")
    campaign = replace(campaign, instructions="Mark what is wrong.", controls=(CONTROL,))
    controlled, tasks = with_controls(campaign, tasks_for(campaign, "ann"))
    *rest, last = tasks
    last = replace(last, marks=(MARK_OF_METRIC,), rejected=(MARK_OF_METRIC,))
    return controlled, (*rest, last)


SCORED = scored()


def fill(url: URL) -> str:
    """Make a campaign of each way in an empty database, with something said in each; the revision of its tables."""
    store = open_store(url)
    for number, way in enumerate(("rating", "preference", "errors")):
        campaign = replace(make_campaign(way, uid=f"{number:032x}"), definitions=1)
        store.add(campaign, tasks_for(campaign, "ann", "bob"), asker=OPERATOR)
        task = store.tasks(campaign.uid, "ann")[0].id
        if way == "rating":
            saying.rate(store, task, adequacy=61.5, fluency=0, is_complete=True)
        elif way == "preference":
            saying.prefer(store, task, "second")
        else:
            saying.mark(store, task, MARK)
        saying.comment(store, task, "a comment")
    campaign_of_scores, tasks_of_scores = SCORED
    store.add(replace(campaign_of_scores, definitions=1), tasks_of_scores, OPERATOR)
    last_task = store.tasks(campaign_of_scores.uid)[-1].id
    saying.rate(store, last_task, score=61.5, is_complete=True)
    store.close()
    engine = create_engine(url)
    with engine.connect() as connection:
        revision = str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one())
    engine.dispose()
    return revision


def record_sqlite() -> None:
    """Record a SQLite file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "annotations.sqlite"
        revision = fill(URL.create("sqlite", database=str(path)))
        with sqlite3.connect(path) as connection:
            RECORDED.joinpath(f"{revision}.sqlite.sql").write_text("\n".join(connection.iterdump()) + "\n")


def record_postgres() -> None:
    """Record a PostgreSQL database."""
    programs = postgres_programs()
    assert programs is not None
    server = Postgres(programs)
    url = server.new_database()
    revision = fill(url)
    plain = url.set(drivername="postgresql").render_as_string(hide_password=False)
    command = [shutil.which("pg_dump") or programs / "pg_dump", "--inserts", "--no-owner", "--no-privileges", plain]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [line for line in done.stdout.splitlines() if line and not line.startswith(("--", "\\"))]
    RECORDED.joinpath(f"{revision}.postgresql.sql").write_text("\n".join(lines) + "\n")
    server.stop()


if __name__ == "__main__":
    record_sqlite()
    record_postgres()
