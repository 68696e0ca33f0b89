"""Libraries that earlier versions left are brought up to date with all that they hold."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.engine import URL

from mteval.base.errors import MtevalError
from mteval.library import Content, Library
from mteval.library.index import LIBRARY
from mteval.values.asker import OPERATOR, Asker
from tests.table_shapes import shapes
from tests.version_0_2_0 import LIBRARY as VERSION_3

RECORDED = Path(__file__).parent / "recorded"
ME, YOU = Asker("me"), Asker("you")


@pytest.fixture
def on_postgres(postgres: Any, tmp_path: Path) -> Iterator[Library]:
    """A library of version 3 on PostgreSQL, with two experiments, of which one was damaged."""
    url: URL = postgres.new_database()
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql((RECORDED / "3.postgresql.sql").read_text(encoding="utf-8"))
    engine.dispose()
    library = Library(tmp_path / "library", 1 << 30, url)
    for content in (b"a b\n", b"a c\n", b"a d\n", b"[1]", b"[2]", b"x", b""):
        library._blobs.keep(content)
    yield library
    library._index.close()


def test_a_library_of_version_3_on_postgresql_has_everything(on_postgres: Library) -> None:
    (mine,) = on_postgres.listed("me")
    assert (mine.name, mine.note, mine.tags, mine.is_pinned) == ("mine", "a note 🙂", ("de-en", "wmt"), True)
    assert (mine.number, mine.editor_until, mine.reader_until) == (2, 4e9, None)
    files = {"base/a.txt": b"a d\n", "refs.txt": b"a c\n"}
    assert on_postgres.content(mine.uid) == Content({"seed": 6}, {"systems": ["base"]}, files, b"[2]")
    assert [(state.number, state.who) for state in on_postgres.states(mine.uid)] == [(2, "me"), (1, "me")]
    reached = on_postgres.reached(mine.uid, YOU)  # whom a link to read was given
    assert reached is not None
    assert not reached.may_edit
    assert on_postgres.has_ended("ended")
    assert on_postgres.size() == 75
    number = on_postgres.undo(mine.uid, 1, ME)
    assert (number, on_postgres.content(mine.uid).made) == (3, {"seed": 5})


def test_what_was_damaged_is_still_named_after_the_upgrade(on_postgres: Library) -> None:
    (damaged,) = on_postgres.named("damaged")
    assert on_postgres.check() == (f"Experiment {damaged.uid[:6]}: its entry is damaged.",)
    with pytest.raises(MtevalError, match="damaged"):
        on_postgres.content(damaged.uid)
    on_postgres.remove([damaged.uid], OPERATOR)
    assert on_postgres.check() == ()


def test_damaged_states_and_grants_and_lost_files_are_still_named(tmp_path: Path) -> None:
    with ZipFile(VERSION_3) as archive:
        archive.extractall(tmp_path)
    with closing(sqlite3.connect(tmp_path / "index.sqlite")) as connection, connection:
        of_state = connection.execute("SELECT uid, number FROM library_states ORDER BY uid, number LIMIT 1").fetchone()
        connection.execute("UPDATE library_states SET who = who || '!' WHERE uid = ? AND number = ?", of_state)
        of_grant = connection.execute("SELECT uid, visitor FROM library_grants LIMIT 1").fetchone()
        connection.execute("UPDATE library_grants SET token = 'x' WHERE uid = ? AND visitor = ?", of_grant)
        query = "SELECT uid, first, place FROM library_files WHERE until = 2147483647 AND uid != ? LIMIT 1"
        of_file = connection.execute(query, of_state[:1]).fetchone()
        connection.execute("DELETE FROM library_files WHERE uid = ? AND first = ? AND place = ?", of_file)
    named = Library(tmp_path, 1 << 30).check()
    assert f"Experiment {of_state[0][:6]}: state {of_state[1]} is damaged." in named
    assert f"Experiment {of_grant[0][:6]}: the access of a visitor is damaged." in named
    assert any(problem.startswith(f"Experiment {of_file[0][:6]}: state ") for problem in named)


def test_version_0_2_says_that_a_newer_one_wrote_the_index(tmp_path: Path) -> None:
    """It reads the version of a file there, and knows up to 3."""
    empty = Library(tmp_path / "new", 1 << 30)
    empty.add(Content({}, {}, {}, b""), "one", ME)
    with ZipFile(VERSION_3) as archive:
        archive.extractall(tmp_path / "upgraded")
    upgraded = Library(tmp_path / "upgraded", 1 << 30)
    assert upgraded.check() == ()
    for library in (empty, upgraded):
        with closing(sqlite3.connect(library.directory / "index.sqlite")) as connection:
            assert connection.execute("PRAGMA user_version").fetchone() == (4,)


def engine_of(library: Library) -> Engine:
    library.listed()
    return library._index.engine


def test_upgrades_make_the_tables_that_an_empty_library_gets(tmp_path: Path, on_postgres: Library) -> None:
    new = Library(tmp_path / "new", 1 << 30)
    new.add(Content({}, {}, {}, b""), "one", ME)
    expected = shapes(engine_of(new))
    assert len(expected) == len(LIBRARY.tables.tables) == 9
    with ZipFile(VERSION_3) as archive:
        archive.extractall(tmp_path / "third")
    with ZipFile(RECORDED / "0.2.0.zip") as archive:
        archive.extractall(tmp_path / "second")
    for folder in ("third", "second/library"):
        assert shapes(engine_of(Library(tmp_path / folder, 1 << 30))) == expected
    assert shapes(engine_of(on_postgres)) == _on_a_new_server(on_postgres, tmp_path)


def _on_a_new_server(library: Library, folder: Path) -> dict[str, Any]:
    """Return the shapes in an empty database on the server of a library."""
    assert library.database is not None
    administrator = create_engine(library.database, isolation_level="AUTOCOMMIT")
    with administrator.connect() as connection:
        connection.execute(text("CREATE DATABASE empty_library TEMPLATE template0"))
    administrator.dispose()
    new = Library(folder / "new", 1 << 30, library.database.set(database="empty_library"))
    found = shapes(engine_of(new))
    new._index.close()
    return found
