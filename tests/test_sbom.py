"""The bills of materials list what the locks list, with licences."""

import json
import re
from email import message_from_string
from itertools import chain

import pytest

from requirements.bills import BILLS, bill, errors, licence, licences_of, locks_of
from requirements.locks import FOLDER

TEXTS = {name: (FOLDER / name).read_text(encoding="utf-8") for name in BILLS}


@pytest.mark.parametrize("name", BILLS)
def test_a_bill_lists_the_names_versions_and_hashes_of_its_locks(name: str) -> None:
    locked: dict[tuple[str, str], set[str]] = {}
    for lock in chain.from_iterable(locks_of(name).values()):
        for line in lock.splitlines():
            if package := re.match(r"(\S+)==([^ ;\\]+)", line):
                hashes = locked.setdefault((package[1], package[2]), set())
            elif digest := re.search(r"--hash=sha256:(\w+)", line):
                hashes.add(digest[1])
    components = json.loads(TEXTS[name])["components"]
    assert len(components) > 50
    listed = {}
    for component in components:
        hashes = component["externalReferences"][0]["hashes"]
        listed[component["name"], component["version"]] = {entry["content"] for entry in hashes}
    assert listed == locked


@pytest.mark.parametrize("name", BILLS)
def test_the_same_locks_and_licences_give_the_same_bytes(name: str) -> None:
    assert bill(locks_of(name), licences_of(TEXTS[name])) == TEXTS[name], "run bin/lock"


@pytest.mark.parametrize("name", BILLS)
def test_a_bill_is_one_by_the_schema_and_every_package_has_a_licence(name: str) -> None:
    assert errors(TEXTS[name]) == []
    assert all(licences_of(TEXTS[name]).values())
    without = json.loads(TEXTS[name])
    del without["components"][0]["name"]
    assert errors(json.dumps(without))


def test_what_only_the_container_installs_is_optional() -> None:
    components = json.loads(TEXTS["app.cdx.json"])["components"]
    scope_of = {component["name"]: component["scope"] for component in components}
    assert scope_of["starlette"] == "required"
    assert scope_of["pycocoevalcap"] == "required"
    assert scope_of["psycopg-binary"] == "optional"
    assert scope_of["authlib"] == "optional"


def test_a_bill_says_which_package_needs_which() -> None:
    document = json.loads(TEXTS["app.cdx.json"])
    needs = {}
    needed = set()
    for dependency in document["dependencies"]:
        package = dependency["ref"].split("@")[0]
        needs[package] = dependency["dependsOn"]
        needed.update(dependency["dependsOn"])
    assert any(name.startswith("pkg:pypi/starlette@") for name in needs["pkg:pypi/streamlit"])
    assert any(name.startswith("pkg:pypi/streamlit@") for name in needs["mteval"])
    assert needed == {component["bom-ref"] for component in document["components"]}


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ("License-Expression: MIT OR AFL-2.1\nLicense: Other", "MIT OR AFL-2.1"),
        ("License: BSD\nClassifier: License :: OSI Approved :: MIT License", "MIT"),
        ("License: BSD 3-Clause\nClassifier: License :: OSI Approved :: BSD License", "BSD-3-Clause"),
        ("License: mit", "MIT"),
        ("License: Dual License\nClassifier: License :: OSI Approved", "Dual License"),
        ("License: Copyright A\n  All rights\nClassifier: License :: OSI Approved :: BSD License", "BSD License"),
        ("License: The MIT License (MIT)\n\n  Copyright A", "MIT"),
        ("License: UNKNOWN\nClassifier: License :: Other/Proprietary License", "Other/Proprietary License"),
    ],
)
def test_a_licence_comes_from_the_most_exact_field(metadata: str, expected: str) -> None:
    folded = metadata.replace("\n\n", "\n  \n")
    assert licence(message_from_string(f"Name: a\nVersion: 1\n{folded}\n\nReadme")) == expected


def test_a_package_without_a_licence_stops_the_bill() -> None:
    with pytest.raises(LookupError, match="a 1 states no licence"):
        licence(message_from_string("Name: a\nVersion: 1\nLicense: UNKNOWN\nClassifier: Topic :: Internet\n\n"))
