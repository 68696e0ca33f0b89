"""``mteval app``: the dashboard's server and the browser that it opens."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from mteval.cli import main
from mteval.library import configured_library
from mteval.library.started import watched
from tests.patience import OUTER_LIMIT

ROOT = Path(__file__).parents[2]


@contextmanager
def started(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """The command under way, and its address; a stand-in for a browser writes what it is asked to show into a file."""
    browser = folder / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {folder}/shown\n')
    browser.chmod(0o755)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {"BROWSER": str(browser), "DISPLAY": ":9", "MTEVAL_CACHE": str(folder / "cache")}
    command = [sys.executable, "-m", "mteval", "app", "--port", str(port), *options]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            command, env=environment, start_new_session=True, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        yield process, f"http://127.0.0.1:{port}"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def write_runs(folder: Path) -> None:
    """References, and a run of each of two systems."""
    for name, text in {"refs.txt": "a b\nc d\n", "base.txt": "a\nc\n", "new.txt": "a b\nc\n"}.items():
        (folder / name).write_text(text)


def wait_for_health(address: str) -> None:
    deadline = time.monotonic() + OUTER_LIMIT
    while True:
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
            return
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_the_browser_is_sent_to_the_server_and_control_c_ends_both(tmp_path: Path) -> None:
    shown = tmp_path / "shown"
    with started(tmp_path) as (process, address):
        wait_for_health(address)
        deadline = time.monotonic() + OUTER_LIMIT
        while not (shown.exists() and shown.read_text()):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert shown.read_text().strip() == address
        os.killpg(process.pid, signal.SIGINT)
        process.wait(timeout=OUTER_LIMIT)
        assert "Traceback" not in (tmp_path / "log").read_text()
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(address, timeout=5)


def command_lines() -> str:
    """What everybody on this machine sees of its processes."""
    said = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            said.append(file.read_text(errors="replace"))
    return "".join(said)


def test_process_list_does_not_show_the_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTEVAL_HOME", str(tmp_path / "home"))
    (tmp_path / "runs").mkdir()
    write_runs(tmp_path / "runs")
    shown = tmp_path / "shown"
    with started(tmp_path, str(tmp_path / "runs")) as (_, address):
        deadline = time.monotonic() + OUTER_LIMIT
        while not (shown.exists() and shown.read_text()):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert shown.read_text().startswith(f"{address}/?ticket=")
        (entry,) = configured_library().listed()
        assert entry.editor not in command_lines() + shown.read_text()
        assert f"{address}/?key={entry.editor}" in (tmp_path / "log").read_text()


def test_a_signal_stops_the_server_with_open_connections_and_a_demo_leaves_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with started(tmp_path, "--no-browser", "--demo") as (process, address):
        wait_for_health(address)
        port = int(address.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as visitor:
            visitor.sendall(b"POST /_stcore/upload_file/x/y HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\n")
            time.sleep(0.2)
            assert len(list(tmp_path.glob("mteval-demo-*"))) == 1
            os.kill(process.pid, signal.SIGTERM)
            assert process.wait(timeout=OUTER_LIMIT) == 0
    assert not list(tmp_path.glob("mteval-demo-*"))
    assert not (tmp_path / "shown").exists()  # no browser was wanted


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--port", "99999"), "99999"),
        (("--port", "0"), "65535"),
        (("--address", "192.0.2.7"), "port 8501 of 192.0.2.7: "),
        (("--base-path", "a/../b"), "a/../b"),
        (("--sign-in", "x", "--framed"), "--framed"),
        (("--sign-in", "x", "--demo"), "--demo"),
    ],
)
def test_bad_service_options_give_a_one_line_error(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...], words: str
) -> None:
    assert main(["app", *options]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("mteval: ")
    assert words in line


def test_a_busy_port_gives_a_one_line_error(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        assert main(["app", "--port", str(port)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"port {port} of 127.0.0.1: Address already in use" in line


@pytest.mark.parametrize(
    ("options", "words"),
    [((), "without signing in"), (("--demo",), "use the demo")],
)
def test_a_public_address_prints_a_warning(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], words: str
) -> None:
    commands: list[list[str]] = []
    allocator = "PYTHONMALLOC"
    monkeypatch.setattr(os, "execve", lambda _, command, variables: commands.append([*command, variables[allocator]]))
    monkeypatch.chdir(Path.cwd())
    assert main(["app", "--address", "0.0.0.0", "--port", "18501", "--no-browser", *options]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert "port 18501 of 0.0.0.0" in line
    assert words in line
    (command,) = commands
    limits = ["--session-mb=5.0", "--session-minutes=30.0"] if options else []
    assert command[4:] == ["--port=18501", "--address=0.0.0.0", *limits, *options, "malloc"]


def test_a_local_address_prints_no_warning(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "execve", lambda *_: None)
    monkeypatch.chdir(Path.cwd())
    assert main(["app", "--address", "localhost", "--port", "18501"]) == 0
    assert capsys.readouterr().err == ""


PROVIDER = """
[auth]
redirect_uri = "https://lab.example/mteval/oauth2callback"
cookie_secret = "c"
client_id = "i"
client_secret = "s"
server_metadata_url = "https://id.example/.well-known/openid-configuration"
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "not valid TOML: [Errno 2] No such file"),
        ("[auth", "not valid TOML: "),
        (
            "auth = 1",
            "lacks redirect_uri, cookie_secret, client_id, client_secret, server_metadata_url",
        ),
        (PROVIDER.replace("client_id", "client"), "[auth] lacks client_id"),
        (PROVIDER.replace("/mteval", ""), "must end in /mteval/oauth2callback"),
    ],
)
def test_a_bad_sign_in_configuration_gives_a_one_line_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str | None, words: str
) -> None:
    file = tmp_path / "provider.toml"
    if text is not None:
        file.write_text(text)
    assert main(["app", "--port", "18501", "--base-path", "mteval", "--sign-in", str(file)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert str(file) in line
    assert words in line


def test_the_sign_in_configuration_reaches_the_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "provider.toml"
    file.write_text(PROVIDER)
    commands: list[list[str]] = []
    monkeypatch.setattr(os, "execve", lambda _, command, variables: commands.append(command))
    monkeypatch.chdir(tmp_path)
    assert main(["app", "--port", "18501", "--base-path", "mteval", "--sign-in", "provider.toml"]) == 0
    assert f"--sign-in={file}" in commands[0]


@pytest.fixture
def handed_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """The commands that would take the place of this process."""
    commands: list[list[str]] = []
    monkeypatch.setenv("MTEVAL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MTEVAL_WATCHED", "")
    monkeypatch.setattr(os, "chdir", lambda _: None)
    monkeypatch.setattr(os, "execve", lambda _, command, variables: commands.append(command))
    return commands


def test_paths_are_loaded_at_start(
    handed_on: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    write_runs(folder)
    assert main(["app", str(folder), "--no-browser", "--port=18502"]) == 0
    (entry,) = configured_library().listed()
    assert capsys.readouterr().out.strip() == f"http://127.0.0.1:18502/?key={entry.editor}"
    assert main(["app", str(folder), "--watch", "--no-browser", "--port=18502"]) == 0
    seen = watched()
    assert seen
    assert seen.folder == folder.resolve()
    assert len(handed_on) == 2


@pytest.mark.parametrize("paths", [[], ["nowhere"], [".", "."]])
def test_watching_needs_exactly_one_folder(
    paths: list[str], handed_on: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["app", *paths, "--watch", "--no-browser", "--port=18502"]) == 2
    assert "--watch needs" in capsys.readouterr().err
    assert handed_on == []


@pytest.mark.skipif(os.name == "nt", reason="bin/app is a shell script")
@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--unknown"], 2, "mteval app: unrecognized arguments: --unknown"),
        (["--port", "x"], 2, "invalid int value: 'x'"),
        (["--help"], 0, "usage: mteval app"),
    ],
)
def test_the_script_reads_options_before_it_installs_anything(
    words: list[str], status: int, said: str, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    for name in ("bin", "mteval"):
        shutil.copytree(ROOT / name, clone / name, ignore=shutil.ignore_patterns("__pycache__"))
    done = subprocess.run([clone / "bin" / "app", *words], capture_output=True, text=True, timeout=OUTER_LIMIT)
    assert (done.returncode, said in done.stdout + done.stderr) == (status, True), done
    assert "Installing" not in done.stderr
    assert sorted(path.name for path in clone.iterdir()) == ["bin", "mteval"]
