"""The demo for Hugging Face Spaces: its files are made, and its start answers, both outside a container."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.browser.conftest import free_port, wait_until_up
from tests.conftest import ROOT

FOLDER = ROOT / "demo" / "spaces"


@pytest.fixture
def space(tmp_path: Path) -> Path:
    """The files of a Space, made in a repository of the files as they are now."""
    clone = tmp_path / "clone"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, clone / name)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@localhost"]
    for words in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "all"]):
        subprocess.run([*git, *words], cwd=clone, check=True)
    made = tmp_path / "space"
    subprocess.run([clone / "demo" / "spaces" / "make", made], check=True)
    return made


def test_a_space_has_what_the_image_needs_and_says_where_it_listens(space: Path) -> None:
    _, head, text = (space / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    assert text.strip().startswith("# mteval")
    dockerfile = (space / "Dockerfile").read_text(encoding="utf-8")
    settings = yaml.safe_load(head)
    assert settings["sdk"] == "docker"
    assert settings["app_port"] == int(re.findall(r"^EXPOSE (\d+)", dockerfile, re.MULTILINE)[0])
    (started,) = json.loads(re.findall(r"^ENTRYPOINT (.*)", dockerfile, re.MULTILINE)[-1])
    (copied,) = re.findall(r"^COPY .* demo/spaces/start (\S+)$", dockerfile, re.MULTILINE)
    assert started == copied  # by its whole path: the image's PATH has no /usr/local/bin
    for line in (space / ".dockerignore").read_text(encoding="utf-8").splitlines():
        if line.startswith("!"):
            assert (space / line[1:]).exists(), line
    assert not (space / "tests").exists()


def test_a_folder_that_is_not_empty_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    done = subprocess.run([FOLDER / "make", tmp_path], capture_output=True, text=True)
    assert done.returncode == 2
    assert "is not empty" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_the_start_of_a_space_serves_the_demo(tmp_path: Path) -> None:
    port = free_port()
    variables = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    log = tmp_path / "log.txt"
    with log.open("w") as out:
        command = [FOLDER / "start", "--address=127.0.0.1", f"--port={port}"]
        server = subprocess.Popen(command, cwd=ROOT, env=variables, stdout=out, stderr=subprocess.STDOUT)
    try:
        wait_until_up(f"http://127.0.0.1:{port}/_stcore/health", server, log)
        words = Path(f"/proc/{server.pid}/cmdline").read_bytes().split(b"\0")
        assert {b"--demo", b"--framed"} <= set(words)
    finally:
        server.kill()
        server.wait()
