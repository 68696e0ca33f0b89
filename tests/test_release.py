"""A release refuses to begin where it cannot end, and changes nothing if it fails."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT

CHANGELOG = "# Changes\n\n## Unreleased\n\n- A change.\n"
VERSION = '__version__ = "0.2.0"\n'
PROJECT = '[project.urls]\nRepository = "https://example.org/mteval"\n'
PROGRAMS = ("bash", "date", "dirname", "git", "grep", "mktemp", "rm", "sed")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with what ``bin/release`` reads first, committed."""
    folder = tmp_path / "clone"
    (folder / "bin").mkdir(parents=True)
    (folder / "mteval").mkdir()
    for name in ("bin/release", "bin/_setup"):
        shutil.copy(ROOT / name, folder / name)
    (folder / "CHANGELOG.md").write_text(CHANGELOG)
    (folder / "mteval" / "_version.py").write_text(VERSION)
    (folder / "pyproject.toml").write_text(PROJECT)
    git(folder, "init", "--quiet")
    commit(folder)
    return folder


def git(folder: Path, *words: str) -> str:
    """Run git in a folder, and return what it prints."""
    identity = ["-c", "user.name=Someone", "-c", "user.email=someone@example.org"]
    done = subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def commit(folder: Path) -> None:
    """Commit all files of a folder."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "State")


def release(folder: Path, *words: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run ``bin/release`` of a folder, with another PATH if one is given."""
    environment = dict(os.environ)
    environment.pop("pythonLocation", None)
    if path is not None:
        environment["PATH"] = path
    command = ["bash", "bin/release", *words]
    return subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True, text=True)


@pytest.mark.parametrize("version", ["", "0.3", "v0.3.0", "0.3.0rc1", "0.3.0 "])
def test_a_version_is_three_numbers(clone: Path, version: str) -> None:
    done = release(clone, version)
    assert done.returncode == 2
    assert "Usage: bin/release VERSION" in done.stderr


def test_uncommitted_changes_are_refused(clone: Path) -> None:
    (clone / "new.txt").write_text("new\n")
    done = release(clone, "0.3.0")
    assert done.returncode == 1
    assert "not committed" in done.stderr


def test_an_existing_tag_is_refused(clone: Path) -> None:
    git(clone, "tag", "v0.3.0")
    done = release(clone, "0.3.0")
    assert done.returncode == 1
    assert "The tag v0.3.0 exists" in done.stderr


def test_a_changelog_without_unreleased_changes_is_refused(clone: Path) -> None:
    (clone / "CHANGELOG.md").write_text("# Changes\n\n## 0.2.0 (2026-11-28)\n")
    commit(clone)
    done = release(clone, "0.3.0")
    assert done.returncode == 1
    assert "no section 'Unreleased'" in done.stderr


@pytest.mark.parametrize("urls", ["", '[project.urls]\nPaper = "https://example.org/"\n', "[other]\n" + PROJECT[15:]])
def test_a_project_without_repository_is_refused_and_told_the_line_to_add(clone: Path, urls: str) -> None:
    (clone / "pyproject.toml").write_text(urls)
    commit(clone)
    done = release(clone, "0.3.0")
    assert done.returncode == 1
    assert '[project.urls], e.g. Repository = "https://' in done.stderr


def test_a_release_that_fails_leaves_the_files_as_they_were(clone: Path, tmp_path: Path) -> None:
    # Without any Python on the PATH, the release ends inside a function, after both files have changed
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in PROGRAMS:
        program = shutil.which(name)
        assert program is not None
        (programs / name).symlink_to(program)
    done = release(clone, "0.3.0", path=str(programs))
    assert done.returncode != 0
    assert "No Python 3.11 or newer" in done.stderr
    assert (clone / "CHANGELOG.md").read_text() == CHANGELOG
    assert (clone / "mteval" / "_version.py").read_text() == VERSION
    assert git(clone, "status", "--porcelain") == ""
    assert git(clone, "tag") == ""


def test_the_python_that_a_workflow_set_up_comes_before_a_newer_one(tmp_path: Path) -> None:
    for folder in ("chosen/bin", "newer"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("chosen/bin/python3", "newer/python3.13"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 0\n")  # accepts any check of its version
        (tmp_path / name).chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path / 'newer'}:{os.environ['PATH']}"}
    environment.pop("pythonLocation", None)
    script = ["bash", "-c", "source bin/_setup; find_python"]
    without = subprocess.run(script, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    environment["pythonLocation"] = str(tmp_path / "chosen")
    chosen = subprocess.run(script, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    assert without.stdout == "python3.13\n"
    assert chosen.stdout == f"{tmp_path / 'chosen' / 'bin' / 'python3'}\n"
