"""Copies of the annotations are whole, whatever is going on, and for their owner alone."""

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from mteval.annotations import open_store
from mteval.annotations.database import backup
from mteval.base.errors import MtevalError
from mteval.cli import main
from mteval.values.asker import OPERATOR
from tests.annotations import saying
from tests.annotations.conftest import campaign, tasks_for


def sqlite_at(path: Path) -> URL:
    return URL.create("sqlite", database=str(path))


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """Where a database with a campaign is, open."""
    path = tmp_path / "home" / "annotations.sqlite"
    store = open_store(sqlite_at(path))
    store.add(campaign("rating"), tasks_for(campaign("rating")), asker=OPERATOR)
    yield path
    store.close()


def test_a_copy_taken_while_people_click_is_whole(place: Path, tmp_path: Path) -> None:
    clicking = open_store(sqlite_at(place))
    tasks = clicking.tasks("c" * 32, "ann")
    done = threading.Event()

    def click() -> None:
        while not done.is_set():
            for task in tasks:
                saying.rate(clicking, task.id, adequacy=50, fluency=50)

    thread = threading.Thread(target=click)
    thread.start()
    try:
        for number in range(5):
            backup(tmp_path / f"copy{number}", sqlite_at(place))
    finally:
        done.set()
        thread.join()
        clicking.close()
    for number in range(5):
        copy = open_store(sqlite_at(tmp_path / f"copy{number}"))
        assert copy.campaign("c" * 32) == campaign("rating")
        assert all((task.adequacy is None) == (task.fluency is None) for task in copy.tasks("c" * 32))
        copy.close()


def test_a_plain_copy_taken_while_nobody_clicks_has_everything(place: Path, tmp_path: Path) -> None:
    shutil.copy(place, tmp_path / "copy")
    copy = open_store(sqlite_at(tmp_path / "copy"))
    assert copy.campaign("c" * 32) == campaign("rating")
    copy.close()


def test_nobody_else_may_read_the_database_or_a_copy(place: Path, tmp_path: Path) -> None:
    backup(tmp_path / "copy", sqlite_at(place))
    files = [*place.parent.iterdir(), tmp_path / "copy"]
    assert len(files) > 2, "what SQLite keeps beside it is looked at as well"
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert place.parent.stat().st_mode & 0o777 == 0o700


def test_rights_that_were_wider_are_narrowed(place: Path) -> None:
    place.chmod(0o644)
    open_store(sqlite_at(place)).close()
    assert place.stat().st_mode & 0o777 == 0o600


def test_failed_backup_is_an_error_and_leaves_no_file(place: Path, tmp_path: Path) -> None:
    with pytest.raises(MtevalError, match="annotations at"):
        backup(tmp_path / "copy", sqlite_at(tmp_path / "nowhere"))
    with pytest.raises(MtevalError, match="the database itself"):
        backup(place, sqlite_at(place))
    with pytest.raises(MtevalError, match="pg_dump"):
        backup(tmp_path / "copy", URL.create("postgresql+psycopg"))
    (tmp_path / "broken").write_bytes(b"no database")
    with pytest.raises(MtevalError, match="copy"):
        backup(tmp_path / "copy", sqlite_at(tmp_path / "broken"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken", "home"]


def test_the_command_line_makes_a_copy(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MTEVAL_DATABASE", f"sqlite:///{place}")
    assert main(["annotations", "backup", str(tmp_path / "copy")]) == 0
    assert "Wrote " in capsys.readouterr().out
    monkeypatch.setenv("MTEVAL_DATABASE", f"sqlite:///{tmp_path / 'nowhere'}")
    assert main(["annotations", "backup", str(tmp_path / "copy")]) == 2


def test_uncreatable_path_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MtevalError, match="MTEVAL_HOME"):
        open_store(sqlite_at(tmp_path / "file" / "annotations.sqlite"))
