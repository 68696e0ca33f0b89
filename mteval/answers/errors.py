"""Errors that people marked or noted: agreement, examples, rates per system, recurrence; progress of campaigns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING

import pandas as pd

from mteval import figures
from mteval.analysis.people.files import controls_frame, prefilled_frame
from mteval.analysis.people.marked_errors import PER, note_counts, recurrence
from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored
from mteval.annotations import SEVERITIES, Campaign, Listed, Task
from mteval.annotations.campaigns import Way
from mteval.answers.nbest import texts_beside
from mteval.answers.section import Column, Row, Section, Table, noted
from mteval.base.words import counted, counted_part, counted_range
from mteval.values.marked_text import MISSING_WORD, Example, Span
from mteval.values.model import TestSet
from mteval.values.notation import DASH, fixed, level, percent
from mteval.values.notes import NOTER, NotedError
from mteval.values.run_words import RunWord
from mteval.values.settings import Settings

if TYPE_CHECKING:
    import plotly.graph_objects as go

MOST_KINDS = 8  # of errors in a figure
NO_ERRORS = "These judgements mark no errors. WMT's .seg.rating files, error tables, ESA and annotation campaigns do."

# Items of a campaign with known answers
KIND_NAMES = {"training": "Training as expected", "check": "Attention checks passed"}
_FOUND = "marks and inserted words overlap by at least half, and other words are marked at most half as often"
_LOWER = "lower than the same output without these words"
CHECKS: Mapping[Way, str] = {  # passed if
    "rating": f"adequacy with inserted words is rated {_LOWER}",
    "errors": _FOUND,
    "esa": f"{_FOUND}; and the score is {_LOWER}",
    "preference": "the output without the inserted words is preferred",
}
PREFILLED = (
    Column("annotator", "Annotator"),
    Column("origin", "Metric"),
    Column("n_found", "Found", "count"),
    Column("n_kept", "Kept", "count"),
    Column("n_changed", "Other severity", "count"),
    Column("n_rejected", "Removed", "count"),
    Column("n_added", "Added", "count"),
)


def errors_table(errors: pd.DataFrame, runs: RunWord) -> Table:
    """Return one row per error, with the columns ``MARKED``; empty columns are omitted."""
    others_help = "Other annotators of this output who marked something at the same place."
    runs_help = runs.filled("Loaded {runs} of the system with the same words at that place.")
    columns = (
        Column("segment", "Segment"),
        Column("system", "System"),
        Column("words", "Words", "text", write=lambda row: words_of(row["words"])),
        Column("category", "Category"),
        Column("severity", "Severity"),
        Column("annotator", "Annotator"),
        Column("origin", "Found by"),
        Column("n_agree", "Others agree", help=others_help, write=_others_that_agree),
        Column("n_same", runs.filled("{Runs} with it"), help=runs_help, write=_runs_with_same_words),
        Column("comment", "Note", "text"),
        Column("document", "Document"),
    )
    table = Table(columns, errors.astype(object).where(errors.notna(), ""))
    rows = table.rows
    is_own = set(errors["annotator"]) == {NOTER}
    shown = []
    for column in columns:
        is_empty = not any(column.cell(row).text for row in rows)
        if not is_empty and not (is_own and column.key == "annotator"):
            shown.append(column)
    return Table(tuple(shown), table.frame)


def _others_that_agree(row: Row) -> str:
    n_others = row["n_raters"] - 1
    return f"{row['n_agree']} of {n_others}" if n_others else ""


def _runs_with_same_words(row: Row) -> str:
    return f"{row['n_same']} of {row['n_runs']}" if row["n_runs"] else ""


def errors_extent(selected: pd.DataFrame, marked: pd.DataFrame, most: int) -> str:
    """Return how many of the marked errors are selected, and how many are shown."""
    text = f"{counted_part(len(selected), len(marked), 'marked error')}."
    n_read_twice = int((selected["n_raters"] > 1).sum())
    if n_read_twice:
        text += f" {n_read_twice:,} in outputs with several annotators, disagreements first."
    if len(selected) > most:
        text += f" Showing the first {most:,}; the file has all."
    return text


def examples(
    selected: pd.DataFrame, marked: pd.DataFrame, test_set: TestSet | None, runs: RunWord, most: int
) -> list[Example]:
    """Return an example for each output with a selected error, in their order, up to a maximum.

    Parameters
    ----------
    selected, marked
        With the columns ``MARKED``; all errors of an output are shown, whichever of them was selected.
    """
    outputs = list(dict.fromkeys(zip(selected["system"], selected["segment"], strict=True)))
    return [example(marked, system, segment, test_set, runs) for system, segment in outputs[:most]]


def example(marked: pd.DataFrame, system: str, segment: str, test_set: TestSet | None, runs: RunWord) -> Example:
    """Return one output with everything that was marked in it."""
    errors = marked[(marked["system"] == system) & (marked["segment"] == segment)]
    errors = errors.sort_values(["side", "start", "end"]).astype(object)
    # pandas types the keys of records as Hashable; here they are names of columns
    rows: list[Row] = errors.where(errors.notna(), None).to_dict("records")  # type: ignore[assignment]
    first = rows[0]

    spans = []
    for row in rows:
        if row["side"] == "hypothesis" and row["end"]:
            spans.append(Span(row["start"], row["end"], row["severity"], _kind(row)))
    texts = []
    if test_set is not None and first["place"] >= 0:
        texts = list(texts_beside(test_set, int(first["place"])))
    title = f"{system}, segment {segment}"
    if first["document"]:
        title += f", {first['document']}"
    output = first["output"] if first["output"] else ""
    return Example(title, texts, output, spans, [_error_in_words(row, runs) for row in rows])


def _kind(row: Row) -> str:
    """Return ``accuracy, major (Ann)``."""
    kind = f"{row['severity']} ({row['annotator']})"
    return f"{row['category']}, {kind}" if row["category"] else kind


def words_of(words: str) -> str:
    """Return marked words, or that one is missing if only whitespace is marked."""
    return MISSING_WORD if words and words.isspace() else words


def quoted(words: str) -> str:
    """Return marked words in quotation marks; empty if there are none."""
    return f"“{words}”" if words.strip() else words_of(words)


def _error_in_words(row: Row, runs: RunWord) -> str:
    """Return what was marked by whom, the note on it, and who else and which runs have the same."""
    place = quoted(row["words"])
    if not place and row["end"]:
        place = f"characters {row['start'] + 1:,} to {row['end']:,}"
    elif not place:
        place = "the whole output"
    text = f"{place}: {_kind(row)}"
    if row["origin"]:
        text += f", found by {row['origin']}"
    if row["side"] == "source":
        text += ", in the source"

    parts = [text]
    if row["comment"]:
        parts.append(row["comment"])
    if row["n_raters"] > 1:
        parts.append(f"{counted_part(row['n_agree'], row['n_raters'] - 1, 'other annotator')} marked this place")
    if row["n_runs"] > 1:
        parts.append(f"same words in {counted_part(row['n_same'], row['n_runs'], runs.noun)}")
    elif row["n_runs"]:
        parts.append(f"{counted(1, runs.noun)} loaded")
    return "; ".join(parts)


def profile_section(profiles: pd.DataFrame, systems: Sequence[str], settings: Settings) -> Section:
    """Return how often systems make the most common kinds of errors, from a frame with the columns ``PROFILES``."""
    kinds = list(dict.fromkeys(profiles["kind"]))
    shown = profiles[profiles["system"].isin(systems) & profiles["kind"].isin(kinds[:MOST_KINDS])]
    n_units = counted_range(shown["n_units"].tolist(), str(profiles["unit"].iloc[0]))
    legend = (
        f"{level(settings.confidence)} CI: {counted(settings.n_bootstrap, 'bootstrap replicate')} of {n_units} per"
        " system, annotators fixed."
    )
    if len(kinds) > MOST_KINDS:
        legend += f" The {MOST_KINDS} most common kinds."
    return Section("profiles", "Errors by kind", legend=legend, figure=partial(_profiles_figure, shown, systems))


def _profiles_figure(profiles: pd.DataFrame, systems: Sequence[str]) -> go.Figure:
    estimates = []
    for system in systems:
        for row in profiles[profiles["system"] == system].to_dict("records"):
            kind = row["kind"] if row["kind"] else "no category"
            rate = f"{fixed(row['rate'], 1)} in {PER}"
            interval = f"{fixed(row['low'], 1)} to {fixed(row['high'], 1)}"
            n_errors = counted(row["n_errors"], "error")
            n_readings = counted(row["n_readings"], "reading")
            hover = f"{system}, {kind}: {rate}, {interval}; {n_errors} in {n_readings}"
            estimates.append(figures.people.Estimate(kind, system, row["rate"], row["low"], row["high"], hover))
    return figures.people.estimates(estimates, f"Errors in {PER} readings")


def marked_errors(results: Results, scored: Scored) -> Section:
    """Return how many errors a metric marks in the outputs of each system, with intervals."""
    runs = results.run_word
    counts = results.rows(results.evaluation.errors, scored.metric.key)
    units = counted(int(counts["units"].iloc[0]), str(counts["unit"].iloc[0]))
    lead = (
        f"Errors marked by {scored.metric.name}: all {runs.nouns} of each system, and mean per output with"
        f" {level(results.settings.confidence)} bootstrap CI over {units}. A model's marks, not people's."
    )
    columns = (
        Column("system", "System"),
        Column("severity", "Severity"),
        Column("runs", runs.filled("{Runs}"), "count"),
        Column("segments", "Segments", "count"),
        Column("errors", "Errors", "count"),
        Column("per_segment", "Per output", "number", digits=3),
        Column("low", "Low", "number", digits=3),
        Column("high", "High", "number", digits=3),
    )
    return Section("marked-errors", "Marked errors", (lead,), Table(columns, counts))


def progress_section(campaign: Campaign, listed: Listed, tasks: Sequence[Task]) -> Section:
    """Return what each annotator has done, and the results of items with known answers."""
    controls = controls_frame(campaign, tasks)
    passed = {
        (row["annotator"], row["kind"]): _part_passed(row["n_passed"], row["n_done"])
        for row in controls.to_dict("records")
    }
    kinds = [kind for kind in KIND_NAMES if kind in set(controls["kind"])]
    columns = [
        Column("annotator", "Annotator"),
        Column("done", "Done", "count", write=itemgetter("done")),
        Column("left", "Left", "count"),
    ]
    for kind in kinds:
        columns.append(Column(kind, KIND_NAMES[kind], "share", write=itemgetter(kind)))

    rows = []
    for annotator, (n_done, n_tasks) in listed.progress.items():
        results = [passed.get((annotator, kind), DASH) for kind in kinds]
        rows.append((annotator, f"{n_done} of {n_tasks}", n_tasks - n_done, *results))
    frame = pd.DataFrame(rows, columns=[column.key for column in columns])
    table = Table(tuple(columns), frame, "Progress of each annotator")
    check = f"A check is passed if {CHECKS[campaign.way]}." if "check" in kinds else ""
    return Section("campaign-progress", "", table=table, notes=noted(check, is_wide=True))


def _part_passed(n_passed: int, n_done: int) -> str:
    """Return how many were passed, and the share."""
    text = f"{n_passed} of {n_done}"
    if n_done:
        text += f" ({percent(n_passed / n_done, 0)})"
    return text


def prefilled_sections(tasks: Sequence[Task]) -> Iterator[Section]:
    """Yield what became of the errors that a metric found beforehand, if there were any."""
    prefilled = prefilled_frame(tasks)
    if not prefilled.empty:
        table = Table(PREFILLED, prefilled, "Errors in finished outputs")
        yield Section("campaign-prefilled", "Errors suggested by the metric", table=table)


def notes_section(notes: pd.DataFrame, runs: RunWord) -> Section:
    """Return the counts per system and all errors, for a report."""
    counts = counts_section(notes, runs)
    parts = (
        Section("notes", "", table=counts.table),
        Section("noted-errors", "Noted errors", table=errors_table(notes, runs)),
    )
    return Section("my-notes", counts.title, counts.lead, parts=parts)


def counts_section(notes: pd.DataFrame, runs: RunWord) -> Section:
    """Return the counts per system, from a frame with the columns ``MARKED``; empty columns are omitted."""
    frame = note_counts(notes)
    n_outputs = counted(int(frame["n_outputs"].sum()), "output")
    lead = f"{counted(len(notes), 'error')} noted in {n_outputs}. Outputs without a note may not have been read."
    columns = [
        Column("system", "System"),
        Column("n_errors", "Errors", "count"),
        Column("n_outputs", "Outputs", "count"),
    ]
    for severity in reversed(SEVERITIES):
        if frame[severity].any():
            columns.append(Column(severity, severity.capitalize(), "count"))
    if (notes["n_runs"] > 1).any():
        habits = runs.filled("Every {run} of the system has these words at that place: a habit.")
        slips = runs.filled("No other {run} of the system has these words at that place: a slip.")
        columns.append(Column("habits", runs.filled("In every {run}"), "count", habits))
        columns.append(Column("slips", runs.filled("In one {run}"), "count", slips))
    return Section("notes", "Error notes", (lead,), Table(tuple(columns), frame))


def noted_line(notes: Sequence[NotedError]) -> str:
    """Return how many errors are noted, by system."""
    n_of_system = Counter(note.system for note in notes)
    systems = ", ".join(f"{system} {n_errors:,}" for system, n_errors in n_of_system.items())
    return f"{counted(len(notes), 'error')}: {systems}"


def recurrence_words(note: NotedError, test_set: TestSet, runs: RunWord) -> str:
    """Return ``in 3 of 5 runs``: how many have the noted words at that place; empty for a system with one run."""
    n_same, n_runs = recurrence(note, test_set)
    if n_runs < 2:
        return ""
    return f"in {counted_part(n_same, n_runs, runs.noun)}"
