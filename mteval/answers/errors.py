"""Errors that people marked or noted: agreement, examples, rates per system, recurrence; progress of campaigns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

import pandas as pd

from mteval import figures
from mteval.analysis.people.files import controls_frame, prefilled_frame
from mteval.analysis.people.marked_errors import PER, note_counts, recurrence
from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored
from mteval.annotations import Campaign, Listed, Task
from mteval.annotations.campaigns import Way
from mteval.answers.nbest import texts_beside
from mteval.answers.section import Column, Row, Section, Table, columns, noted
from mteval.base.words import counted, counted_part, counted_range
from mteval.values.marked_text import MISSING_WORD, Example, Span
from mteval.values.model import TestSet
from mteval.values.notation import DASH, fixed, level, percent
from mteval.values.notes import NOTER, NotedError
from mteval.values.run_words import RunWord
from mteval.values.settings import Settings

MOST_KINDS = 8  # of errors in a figure
NO_ERRORS = "These judgements mark no errors. WMT's .seg.rating files, error tables, ESA and annotation campaigns do."


def errors_table(errors: pd.DataFrame, runs: RunWord) -> Table:
    """Return one row per error, with the columns ``MARKED``; empty columns are omitted."""

    def part(row: Row, count: str, of: int) -> str:
        return f"{row[count]} of {of}" if of else ""

    same = "Loaded {runs} of the system with the same words at that place."
    others = "Other annotators of this output who marked something at the same place."
    columns = (
        Column("segment", "Segment"), Column("system", "System"),
        Column("words", "Words", "text", write=lambda row: words_of(row["words"])),
        Column("category", "Category"), Column("severity", "Severity"), Column("annotator", "Annotator"),
        Column("origin", "Found by"), Column("n_agree", "Others agree", help=others,
               write=lambda row: part(row, "n_agree", row["n_raters"] - 1)),
        Column("n_same", runs.filled("{Runs} with it"), help=runs.filled(same),
               write=lambda row: part(row, "n_same", row["n_runs"])),
        Column("comment", "Note", "text"), Column("document", "Document"),
    )  # fmt: skip
    table = Table(columns, errors.astype(object).where(errors.notna(), ""))
    empty = {column.key for column in columns if not any(column.cell(row).text for row in table.rows)}
    empty |= {"annotator"} if set(errors["annotator"]) == {NOTER} else set()
    return Table(tuple(column for column in columns if column.key not in empty), table.frame)


def errors_extent(chosen: pd.DataFrame, marked: pd.DataFrame, most: int) -> str:
    """Return how many of the marked errors are selected, and how many are shown."""
    n_read_twice = int((chosen["n_raters"] > 1).sum())
    text = f"{counted_part(len(chosen), len(marked), 'marked error')}."
    if n_read_twice:
        text += f" {n_read_twice:,} in outputs with several annotators, disagreements first."
    return text + (f" Showing the first {most:,}; the file has all." if len(chosen) > most else "")


def examples(
    chosen: pd.DataFrame, every: pd.DataFrame, test_set: TestSet | None, runs: RunWord, most: int
) -> list[Example]:
    """Return an example for each output with a selected error, in their order, up to a maximum.

    Parameters
    ----------
    chosen, every
        With the columns ``MARKED``; all errors of an output are shown, whichever of them was selected.
    """
    outputs = list(dict.fromkeys(zip(chosen["system"], chosen["segment"], strict=True)))[:most]
    return [example(every, system, segment, test_set, runs) for system, segment in outputs]


def example(every: pd.DataFrame, system: str, segment: str, test_set: TestSet | None, runs: RunWord) -> Example:
    """Return one output with everything that was marked in it."""
    found = every[(every["system"] == system) & (every["segment"] == segment)]
    found = found.sort_values(["side", "start", "end"]).astype(object)
    rows: list[Row] = found.where(found.notna(), None).to_dict("records")  # type: ignore[assignment]
    first, marked = rows[0], [row for row in rows if row["side"] == "hypothesis" and row["end"]]
    spans = [Span(row["start"], row["end"], row["severity"], _kind(row)) for row in marked]
    texts = [] if test_set is None or first["place"] < 0 else list(texts_beside(test_set, int(first["place"])))
    where = f"{system}, segment {segment}" + (f", {first['document']}" if first["document"] else "")
    return Example(where, texts, first["output"] or "", spans, [_said(row, runs) for row in rows])


def _kind(row: Row) -> str:
    category = f"{row['category']}, " if row["category"] else ""
    return f"{category}{row['severity']} ({row['annotator']})"


def words_of(words: str) -> str:
    """Return marked words, or that one is missing if only whitespace is marked."""
    return MISSING_WORD if words and words.isspace() else words


def quoted(words: str) -> str:
    """Return marked words in quotation marks; empty if there are none."""
    return words_of(words) if not words.strip() else f"“{words}”"


def _said(row: Row, runs: RunWord) -> str:
    place = f"characters {row['start'] + 1:,} to {row['end']:,}" if row["end"] else "the whole output"
    found_by = f", found by {row['origin']}" if row["origin"] else ""
    where = ", in the source" if row["side"] == "source" else ""
    parts = [f"{quoted(row['words']) or place}: {_kind(row)}{found_by}{where}"]
    parts += [row["comment"]] if row["comment"] else []
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
    note = (
        f"{level(settings.confidence)} CI: {counted(settings.n_bootstrap, 'bootstrap replicate')} of {n_units} per"
        " system, annotators fixed." + (f" The {MOST_KINDS} most common kinds." if len(kinds) > MOST_KINDS else "")
    )

    def points() -> Iterator[figures.people.Estimate]:
        for system in systems:
            for row in shown[shown["system"] == system].to_dict("records"):
                kind, ends = row["kind"] or "no category", (row["low"], row["high"])
                text = (
                    f"{system}, {kind}: {fixed(row['rate'], 1)} in {PER}, {' to '.join(fixed(end, 1) for end in ends)};"
                    f" {counted(row['n_errors'], 'error')} in {counted(row['n_readings'], 'reading')}"
                )
                yield figures.people.Estimate(kind, system, row["rate"], *ends, text)

    return Section(
        "profiles", "Errors by kind", legend=note,
        figure=lambda: figures.people.estimates(list(points()), f"Errors in {PER} readings"),
    )  # fmt: skip


def marked_errors(results: Results, by: Scored) -> Section:
    """Return how many errors a metric marks in the outputs of each system, with intervals."""
    counts, runs = results.rows(results.evaluation.errors, by.metric.key), results.run_word
    units = counted(int(counts["units"].iloc[0]), str(counts["unit"].iloc[0]))
    lead = (
        f"Errors marked by {by.metric.name}: all {runs.nouns} of each system, and mean per output with"
        f" {level(results.settings.confidence)} bootstrap CI over {units}. A model's marks, not people's."
    )
    counted_columns = {"runs": runs.filled("{Runs}"), "segments": "Segments", "errors": "Errors"}
    rates = {"per_segment": "Per output", "low": "Low", "high": "High"}
    columns = [Column("system", "System"), Column("severity", "Severity")]
    columns += [Column(key, name, "count") for key, name in counted_columns.items()]
    columns += [Column(key, name, "number", digits=3) for key, name in rates.items()]  # of errors in one output
    return Section("marked-errors", "Marked errors", (lead,), Table(tuple(columns), counts))


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
    *columns(annotator="Annotator", origin="Metric"),
    *columns("count", n_found="Found", n_kept="Kept", n_changed="Other severity", n_rejected="Removed"),
    *columns("count", n_added="Added"),
)


def progress_section(campaign: Campaign, listed: Listed, tasks: Sequence[Task]) -> Section:
    """Return what each annotator has done, and the results of items with known answers."""
    found = controls_frame(campaign, tasks).to_dict("records")
    passed = {(row["annotator"], row["kind"]): _part(row["n_passed"], row["n_done"]) for row in found}
    kinds = [kind for kind in KIND_NAMES if kind in {row["kind"] for row in found}]
    rows = []
    for name, (done, total) in listed.progress.items():
        rows.append((name, f"{done} of {total}", total - done, *(passed.get((name, kind), DASH) for kind in kinds)))
    shown = (
        *columns(annotator="Annotator"), Column("done", "Done", "count", write=itemgetter("done")),
        *columns("count", left="Left"),
        *(Column(kind, KIND_NAMES[kind], "share", write=itemgetter(kind)) for kind in kinds),
    )  # fmt: skip
    frame = pd.DataFrame(rows, columns=[column.key for column in shown])
    check = f"A check is passed if {CHECKS[campaign.way]}." if "check" in kinds else ""
    table = Table(shown, frame, "Progress of each annotator")
    return Section("campaign-progress", "", table=table, notes=noted(check, is_wide=True))


def _part(n_passed: int, n_done: int) -> str:
    """Return how many were passed, and the share."""
    return f"{n_passed} of {n_done}" + (f" ({percent(n_passed / n_done, 0)})" if n_done else "")


def prefilled_sections(tasks: Sequence[Task]) -> Iterator[Section]:
    """Yield what became of the errors that a metric found beforehand, if there were any."""
    prefilled = prefilled_frame(tasks)
    if not prefilled.empty:
        table = Table(PREFILLED, prefilled, "Errors in finished outputs")
        yield Section("campaign-prefilled", "Errors suggested by the metric", table=table)


def counts_section(found: pd.DataFrame, runs: RunWord) -> Section:
    """Return the counts per system, from a frame with the columns ``MARKED``; empty columns are omitted."""
    frame = note_counts(found)
    outputs = counted(int(frame["n_outputs"].sum()), "output")
    lead = f"{counted(len(found), 'error')} noted in {outputs}. Outputs without a note may not have been read."
    habits = runs.filled("Every {run} of the system has these words at that place: a habit.")
    slips = runs.filled("No other {run} of the system has these words at that place: a slip.")
    columns = [
        Column("system", "System"), Column("n_errors", "Errors", "count"), Column("n_outputs", "Outputs", "count"),
        *(Column(name, name.capitalize(), "count") for name in ("critical", "major", "minor", "neutral")
          if frame[name].any()),
    ]  # fmt: skip
    if (found["n_runs"] > 1).any():
        columns += [Column("habits", runs.filled("In every {run}"), "count", help=habits),
                    Column("slips", runs.filled("In one {run}"), "count", help=slips)]  # fmt: skip
    return Section("notes", "Error notes", (lead,), Table(tuple(columns), frame))


def notes_section(found: pd.DataFrame, runs: RunWord) -> Section:
    """Return the counts per system and all errors, for a report."""
    counts = counts_section(found, runs)
    every = Section("noted-errors", "Noted errors", table=errors_table(found, runs))
    return Section("my-notes", counts.title, counts.lead, parts=(Section("notes", "", table=counts.table), every))


def noted_line(notes: Sequence[NotedError]) -> str:
    """Return how many errors are noted, by system."""
    systems = Counter(one.system for one in notes)
    return f"{counted(len(notes), 'error')}: {', '.join(f'{system} {n:,}' for system, n in systems.items())}"


def recurrence_words(note: NotedError, test_set: TestSet, runs: RunWord) -> str:
    """Return ``in 3 of 5 runs``: how many have the noted words at that place; empty for a system with one run."""
    n_same, n_runs = recurrence(note, test_set)
    return f"in {counted_part(n_same, n_runs, runs.noun)}" if n_runs > 1 else ""
