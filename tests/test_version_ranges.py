"""The ranges of versions of the package, and the exact set of ``bin/app`` inside them."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement

from mteval import __version__
from tests.conftest import ROOT

FILES = ("pyproject.toml", "dashboard/pyproject.toml")
PROJECTS = [tomllib.loads((ROOT / file).read_text(encoding="utf-8"))["project"] for file in FILES]
CORE = f"{PROJECTS[0]['name']}=={PROJECTS[0]['version']}"
WANTED = [wanted for project in PROJECTS for wanted in project["dependencies"] if wanted != CORE]
RANGES = {one.name.lower(): one for one in map(Requirement, WANTED)}
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


def test_what_is_to_be_installed_is_this_package_and_has_these_extras() -> None:
    """The name of the package that is imported is another project's on the index."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "mteval").rglob("*.py")]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    named = re.findall(r"pip install\s['\"](mteval[\w-]*)\[(\w+)\]", text)
    assert len(named) >= 3
    extras = {(project["name"], extra) for project in PROJECTS for extra in project["optional-dependencies"]}
    assert set(named) <= extras
    assert re.findall(r"^dependencies = \[\"(mteval[\w-]*)\"", text, re.MULTILINE) == [PROJECTS[0]["name"]]


def test_both_distributions_have_the_version_of_the_package() -> None:
    assert {project["version"] for project in PROJECTS} == {__version__}
    assert CORE in PROJECTS[1]["dependencies"]
