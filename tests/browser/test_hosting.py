"""A server as docs/hosting.md has it: behind nginx with a base path, in a frame of another site, and at its end."""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from tests.browser.conftest import ROOT, free_port, started
from tests.browser.steps import FOR_FILES, FOUND, PATIENCE, drop, eventually

pytestmark = [pytest.mark.browser, pytest.mark.long]

BASE = "lab/mteval"
SAMPLE = ROOT / "sample_data"
GUIDE = ROOT / "docs" / "hosting.md"
MANY = 1_000_000  # shuffles: nobody waits for the end of this
PROGRAMS = f"{os.environ.get('PATH', '')}:/usr/sbin"  # where Debian has nginx


def sample_runs() -> list[FilePayload]:
    """The references and the first two runs of each system of the sample."""
    paths = [SAMPLE / "reference.test.txt", *sorted(SAMPLE.glob("*/test.opt0[01].txt"))]
    return [
        {"name": f"{path.parent.name}.{path.name}", "mimeType": "text/plain", "buffer": path.read_bytes()}
        for path in paths
    ]


def documented(word: str) -> str:
    """The block of the guide for nginx that has a word in it."""
    blocks = re.findall(r"```nginx\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    (block,) = [block for block in blocks if word in block]
    return str(block)


def configuration(folder: Path, port: int, server: str) -> str:
    """What nginx reads: the lines of the guide, with this server, this path and this folder in them."""
    location = documented("location")
    location = location.replace("http://127.0.0.1:8501", server)
    location = location.replace("/mteval/", f"/{BASE}/")
    location = location.replace("/var/log/nginx", str(folder))
    kinds_of_files = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary_files = "\n".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds_of_files)
    user = "user root;" if os.getuid() == 0 else ""
    return f"""
{user}
daemon off;
pid {folder}/nginx.pid;
events {{}}
http {{
access_log off;
{temporary_files}
{documented("log_format")}
server {{
listen 127.0.0.1:{port};
{location}
}}
}}
"""


@contextmanager
def proxied(folder: Path, server: str) -> Iterator[str]:
    """nginx in front of a server, with the lines that the documentation has; its address."""
    port = free_port()
    config = folder / "nginx.conf"
    config.write_text(configuration(folder, port, server))
    program = shutil.which("nginx", path=PROGRAMS)
    assert program is not None
    with subprocess.Popen([program, "-c", config, "-e", folder / "nginx.log"]) as nginx:
        try:
            eventually(lambda: _is_open(port), "nginx does not answer")
            yield f"http://127.0.0.1:{port}/{BASE}"
        finally:
            nginx.terminate()


def _is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def framing(url: str) -> Iterator[str]:
    """A page of another site with a frame; its address."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "index.html").write_text(f"<iframe src='{url}' width=1200 height=850></iframe>")
        handler = partial(SimpleHTTPRequestHandler, directory=folder)
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as site:
            Thread(target=site.serve_forever, daemon=True).start()
            yield f"http://localhost:{site.server_port}/"  # another name: another site
            site.shutdown()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    yield page
    context.close()


def test_a_server_below_a_path_takes_files_through_a_proxy_and_ends_with_its_work(page: Page, tmp_path: Path) -> None:
    if not shutil.which("nginx", path=PROGRAMS):
        pytest.skip("nginx is not installed (Debian: apt-get install nginx)")
    files = sample_runs()
    with (
        started(tmp_path, f"--base-path={BASE}", "--counts") as (server, direct),
        proxied(tmp_path, _root(direct)) as url,
    ):
        responses: list[tuple[int, str]] = []
        page.on("response", lambda response: responses.append((response.status, response.url)))
        page.goto(f"{url}/?shuffles={MANY}")
        page.get_by_role("heading", name="Load an experiment").wait_for()
        drop(page, files)
        assert all(status < 400 for status, _ in responses), responses
        assert all(address.startswith((url, "data:", "blob:")) for _, address in responses)

        # Of the buttons, the one of scoring: Replication computes something, too.
        stop_scoring = page.locator(".st-key-scoring").get_by_role("button", name="Stop")
        expect(stop_scoring).to_be_visible()
        page.get_by_role("link", name="Replication").click()
        page.get_by_role("heading", name="Replication").wait_for()
        expect(page).to_have_url(re.compile(f"^{re.escape(url)}/replication"))
        with urllib.request.urlopen(f"{_root(direct)}/metrics") as answer:
            assert "mteval_visitors 1\n" in answer.read().decode()

        page.get_by_role("link", name="Scores").click()
        page.get_by_role("heading", name="Scores", exact=True).wait_for()
        expect(stop_scoring).to_be_visible()
        os.kill(server.pid, signal.SIGTERM)
        assert server.wait(timeout=PATIENCE) == 0
        eventually(lambda: not _has_members(server.pid), "somebody is left in the server's group")
    log = (tmp_path / "log.txt").read_text()
    assert "Traceback" not in log
    assert "Uncaught" not in log
    for file in files:
        assert file["name"] not in log


def _has_members(group: int) -> bool:
    """Whether any process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _root(address: str) -> str:
    """The address of a server without the path of the app."""
    return address.removesuffix(f"/{BASE}")


def test_in_a_frame_of_another_site_files_can_be_loaded(page: Page, tmp_path: Path) -> None:
    with started(tmp_path, "--framed") as (_, url), framing(url) as outside:
        page.goto(outside)
        frame = page.frame_locator("iframe")
        frame.get_by_role("heading", name="Load an experiment").wait_for()
        frame.locator(FOR_FILES).first.set_input_files(sample_runs())
        frame.locator(FOUND).wait_for()
