"""Errors that the owner of an experiment noted: how many per system, and which recur in its runs."""

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from mteval.analysis.people.marked_errors import note_counts, recurrence
from mteval.answers.errors import errors_table
from mteval.answers.section import Column, Section, Table
from mteval.base.words import counted, counted_part
from mteval.values.model import TestSet
from mteval.values.notes import NotedError
from mteval.values.run_words import RunWord


def counts_section(noted: pd.DataFrame, runs: RunWord) -> Section:
    """Return the counts per system, from a frame with the columns ``MARKED``; empty columns are omitted."""
    frame = note_counts(noted)
    outputs = counted(int(frame["n_outputs"].sum()), "output")
    lead = f"{counted(len(noted), 'error')} noted in {outputs}. Outputs without a note may not have been read."
    habits = runs.filled("Every {run} of the system has these words at that place: a habit.")
    slips = runs.filled("No other {run} of the system has these words at that place: a slip.")
    columns = [
        Column("system", "System"), Column("n_errors", "Errors", "count"), Column("n_outputs", "Outputs", "count"),
        *(Column(name, name.capitalize(), "count") for name in ("critical", "major", "minor", "neutral")
          if frame[name].any()),
    ]  # fmt: skip
    if (noted["n_runs"] > 1).any():
        columns += [Column("habits", runs.filled("In every {run}"), "count", help=habits),
                    Column("slips", runs.filled("In one {run}"), "count", help=slips)]  # fmt: skip
    return Section("notes", "Error notes", (lead,), Table(tuple(columns), frame))


def notes_section(noted: pd.DataFrame, runs: RunWord) -> Section:
    """Return the counts per system and all errors, for a report."""
    counts = counts_section(noted, runs)
    every = Section("noted-errors", "Noted errors", table=errors_table(noted, runs))
    return Section("my-notes", counts.title, counts.lead, parts=(Section("notes", "", table=counts.table), every))


def noted_line(notes: Sequence[NotedError]) -> str:
    """Return how many errors are noted, by system."""
    systems = Counter(one.system for one in notes)
    return f"{counted(len(notes), 'error')}: {', '.join(f'{system} {n:,}' for system, n in systems.items())}"


def recurrence_words(note: NotedError, test_set: TestSet, runs: RunWord) -> str:
    """Return ``in 3 of 5 runs``: how many have the noted words at that place; empty for a system with one run."""
    n_same, n_runs = recurrence(note, test_set)
    return f"in {counted_part(n_same, n_runs, runs.noun)}" if n_runs > 1 else ""
