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
WANTED = [Requirement(line) for line in [*PROJECT["dependencies"], *EXTRAS["app"]]]
RANGES = {requirement.name.lower(): requirement for requirement in WANTED}
LINES = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
PINNED = [Requirement(line) for line in LINES if not line.startswith("#")]


def test_the_same_packages_stand_in_both() -> None:
    pinned = {requirement.name.lower(): requirement.extras for requirement in PINNED}
    assert pinned == {name: requirement.extras for name, requirement in RANGES.items()}


@pytest.mark.parametrize("pinned", PINNED, ids=str)
def test_what_is_pinned_lies_in_its_range(pinned: Requirement) -> None:
    (exact,) = pinned.specifier
    assert exact.operator == "=="
    assert RANGES[pinned.name.lower()].specifier.contains(exact.version)


@pytest.mark.parametrize("wanted", RANGES.values(), ids=str)
def test_every_range_has_two_ends(wanted: Requirement) -> None:
    assert re.fullmatch(r"<[^,]+,>=[^,]+", str(wanted.specifier))


def test_a_package_has_the_same_range_in_every_extra() -> None:
    ranges_of: dict[str, set[str]] = {}
    for wanted in map(Requirement, [*PROJECT["dependencies"], *chain.from_iterable(EXTRAS.values())]):
        ranges_of.setdefault(wanted.name.lower(), set()).add(str(wanted.specifier))
    assert {name: ranges for name, ranges in ranges_of.items() if len(ranges) > 1} == {}


def test_the_version_stands_in_one_place() -> None:
    assert PROJECT["dynamic"] == ["version"]
    command = ["git", "ls-files"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    assigned = re.compile(
        rf"""^\s*(version|__version__)\s*[:=]\s*["']?{re.escape(__version__)}["']?\s*$""", re.MULTILINE
    )
    assigning = []
    for name in names:
        path = ROOT / name
        is_of_package = "tests" not in path.parts and "benchmarks" not in path.parts
        may_assign = re.search(r"(\.toml|\.cff|\.yaml|\.yml|\.py|Dockerfile)$", name)
        if is_of_package and may_assign and assigned.search(path.read_text(encoding="utf-8")):
            assigning.append(path.name)
    assert assigning == ["_version.py"]
