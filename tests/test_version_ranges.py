"""The ranges of versions of the package, and the exact set of ``bin/app`` inside them."""

import re
import subprocess
import tomllib
from itertools import chain

import pytest
from packaging.requirements import Requirement

from mteval import __version__
from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
RANGES = {one.name.lower(): one for one in map(Requirement, [*PROJECT["dependencies"], *EXTRAS["app"]])}
LINES = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
PINNED = [Requirement(line) for line in LINES if not line.startswith("#")]


def test_the_same_packages_stand_in_both() -> None:
    assert {one.name.lower(): one.extras for one in PINNED} == {name: one.extras for name, one in RANGES.items()}


@pytest.mark.parametrize("pinned", PINNED, ids=str)
def test_what_is_pinned_lies_in_its_range(pinned: Requirement) -> None:
    (exact,) = pinned.specifier
    assert exact.operator == "=="
    assert RANGES[pinned.name.lower()].specifier.contains(exact.version)


@pytest.mark.parametrize("wanted", RANGES.values(), ids=str)
def test_every_range_has_two_ends(wanted: Requirement) -> None:
    assert re.fullmatch(r"<[^,]+,>=[^,]+", str(wanted.specifier))


def test_a_package_has_the_same_range_in_every_extra() -> None:
    ranges: dict[str, set[str]] = {}
    for wanted in map(Requirement, [*PROJECT["dependencies"], *chain.from_iterable(EXTRAS.values())]):
        ranges.setdefault(wanted.name.lower(), set()).add(str(wanted.specifier))
    assert {name: found for name, found in ranges.items() if len(found) > 1} == {}


def test_the_version_stands_in_one_place() -> None:
    assert PROJECT["dynamic"] == ["version"]
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    files = [ROOT / name for name in listed if re.search(r"(\.toml|\.cff|\.yaml|\.yml|\.py|Dockerfile)$", name)]
    own = [path for path in files if "tests" not in path.parts and "benchmarks" not in path.parts]
    assigned = re.compile(
        rf"""^\s*(version|__version__)\s*[:=]\s*["']?{re.escape(__version__)}["']?\s*$""", re.MULTILINE
    )
    assert [path.name for path in own if assigned.search(path.read_text(encoding="utf-8"))] == ["_version.py"]
