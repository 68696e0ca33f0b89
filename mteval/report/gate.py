"""A gate's answer as text, JSON, JUnit XML, and a Markdown summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from xml.etree import ElementTree

from mteval.analysis.evaluation import versions
from mteval.analysis.gates import gate_frame
from mteval.answers.findings import finding_notes, warning_section
from mteval.answers.gate import gate_section, row_name, row_sentence
from mteval.answers.section import Section
from mteval.base.words import visible
from mteval.render.frames import to_json
from mteval.render.markdown import summary_lines
from mteval.render.text import text_lines
from mteval.report.numbers import findings_form, verdicts_frame
from mteval.values.gate import Gate

# What CI servers call an outcome; they have no word for a pass
_JUNIT = {"pass": "", "fail": "failure", "no verdict": "skipped"}


def _sections(gate: Gate) -> list[Section]:
    return [gate_section(gate), *warning_section(gate.findings)]


def gate_lines(gate: Gate) -> Iterator[str]:
    """Yield the answer as text."""
    yield from text_lines(_sections(gate))


def gate_summary(gate: Gate) -> str:
    """Return the answer as Markdown, for the summary of a CI job."""
    return "\n".join(summary_lines(_sections(gate))) + "\n"


def gate_junit(gate: Gate) -> str:
    """Return one JUnit test per metric and test set, skipped without a verdict; warnings are the output."""
    counts = Counter(_JUNIT[row.outcome] for row in gate.rows)
    attributes = {
        "name": "mteval gate",
        "tests": str(len(gate.rows)),
        "errors": "0",
        "failures": str(counts["failure"]),
        "skipped": str(counts["skipped"]),
    }
    root = ElementTree.Element("testsuites", attributes)
    suite = ElementTree.SubElement(root, "testsuite", attributes)
    for row in gate.rows:
        names = {"name": visible(row_name(row, gate)), "classname": visible(f"mteval.{row.candidate}")}
        case = ElementTree.SubElement(suite, "testcase", names)
        sentence = visible(row_sentence(row, gate))
        kind = _JUNIT[row.outcome]
        if kind:
            ElementTree.SubElement(case, kind, {"message": sentence})
        else:
            ElementTree.SubElement(case, "system-out").text = sentence
    warnings = [visible(f"warning: {note.text}") for note in finding_notes(gate.findings)]
    if warnings:
        ElementTree.SubElement(suite, "system-out").text = "\n".join(warnings)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def gate_json(gate: Gate) -> str:
    """Return all numbers, the outcome, the rule, settings and warnings as JSON."""
    header = {
        "outcome": gate.outcome,
        "status": gate.status,
        "rule": asdict(gate.rule),
        "sentences": [f"{row_name(row, gate)}: {row_sentence(row, gate)}" for row in gate.rows],
        "settings": gate.settings.deciding,
        "versions": dict(versions()),
        "findings": findings_form(gate.findings),
        "files": gate.files.form(),
    }
    frames = {"gate": gate_frame(gate)}
    if gate.by_people:
        by_people = verdicts_frame(gate.by_people)
        by_people["contradicts"] = [gate.contradicts(human) for human in gate.by_people]
        frames["verdicts_by_people"] = by_people
    return to_json(frames, header)
