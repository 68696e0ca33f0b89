"""What is odd about the data, as notes beside every answer it concerns."""

from collections.abc import Iterable, Sequence

from mteval.answers.section import Note, Section
from mteval.base.words import counted
from mteval.values.findings import Finding

MOST_DETAILS = 3  # of one kind


def finding_notes(findings: Iterable[Finding]) -> tuple[Note, ...]:
    """Return one warning per kind of finding, with the first details."""
    kinds: dict[str, dict[str, None]] = {}
    for finding in findings:
        if finding.severity == "warning":
            kinds.setdefault(finding.title, {})[finding.detail] = None
    return tuple(Note(f"{title}. {_some([*details])}", "warning") for title, details in kinds.items())


def _some(details: Sequence[str]) -> str:
    more = len(details) - MOST_DETAILS
    return " ".join([*details[:MOST_DETAILS], *([f"And {counted(more, 'more case')}."] if more > 0 else [])])


def warning_section(findings: Iterable[Finding]) -> tuple[Section, ...]:
    """Return the warnings about the data as a section of their own; nothing without warnings."""
    notes = finding_notes(findings)
    return (Section("warnings", "Warnings", notes=notes),) if notes else ()
