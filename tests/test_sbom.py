"""The bills of materials list what is installed, with licences."""

import json
import re
from typing import Any

import pytest

from tests.conftest import ROOT

LOCKS = {
    "app.cdx.json": ("app.txt", "image.txt"),
    "neural.cdx.json": ("neural.txt", "torch-cpu.txt", "torch-cuda.txt"),
}
PINNED = re.compile(r"^([\w.-]+)==([\w.]+)", re.MULTILINE)


def components(bill: str) -> list[dict[str, Any]]:
    text = (ROOT / "requirements" / bill).read_text(encoding="utf-8")
    listed: list[dict[str, Any]] = json.loads(text)["components"]
    return listed


@pytest.mark.parametrize("bill", LOCKS)
def test_the_bill_of_materials_lists_the_packages_of_the_locks(bill: str) -> None:
    pinned = set()
    for lock in LOCKS[bill]:
        text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
        pinned |= set(PINNED.findall(text))
    assert len(pinned) > 50
    assert {(part["name"], part["version"]) for part in components(bill)} == pinned


@pytest.mark.parametrize("bill", LOCKS)
def test_every_package_of_a_bill_has_a_licence(bill: str) -> None:
    assert [part["name"] for part in components(bill) if not part["licenses"]] == []


def test_every_package_of_the_app_has_hashes_in_its_lock() -> None:
    text = (ROOT / "requirements" / "app.txt").read_text(encoding="utf-8")
    blocks = re.split(r"^(?=[\w.-]+==)", text, flags=re.MULTILINE)
    packages = [block for block in blocks if PINNED.match(block)]
    assert packages
    assert [block for block in packages if "--hash=sha256:" not in block] == []
