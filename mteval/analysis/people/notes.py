"""Errors that the owner of an experiment noted: how many of each system recur in its runs, and as WMT's table."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

import pandas as pd

from mteval.analysis.people.marked_errors import marked_frame, stands_in
from mteval.analysis.work import Work
from mteval.annotations import SEVERITIES
from mteval.annotations.campaign_files import NO_ERROR, mqm_table
from mteval.values.model import TestSet
from mteval.values.notes import NOTER, NotedError, noted_on

COUNTS = ("system", "n_errors", "n_outputs", *SEVERITIES, "habits", "slips")


def noted_frame(notes: Iterable[NotedError], test_set: TestSet, work: Work) -> pd.DataFrame:
    """Return the errors noted on a test set with the columns ``MARKED``, in the order of its segments."""
    frame = marked_frame(noted_on(notes, test_set.name, test_set.documents), test_set, work)
    return frame.sort_values(["place", "system", "start"], kind="stable", ignore_index=True)


def note_counts(noted: pd.DataFrame) -> pd.DataFrame:
    """Return one row per system with the columns ``COUNTS``.

    A habit has the same words at that place in every run of the system, a slip in the judged run only.
    """
    several = noted["n_runs"] > 1
    is_habit, is_slip = several & (noted["n_same"] == noted["n_runs"]), several & (noted["n_same"] == 1)
    rows = [
        (
            system, len(own), own["segment"].nunique(), *((own["severity"] == one).sum() for one in SEVERITIES),
            is_habit[own.index].sum(), is_slip[own.index].sum(),
        )
        for system, own in noted.groupby("system", sort=False)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(COUNTS))


def recurrence(note: NotedError, test_set: TestSet) -> tuple[int, int]:
    """Return in how many runs of the system the noted words stand at that place, and how many runs it has."""
    runs = test_set.runs_of(note.system)
    texts = [run.hypotheses[note.segment] for run in runs]
    return sum(stands_in(note.output, note.start, note.end, text) for text in texts), len(runs)


def notes_table(notes: Iterable[NotedError], test_set: TestSet) -> str:
    """Return the errors noted on a test set as WMT's table, one row per error."""
    return mqm_table(_rows(notes, test_set))


def _rows(notes: Iterable[NotedError], test_set: TestSet) -> Iterator[Sequence[str]]:
    documents = test_set.documents or (test_set.name,) * test_set.n_segments
    counters: dict[str, Iterator[int]] = defaultdict(lambda: count(1))  # segment numbers within documents
    numbers = [next(counters[document]) for document in documents]
    for one in sorted(notes, key=lambda note: (note.segment, note.system, note.run, note.start)):
        if one.test_set != test_set.name or one.segment >= test_set.n_segments:
            continue
        source = "" if test_set.source is None else test_set.source[one.segment]
        target = f"{one.output[: one.start]}<v>{one.words}</v>{one.output[one.end :]}"
        yield (
            one.system, documents[one.segment], str(numbers[one.segment]), str(one.segment + 1), NOTER, source, target,
            one.category or NO_ERROR, one.severity, one.comment,
        )  # fmt: skip
