"""The locks have everything that is installed, and nothing is installed that they do not have."""

import hashlib
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from mteval import __version__
from requirements.locks import FOLDER, SUPPORTED, Package, packages, tidied
from tests.conftest import ROOT

LOCKS = {path.stem: packages(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.txt"))}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = {"app": ("app", "meteor"), "image": ("app", "meteor", "postgresql", "sign-in")}


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_of_a_lock_has_one_version_and_hashes(name: str) -> None:
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert all(package.hashes for package in LOCKS[name])
    assert len({package.name for package in LOCKS[name]}) == len(LOCKS[name])
    # A line of another form could name an index, a file or an address
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    assert all(re.match(r"[a-z0-9.-]+==\S+| +--hash=sha256:[0-9a-f]{64}", line) for line in lines)


@pytest.mark.parametrize("name", ["app", "image", "tools"])
def test_the_tests_run_with_the_versions_that_are_installed_elsewhere(name: str) -> None:
    tested = {(package.name, package.version) for package in LOCKS["dev"]}
    assert {(package.name, package.version) for package in LOCKS[name]} <= tested


@pytest.mark.parametrize(("pins", "name"), [("requirements.txt", "app"), ("requirements/dev.in", "dev")])
def test_the_versions_that_people_chose_are_locked(pins: str, name: str) -> None:
    lines = [line.split("  #")[0] for line in (ROOT / pins).read_text(encoding="utf-8").splitlines()]
    chosen = [Requirement(line) for line in lines if line and not line.startswith(("#", "-r"))]
    assert len(chosen) > 15
    locked = {package.name: package.version for package in LOCKS[name]}
    for pinned in chosen:
        assert pinned.specifier.contains(locked[canonicalize_name(pinned.name)]), pinned


@pytest.mark.parametrize("name", EXTRAS)
@pytest.mark.parametrize("environment", SUPPORTED, ids=lambda of: f"{of['python_version']} {of['platform_machine']}")
def test_a_lock_has_what_the_distribution_and_its_extras_need(name: str, environment: dict[str, str]) -> None:
    locked = {package.name: package.version for package in LOCKS[name] if package.is_installed_in(environment)}
    wanted = list(PROJECT["dependencies"])
    for extra in EXTRAS[name]:
        wanted += PROJECT["optional-dependencies"][extra]
    for requirement in map(Requirement, wanted):
        if requirement.marker and not requirement.marker.evaluate(environment):
            continue
        assert requirement.specifier.contains(locked[canonicalize_name(requirement.name)]), requirement


def test_this_environment_has_the_packages_of_its_lock_and_no_others() -> None:
    """``bin/test`` made it. If this fails after a change of the lock, remove .venv and run it again."""
    locked = {package.name: package.version for package in LOCKS["dev"] if package.is_installed_in()}
    installed = {canonicalize_name(part.name): part.version for part in distributions(path=[_packages_folder()])}
    assert installed == {"pip": installed["pip"]} | locked | {PROJECT["name"]: __version__}


def _packages_folder() -> str:
    return next(path for path in sys.path if path.startswith(sys.prefix) and path.endswith("site-packages"))


def test_packages_for_other_systems_are_left_out_and_needless_conditions_dropped() -> None:
    block = "    --hash=sha256:" + 64 * "0"
    lock = f"""\
# a comment of uv
everywhere==1.0 \\
{block}
    # via
    #   -r some.in
    #   other
linux==1.0 ; sys_platform == 'linux' \\
{block}
windows==1.0 ; sys_platform == 'win32' \\
{block}
later==1.0 ; python_full_version >= '3.14' \\
{block}
intel==1.0 ; platform_machine == 'x86_64' \\
{block}
"""
    kept = tidied(lock)
    assert packages(kept) == [
        Package("everywhere", "1.0", "", (64 * "0",), ("-r some.in", "other")),
        Package("linux", "1.0", "", (64 * "0",), ()),
        Package("intel", "1.0", "platform_machine == 'x86_64'", (64 * "0",), ()),
    ]
    assert tidied(kept) == kept


@pytest.mark.parametrize("line", ["--index-url https://example.org", "name @ file:///x", "name>=1", "-e ."])
def test_a_line_that_is_no_exact_version_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="Expected 'NAME==VERSION' in a lock, found: "):
        packages(f"{line}\n")


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A package of one module."""
    path = tmp_path / "files" / "lockedpart-1.0-py3-none-any.whl"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("lockedpart.py", "")
        archive.writestr("lockedpart-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: lockedpart\nVersion: 1.0\n")
        archive.writestr(
            "lockedpart-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("lockedpart-1.0.dist-info/RECORD", "")
    return path


def install(lock: str, folder: Path) -> tuple[bool, str]:
    """Install a lock from the folder ``files`` as bin/_setup does; return whether it did, and what it says."""
    (folder / "lock.txt").write_text(lock)
    script = (
        'source bin/_setup; install_lock "$1" "$2/lock.txt" --no-index --find-links "$2/files" --target "$2/target"'
    )
    done = subprocess.run(
        ["bash", "-c", script, "bash", sys.prefix, folder], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode == 0) == (folder / "target" / "lockedpart.py").exists()
    return done.returncode == 0, done.stderr


def test_only_a_file_with_the_hash_of_the_lock_is_installed(wheel: Path, tmp_path: Path) -> None:
    right = hashlib.sha256(wheel.read_bytes()).hexdigest()
    is_installed, words = install(f"lockedpart==1.0 --hash=sha256:{64 * '0'}\n", tmp_path)
    assert not is_installed
    assert "DO NOT MATCH THE HASHES" in words
    is_installed, words = install("lockedpart==1.0\n", tmp_path)
    assert not is_installed
    assert "require" in words
    assert "hash" in words
    is_installed, words = install(f"lockedpart==1.0 --hash=sha256:{64 * '0'} --hash=sha256:{right}\n", tmp_path)
    assert is_installed, words


def test_a_source_distribution_is_not_built(tmp_path: Path) -> None:
    archive = tmp_path / "files" / "lockedpart-1.0.zip"
    archive.parent.mkdir()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("lockedpart-1.0/setup.py", f"open({str(tmp_path / 'ran')!r}, 'w')")
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    is_installed, words = install(f"lockedpart==1.0 --hash=sha256:{digest}\n", tmp_path)
    assert not is_installed
    assert "No matching distribution found for lockedpart==1.0" in words
    assert not (tmp_path / "ran").exists()
