"""Databases to annotate in: SQLite, and a PostgreSQL of the tests' own where its programs are installed."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from mteval.annotations import AnnotationStore, Campaign, Output, Plan, Sampled, Task, deal_tasks, open_store
from mteval.base.databases import make_file
from tests.servers import Postgres

N_SEGMENTS = 6
NASTY = "a\0b \ud800 <script>alert(1)</script> **x** $y$ :smile: \u2028 ‮ 'q' \"r\"; DROP TABLE tasks; 🙂"


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> URL:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return URL.create("sqlite", database=str(tmp_path / "deep" / "annotations.sqlite"))
    new: URL = request.getfixturevalue("postgres").new_database()
    return new


@pytest.fixture(scope="session")
def tables_of_postgres(postgres: Postgres) -> str:
    """The name of a database with the tables."""
    url = postgres.new_database()
    open_store(url).close()
    assert url.database is not None
    return url.database


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path, no_annotations: bytes) -> URL:
    """A database of each kind with empty tables. Making them takes longer than most tests."""
    if request.param == "sqlite":
        path = tmp_path / "deep" / "annotations.sqlite"
        make_file(path)
        path.write_bytes(no_annotations)
        return URL.create("sqlite", database=str(path))
    postgres: Postgres = request.getfixturevalue("postgres")
    return postgres.new_database(request.getfixturevalue("tables_of_postgres"))


@pytest.fixture
def opened(url: URL) -> Iterator[Callable[[], AnnotationStore]]:
    """Opens the database, as often as wanted: each is another server to it."""
    stores: list[AnnotationStore] = []

    def open_one() -> AnnotationStore:
        stores.append(open_store(url))
        return stores[-1]

    yield open_one
    for store in stores:
        store.close()


@pytest.fixture
def store(opened: Callable[[], AnnotationStore]) -> AnnotationStore:
    """A store in an empty database."""
    return opened()


def campaign(way: str = "errors", uid: str = "c" * 32, name: str = "reading", n_outputs: int = 2) -> Campaign:
    """Two outputs of a test set of six segments in two documents."""
    outputs = []
    for number in range(n_outputs):
        hypotheses = tuple(f"output {number} of {segment}" for segment in range(N_SEGMENTS))
        outputs.append(Output(f"system {number}", "0", hypotheses))
    references: list[tuple[str, ...]] = []
    for segment in range(N_SEGMENTS):
        if segment % 2 == 0:
            references.append((f"reference {segment}",))
        else:
            references.append((f"reference {segment}", NASTY))
    return Campaign(
        uid=uid,
        name=name,
        way=way,
        test_set="test",
        test_set_digest="d" * 32,
        outputs=tuple(outputs),
        references=tuple(references),
        source=tuple(f"Quelle {segment}" for segment in range(N_SEGMENTS)),
        documents=tuple("aaabbb"),
        plan=Plan("dev", "bleu", random=4, improvements=1, declines=1, seed=7),
        created_at="2026-01-01T00:00:00.000+00:00",
    )


def tasks_for(campaign: Campaign, *annotators: str) -> tuple[Task, ...]:
    """Everything to be read by everybody."""
    sample = [Sampled(segment, "random") for segment in range(N_SEGMENTS)]
    return deal_tasks(campaign, sample, annotators or ("ann",))
