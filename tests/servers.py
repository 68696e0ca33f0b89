"""Servers that tests start where their programs are installed: PostgreSQL, and an S3-compatible object store."""

import itertools
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL

_numbers = itertools.count()


def free_ports(number: int) -> list[int]:
    """Ports that nobody listens on, nor on those 10,000 higher."""
    found: list[int] = []
    for port in range(11_000 + os.getpid() % 5_000, 22_000):
        if all(_is_free(one) for one in (port, port + 10_000)):
            found.append(port)
        if len(found) == number:
            break
    return found


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def postgres_programs() -> Path | None:
    """Where PostgreSQL's programs are."""
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

    def new_database(self, template: str = "template0") -> URL:
        """Make an empty database, or copy one that has no open connections."""
        name = f"database{next(_numbers)}"
        engine = create_engine(self.url(), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {template}"))
        engine.dispose()
        return self.url(name)

    def stop(self) -> None:
        """Stop the server and delete its files."""
        self._run("pg_ctl", "-D", str(self._directory / "data"), "-m", "immediate", "-w", "stop")
        shutil.rmtree(self._directory)
        (self._directory.parent / f"{self._directory.name}.out").unlink()


@contextmanager
def object_store(program: str, folder: Path) -> Iterator[Mapping[str, str]]:
    """SeaweedFS with a bucket ``lab``; yields the environment variables that lead there."""
    master, volume, filer, s3 = free_ports(4)
    ports = [f"-master.port={master}", f"-volume.port={volume}", f"-filer.port={filer}", f"-s3.port={s3}"]
    command = [program, "server", f"-dir={folder}", "-ip=127.0.0.1", "-filer", "-s3", "-volume.max=10", *ports]
    environment = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{s3}", "AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any",
        "AWS_DEFAULT_REGION": "us-east-1",
    }  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder) as server:
        try:
            _make_bucket(environment["AWS_ENDPOINT_URL"])
            yield environment
        finally:
            server.kill()  # at once: nothing is wanted of it any more


def _make_bucket(endpoint: str) -> None:
    end = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(urllib.request.Request(f"{endpoint}/lab", method="PUT")).close()
            return
        except OSError as error:
            if time.monotonic() > end:
                raise TimeoutError(endpoint) from error
            time.sleep(0.3)
