"""What is odd about the data, as notes beside every answer it concerns."""

from collections.abc import Iterable, Sequence

from mteval.answers.section import Note, Section
from mteval.base.words import counted, listed
from mteval.values.findings import Finding

MOST_DETAILS = 3  # of one kind


def finding_notes(findings: Iterable[Finding]) -> tuple[Note, ...]:
    """Return one warning per kind of finding, with the first details."""
    details_of: dict[str, list[str]] = {}  # by title
    for finding in findings:
        if finding.severity == "warning":
            details_of.setdefault(finding.title, []).append(finding.detail)
    notes = []
    for title, details in details_of.items():
        distinct = list(dict.fromkeys(details))
        notes.append(Note(f"{title}. {_first_details(distinct)}", "warning"))
    return tuple(notes)


def _first_details(details: Sequence[str]) -> str:
    """Return the first details, and how many more cases there are."""
    text = " ".join(details[:MOST_DETAILS])
    n_more = len(details) - MOST_DETAILS
    if n_more > 0:
        text += f" And {counted(n_more, 'more case')}."
    return text


def elsewhere_sentence(findings: Iterable[Finding]) -> str:
    """Return which warnings the Scores page has, for pages that do not repeat them; empty without warnings."""
    titles = list(dict.fromkeys(finding.title for finding in findings if finding.severity == "warning"))
    if not titles:
        return ""
    return f"{counted(len(titles), 'warning')} about the data on Scores: {listed(titles)}."


def warning_section(findings: Iterable[Finding]) -> tuple[Section, ...]:
    """Return the warnings about the data as a section of their own; nothing without warnings."""
    notes = finding_notes(findings)
    return (Section("warnings", "Warnings", notes=notes),) if notes else ()
