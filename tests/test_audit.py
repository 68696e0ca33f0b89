"""The audit fails unless every locked package was checked."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from requirements.audit import UNAVAILABLE, problems
from tests.conftest import ROOT

HASH = f"--hash=sha256:{64 * '0'}"


@contextmanager
def source(answer: Callable[[str, str], dict[str, Any] | None]) -> Iterator[str]:
    """Serve vulnerabilities by OSV's protocol at the address returned; None: an error of the server."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            found = answer(asked["package"]["name"], asked["version"])
            content = json.dumps(found or {}).encode()
            self.send_response(500 if found is None else 200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1/query"
        server.shutdown()


def audit(folder: Path, locks: dict[str, str], *options: str) -> tuple[int, str]:
    """Audit locks; return the status and all that is printed."""
    paths = [folder / f"{name}.txt" for name in locks]
    for path, text in zip(paths, locks.values(), strict=True):
        path.write_text(text)
    program = [sys.executable, "-m", "requirements.audit", *map(str, paths), "--", f"--cache-dir={folder / 'cache'}"]
    done = subprocess.run([*program, *options], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, done.stdout + done.stderr


def test_every_version_of_every_lock_is_asked_about_whatever_its_system(tmp_path: Path) -> None:
    asked = []

    def answer(name: str, version: str) -> dict[str, Any]:
        asked.append((name, version))
        return {}

    locks = {
        "app": f"numpy==2.4.6 {HASH}\n".replace(" --", " \\\n    --"),
        "neural": f"numpy==1.26.4 {HASH}\npart==3 ; sys_platform == 'win32' {HASH}\n".replace(" --", " \\\n    --"),
    }
    with source(answer) as address:
        status, words = audit(tmp_path, locks, "--vulnerability-service=osv", f"--osv-url={address}")
    assert words.startswith("3 packages of 2 locks have no known vulnerability.\n")
    assert status == 0
    assert sorted(asked) == [("numpy", "1.26.4"), ("numpy", "2.4.6"), ("part", "3")]


def test_a_vulnerability_fails_the_audit_and_is_named_with_its_remedy(tmp_path: Path) -> None:
    def answer(name: str, version: str) -> dict[str, Any]:
        package = {"name": "part", "ecosystem": "PyPI"}
        events = [{"introduced": "0"}, {"fixed": "3.1"}]
        affected = [{"package": package, "ranges": [{"type": "ECOSYSTEM", "events": events}]}]
        return {"vulns": [{"id": "PYSEC-1", "affected": affected}]} if name == "part" else {}

    lock = f"part==3 \\\n    {HASH}\nother==1 \\\n    {HASH}\n"
    with source(answer) as address:
        status, words = audit(tmp_path, {"app": lock}, "--vulnerability-service=osv", f"--osv-url={address}")
    assert words.splitlines()[0] == "part 3: PYSEC-1, fixed in: 3.1"
    assert status == 1


def test_an_audit_without_data_fails(tmp_path: Path) -> None:
    with source(lambda name, version: None) as address:
        status, words = audit(
            tmp_path, {"app": f"part==3 \\\n    {HASH}\n"}, "--vulnerability-service=osv", f"--osv-url={address}"
        )
    assert UNAVAILABLE in words
    assert status == 1


def test_a_version_that_the_package_index_does_not_know_fails_the_audit(tmp_path: Path) -> None:
    """With pip-audit's usual source. Without a network its data are unavailable, which fails as well."""
    status, words = audit(tmp_path, {"app": f"numpy==0.0.1 \\\n    {HASH}\n"})
    assert "numpy 0.0.1 could not be audited\n" in words or UNAVAILABLE in words
    assert status == 1


def test_a_package_that_is_skipped_absent_or_of_another_version_was_not_audited() -> None:
    report = {
        "dependencies": [
            {"name": "checked", "version": "1", "vulns": []},
            {"name": "skipped", "skip_reason": "Dependency not found on PyPI and could not be audited"},
            {"name": "changed", "version": "2", "vulns": []},
        ]
    }
    wanted = [("checked", "1"), ("skipped", "1"), ("changed", "1"), ("absent", "1")]
    assert problems(report, wanted) == [f"{name} 1 could not be audited" for name in ("absent", "changed", "skipped")]


@pytest.mark.parametrize("program", ["audit", "lock"])
def test_the_programs_cover_every_lock(program: str) -> None:
    text = (ROOT / "bin" / program).read_text(encoding="utf-8")
    made_by_hand = {"torch-cpu"} if program == "lock" else set()
    for path in (ROOT / "requirements").glob("*.txt"):
        assert path.stem in text or path.stem in made_by_hand
