"""The bill of materials lists what is installed."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_bill_of_materials_is_that_of_the_pinned_packages() -> None:
    listed = json.loads((ROOT / "sbom.cdx.json").read_text(encoding="utf-8"))["components"]
    pinned = re.findall(r"^([\w.\[\]-]+)==([\w.]+)", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.M)
    assert pinned
    assert {(part["name"], part["version"]) for part in listed} == {(name.split("[")[0], v) for name, v in pinned}
