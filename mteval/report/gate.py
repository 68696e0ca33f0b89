"""A gate's answer as text, JSON, JUnit XML, and a Markdown summary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Literal

from mteval.analysis.evaluation import versions
from mteval.analysis.gates import gate_frame
from mteval.answers.findings import finding_notes, warning_section
from mteval.answers.gate import gate_section, row_name, row_sentence
from mteval.answers.section import Section
from mteval.render.frames import to_json
from mteval.render.junit import JUnitCase, junit
from mteval.render.markdown import summary_lines
from mteval.render.text import text_lines
from mteval.report.numbers import findings_form
from mteval.values.gate import Gate

_STATUS: dict[str, Literal["", "failure", "skipped"]] = {"pass": "", "fail": "failure", "no verdict": "skipped"}


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
    said = ((row, row_name(row, gate), row_sentence(row, gate)) for row in gate.rows)
    cases = [JUnitCase(name, f"mteval.{row.candidate}", _STATUS[row.outcome], text) for row, name, text in said]
    return junit("mteval gate", cases, [f"warning: {note.text}" for note in finding_notes(gate.findings)])


def gate_json(gate: Gate) -> str:
    """Return all numbers, the outcome, the rule, settings and warnings as JSON."""
    other = {
        "outcome": gate.outcome, "status": gate.status, "rule": asdict(gate.rule),
        "sentences": [f"{row_name(row, gate)}: {row_sentence(row, gate)}" for row in gate.rows],
        "settings": gate.settings.deciding, "versions": dict(versions()), "findings": findings_form(gate.findings),
    }  # fmt: skip
    return to_json({"gate": gate_frame(gate)}, other)
