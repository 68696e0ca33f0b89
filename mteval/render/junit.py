"""Cases as JUnit XML, which CI servers show as tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree

from mteval.base.words import visible


@dataclass(frozen=True)
class JUnitCase:
    """One test.

    Parameters
    ----------
    group
        Its class name.
    status
        ``failure`` or ``skipped``; empty if it passed.
    text
        What was found.
    """

    name: str
    group: str
    status: Literal["", "failure", "skipped"]
    text: str


def _legal(text: str) -> str:
    return visible(text).translate({0xFFFE: None, 0xFFFF: None})  # which XML refuses


def junit(suite: str, cases: Sequence[JUnitCase], output: Sequence[str] = ()) -> str:
    """Return one suite.

    Parameters
    ----------
    output
        Lines of the suite's standard output, e.g. warnings.
    """
    counts = {"failures": "failure", "skipped": "skipped"}
    numbers = {name: str(sum(case.status == status for case in cases)) for name, status in counts.items()}
    about = {"name": _legal(suite), "tests": str(len(cases)), "errors": "0", **numbers}
    root = ElementTree.Element("testsuites", about)
    below = ElementTree.SubElement(root, "testsuite", about)
    for case in cases:
        one = ElementTree.SubElement(below, "testcase", {"name": _legal(case.name), "classname": _legal(case.group)})
        if case.status:
            ElementTree.SubElement(one, case.status, {"message": _legal(case.text)})
        else:
            ElementTree.SubElement(one, "system-out").text = _legal(case.text)
    if output:
        ElementTree.SubElement(below, "system-out").text = "\n".join(map(_legal, output))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
