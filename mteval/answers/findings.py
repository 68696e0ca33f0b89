"""What is odd about the data: notes beside every answer it concerns, and a mark beside scores that may be too good.

The mark and its reasons are the same in every table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from mteval.answers.section import Note, Section
from mteval.base.words import agreeing, counted, listed
from mteval.values.findings import Finding

if TYPE_CHECKING:
    import pandas as pd

    from mteval.analysis.results import Results
    from mteval.values.verdict import Verdict

MOST_DETAILS = 3  # of one kind
MARK_OF_DOUBT = "§"
DOUBT_MEANS = f"{MARK_OF_DOUBT} may be too good: see the warnings."
SHARED_LINES = "reference-lines"  # code of the finding that a system's lines are in the references
OPTIMIZED = "optimized-metric"  # that a system was trained or decoded towards a metric
CODES = (SHARED_LINES, OPTIMIZED)


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


def doubtful_scores(findings: Iterable[Finding]) -> dict[str, str]:
    """Return why the scores of a system may be too good, by system.

    Parameters
    ----------
    findings
        About one metric.
    """
    reasons_of: dict[str, dict[str, None]] = {}
    for finding in findings:
        if finding.code in CODES:
            for system in finding.systems:
                reasons_of.setdefault(system, {})[finding.detail] = None
    return {system: " ".join(reasons) for system, reasons in reasons_of.items()}


def doubtful_by(results: Results, metric: str) -> dict[str, str]:
    """Return why scores by a metric on the test set may be too good, by system; empty for human scores."""
    if metric in results.evaluation.of_people:  # people read no reference
        return {}
    return doubtful_scores(results.findings(metric))


def doubtful_in(verdicts: Iterable[Verdict]) -> dict[str, str]:
    """Return why scores behind verdicts by one metric may be too good, by system; empty for human scores."""
    findings: list[Finding] = []
    for verdict in verdicts:
        if not verdict.is_of_people:
            findings += verdict.findings
    return doubtful_scores(findings)


def doubt_notes(reason_of: Mapping[str, str]) -> list[str]:
    """Return each reason once, after the mark."""
    return [f"{MARK_OF_DOUBT} {reason}" for reason in dict.fromkeys(reason_of.values())]


def with_doubts(rows: pd.DataFrame, results: Results) -> pd.DataFrame:
    """Return rows of the overview with the mark of each score that may be too good, in the column ``doubt``."""
    doubtful = {metric: doubtful_by(results, metric) for metric in results.metrics}
    marks = []
    for metric, system in zip(rows["metric"], rows["system"], strict=True):
        marks.append(MARK_OF_DOUBT if system in doubtful[metric] else "")
    return rows.assign(doubt=marks)


def reasons_in_brief(findings: Iterable[Finding], metric_names: Mapping[str, str]) -> str:
    """Return ``may be too good (…)`` with the reasons; empty without any.

    Parameters
    ----------
    metric_names
        Of the metrics that are shown, by key.
    """
    in_references: dict[str, None] = {}
    optimized: dict[str, dict[str, None]] = {}  # systems by metric
    for finding in findings:
        systems = dict.fromkeys(finding.systems)
        if finding.code == SHARED_LINES:
            in_references.update(systems)
        elif finding.code == OPTIMIZED:
            for metric in finding.metrics:
                if metric in metric_names:
                    optimized.setdefault(metric_names[metric], {}).update(systems)
    reasons = []
    if in_references:
        reasons.append(f"lines of {listed(list(in_references))} may be in the references")
    for metric, systems in optimized.items():
        were = agreeing(len(systems), "was", "were")
        reasons.append(f"{listed(list(systems))} {were} trained or decoded towards {metric}")
    if not reasons:
        return ""
    return f"may be too good ({'; '.join(reasons)})"
