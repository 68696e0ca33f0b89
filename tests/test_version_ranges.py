"""The ranges of versions of the package, and the exact set of ``bin/app`` inside them."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement

from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RANGES = {one.name.lower(): one for one in map(Requirement, PROJECT["dependencies"])}
PINNED = [Requirement(line) for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").split("\n") if line]


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
    assert {name for name, _ in named} == {PROJECT["name"]}
    assert {extra for _, extra in named} <= set(PROJECT["optional-dependencies"])
    assert re.findall(r"^dependencies = \[\"(mteval[\w-]*)\"", text, re.MULTILINE) == [PROJECT["name"]]
