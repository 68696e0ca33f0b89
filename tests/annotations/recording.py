"""Record a database as this version of the program leaves it: ``python -m tests.annotations.recording``.

To be done once, before a new revision of the tables: on ``recorded/REVISION.DIALECT.sql`` later versions are tested.
"""

import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path

from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine
from sqlalchemy.engine import URL

from mteval.annotations import Mark, open_store
from tests.annotations.conftest import Postgres, _postgres_programs, campaign, tasks_for

RECORDED = Path(__file__).parent / "recorded"
MARK = Mark("hypothesis", 0, 6, "Other", "major", "a remark")


def fill(url: URL) -> str:
    """Make a campaign of each way in an empty database, with something said in each; the revision of its tables."""
    store = open_store(url)
    for number, way in enumerate(("rating", "preference", "errors")):
        one = campaign(way, uid=f"{number:032x}")
        store.add(one, tasks_for(one, "ann", "bob"))
        task = store.tasks(one.uid, "ann")[0].id
        if way == "rating":
            store.rate(task, adequacy=61.5, fluency=0, is_complete=True)
        elif way == "preference":
            store.prefer(task, "second")
        else:
            store.mark(task, MARK)
        store.comment(task, "a comment")
    store.close()
    engine = create_engine(url)
    with engine.connect() as connection:
        (revision,) = MigrationContext.configure(connection).get_current_heads()
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
    programs = _postgres_programs()
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
