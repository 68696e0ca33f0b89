"""The bills of materials list what is installed."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("of", ["", "-neural"])
def test_the_bill_of_materials_is_that_of_the_pinned_packages(of: str) -> None:
    listed = json.loads((ROOT / f"sbom{of}.cdx.json").read_text(encoding="utf-8"))["components"]
    pinned = re.findall(r"^([\w.\[\]-]+)==([\w.]+)", (ROOT / f"requirements{of}.txt").read_text(encoding="utf-8"), re.M)
    assert pinned
    assert {(part["name"], part["version"]) for part in listed} == {(name.split("[")[0], v) for name, v in pinned}
