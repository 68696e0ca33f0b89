"""Databases to annotate in: SQLite, and a PostgreSQL of the tests' own where its programs are installed."""

import itertools
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL

from mteval.annotations import AnnotationStore, Campaign, Output, Plan, Sampled, Task, deal_tasks, open_store

N_SEGMENTS = 6
NASTY = "a\0b \ud800 <script>alert(1)</script> **x** $y$ :smile: \u2028 ‮ 'q' \"r\"; DROP TABLE tasks; 🙂"
_numbers = itertools.count()


def _postgres_programs() -> Path | None:
    found = shutil.which("initdb")
    candidates = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return candidates[-1] if candidates else None


class Postgres:
    """A server in a directory of its own, on a free port, run by an unprivileged user."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self._user = self._unprivileged()
        self._directory = Path(tempfile.mkdtemp(prefix="mteval-postgres-"))
        if self._user:
            shutil.chown(self._directory, self._user)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        data = str(self._directory / "data")
        self._run("initdb", "-D", data, "-U", "mteval", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        options = f"-p {self._port} -k {self._directory} -c listen_addresses=127.0.0.1 -c fsync=off"
        self._run("pg_ctl", "-D", data, "-o", options, "-l", str(self._directory / "log"), "-w", "start")

    @staticmethod
    def _unprivileged() -> str | None:
        """PostgreSQL refuses to run as root."""
        if os.getuid() != 0:
            return None
        names = {entry.pw_name for entry in pwd.getpwall()}
        return "postgres" if "postgres" in names else "nobody"

    def _run(self, program: str, *arguments: str) -> None:
        group = {"user": self._user, "group": pwd.getpwnam(self._user).pw_gid, "extra_groups": []} if self._user else {}
        # output to a file: the server inherits it and would keep a pipe open
        with (self._directory.parent / f"{self._directory.name}.out").open("w+") as out:
            done = subprocess.run(
                [self._programs / program, *arguments],
                cwd="/",
                stdout=out,
                stderr=out,
                check=False,
                timeout=60,
                **group,
            )
            out.seek(0)
            assert done.returncode == 0, out.read()

    def url(self, database: str = "postgres") -> URL:
        """Of a database on the server."""
        return URL.create("postgresql+psycopg", "mteval", "secret", "127.0.0.1", self._port, database)

    def new_database(self) -> URL:
        """An empty database."""
        name = f"annotations{next(_numbers)}"
        engine = create_engine(self.url(), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name} TEMPLATE template0"))
        engine.dispose()
        return self.url(name)

    def stop(self) -> None:
        """Stop the server and delete its files."""
        self._run("pg_ctl", "-D", str(self._directory / "data"), "-m", "immediate", "-w", "stop")
        shutil.rmtree(self._directory)
        (self._directory.parent / f"{self._directory.name}.out").unlink()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server."""
    programs = _postgres_programs()
    if programs is None:
        pytest.skip("PostgreSQL's programs are not installed (Debian: apt-get install postgresql)")
    server = Postgres(programs)
    yield server
    server.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> URL:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return URL.create("sqlite", database=str(tmp_path / "deep" / "annotations.sqlite"))
    new: URL = request.getfixturevalue("postgres").new_database()
    return new


@pytest.fixture
def opened(url: URL) -> Iterator[Callable[[], AnnotationStore]]:
    """Opens the database, as often as wanted: each is another server to it."""
    stores: list[AnnotationStore] = []

    def open_one() -> AnnotationStore:
        stores.append(open_store(url))
        return stores[-1]

    yield open_one
    for one in stores:
        one.close()


@pytest.fixture
def store(opened: Callable[[], AnnotationStore]) -> AnnotationStore:
    """A store in an empty database."""
    return opened()


def campaign(way: str = "errors", uid: str = "c" * 32, name: str = "reading", n_outputs: int = 2) -> Campaign:
    """Two outputs of a test set of six segments in two documents."""
    outputs = tuple(
        Output(f"system {number}", "0", tuple(f"output {number} of {i}" for i in range(N_SEGMENTS)))
        for number in range(n_outputs)
    )
    references = tuple((f"reference {i}", NASTY) if i % 2 else (f"reference {i}",) for i in range(N_SEGMENTS))
    return Campaign(
        uid=uid,
        name=name,
        way=way,  # type: ignore[arg-type]
        test_set="test",
        test_set_digest="d" * 32,
        outputs=outputs,
        references=references,
        source=tuple(f"Quelle {i}" for i in range(N_SEGMENTS)),
        documents=tuple("aaabbb"),
        plan=Plan("dev", "bleu", random=4, improvements=1, declines=1, seed=7),
        created_at="2026-01-01T00:00:00.000+00:00",
    )


def tasks_for(one: Campaign, *annotators: str) -> tuple[Task, ...]:
    """Everything to be read by everybody."""
    sample = [Sampled(segment, "random") for segment in range(N_SEGMENTS)]
    return deal_tasks(sample, annotators or ("ann",), one.way, len(one.outputs), one.plan)
