"""Opening: the tables are those of the schema, whoever opens first, and what cannot be opened says why."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL

from mteval.annotations import AnnotationStore, open_store
from mteval.annotations.database import configured_url
from mteval.base.errors import MissingDependencyError, MtevalError, SettingsError
from mteval.base.paths import data_directory
from mteval.values.asker import OPERATOR
from tests.annotations.conftest import campaign, tasks_for


@pytest.fixture
def url(empty: URL) -> URL:
    """These tests are about making the tables."""
    return empty


def test_servers_that_start_at_once_make_the_tables_once(opened: Callable[[], AnnotationStore]) -> None:
    with ThreadPoolExecutor(4) as pool:
        stores = list(pool.map(lambda _: opened(), range(4)))
    one = campaign()
    stores[0].add(one, tasks_for(one), asker=OPERATOR)
    assert all(len(store.tasks(one.uid)) == 12 for store in stores)


def test_opening_again_keeps_everything(opened: Callable[[], AnnotationStore]) -> None:
    one = campaign()
    opened().add(one, tasks_for(one), asker=OPERATOR)
    assert opened().campaign(one.uid) == one


def test_database_of_a_newer_version_is_not_changed(opened: Callable[[], AnnotationStore], url: URL) -> None:
    opened()
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    with pytest.raises(
        MtevalError, match=r"annotations at .*: a newer mteval wrote it \(version 9999; this one reads up to 8\)"
    ):
        opened()


def test_database_path_follows_data_directory_or_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MTEVAL_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("MTEVAL_DATABASE", raising=False)
    assert data_directory() == tmp_path / "home"
    open_store().close()
    assert (tmp_path / "home" / "annotations.sqlite").is_file()
    monkeypatch.setenv("MTEVAL_DATABASE", f"sqlite:///{tmp_path / 'other.sqlite'}")
    open_store().close()
    assert (tmp_path / "other.sqlite").is_file()


def test_default_data_directory_is_the_platforms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MTEVAL_HOME", raising=False)
    assert data_directory().name == "mteval"


def test_invalid_database_url_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTEVAL_DATABASE", "my annotations")
    with pytest.raises(SettingsError, match="MTEVAL_DATABASE"):
        configured_url()


def test_missing_driver_is_an_error() -> None:
    with pytest.raises(MissingDependencyError, match="driver for nosuch"):
        open_store(URL.create("nosuch", database="x"))


def test_file_that_is_not_a_database_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database at all\n" * 100)
    with pytest.raises(MtevalError, match="file is not a database"):
        open_store(URL.create("sqlite", database=str(path)))
    assert path.read_text() == "not a database at all\n" * 100


def test_unreachable_server_is_an_error_without_its_password() -> None:
    url = URL.create("postgresql+psycopg", "me", "topsecret", "127.0.0.1", 1, "x")
    with pytest.raises(MtevalError, match=r"postgresql\+psycopg://me:\*\*\*@127\.0\.0\.1:1/x") as caught:
        open_store(url)
    assert "topsecret" not in str(caught.value)
